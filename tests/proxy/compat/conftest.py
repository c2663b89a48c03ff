"""What these tests share: the fruit, under the name of an index."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def market(fruit: dict[str, Any]) -> dict[str, Any]:
    """A configuration whose one route answers as the index `market`."""
    fruit["routes"]["fruit"]["index"] = "market"
    return fruit
