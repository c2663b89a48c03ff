"""What tests do with a running engine: ask it anything, and make indices that go again."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import unquote, urlsplit, urlunsplit
from uuid import uuid4

from tests.engines.recipes import Kind

SPACES = {"cosine": "cosinesimil", "dot_product": "innerproduct"}


@dataclass(frozen=True, slots=True)
class Vector:
    """A field of vectors that can be searched; `similarity` in Elasticsearch's words.

    Elasticsearch quantises them unless they are `whole`, which makes near neighbours change places.
    """

    dimensions: int
    similarity: Literal["cosine", "dot_product"] = "cosine"
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What the engine answered; header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Engine:
    """A cluster: which one it is, and where. `url` has no password in it."""

    name: str
    kind: Kind
    version: str
    url: str
    authorization: str | None = None
    prefix: str = field(default_factory=lambda: f"shadowrank-test-{uuid4().hex[:8]}-")

    @property
    def major(self) -> int:
        """The first number of the version."""
        return int(self.version.partition(".")[0])

    def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Send a request and give what came back, whatever its status."""
        sent = {"content-type": "application/json", **(headers or {})}
        if self.authorization:
            sent.setdefault("authorization", self.authorization)
        data = None if body is None else body if isinstance(body, bytes) else _dumped(body)
        request = urllib.request.Request(f"{self.url}{path}", data, sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as got:
                return Reply(got.status, _lower(got.headers), got.read())
        except urllib.error.HTTPError as exc:
            return Reply(exc.code, _lower(exc.headers), exc.read())

    def done(self, method: str, path: str, body: object = None) -> Any:
        """The JSON of a request that succeeds."""
        reply = self.ask(method, path, body)
        assert reply.status < 300, f"{method} {path}: {reply.status} {reply.body.decode()[:2000]}"
        return reply.json if reply.body else None

    def create(
        self,
        name: str,
        fields: Mapping[str, str | Mapping[str, Any]],
        vectors: Mapping[str, Vector] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> str:
        """Make an index and give its full name.

        A field is its mapping, or the name of a type; `english` is text of that analyzer.
        """
        mapping = {name: _field(given) for name, given in fields.items()}
        mapping |= {name: self._vector(given) for name, given in (vectors or {}).items()}
        knn = {"knn": True} if vectors and self.kind == "opensearch" else {}
        index = f"{self.prefix}{name}"
        self.done(
            "PUT",
            f"/{index}",
            {
                "settings": {
                    "number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "-1",
                    **knn, **(settings or {}),
                },
                "mappings": {"properties": mapping},
            },
        )  # fmt: skip
        return index

    def load(self, index: str, documents: Iterable[Mapping[str, Any]], chunk: int = 500) -> None:
        """Put documents into an index, each under its `_id`, and make them findable."""
        lines = list[bytes]()
        for document in documents:
            rest = {name: value for name, value in document.items() if name != "_id"}
            lines += (_dumped({"index": {"_id": document["_id"]}}), _dumped(rest))
            if len(lines) >= 2 * chunk:
                self._bulk(index, lines)
                lines = []
        if lines:
            self._bulk(index, lines)
        self.done("POST", f"/{index}/_refresh")

    def search(self, index: str, body: Mapping[str, Any], parameters: str = "") -> Any:
        """The answer to a `_search`."""
        return self.done("POST", f"/{index}/_search{parameters}", body)

    def hits(self, index: str, body: Mapping[str, Any]) -> list[tuple[str, float]]:
        """Ids and scores of a `_search`, best first."""
        found = self.search(index, {"_source": False, **body})["hits"]["hits"]
        return [(hit["_id"], hit["_score"]) for hit in found]

    def knn(self, name: str, vector: Sequence[float], k: int) -> dict[str, Any]:
        """The body of a search for the nearest vectors, as this engine has it."""
        given = [float(number) for number in vector]
        if self.kind == "opensearch":
            return {"size": k, "query": {"knn": {name: {"vector": given, "k": k}}}}
        asked = {"field": name, "query_vector": given, "k": k, "num_candidates": max(k, 100)}
        return {"size": k, "knn": asked}

    def drop(self, index: str) -> None:
        """Remove an index of ours."""
        assert index.startswith(self.prefix), index
        self.ask("DELETE", f"/{index}?ignore_unavailable=true")

    def _vector(self, given: Vector) -> dict[str, Any]:
        if self.kind == "elasticsearch":
            whole = {"index_options": {"type": "hnsw"}} if given.whole else {}
            return {
                "type": "dense_vector", "dims": given.dimensions, "similarity": given.similarity,
                **whole,
            }  # fmt: skip
        space = SPACES[given.similarity]
        method = {"name": "hnsw", "engine": "lucene", "space_type": space}
        return {"type": "knn_vector", "dimension": given.dimensions, "method": method}

    def _bulk(self, index: str, lines: list[bytes]) -> None:
        said = self.done("POST", f"/{index}/_bulk", b"\n".join(lines) + b"\n")
        failed = [item for item in said["items"] if item["index"]["status"] >= 300]
        assert not failed, failed[:3]


def at(url: str, kind: Kind) -> Engine:
    """The cluster at a URL, which may hold a name and a password."""
    parts = urlsplit(url)
    authorization = None
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = f"Basic {base64.b64encode(pair.encode()).decode()}"
    host = parts.netloc.rpartition("@")[2]
    bare = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
    unknown = Engine("", kind, "0", bare, authorization)
    version = unknown.done("GET", "/")["version"]["number"]
    return Engine(f"{kind}-{version.partition('.')[0]}", kind, version, bare, authorization)


def _field(given: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(given, str):
        return given
    return {"type": "text", "analyzer": given} if given == "english" else {"type": given}


def _dumped(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
