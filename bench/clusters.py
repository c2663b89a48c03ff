"""What the proxy adds to a real cluster, and saves it: latency and CPU, side by side in one run.

    python -m bench.clusters [ENGINE...]        (default: opensearch-2 elasticsearch-8)

Each engine is started on loopback and loaded with SciFact. Then, in turns that interleave: each leg
asked directly for its 100 hits with the page's fields; a hybrid page from the proxy, with and
without `id_field`; from a bare aiohttp script that does the same service; from FastAPI with the
official client as tutorials have it (where $TUTORIAL_PYTHON names a Python that has both); and on
OpenSearch 2 from the engine's own `hybrid`. Requests bring their vector: no embedding is timed. CPU
is the process's own, from /proc.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

import aiohttp

from bench.shadows import cpu
from demo.collection import Claim
from proxy.events.redis_server import opened
from tests.engines.building import built
from tests.engines.cluster import Engine, at
from tests.engines.node import Node
from tests.engines.recipes import RECIPES
from tests.engines.scifact import Collection, shipped

ROOT: Final = Path(__file__).parents[1]
WINDOW: Final = 100
ROUNDS: Final = 5
ONE_BY_ONE: Final = 100
"""Requests of one client in a round, for latency."""
LOADED: Final = 400
"""Requests in a round for CPU, `AT_ONCE` at a time."""
AT_ONCE: Final = 8
PUBLIC, PRIVATE, BARE, LEAN_BARE, TUTORIAL = 18580, 18581, 18582, 18583, 18584
PAGE: Final = ["title", "text"]
Ask = Callable[[Claim], Awaitable[None]]


@dataclass
class Figures:
    """What was measured of one way to be answered."""

    ms: list[float] = field(default_factory=list)
    engine_us: list[float] = field(default_factory=list)
    own_us: list[float] = field(default_factory=list)

    @property
    def p50(self) -> float:
        """Milliseconds."""
        return median(self.ms)


class Ways:
    """The ways to be answered, each a coroutine of one claim."""

    def __init__(self, session: aiohttp.ClientSession, engine: Engine, index: str) -> None:
        self.session, self.engine, self.index = session, engine, index

    async def post(self, url: str, body: Mapping[str, Any]) -> Any:
        """The JSON of an answer that must be one."""
        data = json.dumps(body).encode()
        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        async with self.session.post(url, data=data, headers=headers) as got:
            read = await got.read()
            assert got.status == 200, read[:500]
            return read

    def lexical(self, claim: Claim) -> dict[str, Any]:
        """BM25 over title and text."""
        return {"multi_match": {"query": claim.text, "fields": PAGE}}

    async def bm25(self, claim: Claim) -> None:
        """The lexical leg, asked directly."""
        body = {"query": self.lexical(claim), "size": WINDOW, "_source": PAGE}
        await self.post(f"{self.engine.url}/{self.index}/_search", body)

    async def dense(self, claim: Claim) -> None:
        """The knn leg, asked directly."""
        body = {**self.engine.knn("embedding", claim.vector, WINDOW), "_source": PAGE}
        if self.engine.kind == "elasticsearch":
            body["knn"]["num_candidates"] = 200
        await self.post(f"{self.engine.url}/{self.index}/_search", body)

    def proxied(self, route: str) -> Ask:
        """A page of the proxy."""

        async def ask(claim: Claim) -> None:
            body: dict[str, Any] = {"query": claim.text, "vector": claim.vector, "user": claim.id}
            body["fields"] = PAGE
            read = await self.post(f"http://127.0.0.1:{PUBLIC}/v1/{route}/search", body)
            assert b'"degraded":[]' in read, read[-300:]

        return ask

    def peer(self, port: int) -> Ask:
        """A page of a server that it is compared with."""

        async def ask(claim: Claim) -> None:
            body = {"query": claim.text, "vector": claim.vector}
            await self.post(f"http://127.0.0.1:{port}/search", body)

        return ask

    async def hybrid(self, claim: Claim) -> None:
        """OpenSearch's own fusion of the same legs, and its page."""
        knn = self.engine.knn("embedding", claim.vector, WINDOW)["query"]
        ranker = {"score-ranker-processor": {"combination": {"technique": "rrf"}}}
        body = {
            "query": {
                "hybrid": {"queries": [self.lexical(claim), knn], "pagination_depth": WINDOW}
            },
            "size": 10,
            "_source": PAGE,
            "search_pipeline": {"phase_results_processors": [ranker]},
        }
        await self.post(f"{self.engine.url}/{self.index}/_search", body)


