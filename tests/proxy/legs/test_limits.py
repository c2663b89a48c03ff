"""Tests of proxy.legs.limits."""

from __future__ import annotations

import pytest

from proxy.legs.limits import DEEPEST, limits, place


@pytest.mark.parametrize(("window", "timeout_ms"), [(1, 1), (DEEPEST, 300)])
def test_what_an_engine_can_bring_is_allowed(window: int, timeout_ms: int) -> None:
    """
    From one document to the engines' own limit.
    """
    limits(window, timeout_ms)


@pytest.mark.parametrize(
    ("window", "timeout_ms", "field"),
    [(0, 300, "window"), (DEEPEST + 1, 300, "window"), (100, 0, "timeout_ms")],
)
def test_anything_else_is_refused_by_its_field(window: int, timeout_ms: int, field: str) -> None:
    """
    The message begins with the field, so that its path can be put before it.
    """
    with pytest.raises(ValueError, match=f"^{field}: "):
        limits(window, timeout_ms)


@pytest.mark.parametrize("index", ["faq", "faq-1,faq-2", "logs-*", ".ds-logs", "other:faq", "fäq"])
def test_what_may_name_indices_is_allowed(index: str) -> None:
    """
    Aliases, patterns, several, and those of other clusters.
    """
    place(index)


@pytest.mark.parametrize(
    "index", ["", "a,,b", "../x", "a b", "a\nb", "http://x", "-faq", "_all", "_nodes", "a" * 501]
)
def test_what_names_no_index_is_refused(index: str) -> None:
    """
    An empty one would be all indices of the cluster.
    """
    with pytest.raises(ValueError, match=r"^index: "):
        place(index)
