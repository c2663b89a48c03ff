"""A client of the tests' Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[Redis]:
    """A client of a real and empty Redis; answers are bytes."""
    async with Redis.from_url(redis_url) as opened:
        yield opened