def main(names: Sequence[str]) -> None:
    """Measure every engine named."""
    with tempfile.TemporaryDirectory() as folder:
        collection = shipped(Path(folder) / "scifact")
        for name in names or ("opensearch-2", "elasticsearch-8"):
            built(RECIPES[name], print)
            node = Node(RECIPES[name], 0, "1g", print)
            try:
                engine = at(node.url, RECIPES[name].kind)
                asyncio.run(measured(engine, node.process.pid, collection, Path(folder)))
            finally:
                node.stop()


async def measured(engine: Engine, pid: int, collection: Collection, place: Path) -> None:
    """Start all that answers, take turns, print."""
    index = collection.load(engine, "bench")
    engine.done("POST", f"/{index}/_forcemerge?max_num_segments=1")
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(opened("embedded", place / f"redis-{engine.name}"))
        config = place / f"{engine.name}.yaml"
        config.write_text(json.dumps(configuration(engine, index, redis, place)))
        connector = aiohttp.TCPConnector(limit=64)
        session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))
        ways = Ways(session, engine, index)
        proxy = stack.enter_context(
            serving([sys.executable, "-m", "proxy", "serve", "--config", str(config)])
        )
        peers = {"bare": BARE, "bare, id_field": LEAN_BARE}
        bare = [sys.executable, "-m", "bench.peers.bare", engine.kind, engine.url, index]
        pids = {
            "bare": stack.enter_context(serving([*bare, str(BARE)])),
            "bare, id_field": stack.enter_context(serving([*bare, str(LEAN_BARE), "id"])),
        }
        if python := os.environ.get("TUTORIAL_PYTHON"):
            script = str(ROOT / "bench" / "peers" / "tutorial.py")
            command = [python, script, engine.kind, engine.url, index, str(TUTORIAL)]
            pids["tutorial"] = stack.enter_context(serving(command))
            peers["tutorial"] = TUTORIAL
        asked: dict[str, Ask] = {
            "bm25 directly": ways.bm25,
            "dense directly": ways.dense,
            "proxy": ways.proxied("full"),
            "proxy, id_field": ways.proxied("lean"),
            **{name: ways.peer(port) for name, port in peers.items()},
        }
        if engine.name == "opensearch-2":
            asked["engine's hybrid"] = ways.hybrid
        pids |= {"proxy": proxy, "proxy, id_field": proxy}
        figures = {name: Figures() for name in asked}
        await ready(asked, collection.queries[0])
        for number in range(-1, ROUNDS):  # the first warms everything and is not kept
            for name, ask in asked.items():
                seen = await taken(ask, collection.queries, pid, pids.get(name))
                if number >= 0:
                    figures[name].ms += seen.ms
                    figures[name].engine_us += seen.engine_us
                    figures[name].own_us += seen.own_us
            print(f"{engine.name}: round {number + 1} of {ROUNDS}", file=sys.stderr, flush=True)
    report(engine, figures)


async def taken(ask: Ask, claims: Sequence[Claim], engine: int, own: int | None) -> Figures:
    """One round of one way: latencies one by one, then CPU a request under load."""
    seen = Figures()
    before = cpu(engine)
    for claim in claims[:ONE_BY_ONE]:
        started = perf_counter()
        await ask(claim)
        seen.ms.append(1000 * (perf_counter() - started))
    seen.engine_us.append(1e6 * (cpu(engine) - before) / ONE_BY_ONE)
    if own is not None:
        load, used = iter(islice(cycle(claims), LOADED)), cpu(own)
        await asyncio.gather(*(each(ask, load) for _ in range(AT_ONCE)))
        await asyncio.sleep(0.3)  # what follows the answers: records
        seen.own_us.append(1e6 * (cpu(own) - used) / LOADED)
    return seen


