"""Model services on loopback that speak the makers' wire protocols, and fail the way services do.

What is asked and what is answered is checked against the published shapes: TEI's OpenAPI file, the
types of Cohere's SDK, and for the others the keys that their API references list.
"""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

import cohere
import numpy as np
from aiohttp import web
from jsonschema import Draft7Validator
from pydantic import TypeAdapter

Fault: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]
Json: TypeAlias = Any

SECRET = "sk-never-to-be-seen"
TEI: Json = json.loads(
    (Path(__file__).parent / "schemas" / "text-embeddings-inference.openapi.json").read_text()
)
NUMBER, TEXT, TEXTS = {"type": "number"}, {"type": "string"}, {"type": "array", "minItems": 1}
WHOLE, TRUE_OR_FALSE = {"type": "integer", "minimum": 0}, {"type": "boolean"}


def shape(required: Mapping[str, Json], **optional: Json) -> Json:
    """A JSON schema of an object with these keys and no other."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **optional},
        "additionalProperties": False,
    }


def tei(name: str) -> Json:
    """One of TEI's published schemas."""
    return {"$ref": f"#/components/schemas/{name}", "components": TEI["components"]}


USAGE = shape({"total_tokens": WHOLE}, prompt_tokens=WHOLE)
RANK = shape({"index": WHOLE, "relevance_score": NUMBER})
ROW = {"anyOf": [{"type": "array", "items": NUMBER}, TEXT]}
QUESTIONS: Mapping[str, Json] = {
    "/tei/embed": tei("EmbedRequest"),
    "/tei/rerank": tei("RerankRequest"),
    "/openai/v1/embeddings": shape(
        {"model": TEXT, "input": TEXTS},
        encoding_format={"enum": ["float", "base64"]},
        dimensions=WHOLE,
    ),
    "/cohere/v2/embed": shape(
        {
            "model": TEXT,
            "input_type": {"const": "search_query"},
            "texts": {**TEXTS, "maxItems": 96},
            "embedding_types": TEXTS,
        },
        output_dimension=WHOLE,
    ),
    "/cohere/v2/rerank": shape({"model": TEXT, "query": TEXT, "documents": TEXTS}, top_n=WHOLE),
    "/jina/v1/rerank": shape(
        {"model": TEXT, "query": TEXT, "documents": TEXTS},
        top_n=WHOLE,
        return_documents=TRUE_OR_FALSE,
    ),
    "/voyage/v1/rerank": shape(
        {"model": TEXT, "query": TEXT, "documents": TEXTS},
        top_k=WHOLE,
        return_documents=TRUE_OR_FALSE,
        truncation=TRUE_OR_FALSE,
    ),
}
ANSWERS: Mapping[str, Json] = {
    "/tei/embed": tei("EmbedResponse"),
    "/tei/rerank": tei("RerankResponse"),
    "/openai/v1/embeddings": shape({
        "object": {"const": "list"},
        "data": {
            "type": "array",
            "items": shape({"object": {"const": "embedding"}, "index": WHOLE, "embedding": ROW}),
        },
        "model": TEXT,
        "usage": USAGE,
    }),
    "/jina/v1/rerank": shape({
        "model": TEXT, "usage": USAGE, "results": {"type": "array", "items": RANK},
    }),
    "/voyage/v1/rerank": shape({
        "object": {"const": "list"},
        "data": {"type": "array", "items": RANK},
        "model": TEXT,
        "usage": USAGE,
    }),
}  # fmt: skip
TYPES: Mapping[str, TypeAdapter[Any]] = {
    "/cohere/v2/embed": TypeAdapter(cohere.EmbedByTypeResponse),
    "/cohere/v2/rerank": TypeAdapter(cohere.V2RerankResponse),
}


def vector(text: str, dimension: int) -> list[float]:
    """The vector that these services give a text; any two texts have different ones."""
    seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
    return np.random.default_rng(seed).normal(size=dimension).astype(np.float32).tolist()  # type: ignore[no-any-return]  # a list, as it has one axis


def score(query: str, document: str) -> float:
    """How these services judge: the share of the query's words that the document has."""
    words = query.split()
    return sum(word in document.split() for word in words) / len(words)


def _row(text: str, dimension: int, encoding: str) -> list[float] | str:
    numbers = vector(text, dimension)
    if encoding == "float":
        return numbers
    return base64.b64encode(np.array(numbers, "<f4").tobytes()).decode()


def _ranks(asked: Json, name: str) -> list[dict[str, Json]]:
    """Best first, as every one of them answers."""
    documents = asked.get("documents", asked.get("texts"))
    scored = [(score(asked["query"], text), at) for at, text in enumerate(documents)]
    order = sorted(scored, key=lambda pair: (-pair[0], pair[1]))
    return [{"index": at, name: value} for value, at in order]


def answer(path: str, asked: Json, dimension: int) -> Json:
    """What the service at `path` answers when all is well."""
    match path:
        case "/tei/embed":
            return [vector(text, asked.get("dimensions", dimension)) for text in asked["inputs"]]
        case "/tei/rerank":
            return _ranks(asked, "score")
        case "/openai/v1/embeddings":
            encoding, size = asked.get("encoding_format", "float"), asked.get("dimensions")
            rows = [_row(text, size or dimension, encoding) for text in asked["input"]]
            data = [
                {"object": "embedding", "index": at, "embedding": row}
                for at, row in enumerate(rows)
            ]
            usage = {"prompt_tokens": 3, "total_tokens": 3}
            return {"object": "list", "data": data, "model": asked["model"], "usage": usage}
        case "/cohere/v2/embed":
            (encoding,), size = asked["embedding_types"], asked.get("output_dimension")
            rows = [_row(text, size or dimension, encoding) for text in asked["texts"]]
            return {"id": "1", "embeddings": {encoding: rows}, "texts": asked["texts"], "meta": {}}
        case "/cohere/v2/rerank":
            return {"id": "1", "results": _ranks(asked, "relevance_score"), "meta": {}}
        case "/jina/v1/rerank":
            results = _ranks(asked, "relevance_score")
            return {"model": asked["model"], "usage": {"total_tokens": 3}, "results": results}
        case "/voyage/v1/rerank":
            data = _ranks(asked, "relevance_score")
            usage = {"total_tokens": 3}
            return {"object": "list", "data": data, "model": asked["model"], "usage": usage}
    raise KeyError(path)


