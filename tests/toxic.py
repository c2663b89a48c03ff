"""An engine for tests that misbehaves as told: a small HTTP server that sees its connections."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

Behaviour = Callable[["Asked", asyncio.StreamWriter], Awaitable[None]]

ROOTS = {
    "opensearch": {
        "version": {"distribution": "opensearch", "number": "2.19.1"},
        "tagline": "The OpenSearch Project: https://opensearch.org/",
    },
    "elasticsearch": {
        "version": {"number": "8.19.0", "build_flavor": "default"},
        "tagline": "You Know, for Search",
    },
}
NO_HITS = {
    "took": 1,
    "timed_out": False,
    "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    "hits": {"total": {"value": 0, "relation": "eq"}, "max_score": None, "hits": []},
}


@dataclass(frozen=True)
class Asked:
    """A request as it came; header names are lower-case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Toxic:
    """What the server was asked, and how many connections it has, had at once, and ever had."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    open: int = 0
    most: int = 0
    made: int = 0
    left: list[str] = field(default_factory=list)
    """Paths whose client went before it was answered."""
    writers: set[asyncio.StreamWriter] = field(default_factory=set)

    def to(self, path: str) -> int:
        """How many requests a path has had."""
        return sum(asked.path.partition("?")[0].endswith(path) for asked in self.asked)


def reply(
    body: object = NO_HITS,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    after: float = 0.0,
) -> Behaviour:
    """Answer with JSON, or with bytes as they are."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(after)
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = {
            "content-type": "application/json",
            "content-length": str(len(sent)),
            "x-elastic-product": "Elasticsearch",
            **(headers or {}),
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        writer.write(f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode() + sent)
        await writer.drain()

    return answer


def html(status: int = 200) -> Behaviour:
    """Answer as a load balancer does."""
    return reply(b"<html>hello</html>", status, {"content-type": "text/html"})


async def hang(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Never answer."""
    await asyncio.sleep(3600)


async def cut(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Close without a byte."""
    writer.close()


async def half(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Promise a body and close amid it."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
    writer.write(b'content-length: 100\r\n\r\n{"took": ')
    await writer.drain()
    writer.close()


async def garbage(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Speak something that isn't HTTP."""
    writer.write(b"\x15\x03\x01\x00\x02\x02\x46")
    await writer.drain()
    writer.close()


def endless(size: int) -> Behaviour:
    """Answer with so many bytes, of unknown length."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
        writer.write(b"x-elastic-product: Elasticsearch\r\ntransfer-encoding: chunked\r\n\r\n")
        chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
        for _ in range(size >> 20):
            writer.write(chunk)
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    return answer


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """One after the other; the last goes on."""
    rest = list(behaviours)

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        behaviour = rest.pop(0) if len(rest) > 1 else rest[0]
        await behaviour(asked, writer)

    return answer


@asynccontextmanager
async def toxic(
    search: Behaviour | None = None,
    *,
    kind: str = "opensearch",
    paths: Mapping[str, Behaviour] | None = None,
    tls: ssl.SSLContext | None = None,
    port: int = 0,
) -> AsyncIterator[Toxic]:
    """A server whose root, index settings and `_search` are those of an engine unless told
    otherwise; `paths` are by their ends, the longest first.
    """
    given: dict[str, Behaviour] = {
        "": reply({}),
        "/": reply(ROOTS[kind]),
        "/_settings/index.uuid": reply({"faq": {"settings": {"index.uuid": "u1"}}}),
        "/_search": search or reply(),
        **(paths or {}),
    }
    served = sorted(given, key=len, reverse=True)
    state = Toxic()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        state.open += 1
        state.made += 1
        state.most = max(state.most, state.open)
        state.writers.add(writer)
        try:
            await _serve(reader, writer, state, lambda path: given[_matching(served, path)])
        finally:
            state.open -= 1
            state.writers.discard(writer)
            writer.close()
            with suppress(ConnectionError, ssl.SSLError, asyncio.CancelledError):
                await writer.wait_closed()

    server = await asyncio.start_server(
        connection, "127.0.0.1", port, ssl=tls, limit=1 << 20, backlog=1024
    )
    bound = server.sockets[0].getsockname()[1]
    state.url = f"{'https' if tls else 'http'}://127.0.0.1:{bound}"
    try:
        yield state
    finally:
        server.close()
        for writer in tuple(state.writers):
            writer.transport.abort()
        await server.wait_closed()
        while state.open:
            await asyncio.sleep(0.005)


def _matching(served: list[str], path: str) -> str:
    bare = path.partition("?")[0]
    return next(end for end in served if bare == end or (end != "/" and bare.endswith(end)))


async def _serve(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    state: Toxic,
    behaviour: Callable[[str], Behaviour],
) -> None:
    with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
        ahead = await reader.read(1)
        if ahead == b"\x16":  # somebody speaks TLS: engines answer as to any other nonsense
            writer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
            return
        while True:
            head = ahead + await reader.readuntil(b"\r\n\r\n")
            first, *lines = head.decode().split("\r\n")
            method, path, _ = first.split(" ")
            pairs = (line.split(": ", 1) for line in lines if line)
            headers = {name.lower(): value for name, value in pairs}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            asked = Asked(method, path, headers, body)
            state.asked.append(asked)
            answering = asyncio.ensure_future(behaviour(path)(asked, writer))
            watching = asyncio.ensure_future(reader.read(1))
            try:
                await asyncio.wait((answering, watching), return_when=asyncio.FIRST_COMPLETED)
                if not answering.done():
                    state.left.append(path)
                    return
                answering.result()
                if writer.is_closing():
                    return
                ahead = await watching
                if not ahead:
                    return
            finally:
                for task in (answering, watching):
                    task.cancel()
                await asyncio.gather(answering, watching, return_exceptions=True)
