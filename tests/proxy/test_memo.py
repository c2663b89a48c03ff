"""Work done once per key."""

from __future__ import annotations

import asyncio

import pytest

from proxy.memo import Memo


class Work:
    """Counts how often it is done; returns the count."""

    def __init__(self, error: Exception | None = None) -> None:
        self.done = 0
        self.error = error
        self.go = asyncio.Event()

    async def __call__(self) -> int:
        self.done += 1
        await self.go.wait()
        if self.error is not None:
            raise self.error
        return self.done


async def test_work_under_way_is_shared():
    """
    Who asks while the work is under way waits for the same result.
    """
    memo: Memo[str, int] = Memo()
    work = Work()
    askers = [asyncio.create_task(memo.once("a", work)) for _ in range(3)]
    await asyncio.sleep(0)
    assert not memo.has("a")

    work.go.set()

    assert [1, 1, 1] == await asyncio.gather(*askers)
    assert memo.has("a")
    assert 1 == memo.get("a")
    assert 1 == await memo.once("a", work)


async def test_keys_do_not_share():
    """
    Another key is other work.
    """
    memo: Memo[str, int] = Memo()
    work = Work()
    work.go.set()

    assert [1, 2] == [await memo.once("a", work), await memo.once("b", work)]


async def test_the_next_in_line_takes_over_from_a_cancelled_one():
    """
    When who does the work is cancelled, a waiter does it anew and nobody else is harmed.
    """
    memo: Memo[str, int] = Memo()
    work = Work()
    first, *others = (asyncio.create_task(memo.once("a", work)) for _ in range(3))
    await asyncio.sleep(0)

    first.cancel()
    await asyncio.sleep(0)
    work.go.set()

    assert [2, 2] == await asyncio.gather(*others)
    assert first.cancelled()


async def test_a_cancelled_waiter_leaves_the_work_alone():
    """
    Giving up waiting is no reason to stop who does the work.
    """
    memo: Memo[str, int] = Memo()
    work = Work()
    first, waiter = (asyncio.create_task(memo.once("a", work)) for _ in range(2))
    await asyncio.sleep(0)

    waiter.cancel()
    await asyncio.sleep(0)
    work.go.set()

    assert 1 == await first
    assert waiter.cancelled()


async def test_what_the_work_raises_is_raised_to_everyone():
    """
    An error is an outcome like any other, and the work isn't done again.
    """
    memo: Memo[str, int] = Memo()
    bug = ValueError("bug")
    work = Work(bug)
    work.go.set()

    with pytest.raises(ValueError, match="bug"):
        await memo.once("a", work)
    with pytest.raises(ValueError, match="bug"):
        await memo.once("a", work)

    assert bug is memo.error("a")
    assert 1 == work.done


def test_nobody_has_asked_for_an_unknown_key():
    """
    Reading what nobody asked for is a mistake.
    """
    memo: Memo[str, int] = Memo()

    assert not memo.has("a")
    with pytest.raises(KeyError):
        memo.get("a")
