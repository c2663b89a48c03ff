"""nDCG@10 (linear gain) of the 300 SciFact test claims, through a running proxy, against targets.

    python -m bench.scifact

Each pipeline is made live in turn by a reload, and every claim is searched for once over HTTP.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from demo.collection import Claim, claims
from demo.configuration import ROUTE, switched
from demo.judgments import DEPTH, mean, ndcg
from demo.options import FOLDER
from demo.place import InUse
from demo.services import ServiceFailed
from demo.stage import Setting, prepared

TARGETS: Final[Mapping[str, tuple[float, float]]] = {
    "bm25": (0.66, 0.69),
    "dense": (0.640, 0.650),
    "rrf60": (0.705, 1.0),
    "minmax50": (0.71, 1.0),
}
"""Pipeline to the least and the most that its mean should be."""


async def figures() -> dict[str, float | None]:
    """The mean of every pipeline."""
    asked = claims()
    found = dict[str, float | None]()
    async with prepared(FOLDER, served_window=10.0) as setting, setting.running("proxy") as proxy:
        ports = setting.site.ports
        await proxy.ready((ports.public, ports.admin), setting.site.proxy_answers)
        for pipeline in TARGETS:
            await setting.reload(switched(setting.config, pipeline))
            found[pipeline] = mean([await _one(setting, claim) for claim in asked])
    return found


async def _one(setting: Setting, claim: Claim) -> float:
    body: dict[str, Any] = {"query": claim.text, "size": DEPTH, "type": "typeahead"}
    if setting.missing is not None:
        body["vector"] = claim.vector
    page = await setting.site.ask(f"/v1/{ROUTE}/search", body)
    hits: Sequence[Mapping[str, Any]] = page["hits"]
    return ndcg([hit["id"] for hit in hits], claim.relevant)


def main() -> int:
    """Print a line a pipeline; 1 where one misses its target."""
    try:
        found = asyncio.run(figures())
    except (InUse, ServiceFailed) as exc:
        print(exc, file=sys.stderr)
        return 1
    met = True
    print(f"{'pipeline':<10} {'nDCG@10':>8}  target")
    for pipeline, (low, high) in TARGETS.items():
        value = found[pipeline]
        fits = value is not None and low <= value <= high
        met = met and fits
        shown = "-" if value is None else f"{value:.4f}"
        print(f"{pipeline:<10} {shown:>8}  {low:g} to {high:g}{'' if fits else '  MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
