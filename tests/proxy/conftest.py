"""What the proxy's tests share: waiting, and a proxy in this process over a small corpus."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import pytest
from redis.asyncio import Redis

from config.loader import load
from config.secrets import Secrets
from proxy.backends import Document, Found, Question, Read, Wanted
from proxy.build import SHIPPED, Registries, build
from proxy.errors import BackendError
from proxy.events.keys import FIELD
from proxy.events.records import Record, decode
from proxy.legs import Leg
from proxy.model import Facet, Filter, RankedList, Role
from proxy.plan import Plan
from proxy.service import Service
from proxy.serving import Grace, Running, running
from tests.scripted import ScriptedEmbedder, ScriptedReranker

Eventually = Callable[[Callable[[], object]], Awaitable[None]]
Config = dict[str, Any]

SECRETS = Secrets((b"a key of query ids, long enough",), b"a key of hashes, long enough", "letmein")
WORDS = (
    "apple", "pear", "plum", "cherry", "fig", "lemon",
    "melon", "grape", "quince", "peach", "olive", "date",
)  # fmt: skip


@pytest.fixture
def eventually() -> Eventually:
    """Waits until something holds, five seconds at most."""

    async def wait(holds: Callable[[], object]) -> None:
        async with asyncio.timeout(5):
            while not holds():
                await asyncio.sleep(0.01)

    return wait


@dataclass(frozen=True, slots=True)
class Scripted:
    """A backend that does as it is told: answers after `live` or `shadow` seconds, or fails.

    `blocks` is how long a shadow's search holds the whole event loop; `loses` fails its documents;
    `partial` says that a part of them is missing.
    """

    ids: tuple[str, ...] = ("a", "b", "c")
    live: float = 0.0
    shadow: float = 0.0
    blocks: float = 0.0
    fails: bool = False
    loses: bool = False
    partial: bool = False

    def problems(self, leg: Leg) -> Sequence[str]:
        return ()

    def filter_problems(self, index: str, given: Filter) -> Sequence[str]:
        return ()

    def facet_problems(self, index: str, facet: Facet) -> Sequence[str]:
        return ()

    def dimension(self, index: str) -> int | None:
        return None

    async def inspect(self, name: str, reads: Sequence[Read]) -> Sequence[str]:
        return ()

    @asynccontextmanager
    async def open(self, name: str, role: Role) -> AsyncIterator[ScriptedEngine]:
        engine = ScriptedEngine(self, role)
        yield engine
        engine.closed = True


class ScriptedEngine:
    """The open one; remembers what it was asked, and whether it was cancelled or closed."""

    def __init__(self, script: Scripted, role: Role) -> None:
        self.script = script
        self.role = role
        self.asked: list[Question] = []
        self.cancelled = 0
        self.closed = False

    async def search(self, leg: Leg, question: Question) -> Found:
        self.asked.append(question)
        if self.role == "shadow":
            time.sleep(self.script.blocks)  # noqa: ASYNC251 - the worst that a shadow can do
        try:
            await asyncio.sleep(self.script.live if self.role == "live" else self.script.shadow)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.script.fails:
            raise BackendError("scripted")
        ids = self.script.ids
        ranked = RankedList(ids, tuple(1 / n for n in range(1, len(ids) + 1)))
        return Found(ranked, len(ids), partial=self.script.partial)

    async def count(self, leg: Leg, question: Question) -> Found:
        return replace(await self.search(leg, question), ranked=RankedList())

    async def fetch(self, index: str, ids: Sequence[str], wanted: Wanted) -> Mapping[str, Document]:
        if self.script.loses:
            raise BackendError("scripted")
        return {doc_id: Document(json.dumps({"id": doc_id}).encode()) for doc_id in ids}

    def index_version(self, index: str) -> str:
        return "scripted"


REGISTRIES = Registries(
    {**SHIPPED.backends, "scripted": Scripted},
    {**SHIPPED.embedders, "scripted": ScriptedEmbedder},
    {**SHIPPED.rerankers, "scripted": ScriptedReranker},
    SHIPPED.legs, SHIPPED.fusions,
)  # fmt: skip


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with twelve documents, the last one unpublished, and vectors of three numbers."""
    folder = tmp_path_factory.mktemp("corpus")
    lines = [
        {
            "id": f"d{n}", "text": " ".join([word, *WORDS[: n + 1], "fruit"]),
            "color": "red" if n % 2 else "green", "year": 2000 + n, "published": n != 11,
        }
        for n, word in enumerate(WORDS)
    ]  # fmt: skip
    (folder / "fruit.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    turns = np.linspace(0, np.pi / 2, len(WORDS))
    vectors = np.stack([np.cos(turns), np.sin(turns), np.full(len(WORDS), 0.5)], axis=1)
    np.save(folder / "fruit.npy", vectors.astype(np.float32))
    return folder


@pytest.fixture
def fruit(corpus: Path, redis_url: str, tmp_path: Path) -> Config:
    """A configuration over the corpus: one hybrid live, two shadows that share its legs."""
    fields = {
        "text": {"type": "text", "analyzer": "english"}, "color": {"type": "keyword"},
        "year": {"type": "number"}, "published": {"type": "boolean"},
    }  # fmt: skip
    paths = {"corpus": str(corpus / "fruit.jsonl"), "vectors": str(corpus / "fruit.npy")}
    leg = {"backend": "local", "index": "fruit", "timeout_ms": 5000}
    return {
        "state_dir": str(tmp_path / "state"),
        "server": {
            "host": "127.0.0.1", "port": 0, "cors_origins": ["https://shop.example"],
            "admin": {"host": "127.0.0.1", "port": 0},
        },
        "backends": {
            "local": {
                "kind": "embedded", "cache": str(corpus / "cache"),
                "indices": {"fruit": {**paths, "fields": fields}},
            },
        },
        "legs": {
            "bm25": {"kind": "lexical", "fields": ["text"], **leg},
            "dense": {"kind": "knn", "field": "embedding", **leg},
        },
        "pipelines": {
            "rrf60": {"legs": ["bm25", "dense"], "fusion": {"kind": "rrf"}},
            "rrf20": {"legs": ["bm25", "dense"], "fusion": {"kind": "rrf", "rank_constant": 20}},
            "bm25": {"legs": ["bm25"]},
        },
        "routes": {
            "fruit": {
                "live": {"rrf60": 1.0}, "shadows": {"rrf20": 1.0, "bm25": 1.0},
                "deadline_ms": 5000, "filter": [{"term": {"published": True}}],
                "filterable": ["color", "year"],
            },
        },
        "events": {"redis": redis_url, "shards": 2},
        "secrets": {"ids_env": ["IDS"], "keys_env": "KEYS"},
    }  # fmt: skip


@pytest.fixture
def scripted(fruit: Config) -> Callable[..., Config]:
    """`scripted(live, **shadow)`: live and its one shadow read scripted backends of their own."""

    def make(live: Mapping[str, object] | None = None, **shadow: object) -> Config:
        leg = {"kind": "lexical", "index": "x", "fields": ["t"], "timeout_ms": 500}
        return {
            **fruit,
            "backends": {
                "main": {"kind": "scripted", **(live or {})},
                "side": {"kind": "scripted", **shadow},
            },
            "legs": {"mine": {**leg, "backend": "main"}, "theirs": {**leg, "backend": "side"}},
            "pipelines": {"live": {"legs": ["mine"]}, "shadow": {"legs": ["theirs"]}},
            "routes": {"fruit": {"live": {"live": 1.0}, "shadows": {"shadow": 1.0}}},
        }

    return make


class Proxy:
    """A running proxy and a client of it."""

    def __init__(self, process: Running, session: aiohttp.ClientSession, path: Path) -> None:
        self.process = process
        self.session = session
        self.path = path
        self.url = "http://{}:{}".format(*process.public)
        self.admin = "http://{}:{}".format(*process.private)

    @property
    def service(self) -> Service:
        return self.process.service

    async def search(self, **asked: object) -> dict[str, Any]:
        """The answer to a good search."""
        status, said = await self.post("/v1/fruit/search", {"query": "apple", **asked})
        assert status == 200, said
        return said

    async def post(self, path: str, body: object, **more: Any) -> tuple[int, dict[str, Any]]:
        """Status and JSON; a body of bytes goes as it is."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"content-type": "application/json", **more.pop("headers", {})}
        asking = self.session.post(self.url + path, data=BytesIO(raw), headers=headers, **more)
        async with asking as got:
            return got.status, await got.json()

    async def get(self, path: str, **more: Any) -> tuple[int, dict[str, Any]]:
        """Status and JSON."""
        async with self.session.get(self.url + path, **more) as got:
            return got.status, await got.json()

    async def ask_admin(
        self, method: str, path: str, body: object = None, token: str | None = "letmein"
    ) -> tuple[int, dict[str, Any]]:
        """Status and JSON of the private port."""
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        asking = self.session.request(method, self.admin + path, json=body, headers=headers)
        async with asking as got:
            return got.status, await got.json()

    def count(self, name: str, **labels: str) -> float:
        """A sample of the metrics, 0 where it doesn't exist."""
        return self.service.metrics.registry.get_sample_value(name, labels) or 0.0

    def rewrite(self, config: Config) -> None:
        """Put another configuration into the file, for a reload."""
        self.path.write_text(json.dumps(config))


def plan_in(path: Path) -> Plan:
    """What the file comes to, with the kinds of parts that these tests have."""
    return build(load(path, {"IDS": "a" * 32, "KEYS": "b" * 32}), REGISTRIES)


@pytest.fixture
def serving(tmp_path: Path) -> Callable[[Config, Secrets], AbstractAsyncContextManager[Running]]:
    """`async with serving(config)`: a running process, without a client."""

    def begin(config: Config, secrets: Secrets = SECRETS) -> AbstractAsyncContextManager[Running]:
        path = tmp_path / "shadowrank.yaml"
        path.write_text(json.dumps(config))
        return running(plan_in(path), lambda: plan_in(path), secrets, Grace())

    return begin


@pytest.fixture
async def start(
    tmp_path: Path, serving: Callable[..., AbstractAsyncContextManager[Running]]
) -> AsyncIterator[Callable[..., Awaitable[Proxy]]]:
    """`await start(config)`: a proxy that serves until the test ends."""
    async with AsyncExitStack() as stack:

        async def begin(config: Config, secrets: Secrets = SECRETS) -> Proxy:
            process = await stack.enter_async_context(serving(config, secrets))
            session = await stack.enter_async_context(aiohttp.ClientSession())
            return Proxy(process, session, tmp_path / "shadowrank.yaml")

        yield begin


@pytest.fixture
def records(redis_url: str) -> Callable[[int], Awaitable[list[Record]]]:
    """`await records(n)`: what the log holds once it holds `n`, in order within a shard."""

    async def read(at_least: int) -> list[Record]:
        async with Redis.from_url(redis_url) as redis, asyncio.timeout(5):
            while True:
                keys = sorted([key async for key in redis.scan_iter("shadowrank:*:log")])
                found = [decode(r[FIELD]) for key in keys for _, r in await redis.xrange(key)]
                if len(found) >= at_least:
                    return found
                await asyncio.sleep(0.05)

    return read
