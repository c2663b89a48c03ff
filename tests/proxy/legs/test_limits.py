"""Tests of proxy.legs.limits."""

from __future__ import annotations

import pytest

from proxy.legs.limits import DEEPEST, limits


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
