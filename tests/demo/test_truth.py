"""The truth, from what explain says and the judgments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from demo.collection import Claim
from demo.truth import measure

CLAIMS = (
    Claim("1", "one", (1.0,), frozenset({"a"})),
    Claim("2", "two", (2.0,), frozenset({"b"})),
)


class FakeProxy:
    """Explains live as `a b` and another as `b a`; serves what it is told to."""

    def __init__(self, served: str = "a b") -> None:
        self.served = served
        self.asked: list[tuple[str, Mapping[str, Any]]] = []

    async def ask(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        self.asked.append((path, body))
        if path == "/v1/r/search":
            return {"hits": [{"id": doc_id} for doc_id in self.served.split()]}
        live, other = [{"id": "a"}, {"id": "b"}], [{"id": "b"}, {"id": "a"}]
        return {"pipelines": {"live": {"hits": live}, "other": {"hits": other}}}


async def test_every_pipeline_is_measured_over_every_claim():
    """
    Each claim counts once; rank 2 is worth 1 / log2(3).
    """
    found = await measure(FakeProxy().ask, "r", "live", CLAIMS, with_vectors=False)

    expected = pytest.approx((1 + 0.63093) / 2, abs=1e-5)
    assert {"live": expected, "other": expected} == found.ndcg
    assert found.served_as_explained


async def test_a_served_page_that_differs_is_noticed():
    """
    Explain must tell what users get.
    """
    found = await measure(FakeProxy("b a").ask, "r", "live", CLAIMS, with_vectors=False)

    assert not found.served_as_explained


async def test_nothing_is_learned_from_the_comparison():
    """
    Its searches are typeaheads, which are served and not logged.
    """
    proxy = FakeProxy()

    await measure(proxy.ask, "r", "live", CLAIMS, with_vectors=True)

    searches = [body for path, body in proxy.asked if path == "/v1/r/search"]
    assert ["typeahead"] * 2 == [body["type"] for body in searches]
    assert {(1.0,), (2.0,)} == {body["vector"] for _, body in proxy.asked}


async def test_no_claims_are_no_truth():
    """
    A mean of nothing is left out.
    """
    assert {} == (await measure(FakeProxy().ask, "r", "live", (), with_vectors=False)).ndcg
