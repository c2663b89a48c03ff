"""What ten fusion-only shadows at a rate of 1 cost: CPU per request against none, and searches.

    python bench/shadows.py           (data in $SHADOWRANK_DATA, default ../shared/data)

A real proxy in its own process over SciFact, with log, metrics and a real Redis. The same process
is switched by reloads, so rounds interleave and share its caches; CPU is the process's own, from
/proc, shadows and records included. Query vectors are warm: what is left is what a request costs.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, cast

import aiohttp
from redis.asyncio import Redis

from proxy.events.keys import FIELD
from proxy.events.records import Shadows, decode
from proxy.events.redis_server import opened

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SHADOWRANK_DATA", ROOT.parent / "shared" / "data")) / "scifact"
SHADOWS = 10
ROUNDS = 7
REQUESTS = 500
AT_ONCE = 4
PUBLIC, PRIVATE = 18480, 18481
TICK = os.sysconf("SC_CLK_TCK")


async def main() -> None:
    """Serve, measure, print."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        async with opened("embedded", place / "redis") as redis:
            config = place / "shadowrank.yaml"
            config.write_text(json.dumps(configuration(redis, place, shadows=False)))
            environ = {"IDS": "a" * 32, "KEYS": "b" * 32, "TOKEN": "t" * 32}
            command = [sys.executable, "-m", "proxy", "serve", "--config", str(config)]
            process = subprocess.Popen(  # noqa: ASYNC220 - nothing else runs yet
                [*command, "--log-level", "warning"], cwd=ROOT, env={**os.environ, **environ}
            )
            try:
                async with aiohttp.ClientSession() as session:
                    await report(Bench(session, process.pid, config, redis, place))
            finally:
                process.terminate()
                process.wait()


class Bench:
    """A proxy under load, with shadows on or off."""

    def __init__(
        self, session: aiohttp.ClientSession, pid: int, config: Path, redis: str, place: Path
    ) -> None:
        self.session = session
        self.pid = pid
        self.config = config
        self.redis = redis
        self.place = place

    async def ready(self) -> None:
        """Wait until it serves."""
        for _ in range(600):
            try:
                async with self.session.get(f"http://127.0.0.1:{PRIVATE}/health/ready"):
                    return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.2)
        raise SystemExit("the proxy does not start")

    async def switch(self, shadows: bool) -> None:
        """Turn the shadows on or off by a reload."""
        self.config.write_text(json.dumps(configuration(self.redis, self.place, shadows=shadows)))
        url, token = f"http://127.0.0.1:{PRIVATE}/admin/reload", "Bearer " + "t" * 32
        async with self.session.post(url, headers={"authorization": token}) as got:
            assert got.status == 200, await got.text()

    async def round(self, queries: list[str]) -> float:
        """CPU microseconds per request, with all that follows the answers."""
        before = cpu(self.pid)
        asking = iter(queries)
        await asyncio.gather(*(self._ask(asking) for _ in range(AT_ONCE)))
        await asyncio.sleep(0.3)
        return 1e6 * (cpu(self.pid) - before) / len(queries)

    async def _ask(self, queries: Iterator[str]) -> None:
        url = f"http://127.0.0.1:{PUBLIC}/v1/scifact/search"
        for query in queries:
            async with self.session.post(url, json={"query": query, "user": "u"}) as got:
                assert got.status == 200, await got.text()
                await got.read()


async def report(bench: Bench) -> None:
    """Interleave the rounds and print medians and their ratio."""
    await bench.ready()
    queries = list(islice(texts(), REQUESTS))
    await bench.round(queries)
    off, on = [], []
    for number in range(ROUNDS):
        await bench.switch(shadows=False)
        off.append(await bench.round(queries))
        await bench.switch(shadows=True)
        on.append(await bench.round(queries))
        print(f"round {number + 1}: {off[-1]:.0f} us off, {on[-1]:.0f} us on", flush=True)
    ran, extra = await executions(bench.redis)
    print(f"CPU per request: {median(off):.0f} us without, {median(on):.0f} us with {SHADOWS}")
    print(f"ratio {median(on) / median(off):.3f} (at most 1.3)")
    print(f"{ran} shadows ran, {extra} searches of their own (must be 0)")


async def executions(redis: str) -> tuple[int, int]:
    """How many shadows ran, and how many legs ran for them alone."""
    ran = extra = 0
    async with Redis.from_url(redis) as client:
        async for key in client.scan_iter("shadowrank:*:log"):
            for _, entry in await client.xrange(key) or ():
                record = decode(cast(bytes, (entry or {})[FIELD]))
                if isinstance(record, Shadows):
                    ran += sum(result.status == "ok" for result in record.results)
                    extra += sum(len(result.own_legs) for result in record.results)
    return ran, extra


def texts() -> Iterator[str]:
    """SciFact's claims, over and over."""
    claims = [json.loads(line)["text"] for line in (DATA / "queries.jsonl").open()]
    while True:
        yield from claims[:300]


def cpu(pid: int) -> float:
    """Seconds of CPU that the process has used, in user and kernel."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def configuration(redis: str, place: Path, *, shadows: bool) -> dict[str, Any]:
    """A hybrid live pipeline, and ten fusions of the same two legs."""
    english = {"type": "text", "analyzer": "english"}
    index = {
        "corpus": str(DATA / "corpus.jsonl"),
        "vectors": str(DATA / "doc-vectors.f16.npy"),
        "fields": {"title": english, "text": english},
    }
    legs = ["bm25", "dense"]
    leg = {"backend": "local", "index": "scifact", "timeout_ms": 5000}
    fused = {
        f"rrf{k}": {"legs": legs, "fusion": {"kind": "rrf", "rank_constant": k}}
        for k in (1, 5, 10, 20, 40)
    } | {
        f"weighted{w}": {
            "legs": legs,
            "fusion": {
                "kind": "weighted",
                "normalization": "min_max",
                "weights": {"bm25": w / 10, "dense": 1 - w / 10},
            },
        }
        for w in (1, 3, 5, 7, 9)
    }
    return {
        "state_dir": str(place),
        "server": {
            "host": "127.0.0.1", "port": PUBLIC,
            "admin": {"host": "127.0.0.1", "port": PRIVATE, "token_env": "TOKEN"},
        },
        "secrets": {"ids_env": ["IDS"], "keys_env": "KEYS"},
        "backends": {"local": {"kind": "embedded", "indices": {"scifact": index}}},
        "embedders": {"minilm": {"kind": "onnx"}},
        "legs": {
            "bm25": {"kind": "lexical", "fields": ["title", "text"], **leg},
            "dense": {"kind": "knn", "field": "embedding", "embedder": "minilm", **leg},
        },
        "pipelines": {"rrf60": {"legs": legs, "fusion": {"kind": "rrf"}}, **fused},
        "routes": {
            "scifact": {
                "live": {"rrf60": 1.0}, "deadline_ms": 5000,
                "shadows": dict.fromkeys(fused, 1.0) if shadows else {},
            },
        },
        "events": {"redis": redis},
    }  # fmt: skip


if __name__ == "__main__":
    asyncio.run(main())
