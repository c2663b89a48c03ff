from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import aiohttp
import pytest
from redis.asyncio import Redis

from config.errors import ConfigError
from config.loader import load
from config.secrets import Secrets
from proxy.build import build
from proxy.events.keys import SHARDS
from proxy.events.records import Impression
from proxy.events.shards import ShardsChanged
from proxy.plan import Plan
from proxy.serving import HURRIED_SECONDS, Grace, running
from proxy.wire.search import from_body

SECRETS = Secrets((b"a key of query ids, long enough",), b"a key of hashes, long enough")


def planned(config: dict[str, object], folder: Path) -> Plan:
    path = folder / "c.yaml"
    path.write_text(json.dumps(config))
    return build(load(path, {"IDS": "a" * 32, "KEYS": "b" * 32}))


async def test_redis_may_be_absent_at_the_start(start, fruit, tmp_path, caplog):
    """
    Searches are served, records wait in the buffer, and the log says what is missing.
    """
    fruit["events"]["redis"] = f"unix://{tmp_path / 'nobody.sock'}"
    proxy = await start(fruit)

    assert (await proxy.search())["hits"]
    await asyncio.sleep(0.1)

    assert 2 == proxy.service.writer.buffered
    assert "redis does not answer, serving all the same" in [r.message for r in caplog.records]
    assert (200, {"status": "ok"}) == await proxy.ask_admin("GET", "/health/ready", token=None)


async def test_the_end_flushes_the_log(fruit, redis_url, tmp_path, records):
    """
    What was offered just before the end is stored.
    """
    plan = planned(fruit, tmp_path)
    async with (
        running(plan, lambda: plan, SECRETS, Grace()) as process,
        aiohttp.ClientSession() as session,
    ):
        url = "http://{}:{}/v1/fruit/search".format(*process.public)
        for _ in range(20):
            async with session.get(url, params={"q": "fig"}) as got:
                assert 200 == got.status

    found = await records(40)
    assert 20 == sum(isinstance(record, Impression) for record in found)
    assert 0 == process.service.writer.buffered


async def test_the_end_waits_for_searches_in_progress(serving, scripted, eventually, records):
    """
    Who was being served is answered and recorded; who comes later finds nobody listening.
    """
    async with aiohttp.ClientSession() as session:

        async def ask(url: str) -> int:
            async with session.post(url, data=b'{"query": "a"}') as got:
                return got.status

        async with serving(scripted({"live": 0.4})) as process:
            url = "http://{}:{}/v1/fruit/search".format(*process.public)
            engine = process.service.generation.lease.live.backends["main"]
            asking = asyncio.create_task(ask(url))
            await eventually(lambda: engine.asked)

        assert 200 == await asking
        with pytest.raises(aiohttp.ClientConnectionError):
            await ask(url)
    assert 2 == len(await records(2))


async def test_an_end_without_redis_is_bounded_and_counted(fruit, tmp_path):
    """
    What couldn't be stored is counted as lost to the shutdown; a hurried end takes no time for it.
    """
    fruit["events"]["redis"] = f"unix://{tmp_path / 'nobody.sock'}"
    plan, grace = planned(fruit, tmp_path), Grace()
    async with running(plan, lambda: plan, SECRETS, grace) as process:
        route = process.service.generation.routes["fruit"]
        asked = from_body(b'{"query": "fig"}', route.accepts)
        generation = process.service.generation
        with generation.held():
            process.service.follow(
                generation, await process.service.search(generation, route, asked)
            )
        grace.hurried = True
        began = time.perf_counter()

    assert time.perf_counter() - began < 2.0
    value = process.service.metrics.registry.get_sample_value
    lost = {"kind": "impression", "outcome": "dropped_shutdown"}
    assert 1 == value("shadowrank_log_records_total", lost)


async def test_another_number_of_shards_is_refused(start, fruit, redis_url):
    """
    A log begun otherwise would be split: nothing is served.
    """
    async with Redis.from_url(redis_url) as redis:
        await redis.set(SHARDS, 7)

    with pytest.raises(ShardsChanged, match="7"):
        await start(fruit)


async def test_a_port_that_is_taken_is_an_error(start, fruit):
    """
    It is said, and nothing stays open.
    """
    async with await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0) as server:
        fruit["server"]["port"] = server.sockets[0].getsockname()[1]

        with pytest.raises(OSError, match="in use"):
            await start(fruit)


async def test_a_corpus_that_is_wrong_is_a_configuration_error(start, fruit, tmp_path):
    """
    What only opening shows is told like any other problem.
    """
    (tmp_path / "bad.jsonl").write_text("not json\n")
    index = fruit["backends"]["local"]["indices"]["fruit"]
    fruit["backends"]["local"]["indices"]["fruit"] = {
        **index,
        "corpus": str(tmp_path / "bad.jsonl"),
    }

    with pytest.raises(ConfigError, match=r"bad\.jsonl"):
        await start(fruit)


def test_grace():
    """
    A second signal makes every step short.
    """
    grace = Grace()

    assert 5.0 == grace.seconds(5.0)
    grace.hurried = True
    assert HURRIED_SECONDS == grace.seconds(5.0)
