"""Measures every pipeline against the collection's judgments, through the running proxy."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from demo.collection import Claim
from demo.judgments import DEPTH, mean, ndcg

AT_ONCE: Final = 2
Ask: TypeAlias = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""POST JSON to a path of the proxy (`/admin/…` to its private port); raises for an error."""


@dataclass(frozen=True, slots=True)
class Truth:
    """nDCG@10 by pipeline over all claims, each once.

    `served_as_explained` is whether the live page was, for every claim, what explain says of live.
    """

    ndcg: Mapping[str, float]
    served_as_explained: bool


async def measure(
    ask: Ask, route: str, live: str, claims: Sequence[Claim], with_vectors: bool
) -> Truth:
    """Explain every claim, and search for it as a typeahead, which nothing is learned from."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(claim: Claim) -> tuple[Mapping[str, float], bool]:
        body = {"query": claim.text, "size": DEPTH}
        if with_vectors:
            body["vector"] = claim.vector
        async with slots:
            explained = await ask("/admin/explain", body | {"route": route})
            page = await ask(f"/v1/{route}/search", body | {"type": "typeahead"})
        lists = {name: _ids(found["hits"]) for name, found in explained["pipelines"].items()}
        scores = {name: ndcg(ids, claim.relevant) for name, ids in lists.items()}
        return scores, lists[live] == _ids(page["hits"])

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(claim)) for claim in claims]
    found = [task.result() for task in tasks]
    names = found[0][0] if found else ()
    means = {name: mean(scores[name] for scores, _ in found) for name in names}
    return Truth(
        {name: value for name, value in means.items() if value is not None},
        all(same for _, same in found),
    )


def _ids(hits: Sequence[Mapping[str, Any]]) -> list[str]:
    return [hit["id"] for hit in hits]
