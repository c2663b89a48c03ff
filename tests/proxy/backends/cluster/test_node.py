"""One node: asked while it answers, probed while it doesn't."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from proxy.backends.cluster.breaker import FAILURES, SILENCES
from proxy.backends.cluster.node import PING, SILENCE, Call, Node
from proxy.backends.cluster.trouble import Kind, Trouble

SEARCH = Call("POST", "/faq/_search", b"{}")


def test_a_target_is_the_path_with_its_parameters() -> None:
    """
    The path is quoted already.
    """
    call = Call("GET", "/a%2Fb/_search", params={"a": "true", "b": "x&y"})

    assert ("/a%2Fb/_search?a=true&b=x%26y", "/") == (call.target, PING.target)


@dataclass
class Client:
    """Answers, or meets one trouble after another, the last one forever; pings have their own."""

    troubles: Sequence[Trouble | None] = ()
    pings: Sequence[Trouble | None] = ()
    silent: bool = False
    asked: list[Call] = field(default_factory=list)
    closed: bool = False

    async def ask(self, call: Call) -> bytes:
        before = sum(each is call for each in self.asked)
        self.asked.append(call)
        if self.silent and call is not PING:
            await asyncio.sleep(3600)
        script = self.pings if call is PING else self.troubles
        trouble = script[min(before, len(script) - 1)] if script else None
        if trouble is not None:
            raise trouble
        return b"{}"

    async def close(self) -> None:
        self.closed = True


async def suffer(node: Node, times: int) -> None:
    """Ask it that often, whatever comes."""
    for _ in range(times):
        await asyncio.gather(node.ask(SEARCH), return_exceptions=True)


@pytest.mark.parametrize(
    ("trouble", "down"),
    [
        (Trouble(Kind.REFUSED), True),
        (Trouble(Kind.UNREACHABLE), True),
        (Trouble(Kind.NAME), True),
        (Trouble(Kind.BROKEN), True),
        (Trouble(Kind.UNTRUSTED), True),
        (Trouble(Kind.STATUS, 503), True),
        (Trouble(Kind.NO_JSON, 502), True),
        (Trouble(Kind.STATUS, 503, "no_shard_available_action_exception"), False),
        (Trouble(Kind.STATUS, 429, "es_rejected_execution_exception"), False),
        (Trouble(Kind.STATUS, 400, "parsing_exception"), False),
        (Trouble(Kind.STALE), False),
        (Trouble(Kind.TIMEOUT), False),
        (Trouble(Kind.TOO_LARGE), False),
    ],
)
async def test_what_speaks_against_the_node(trouble: Trouble, down: bool) -> None:
    """
    Not what speaks against the question, and not that one index has no shard.
    """
    node = Node("es:9200", Client([trouble]))

    await suffer(node, FAILURES)
    seen = node.down
    await node.close()

    assert down == seen


async def test_a_node_that_never_answers_is_down_in_the_end() -> None:
    """
    Those who waited for it and left are counted; whoever left at once is not.
    """
    client = Client(silent=True)
    node = Node("es:9200", client)

    async def leave(after: float, times: int) -> None:
        asking = [asyncio.create_task(node.ask(SEARCH)) for _ in range(times)]
        await asyncio.sleep(after)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    await leave(0.0, 50)
    early = node.down
    await leave(SILENCE + 0.05, SILENCES)
    late = node.down
    await node.close()

    assert (False, True) == (early, late)


@pytest.mark.parametrize("answer", [None, Trouble(Kind.STATUS, 403, "security_exception")])
async def test_probes_bring_it_back(answer: Trouble | None) -> None:
    """
    One at a time, until it says anything; that we may not ask for its root is an answer too.
    """
    client = Client([Trouble(Kind.REFUSED)], pings=[Trouble(Kind.REFUSED), answer])
    node = Node("es:9200", client)

    await suffer(node, FAILURES)
    async with asyncio.timeout(5):
        while node.down:
            await asyncio.sleep(0.02)
    await node.close()

    assert 2 == sum(call is PING for call in client.asked)
    assert client.closed


async def test_it_goes_down_again(caplog: pytest.LogCaptureFixture) -> None:
    """
    Each time it is probed anew, and the log says so by its host.
    """
    client = Client([Trouble(Kind.REFUSED)])
    node = Node("es:9200", client)

    for _ in range(2):
        await suffer(node, FAILURES)
        async with asyncio.timeout(5):
            while node.down:
                await asyncio.sleep(0.02)
    await asyncio.sleep(0)
    await node.close()

    assert ["node down", "node up"] * 2 == [record.message for record in caplog.records]
    assert {"es:9200"} == {record.__dict__["node"] for record in caplog.records}
