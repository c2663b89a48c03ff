"""Kill -9 at any moment: the totals are those of an evaluator that was never killed."""

from __future__ import annotations

import random
import socket
import time
from pathlib import Path

import pytest
from redis import Redis

from evaluator.qrels import read as documents
from evaluator.records import Entry, RecordId
from evaluator.rules import rules
from evaluator.settings import read
from evaluator.state import State
from evaluator.state_codec import read as read_state
from proxy.events import keys
from proxy.events.records import Record, encode
from tests.evaluator.made import MINUTE, event, impression, result, shadows
from tests.evaluator.process import ENVIRON, configuration, running, samples, wait_for

KILLS = 10
IMPRESSIONS = 1500
SETTLE_MS = 2000


def traffic(start: int) -> list[Entry]:
    """Twenty minutes of impressions, shadows and events that come early, late and twice."""
    draw = random.Random(9)
    records: list[tuple[int, Record]] = []
    for number in range(IMPRESSIONS):
        name, at = f"i{number}", number * 20 * MINUTE // IMPRESSIONS
        page = impression(
            name, user=b"%d" % draw.randrange(300), query_key=b"%d" % draw.randrange(200),
            sampled=("rrf20",), took=draw.lognormvariate(2, 0.5),
        )  # fmt: skip
        records += [(at, page), (at + draw.choice((30, 3_000, 70_000)), shadows(name, result()))]
        for doc in draw.sample("abc", draw.randrange(3)):
            clicked = max(0, at + draw.choice((-1_000, 900, 5_000, 10 * MINUTE)))
            beat = clicked + 45_000
            records += [
                (clicked, event("click", doc, after=clicked, name=name)),
                (beat, event("beat", doc, after=beat, name=name, dwell_ms=40_000)),
            ]
    records += draw.sample(records, 100)
    return [
        Entry(RecordId(start + at, number), encode(record))
        for number, (at, record) in enumerate(sorted(records, key=lambda record: record[0]))
    ]


def feed(client: Redis, stream: list[Entry]) -> None:
    """Write them in one go, as a proxy's writer does."""
    with client.pipeline(transaction=False) as writing:
        for entry in stream:
            writing.xadd(keys.log_key("faq", 0), {keys.FIELD: entry.raw}, id=str(entry.id))
        writing.execute()


def folded(client: Redis, path: Path) -> tuple[State, dict[bytes, bytes]]:
    """The committed state and qrels."""
    under = rules(read(path, ENVIRON))
    fields = client.hgetall(keys.state_key("faq", 0, under.judging))
    state = read_state(fields, len(under.measures))
    assert state is not None
    qrels: dict[bytes, bytes] = client.hgetall(keys.qrels_key("faq", 0))
    return state, qrels


def everything(state: State) -> float:
    """How many pages were served."""
    return sum(cell.vector[0] for slot, cell in state.cells.items() if slot.role == "served")


@pytest.mark.timeout(180)
def test_a_killed_evaluator_ends_with_the_totals_of_one_that_was_not(
    redis_url: str, tmp_path: Path
) -> None:
    """
    n exactly, sums to 1e-9, qrels too.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    path = configuration(
        tmp_path, redis_url, port, interval="0.02s", settle=f"{SETTLE_MS / 1000:g}s",
        served_window="24h",
    )  # fmt: skip
    start = time.time_ns() // 1_000_000 - 25 * MINUTE
    stream = traffic(start)
    with Redis.from_url(redis_url) as client:
        feed(client, stream)
        with running(path):
            wait_for(lambda: done(port))
        expected, expected_qrels = folded(client, path)
        client.flushall()

        draw, pieces = random.Random(4), KILLS * 12
        cut = [len(stream) * piece // pieces for piece in range(pieces + 1)]
        for kill in range(KILLS):
            with running(path) as process:
                for piece in range(12 * kill, 12 * kill + 12):
                    feed(client, stream[cut[piece] : cut[piece + 1]])
                    time.sleep(draw.uniform(0, 0.16))
                process.kill()
        with running(path):
            wait_for(lambda: done(port))
        state, qrels = folded(client, path)

    assert IMPRESSIONS == everything(expected) == everything(state)
    assert expected.cells.keys() == state.cells.keys()
    for slot, cell in expected.cells.items():
        assert cell.vector[0] == state.cells[slot].vector[0]
        assert abs(cell.vector - state.cells[slot].vector).max() <= 1e-9
        assert cell.queries.tolist() == state.cells[slot].queries.tolist()
    assert expected.newest == state.newest
    assert {query: documents(raw) for query, raw in expected_qrels.items()} == {
        query: documents(raw) for query, raw in qrels.items()
    }


def done(port: int) -> bool:
    """Is everything folded, and has a round passed since?"""
    found = samples(port)
    n = found.get(("shadowrank_served_relevance_samples", ("RR", "faq")))
    rounds = found.get(("shadowrank_evaluator_round_seconds_count", ()), 0)
    return n == IMPRESSIONS and rounds > 3
