"""Tests of proxy.legs.pushdown."""

from __future__ import annotations

import pytest

from proxy.legs.pushdown import EngineRerank


@pytest.mark.parametrize("top", [0, 10_001])
def test_the_engine_reranks_a_window_that_it_can_hold(top: int) -> None:
    """
    The message begins with the field.
    """
    with pytest.raises(ValueError, match=r"^top: "):
        EngineRerank("endpoint", "title", top)
