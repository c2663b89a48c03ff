"""The last lines on the terminal: whether everything is accounted for, and where to look. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from demo.configuration import ROUTE
from demo.site import Site
from demo.totals import Totals


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