async def each(ask: Ask, claims: Iterator[Claim]) -> None:
    """Ask for what is left until nothing is."""
    for claim in claims:
        await ask(claim)


async def ready(asked: Mapping[str, Ask], claim: Claim) -> None:
    """Wait until everything answers."""
    for name, ask in asked.items():
        for _ in range(300):
            try:
                await ask(claim)
                break
            except (aiohttp.ClientError, AssertionError) as exc:
                last = exc
                await asyncio.sleep(0.1)
        else:
            raise SystemExit(f"{name} does not answer: {last}")


def report(engine: Engine, figures: Mapping[str, Figures]) -> None:
    """The table and the ratios."""
    print(f"\n{engine.name} {engine.version}: SciFact, legs of {WINDOW}, a page of 10")
    print(f"{'':18}{'p50 ms':>8}{'engine CPU us':>15}{'own CPU us':>12}")
    for name, seen in figures.items():
        own = f"{median(seen.own_us):12.0f}" if seen.own_us else " " * 12
        print(f"{name:18}{seen.p50:8.2f}{median(seen.engine_us):15.0f}{own}")
    slower = max(figures["bm25 directly"].p50, figures["dense directly"].p50)
    for name, most in (("proxy", 2.5), ("proxy, id_field", 0.0)):
        print(f"{name}: p50 {figures[name].p50 - slower:+.2f} ms of the slower leg (≤ {most:+.1f})")
    for name, other in (("proxy", "bare"), ("proxy, id_field", "bare, id_field")):
        print(f"{name}: CPU {of(figures, name, other):.2f} of {other} (≤ 1.5)")
    if "tutorial" in figures:
        print(
            f"proxy: {of(figures, 'tutorial', 'proxy'):.2f} times the tutorial's throughput (≥ 2)"
        )
    if hybrid := figures.get("engine's hybrid"):
        for name, most_cpu, most_ms in (("proxy", 0.7, 0.6), ("proxy, id_field", 0.3, 0.3)):
            cpu_ratio = median(figures[name].engine_us) / median(hybrid.engine_us)
            print(
                f"{name}: engine CPU {cpu_ratio:.2f} of its hybrid (≤ {most_cpu}), "
                f"p50 {figures[name].p50 / hybrid.p50:.2f} (≤ {most_ms})"
            )


def of(figures: Mapping[str, Figures], name: str, other: str) -> float:
    """The ratio of CPU per request."""
    return median(figures[name].own_us) / median(figures[other].own_us)


@contextmanager
def serving(command: Sequence[str]) -> Iterator[int]:
    """A server's process; ends with the block."""
    environ = {**os.environ, "IDS": "a" * 32, "KEYS": "b" * 32}
    process = subprocess.Popen(list(command), cwd=ROOT, env=environ, stderr=sys.stderr)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def configuration(engine: Engine, index: str, redis: str, place: Path) -> dict[str, Any]:
    """One hybrid pipeline a route: `full` reads ids as they are, `lean` from doc values."""
    backend = {"kind": engine.kind, "hosts": [engine.url]}
    sections: dict[str, Any] = {"backends": {}, "legs": {}, "pipelines": {}, "routes": {}}
    for name, more in (("full", {}), ("lean", {"id_field": "id"})):
        leg = {"backend": name, "index": index, "window": WINDOW, "timeout_ms": 5000}
        sections["backends"][name] = {**backend, **more}
        sections["legs"] |= {
            f"{name}_bm25": {"kind": "lexical", "fields": PAGE, **leg},
            f"{name}_dense": {"kind": "knn", "field": "embedding", "num_candidates": 200, **leg},
        }
        sections["pipelines"][name] = {
            "legs": [f"{name}_bm25", f"{name}_dense"], "fusion": {"kind": "rrf"},
        }  # fmt: skip
        sections["routes"][name] = {"live": {name: 1.0}, "deadline_ms": 5000}
    return {
        "state_dir": str(place / f"state-{engine.name}"),
        "server": {
            "host": "127.0.0.1", "port": PUBLIC, "admin": {"host": "127.0.0.1", "port": PRIVATE},
        },
        "secrets": {"ids_env": ["IDS"], "keys_env": "KEYS"},
        "events": {"redis": redis},
        **sections,
    }  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
