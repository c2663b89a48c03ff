"""Redis absent, killed, hung and full under a real proxy: search goes on, every loss is counted."""

from __future__ import annotations

import os
import signal
import time

from proxy.events.keys import log_key
from proxy.events.records import Event, Impression, decode

KINDS = ("impression", "shadows", "event")


def booked(process, kind: str) -> dict[str, int]:
    outcomes = ("offered", "stored", "dropped_full", "dropped_redis", "dropped_shutdown")
    return {
        outcome: int(process.metric("shadowrank_log_records_total", kind=kind, outcome=outcome))
        for outcome in outcomes
    }


def stored(redis) -> list[object]:
    keys = [log_key("faq", shard) for shard in (0, 1)]
    return [decode(entry[b"r"]) for key in keys for _, entry in redis.xrange(key)]


def pages(process, number: int) -> list[float]:
    """The seconds that so many searches took, sorted."""
    took = []
    for n in range(number):
        began = time.perf_counter()
        assert process.search(user=f"u{n}")["hits"]
        took.append(time.perf_counter() - began)
    return sorted(took)


def test_absent_at_the_start_and_there_later(own_redis, faq, serve, wait_for):
    """
    A proxy that began without Redis serves, keeps its records, and stores them once it comes.
    """
    process = serve(faq).ready()

    pages(process, 20)
    assert 20 == booked(process, "impression")["offered"]
    assert 0 == booked(process, "impression")["stored"]

    own_redis.start()
    began = time.monotonic()
    wait_for(lambda: booked(process, "shadows")["stored"] == 20, seconds=5.0)

    assert time.monotonic() - began < 5.0
    with own_redis.client() as redis:
        assert 40 == len(stored(redis))
        assert b"2" == redis.get("shadowrank:shards")


def test_killed_during_the_run_and_started_again(own_redis, faq, serve, wait_for):
    """
    Search is unchanged while it is gone, what was kept is stored after it, and nothing is lost.
    """
    own_redis.start()
    process = serve(faq).ready()
    with_redis = pages(process, 50)
    wait_for(lambda: booked(process, "shadows")["stored"] == 50)

    own_redis.kill()
    without = pages(process, 50)
    query_id = process.search()["query_id"]
    event = {"event_id": "e", "query_id": query_id, "type": "click", "doc_id": "gpu"}
    assert (202, 1) == (process.post("/v1/events", event)[0], 1)
    own_redis.start()
    wait_for(lambda: booked(process, "event")["stored"] == 1, seconds=5.0)
    wait_for(lambda: booked(process, "shadows")["stored"] == 101, seconds=5.0)

    assert without[25] < max(2 * with_redis[25], with_redis[25] + 0.005)
    with own_redis.client() as redis:
        found = stored(redis)
    impressions = {record.id for record in found if isinstance(record, Impression)}
    assert 101 == len(impressions)
    assert {"e"} == {record.event_id for record in found if isinstance(record, Event)}


def test_hung(own_redis, faq, serve, wait_for):
    """
    A Redis that is stopped in its tracks delays neither a search nor an event.
    """
    own_redis.start()
    process = serve(faq).ready()
    query_id = process.search()["query_id"]
    with own_redis.client() as redis:
        pid = redis.info()["process_id"]

    os.kill(pid, signal.SIGSTOP)
    try:
        took = pages(process, 50)
        began = time.perf_counter()
        event = {"event_id": "e", "query_id": query_id, "type": "click", "doc_id": "gpu"}
        assert 202 == process.post("/v1/events", event)[0]
        assert time.perf_counter() - began < 0.5
        assert took[25] < 0.1
    finally:
        os.kill(pid, signal.SIGCONT)

    wait_for(lambda: booked(process, "event")["stored"] == 1, seconds=5.0)


def test_full(own_redis, faq, serve, wait_for):
    """
    At its memory limit search goes on; with room again, offered is stored and dropped, exactly.
    """
    own_redis.start()
    process = serve(faq).ready()
    pages(process, 5)
    wait_for(lambda: booked(process, "shadows")["stored"] == 5)
    with own_redis.client() as redis:
        redis.config_set("maxmemory", 1)

        took = pages(process, 50)
        assert took[25] < 0.1
        assert 5 == booked(process, "impression")["stored"]

        redis.config_set("maxmemory", 0)
        wait_for(lambda: booked(process, "shadows")["stored"] == 55, seconds=5.0)
        assert 110 == len(stored(redis))
    for kind in KINDS:
        counts = booked(process, kind)
        assert counts.pop("offered") == sum(counts.values())


def test_never_there(faq, serve):
    """
    What could not be stored by the end is lost to the shutdown, which stays bounded.
    """
    process = serve(faq).ready()
    pages(process, 3)

    began = time.monotonic()
    assert 0 == process.stop()

    assert time.monotonic() - began < 10.0
    assert "log not written" in process.events()