@dataclass
class Models:
    """The services of this module: what they were asked, and what goes wrong in them.

    `spoil` changes a sound answer; `fault` answers in its stead; `wrong` are breaches of a
    published shape by whoever asked, or by these services themselves.
    """

    url: str = ""
    dimension: int = 4
    delay: float = 0
    fault: Fault | None = None
    spoil: Callable[[Json], Json] | None = None
    asked: list[tuple[str, Json]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    left: int = 0
    """Requests whose caller went away before the answer."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        self.asked.append((request.path, asked))
        self.headers.append(request.headers)
        self._check(QUESTIONS[request.path], asked)
        try:
            await asyncio.sleep(self.delay)
            if self.fault is not None:
                return await self.fault(request)
        except asyncio.CancelledError:
            self.left += 1
            raise
        sound = answer(request.path, asked, self.dimension)
        if request.path in ANSWERS:
            self._check(ANSWERS[request.path], sound)
        else:
            TYPES[request.path].validate_python(sound)
        spoilt = sound if self.spoil is None else self.spoil(sound)
        return web.Response(text=json.dumps(spoilt), content_type="application/json")

    def _check(self, schema: Json, value: Json) -> None:
        self.wrong += [error.message for error in Draft7Validator(schema).iter_errors(value)]


@asynccontextmanager
async def serving(tls: ssl.SSLContext | None = None) -> AsyncIterator[Models]:
    """All of them, on a port of their own; a breach of a published shape fails the test."""
    models = Models()
    app = web.Application(client_max_size=64 << 20)
    for path in QUESTIONS:
        app.router.add_post(path, models.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    models.url = f"{'https' if tls else 'http'}://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield models
    finally:
        await runner.cleanup()
    assert [] == models.wrong


def status(code: int, body: Json = None, **headers: str) -> Fault:
    """Answers with a status, and an error that repeats what it was asked and by whom."""

    async def fault(request: web.Request) -> web.StreamResponse:
        repeated = f"{await request.text()} {request.headers.get('Authorization')}"
        told = {"message": repeated, "error": repeated} if body is None else body
        return web.Response(
            status=code, text=json.dumps(told), content_type="application/json", headers=headers
        )

    return fault


async def page(request: web.Request) -> web.StreamResponse:
    """A page for people, and a 200."""
    return web.Response(text="<html><body>Welcome</body></html>", content_type="text/html")


async def half(request: web.Request) -> web.StreamResponse:
    """Half a body: fewer bytes than were announced."""
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"data": [')
    assert request.transport is not None
    request.transport.close()
    return response


async def deep(request: web.Request) -> web.StreamResponse:
    """JSON nested deeper than a parser goes."""
    return web.Response(body=b"[" * 200_000, content_type="application/json")


async def endless(request: web.Request) -> web.StreamResponse:
    """More than anybody reads: 40 MB that begin well."""
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b'{"data": "')
    for _ in range(40):
        await response.write(b"x" * (1 << 20))
    return response


async def hanging(request: web.Request) -> web.StreamResponse:
    """No answer at all."""
    await asyncio.sleep(30)
    return web.Response()


async def dripping(request: web.Request) -> web.StreamResponse:
    """A byte now and then: each comes in time, the answer never."""
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(300):
        await response.write(b" ")
        await asyncio.sleep(0.1)
    return response


async def nothing(request: web.Request) -> web.StreamResponse:
    """An empty 200."""
    return web.Response()


FAULTS: Mapping[str, tuple[Fault, str]] = {
    "too much to do": (status(429), "error"),
    "TEI overloaded": (status(429, {"error": "overloaded", "error_type": "Overloaded"}), "error"),
    "its model failed": (status(424), "error"),
    "broken": (status(500), "error"),
    "not there": (status(503), "error"),
    "a gateway's patience": (status(504), "timeout"),
    "wrong key": (status(401), "refused"),
    "not allowed": (status(403), "refused"),
    "wrong question": (status(400), "refused"),
    "no such model": (status(404), "refused"),
    "too large": (status(413), "refused"),
    "not understood": (status(422), "refused"),
    "elsewhere": (status(307, Location="http://127.0.0.1:1/"), "error"),
    "a page": (page, "error"),
    "nothing": (nothing, "error"),
    "half a body": (half, "error"),
    "nested": (deep, "error"),
    "endless": (endless, "error"),
    "hanging": (hanging, "timeout"),
    "dripping": (dripping, "timeout"),
}
"""How services fail, and the reason that is told of it."""


def patience(fault: Fault) -> float:
    """Seconds: few for a service that never answers, enough for one on a busy machine."""
    return 0.3 if fault in (hanging, dripping) else 5.0


def secrets_in(error: BaseException, *words: str) -> Sequence[str]:
    """Which of the key and `words` an exception gives away, or one that it came from."""
    shown, pending = "", [error]
    while pending:
        each = pending.pop()
        shown += f"{each!r} {each} {vars(each)!r}"
        pending += [more for more in (each.__cause__, each.__context__) if more is not None]
    return [word for word in (SECRET, *words) if word in shown]
