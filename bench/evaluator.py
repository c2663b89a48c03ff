"""How fast the evaluator folds: from a prefilled stream in a real Redis to exported numbers.

Three pipelines of ten ids, with events, as the proxy logs them; CPU seconds of this process. Then a
round with nothing new, over a full window of buckets of twelve pipelines. Run: `make bench`
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
from pathlib import Path
from time import perf_counter, process_time, time_ns
from typing import Final

import numpy as np
from prometheus_client import CollectorRegistry, generate_latest
from redis.asyncio import Redis

from config.schema import Events, Part, Pipeline, Route, Settings
from evaluator.metrics import Metrics
from evaluator.route import RouteFold, open_routes
from evaluator.rules import BUCKETS
from evaluator.serving import collect_rarely
from evaluator.state import Delta, Newest, Slot
from evaluator.store import Step
from evaluator.sums import Sums, pipeline_layout
from proxy.events.keys import FIELD, log_key
from proxy.events.records import Event, Impression, Record, ShadowResult, Shadows, encode
from proxy.events.redis_server import opened

IMPRESSIONS: Final = 20_000
SHADOWS: Final = ("rrf20", "minmax37")
IDLE_PIPELINES: Final = 12
IDLE_ROUNDS: Final = 50
GAP_MS: Final = 25


def settings(shadows: tuple[str, ...]) -> Settings:
    """One route, one shard, the default windows."""
    names = ("rrf60", *shadows)
    return Settings(
        backends=(("local", Part(kind="embedded")),),
        legs=(("bm25", Part(kind="lexical")),),
        pipelines=tuple((name, Pipeline(legs=("bm25",))) for name in names),
        routes=(("faq", Route(live=(("rrf60", 1.0),), shadows=tuple((s, 1.0) for s in shadows))),),
        events=Events(shards=1),
    )


def records(count: int, end_ms: int) -> list[tuple[int, Record]]:
    """(record id's time, record): Zipf users and queries, half of the pages clicked."""
    draw = random.Random(7)
    made: list[tuple[int, Record]] = []
    for number in range(count):
        at = end_ms - (count - number) * GAP_MS
        query = min(4999, int(draw.paretovariate(1.0)))
        pool = [f"document-{query}-{doc}" for doc in range(20)]
        impression = Impression(
            id=draw.randbytes(16), time=at, query_key=b"query%011d" % query, route="faq",
            pipeline="rrf60", version="0a1b2c3d4e5f6071", index_version="", size=10,
            list=tuple(draw.sample(pool, 10)), took=draw.lognormvariate(2, 0.5), total=113,
            user=b"user%012d" % min(9999, int(draw.paretovariate(0.8))), sampled=SHADOWS,
            stages=(("embed:minilm", 4.1), ("leg:bm25", 2.2), ("leg:dense", 3.3), ("fusion", 0.2)),
        )  # fmt: skip
        results = tuple(
            ShadowResult(
                pipeline=name, version="1122334455667788", status="ok", took=7.0,
                list=tuple(draw.sample(pool, 10)), stages=(("fusion", 0.2),),
            )
            for name in SHADOWS
        )  # fmt: skip
        made += [(at, impression), (at + 30, Shadows(impression.id, at + 30, results))]
        if draw.random() < 0.5:
            rank = min(10, int(draw.expovariate(0.5)) + 1)
            made += _click(draw, impression, rank, at + 5000)
    return sorted(made, key=lambda pair: pair[0])


def _click(draw: random.Random, shown: Impression, rank: int, at: int) -> list[tuple[int, Event]]:
    doc = shown.list[rank - 1]
    click = Event(shown.id, f"{draw.getrandbits(128):032x}", "click", at, doc, rank)
    if draw.random() < 0.5:
        return [(at, click)]
    later = at + 40_000
    beat = Event(shown.id, f"{draw.getrandbits(128):032x}", "beat", later, doc, dwell_ms=38_000)
    return [(at, click), (later, beat)]


async def fill(client: Redis, made: list[tuple[int, Record]]) -> None:
    """Write them under their own times."""
    for start in range(0, len(made), 5000):
        writing = client.pipeline(transaction=False)
        for number, (at, record) in enumerate(made[start : start + 5000], start):
            writing.xadd(log_key("faq", 0), {FIELD: encode(record)}, id=f"{at}-{number}")
        await writing.execute()


async def full_window(route: RouteFold) -> None:
    """Fill every bucket of the window for twelve pipelines, as a day of traffic leaves them."""
    await route.round()
    shard = route.shards[0]
    assert shard is not None
    now, layout = shard.clock // route.rules.bucket_ms, pipeline_layout(3)
    draw = np.random.default_rng(7)
    queries = np.arange(1, 31, dtype=np.uint64)
    cells = {
        Slot(now - back, "shadow", f"p{number}", "v"): Sums(draw.random(layout.length), queries)
        for back in range(BUCKETS)
        for number in range(IDLE_PIPELINES)
    }
    newest = {("shadow", f"p{number}"): Newest(1, "v") for number in range(IDLE_PIPELINES)}
    added = Delta(cells, newest)
    state = shard.state.add(added, shard.state.position, shard.clock, route.rules)
    shard.state = (await shard.store.commit(Step(shard.state, state, added, ()))).state


async def throughput(client: Redis) -> None:
    """Impressions a second and core."""
    await client.flushall()
    made = records(IMPRESSIONS, time_ns() // 1_000_000 - 120_000)
    await fill(client, made)
    metrics = Metrics(CollectorRegistry())
    (route,) = open_routes(client, settings(SHADOWS), metrics)
    began = process_time()
    report = await route.round()
    assert report is not None
    metrics.publish({"faq": report})
    generate_latest(metrics.registry)
    spent = process_time() - began
    if report.snapshot.served.n != IMPRESSIONS:
        raise RuntimeError("not everything was folded")
    print(
        f"{IMPRESSIONS} impressions, {len(made)} records: {spent:.2f} s of CPU, "
        f"{IMPRESSIONS / spent:,.0f} impressions/s/core"
    )


async def idle(client: Redis) -> None:
    """A round with nothing new."""
    await client.flushall()
    shadows = tuple(f"p{number}" for number in range(IDLE_PIPELINES))
    (route,) = open_routes(client, settings(shadows), Metrics(CollectorRegistry()))
    await full_window(route)
    await route.round()
    seconds = []
    for _ in range(IDLE_ROUNDS):
        began = perf_counter()
        await route.round()
        seconds.append(perf_counter() - began)
    print(
        f"idle round, {BUCKETS} buckets x {IDLE_PIPELINES} pipelines: "
        f"median {statistics.median(seconds) * 1000:.2f} ms, max {max(seconds) * 1000:.2f} ms"
    )


async def main() -> None:
    """Both, on a private Redis."""
    collect_rarely()
    with tempfile.TemporaryDirectory() as folder:
        async with opened("embedded", Path(folder)) as url, Redis.from_url(url) as client:
            for _ in range(3):
                await throughput(client)
            await idle(client)


if __name__ == "__main__":
    asyncio.run(main())
