"""The cache of query vectors: kept, shared, bounded, and safe to give up on."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter

import numpy as np
import pytest

from proxy.backends import Vector
from proxy.embedders.lru import LONGEST, Lru
from proxy.errors import BackendError


class Slow:
    """Embeds a text as its length, when told to go; counts what it was asked and what it ended."""

    def __init__(self, *, open: bool = True, error: Exception | None = None) -> None:
        self.asked: Counter[str] = Counter()
        self.stopped = 0
        self.gate = asyncio.Event()
        self.error = error
        if open:
            self.gate.set()

    async def embed(self, text: str) -> Vector:
        self.asked[text] += 1
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        if self.error:
            raise self.error
        return np.float32([len(text)])


async def test_a_text_is_embedded_once() -> None:
    """
    The second time it is remembered.
    """
    inner = Slow()
    async with Lru(inner, 10) as lru:
        assert [3.0] == (await lru.embed("fox")).tolist()
        assert [3.0] == (await lru.embed("fox")).tolist()

    assert {"fox": 1} == inner.asked


async def test_the_least_recent_goes_first() -> None:
    """
    Of three texts in a cache of two, the one not asked for lately is embedded again.
    """
    inner = Slow()
    async with Lru(inner, 2) as lru:
        for text in ("a", "b", "a", "c", "a", "b"):
            await lru.embed(text)

    assert {"a": 1, "b": 2, "c": 1} == inner.asked


@pytest.mark.parametrize(("size", "text"), [(0, "fox"), (10, "x" * (LONGEST + 1))])
async def test_some_are_not_kept(size: int, text: str) -> None:
    """
    A cache of nothing keeps nothing; a very long text isn't kept at all.
    """
    inner = Slow()
    async with Lru(inner, size) as lru:
        await lru.embed(text)
        await lru.embed(text)

    assert {text: 2} == inner.asked


async def test_equal_requests_share_one_computation() -> None:
    """
    A hundred at once, one embedding.
    """
    inner = Slow(open=False)
    async with Lru(inner, 10) as lru:
        waiting = [asyncio.create_task(lru.embed("fox")) for _ in range(100)]
        await asyncio.sleep(0)
        inner.gate.set()
        found = await asyncio.gather(*waiting)

    assert {"fox": 1} == inner.asked
    assert {3.0} == {vector[0] for vector in found}


async def test_it_says_what_it_remembers() -> None:
    """
    Asking for that costs no call of the model: what is kept, and what is being made already.
    """
    inner = Slow(open=False)
    async with Lru(inner, 1) as lru:
        before = lru.remembers("fox")
        waiting = asyncio.create_task(lru.embed("fox"))
        await asyncio.sleep(0)
        during = lru.remembers("fox")
        inner.gate.set()
        await waiting
        after = lru.remembers("fox")
        await lru.embed("hound")

        assert (False, True, True, False) == (before, during, after, lru.remembers("fox"))


async def test_one_that_gives_up_leaves_the_others_theirs() -> None:
    """
    The first asker's deadline isn't the second's.
    """
    inner = Slow(open=False)
    async with Lru(inner, 10) as lru:
        first, second = (asyncio.create_task(lru.embed("fox")) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        inner.gate.set()

        assert [3.0] == (await second).tolist()
    assert (1, 0) == (inner.asked["fox"], inner.stopped)


async def test_the_last_to_give_up_stops_the_work() -> None:
    """
    Nobody waits, nothing runs; whoever asks next begins anew.
    """
    inner = Slow(open=False)
    async with Lru(inner, 10) as lru:
        waiting = [asyncio.create_task(lru.embed("fox")) for _ in range(3)]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        again = asyncio.create_task(lru.embed("fox"))
        await asyncio.gather(*waiting, return_exceptions=True)
        inner.gate.set()

        assert [3.0] == (await again).tolist()
    assert inner.stopped <= 1


async def test_a_failure_reaches_every_caller_and_is_not_kept() -> None:
    """
    The next request tries again.
    """
    inner = Slow(open=False, error=BackendError("no model"))
    async with Lru(inner, 10) as lru:
        waiting = [asyncio.create_task(lru.embed("fox")) for _ in range(2)]
        await asyncio.sleep(0)
        inner.gate.set()
        ended = await asyncio.gather(*waiting, return_exceptions=True)
        inner.error = None

        assert [BackendError, BackendError] == [type(end) for end in ended]
        assert [3.0] == (await lru.embed("fox")).tolist()


async def test_a_failure_that_nobody_waits_for_is_silent() -> None:
    """
    The caller is cancelled in the moment in which the work fails: nothing is left unretrieved.
    """
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what))
    inner = Slow(open=False, error=BackendError("no model"))
    async with Lru(inner, 10) as lru:
        waiting = asyncio.create_task(lru.embed("fox"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        inner.gate.set()
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    gc.collect()

    assert [] == complaints


async def test_closing_ends_what_still_runs() -> None:
    """
    Its callers get the backend's failure, not a cancellation that they didn't ask for.
    """
    inner = Slow(open=False)
    async with Lru(inner, 10) as lru:
        waiting = asyncio.create_task(lru.embed("fox"))
        await asyncio.sleep(0)

    with pytest.raises(BackendError, match="closed"):
        await waiting
