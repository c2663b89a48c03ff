"""What is said before and after the tables: what comes, what it came to, where to look. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from demo.configuration import ROUTE, Ports
from demo.schedule import Schedule
from demo.site import Site
from demo.totals import Totals


def overture(schedule: Schedule, rate: float) -> str:
    """What is about to happen."""
    return (
        f"Users come for {schedule.traffic:.0f} s, about {rate:.0f} searches a second. Halfway, "
        "live is broken for a quarter of that time.\n"
        f"Clicks are judged {schedule.settle:.0f} s after their search; the served line is about "
        f"the last {schedule.shown:.0f} s that are judged.\n"
        "The p95 is taken with the simulated users on the same cores: on a small machine it "
        "is mostly waiting."
    )


def accounts(totals: Totals, users: int) -> str:
    """The totals in one paragraph."""
    return (
        f"{users:,} users, {totals.requests:,} searches, "
        f"{totals.errors} errors{_reasons(totals.failed)}. "
        f"{totals.stored:,} of {totals.offered:,} impressions stored{_reasons(totals.dropped)}, "
        f"{totals.accepted:,} of {totals.sent:,} events accepted{_reasons(totals.refused)}, "
        f"{totals.ran:,} of {totals.sampled:,} shadows run{_reasons(totals.undone)}."
    )


def addresses(site: Site) -> str:
    """The URLs to look at, and whether they are others than the documents tell."""
    usual = Ports()
    taken = f"{usual.public}, {usual.admin} or {usual.evaluator} was taken"
    moved = "" if site.ports == usual else f" (on other ports, for {taken})"
    return "\n".join(
        (
            f"While it runs{moved}:",
            f"search           {site.public}/v1/{ROUTE}/search?q=vitamin+D",
            f"proxy metrics    {site.admin}/metrics",
            f"evaluator        {site.evaluator}/metrics",
        )
    )


def leaving() -> str:
    """What is said when the services are about to stop."""
    return "Proxy and evaluator stop now. `make demo KEEP=1` leaves them running, to be looked at."


def keeping(config: Path, pids: Path) -> str:
    """What can be tried while it goes on."""
    return (
        "Still serving, with fewer users, until Ctrl-C. To change something, edit\n"
        f"{config}\nand have both services read it: kill -HUP $(cat {pids})"
    )


def _reasons(counts: Mapping[str, int]) -> str:
    return f" ({', '.join(f'{n:,} {reason}' for reason, n in counts.items())})" if counts else ""
