"""Pipelines that the engine fuses: their legs become one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from config import schema
from config.problems import problem
from proxy.build.parts import Parts
from proxy.fusion import Fusion
from proxy.legs import embedder_of
from proxy.legs.pushdown import EngineRerank, Inner, Pushdown

DIALECTS: Final[Mapping[str, tuple[str, ...]]] = {
    "elasticsearch": ("es_rrf", "es_linear"),
    "opensearch": ("os_norm", "os_rrf"),
}
"""The fusions that each kind of backend computes itself."""


def pushed(wanted: schema.Pipeline, fusion: Fusion, parts: Parts) -> Pushdown:
    """The one leg that a sound pipeline of several comes to.

    It is as deep as the shallowest of them and may take as long as the slowest.
    """
    legs = tuple((name, parts.legs[name]) for name in sorted(wanted.legs))
    first = legs[0][1]
    rerank = wanted.engine_rerank
    return Pushdown(
        first.backend,
        first.index,
        legs,
        fusion,
        None if rerank is None else EngineRerank(**dict(rerank)),
        min(leg.window for _, leg in legs),
        max(leg.timeout_ms for _, leg in legs),
    )


def push_problems(
    where: str, wanted: schema.Pipeline, parts: Parts, kinds: Mapping[str, str]
) -> Iterator[str]:
    """Why the engine can't fuse this pipeline; `kinds` are the backends' by name."""
    if wanted.fused_by == "proxy":
        if wanted.engine_rerank is not None:
            what = "is only for pipelines with `fused_by: engine`; `rerank` is the proxy's"
            yield problem(f"{where}.engine_rerank", what)
        return
    legs = {name: parts.legs[name] for name in wanted.legs if name in parts.legs}
    yield from _apart(where, legs)
    if len({name for leg in legs.values() if (name := embedder_of(leg))}) > 1:
        yield problem(f"{where}.legs", "have two embedders: one request carries one vector")
    for kind in sorted({kinds[leg.backend] for leg in legs.values() if leg.backend in kinds}):
        choices = DIALECTS.get(kind, ())
        if not choices:
            what = f"can't be the engine: a backend of kind {kind!r} fuses nothing"
            yield problem(f"{where}.fused_by", what, choices=("proxy",))
        elif wanted.fusion is not None and wanted.fusion.kind not in choices:
            what = f"is no fusion that {kind} computes"
            yield problem(f"{where}.fusion.kind", what, wanted.fusion.kind, choices)
        if wanted.engine_rerank is not None and kind != "elasticsearch":
            yield problem(f"{where}.engine_rerank", f"is Elasticsearch's, and {kind} has none")


def _apart(where: str, legs: Mapping[str, Inner]) -> Iterator[str]:
    """A problem where the legs ask different indices."""
    asked = sorted({f"{leg.backend}/{leg.index}" for leg in legs.values()})
    if len(asked) > 1:
        what = f"ask {', '.join(asked)}: the engine fuses what one index of one backend finds"
        yield problem(f"{where}.legs", what)
