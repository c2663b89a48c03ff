"""Whom a request is for, what it reads, and the request itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import quote

import msgspec

EngineKind: TypeAlias = Literal["elasticsearch", "opensearch"]
Json: TypeAlias = dict[str, object]

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Engine:
    """What is being talked to: its kind, its major and minor version."""

    kind: EngineKind
    version: tuple[int, int]

    @property
    def elastic(self) -> bool:
        """Whether it speaks Elasticsearch's dialect."""
        return self.kind == "elasticsearch"


@dataclass(frozen=True, slots=True)
class Reach:
    """What an index expression reads: `several` concrete indices (an alias over some, a pattern, a
    data stream), so that documents are named `index/_id`, or one.

    `id_field` has a copy of the `_id` in doc values. `indices` are those of the several that are
    known: documents of these, and of no others, may be fetched from the index that they name.
    """

    index: str
    several: bool = False
    id_field: str | None = None
    indices: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Request:
    """A POST of `body`, JSON, to `path` with `params`; `answer` says which shape comes back."""

    path: str
    params: Mapping[str, str]
    body: bytes
    answer: Literal["search", "mget"]


def search_request(reach: Reach, body: Json, params: Mapping[str, str]) -> Request:
    """A `_search`. What isn't Unicode (a lone surrogate) raises ValueError."""
    return Request(_path(reach, "_search"), params, _encode(body), "search")


def mget_request(reach: Reach, body: Json, params: Mapping[str, str]) -> Request:
    """An `_mget`; where there are several indices the documents name theirs."""
    return Request(_path(reach, "_mget"), params, _encode(body), "mget")


def _path(reach: Reach, what: str) -> str:
    """The path of a request to an index expression, which may hold `*`, commas and a colon."""
    return f"/{quote(reach.index, safe='*,:')}/{what}"
