"""The model services that these tests ask."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.proxy.models.services import SECRET, Models, serving


@pytest.fixture
async def models(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Models]:
    """Services on loopback; their key stands in MODEL_KEY."""
    monkeypatch.setenv("MODEL_KEY", SECRET)
    async with serving() as open_models:
        yield open_models
