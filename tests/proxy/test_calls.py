"""Which models were called, how that ended, and who needed it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from proxy.calls import Call, Calls
from proxy.errors import BackendError, BackendRefused, BackendTimeout, NotAsked


@dataclass(frozen=True)
class Ended:
    """A run with an outcome."""

    outcome: object


async def ending(outcome: object) -> Ended:
    return Ended(outcome)


@pytest.mark.parametrize(
    ("outcome", "called"),
    [
        ({"a": 1.0}, "ok"),
        (BackendTimeout("slow"), "timeout"),
        (BackendRefused("wrong"), "refused"),
        (BackendError("down"), "error"),
        (NotAsked("no text", reason="empty_query"), None),
    ],
)
async def test_how_a_call_ended(outcome: object, called: str | None):
    """
    As its outcome says; what was never asked is no call.
    """
    calls = Calls()

    await calls.embedding("mini", ending(outcome))

    made = [] if called is None else [Call("embedder", "mini", 1, called)]
    assert made == calls.needed_by("p", ["mini"])
    assert len(made) == len(calls)


async def test_a_pipeline_needs_its_embedders_and_what_it_has_judged():
    """
    Whoever made the call; an embedder and a reranker of one name aren't mixed up.
    """
    calls, key = Calls(), ("mini", frozenset("ab"))
    calls.judges("both", key)
    calls.judges("judged", key)
    calls.judges("other", ("mini", frozenset("bc")))

    await calls.embedding("mini", ending(1))
    await calls.judging(key, "mini", 2, ending(1))

    embedded, judged = Call("embedder", "mini", 1, "ok"), Call("reranker", "mini", 2, "ok")
    assert [embedded, judged] == calls.needed_by("both", ["mini"])
    assert [judged] == calls.needed_by("judged", ())
    assert [embedded] == calls.needed_by("plain", ["mini", "large"])
    assert [] == calls.needed_by("other", ())


async def test_a_call_that_is_given_up_was_made():
    """
    And one that ends in a bug; both are raised.
    """
    calls = Calls()
    waiting = asyncio.create_task(calls.embedding("slow", asyncio.Event().wait()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    async def bug() -> Ended:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await calls.embedding("buggy", bug())

    made = calls.needed_by("p", ["slow", "buggy"])
    assert ["cancelled", "error"] == [call.outcome for call in made]
