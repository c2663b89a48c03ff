"""The `check` command: is this configuration right, and what does it come to? Asks no network."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from config.errors import ConfigError
from config.loader import load
from proxy.build import build
from proxy.fusion import Fusion
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
    kinds = {name: made.fusion.kind for name, made in plan.settings.pipelines if made.fusion}
    yield from _table(
        ("pipeline", "version", "legs", "fusion", "rerank"),
        (
            (
                pipeline.name,
                pipeline.version,
                " ".join(name for name, _ in pipeline.legs),
                _fusion(kinds.get(pipeline.name, ""), pipeline.fusion),
                pipeline.rerank or "",
            )
            for pipeline in plan.pipelines.values()
        ),
    )


def _fusion(kind: str, fusion: Fusion | None) -> str:
    """As the file would say it, defaults included: `rrf rank_constant=60 weights=dense:2`."""
    if fusion is None or not dataclasses.is_dataclass(fusion):
        return ""
    fields = (field.name for field in dataclasses.fields(fusion) if field.name != "weights")
    said = {name: _said(getattr(fusion, name)) for name in (*fields, "weights")}
    return " ".join([kind, *(f"{name}={value}" for name, value in said.items() if value)])


def _said(value: object) -> str:
    """An option's value; what is said of legs as `leg:value`, nothing where nothing is said."""
    match value:
        case tuple():
            return ",".join(f"{leg}:{_said(item)}" for leg, item in value)
        case float():
            return f"{value:g}"
    if dataclasses.is_dataclass(value):
        return "/".join(str(getattr(value, field.name)) for field in dataclasses.fields(value))
    return str(value)


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
