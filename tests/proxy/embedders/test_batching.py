"""The batcher: what goes together, who waits for whom, and who is left alone."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from time import perf_counter

import numpy as np
import pytest

from proxy.backends import Vector
from proxy.embedders.batching import Batcher
from proxy.errors import BackendError, BackendRefused, BackendTimeout


class Model:
    """Embeds a text as its length; keeps what it was asked, how much at once, and what was cut."""

    def __init__(self, *, delay: float = 0, fails: str = "") -> None:
        self.calls: list[Sequence[str]] = []
        self.delay = delay
        self.fails = fails
        self.running = self.most = self.stopped = 0

    async def __call__(self, texts: Sequence[str]) -> Sequence[Vector | BackendError]:
        self.calls.append(texts)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(self.delay)
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        finally:
            self.running -= 1
        if self.fails in texts:
            raise BackendRefused("no")
        return [
            BackendError("bad") if text.startswith("bad") else np.array([len(text)], np.float32)
            for text in texts
        ]


def batcher(
    model: Model,
    *,
    batch: int = 32,
    gather: float = 0.002,
    concurrency: int = 4,
    seconds: float = 5,
) -> Batcher:
    """A batcher of the model."""
    return Batcher(model, batch=batch, gather=gather, concurrency=concurrency, seconds=seconds)


def words(count: int) -> list[str]:
    """Texts of different lengths."""
    return ["x" * (number + 1) for number in range(count)]


async def test_fifty_at_once_are_two_calls() -> None:
    """
    A full call leaves at once, the rest when it was gathered; everybody gets his own vector.
    """
    model = Model(delay=0.01)
    async with batcher(model) as embedder:
        found = await asyncio.gather(*map(embedder.embed, words(50)))

    assert [float(number + 1) for number in range(50)] == [vector[0] for vector in found]
    assert [32, 18] == [len(call) for call in model.calls]


@pytest.mark.parametrize("gather", [0.0, 0.05])
async def test_a_text_alone_waits_no_longer_than_it_gathers(gather: float) -> None:
    """
    With 0 only what is asked in the same moment goes together.
    """
    model = Model()
    async with batcher(model, gather=gather) as embedder:
        start = perf_counter()
        await embedder.embed("alone")
        spent = perf_counter() - start
        await asyncio.gather(embedder.embed("a"), embedder.embed("bb"))

    assert gather <= spent < gather + 0.04
    assert [["alone"], ["a", "bb"]] == model.calls


async def test_what_arrives_while_every_call_is_under_way_goes_together() -> None:
    """
    One call at a time: ten that come one after the other are two calls, not ten.
    """
    model = Model(delay=0.1)
    async with batcher(model, concurrency=1, gather=0) as embedder:
        asking = []
        for text in words(10):
            asking.append(asyncio.create_task(embedder.embed(text)))
            await asyncio.sleep(0.002)
        await asyncio.gather(*asking)

    assert [1, 9] == [len(call) for call in model.calls]
    assert 1 == model.most


async def test_no_more_calls_at_once_than_allowed() -> None:
    """
    Under a hundred texts of four a call, three calls run, and in order of asking.
    """
    model = Model(delay=0.002)
    async with batcher(model, batch=4, concurrency=3) as embedder:
        await asyncio.gather(*map(embedder.embed, words(100)))

    assert 3 == model.most
    assert words(100) == [text for call in model.calls for text in call]


async def test_a_call_that_fails_fails_its_own_texts() -> None:
    """
    The call beside it, and the next one, are answered.
    """
    model = Model(fails="xxx")
    async with batcher(model, batch=4) as embedder:
        ended = await asyncio.gather(*map(embedder.embed, words(8)), return_exceptions=True)
        later = await embedder.embed("yyy")

    assert [BackendRefused] * 4 == [type(end) for end in ended[:4]]
    assert [5.0, 6.0, 7.0, 8.0] == [
        end[0] for end in ended[4:] if not isinstance(end, BaseException)
    ]
    assert 3.0 == later[0]


async def test_a_bad_vector_fails_its_own_text() -> None:
    """
    The others of the same call have theirs.
    """
    async with batcher(Model()) as embedder:
        good, bad = await asyncio.gather(
            embedder.embed("good"), embedder.embed("bad one"), return_exceptions=True
        )

    assert isinstance(bad, BackendError)
    assert isinstance(good, np.ndarray)


async def test_a_bug_reaches_who_asked() -> None:
    """
    It isn't taken for the model's failure.
    """

    async def buggy(texts: Sequence[str]) -> Sequence[Vector | BackendError]:
        return []

    async with Batcher(buggy, batch=2, gather=0, concurrency=1, seconds=1) as embedder:
        with pytest.raises(ValueError, match="zip"):
            await embedder.embed("a")


async def test_who_gives_up_leaves_the_others_theirs() -> None:
    """
    Before the call leaves, he isn't part of it; afterwards, it goes on for the others.
    """
    model = Model(delay=0.05)
    async with batcher(model, gather=0.02) as embedder:
        early, late, stays = (
            asyncio.create_task(embedder.embed(text)) for text in ("early", "late", "stays")
        )
        await asyncio.sleep(0.005)
        early.cancel()
        await asyncio.sleep(0.03)
        late.cancel()

        assert 5.0 == (await stays)[0]
        assert early.cancelled()
        assert late.cancelled()
    assert ([["late", "stays"]], 0) == (model.calls, model.stopped)


async def test_a_call_that_nobody_waits_for_is_stopped() -> None:
    """
    Its place is free for the next.
    """
    model = Model(delay=10)
    async with batcher(model, concurrency=1, gather=0) as embedder:
        asking = [asyncio.create_task(embedder.embed(text)) for text in ("a", "bb")]
        await asyncio.sleep(0.02)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        model.delay = 0

        assert 3.0 == (await embedder.embed("ccc"))[0]
    assert 1 == model.stopped


async def test_a_text_has_its_time_and_no_more() -> None:
    """
    Waiting for a free call is part of it, so a service that hangs doesn't gather a crowd.
    """
    model = Model(delay=10)
    async with batcher(model, concurrency=1, batch=1, seconds=0.05) as embedder:
        start = perf_counter()
        ended = await asyncio.gather(*map(embedder.embed, words(5)), return_exceptions=True)

    assert [BackendTimeout] * 5 == [type(end) for end in ended]
    assert perf_counter() - start < 0.5
    assert model.stopped == len(model.calls)


async def test_closing_ends_what_runs_and_what_waits() -> None:
    """
    Its callers get the backend's failure, not a cancellation that they didn't ask for.
    """
    model = Model(delay=10)
    async with batcher(model, concurrency=1, batch=1) as embedder:
        asking = [asyncio.create_task(embedder.embed(text)) for text in ("a", "bb")]
        await asyncio.sleep(0.01)

    ended = await asyncio.gather(*asking, return_exceptions=True)
    assert ["the embedder was closed"] * 2 == [str(end) for end in ended]
    assert 1 == model.stopped


async def test_a_failure_that_nobody_waits_for_is_silent() -> None:
    """
    The caller is cancelled in the moment in which the call fails: nothing is left unretrieved.
    """
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what))
    gate = asyncio.Event()

    async def failing(texts: Sequence[str]) -> Sequence[Vector | BackendError]:
        await gate.wait()
        raise BackendError("no model")

    for turns in range(5):
        gate.clear()
        async with Batcher(failing, batch=2, gather=0, concurrency=1, seconds=1) as embedder:
            asking = asyncio.create_task(embedder.embed("fox"))
            await asyncio.sleep(0.01)
            gate.set()
            for _ in range(turns):
                await asyncio.sleep(0)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
    gc.collect()

    assert [] == complaints
