"""What is said before and after the tables: what comes, what it came to, where to look. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from demo.configuration import ROUTE
from demo.schedule import Schedule
from demo.site import Site
from demo.totals import Totals


def overture(schedule: Schedule, rate: float) -> str:
    """What is about to happen."""
    return (
        f"Users come for {schedule.traffic:.0f} s, about {rate:.0f} searches a second. Halfway, "
        "live is broken for a quarter of that time.\n"
        f"Clicks are judged {schedule.settle:.0f} s after their search; the served line looks "
        f"{schedule.window:.1f} s back.\n"
        "The p95 is taken with the simulated users on the same cores."
    )


def accounts(totals: Totals) -> str:
    """The totals in one paragraph."""
    return (
        f"{totals.requests:,} searches ({totals.errors} errors), {totals.stored:,} of "
        f"{totals.offered:,} impressions stored{_reasons(totals.dropped)}, {totals.accepted:,} of "
        f"{totals.sent:,} events accepted{_reasons(totals.refused)}, {totals.ran:,} of "
        f"{totals.sampled:,} shadows run{_reasons(totals.undone)}."
    )


def addresses(site: Site) -> str:
    """The URLs to look at."""
    return "\n".join(
        (
            f"search           {site.public}/v1/{ROUTE}/search?q=vitamin+D",
            f"proxy metrics    {site.admin}/metrics",
            f"evaluator        {site.evaluator}/metrics",
        )
    )


def keeping(config: Path, token: Path) -> str:
    """What can be tried while it goes on."""
    return (
        f"Still serving, with fewer users; Ctrl-C ends it. Edit {config} and\n"
        f"reload it with the token in {token}, as the README's tour does."
    )


def _reasons(counts: Mapping[str, int]) -> str:
    return "".join(f", {n:,} {reason}" for reason, n in counts.items())
