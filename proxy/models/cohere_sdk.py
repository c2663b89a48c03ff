"""Cohere's own client (SDK v2), and the one file that knows it and what it raises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final, Literal, TypeVar

import httpx
from cohere import AsyncClientV2
from cohere.core.api_error import ApiError
from cohere.core.parse_error import ParsingError
from cohere.core.request_options import RequestOptions

from proxy.errors import BackendError, BackendTimeout
from proxy.models.access import Access
from proxy.models.failures import refusal
from proxy.models.service import KEPT_ALIVE, LARGEST

T = TypeVar("T")

FAILURES: Final[Mapping[type[Exception], tuple[type[BackendError], str]]] = {
    TimeoutError: (BackendTimeout, "no answer in time"),
    httpx.TimeoutException: (BackendTimeout, "no answer in time"),
    httpx.ConnectError: (BackendError, "no connection"),
    httpx.HTTPError: (BackendError, "the connection or the answer broke off"),
    ParsingError: (BackendError, "an answer of another shape"),
    ArithmeticError: (BackendError, "an answer of another shape"),
    AttributeError: (BackendError, "an answer of another shape"),
    LookupError: (BackendError, "an answer of another shape"),
    RecursionError: (BackendError, "an answer of another shape"),
    TypeError: (BackendError, "an answer of another shape"),
    ValueError: (BackendError, "an answer of another shape"),
}
"""What each exception but ApiError means; the first row that fits.

The SDK checks no answer against its types, so a strange one is noticed where it is read.
"""
_ONCE: Final[RequestOptions] = {"max_retries": 0}


class Cohere:
    """An open client. Raises `BackendError` for the service's failures, which quote neither side.

    The SDK keeps the loop busy for some 30 µs a result and 4 µs a number of a vector, wherefore
    vectors are asked for in base64 unless told otherwise.
    """

    def __init__(self, client: AsyncClientV2, seconds: float) -> None:
        self._client = client
        self._seconds = seconds

    async def embed(
        self,
        model: str,
        texts: Sequence[str],
        encoding: Literal["base64", "float"],
        shape: int | None,
    ) -> Sequence[Sequence[float] | str]:
        """Vectors of queries, `shape` numbers long where the model is to shorten them."""
        return await self._guarded(self._embed(model, texts, encoding, shape))

    async def rerank(
        self, model: str, query: str, documents: Sequence[str]
    ) -> Sequence[tuple[int, float]]:
        """(index, score) of every document, in the service's order."""
        return await self._guarded(self._rerank(model, query, documents))

    async def _embed(
        self,
        model: str,
        texts: Sequence[str],
        encoding: Literal["base64", "float"],
        shape: int | None,
    ) -> Sequence[Sequence[float] | str]:
        options = _ONCE.copy()
        if shape is not None:
            options["additional_body_parameters"] = {"output_dimension": shape}
        answer = await self._client.embed(
            model=model,
            texts=texts,
            input_type="search_query",
            embedding_types=[encoding],
            request_options=options,
        )
        rows = answer.embeddings.base64 if encoding == "base64" else answer.embeddings.float_
        if rows is None:
            raise BackendError(f"no {encoding} vectors")
        return [row if isinstance(row, str) else [float(number) for number in row] for row in rows]

    async def _rerank(
        self, model: str, query: str, documents: Sequence[str]
    ) -> Sequence[tuple[int, float]]:
        answer = await self._client.rerank(
            model=model,
            query=query,
            documents=documents,
            top_n=len(documents),
            request_options=_ONCE,
        )
        return [(int(each.index), float(each.relevance_score)) for each in answer.results]

    async def _guarded(self, work: Awaitable[T]) -> T:
        """What `work` comes to, the SDK's exceptions as ours."""
        try:
            async with asyncio.timeout(self._seconds):  # httpx times each read for itself
                return await work
        except ApiError as exc:
            sound = exc.status_code is not None and 200 <= exc.status_code < 300
            failure = (
                BackendError("an answer that is no JSON")
                if sound
                else refusal(exc.status_code or 500)
            )
        except tuple(FAILURES) as exc:
            made, what = next(FAILURES[kind] for kind in FAILURES if isinstance(exc, kind))
            failure = made(f"{what} ({type(exc).__name__})")
        # Raised out here, the SDK's exception doesn't come along: it holds the answer and the key.
        raise failure


class _Bounded(httpx.AsyncBaseTransport):
    """A transport that reads no answer beyond `LARGEST`, and none that would grow in reading."""

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["Accept-Encoding"] = "identity"
        answer = await self._transport.handle_async_request(request)
        if answer.headers.get("content-encoding", "identity") != "identity":
            await answer.aclose()
            raise httpx.DecodingError("compressed, which wasn't asked for", request=request)
        assert isinstance(answer.stream, httpx.AsyncByteStream)  # of an asynchronous transport
        return httpx.Response(
            answer.status_code,
            headers=answer.headers,
            stream=_Capped(answer.stream),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        await self._transport.aclose()


class _Capped(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > LARGEST:
                raise httpx.ReadError(f"an answer of more than {LARGEST} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


@asynccontextmanager
async def opened(access: Access) -> AsyncIterator[Cohere]:
    """A client of its own: no proxy from the environment, no redirect, no retry."""
    limits = httpx.Limits(
        max_connections=access.concurrency,
        max_keepalive_connections=access.concurrency,
        keepalive_expiry=KEPT_ALIVE,
    )
    transport = httpx.AsyncHTTPTransport(verify=access.tls, limits=limits, trust_env=False)
    async with httpx.AsyncClient(
        transport=_Bounded(transport),
        timeout=access.seconds,
        follow_redirects=False,
        trust_env=False,
    ) as client:
        yield Cohere(
            AsyncClientV2(
                api_key=access.key or "",
                base_url=access.url,
                timeout=access.seconds,
                httpx_client=client,
                log_warning_experimental_features=False,
            ),
            access.seconds,
        )
