"""What the proxy's tests share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

Eventually = Callable[[Callable[[], object]], Awaitable[None]]


@pytest.fixture
def eventually() -> Eventually:
    """Waits until something holds, five seconds at most."""

    async def wait(holds: Callable[[], object]) -> None:
        async with asyncio.timeout(5):
            while not holds():
                await asyncio.sleep(0.01)

    return wait
