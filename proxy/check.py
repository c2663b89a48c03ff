"""The `check` command: is this configuration right, and what does it come to? Opens nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from config.errors import ConfigError
from config.loader import load
from proxy.build import build
from proxy.plan import Pipeline, Plan


def check(path: Path, environ: Mapping[str, str]) -> int:
    """Build every part of the configuration without touching the network.

    Prints what it comes to on stdout and returns 0, or every problem on stderr and returns 2.
    """
    try:
        plan = build(load(path, environ))
    except ConfigError as exc:
        print(exc, file=sys.stderr)
        return 2
    print("\n".join(summary(plan)))
    return 0


def summary(plan: Plan) -> Iterator[str]:
    """Routes with what they serve and watch, and pipelines with their versions, as lines."""
    yield from _table(
        ("route", "live", "shadows", "deadline"),
        (
            (route.name, _shares(route.live), _shares(route.shadows), f"{route.deadline:g} s")
            for route in plan.routes.values()
        ),
    )
    yield ""
    yield from _table(
        ("pipeline", "version", "legs", "fusion", "rerank"),
        (
            (
                pipeline.name,
                pipeline.version,
                " ".join(name for name, _ in pipeline.legs),
                "" if pipeline.fusion is None else repr(pipeline.fusion),
                pipeline.rerank or "",
            )
            for pipeline in plan.pipelines.values()
        ),
    )


def _shares(pipelines: Iterable[tuple[Pipeline, float]]) -> str:
    return ", ".join(f"{pipeline.name} {share:.4g}" for pipeline, share in pipelines)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows under their head, in columns as wide as they need."""
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(
            cell.ljust(width) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
