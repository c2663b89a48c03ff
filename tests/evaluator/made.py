"""What tests of the evaluator are made of: records, entries, rules; T0 is when they begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from redis.asyncio import Redis

from config.schema import Evaluator, Events, Part, Pipeline, Route, Settings
from evaluator.measures import NDCG, RR, Success
from evaluator.records import Entry, RecordId
from evaluator.rules import Rules
from proxy.events.keys import FIELD, log_key
from proxy.events.records import Event, Impression, Record, ShadowResult, Shadows, encode

T0 = 1_700_000_000_000
MINUTE = 60_000
RULES = Rules(
    satisfied_ms=30_000,
    session_ms=30 * MINUTE,
    settle_ms=MINUTE,
    bucket_ms=60 * MINUTE,
    served_ms=5 * MINUTE,
    measures=(NDCG(10), RR(), Success(5)),
)


def rules(**changed: Any) -> Rules:
    """The usual rules, but for some."""
    return replace(RULES, **changed)


def impression(name: str = "i", docs: str = "a b c", **changed: Any) -> Impression:
    """A first page of ten that showed `docs`."""
    usual: dict[str, Any] = {
        "id": name.encode(), "time": T0, "query_key": b"q", "route": "faq", "pipeline": "rrf60",
        "version": "v1", "index_version": "", "size": 10, "list": tuple(docs.split()), "took": 8.0,
    }  # fmt: skip
    return Impression(**(usual | changed))


def result(pipeline: str = "rrf20", docs: str = "c b a", **changed: Any) -> ShadowResult:
    """What a shadow made of it."""
    usual: dict[str, Any] = {
        "pipeline": pipeline, "version": "v1", "status": "ok", "list": tuple(docs.split()),
        "took": 9.0,
    }  # fmt: skip
    return ShadowResult(**(usual | changed))


def shadows(name: str = "i", *results: ShadowResult) -> Shadows:
    """The shadows record of an impression."""
    return Shadows(id=name.encode(), time=T0, results=results)


def event(
    type: str, doc: str | None = "a", after: int = 0, name: str = "i", **changed: Any
) -> Event:
    """An event about a document, received `after` milliseconds after T0."""
    usual: dict[str, Any] = {
        "id": name.encode(), "event_id": f"{type}-{doc}-{after}", "type": type, "doc_id": doc,
        "received": T0 + after,
    }  # fmt: skip
    return Event(**(usual | changed))


def entries(*records: tuple[int, Record | bytes]) -> list[Entry]:
    """A stream: records with their times after T0 in milliseconds."""
    return [
        Entry(RecordId(T0 + at, seq), raw if isinstance(raw, bytes) else encode(raw))
        for seq, (at, raw) in enumerate(records)
    ]


async def write(client: Redis, stream: Sequence[Entry], shard: int = 0) -> None:
    """Put entries into the log of the route faq, under their own ids."""
    async with client.pipeline(transaction=False) as writing:
        for entry in stream:
            writing.xadd(log_key("faq", shard), {FIELD: entry.raw}, id=str(entry.id))
        await writing.execute()


def settings(**evaluator: Any) -> Settings:
    """One route, faq, in one shard: rrf60 live, rrf20 its shadow."""
    return Settings(
        backends=(("local", Part(kind="embedded")),),
        legs=(("bm25", Part(kind="lexical")),),
        pipelines=tuple((name, Pipeline(legs=("bm25",))) for name in ("rrf60", "rrf20")),
        routes=(("faq", Route(live=(("rrf60", 1.0),), shadows=(("rrf20", 1.0),))),),
        events=Events(shards=1),
        evaluator=Evaluator(**evaluator),
    )
