"""A search request, from a body or from a URL's parameters: the same keys and the same checks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast, get_args

from proxy.errors import BadRequest
from proxy.legs import embedder_of, takes_vector
from proxy.model import MAX_DEPTH, Counting, Filter, Highlight, SearchType, Sources
from proxy.plan import RoutePlan
from proxy.wire import checks, shown
from proxy.wire.facets import facets
from proxy.wire.filters import filters

KEYS: Final = (
    "query", "size", "from", "filters", "facets", "highlight", "fields", "vector",
    "user", "session", "type",
)  # fmt: skip
PARAMETERS: Final = ("q", *KEYS[1:])
DEFAULT_SIZE: Final = 10
MAX_QUERY: Final = 2_000
"""Characters of query text."""
MAX_NAME: Final = 200
"""Characters of a user or a session."""
MAX_VECTOR: Final = 4_096
_AS_JSON: Final = ("filters", "facets", "highlight", "fields", "vector")
_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Accepts:
    """What a route takes: how deep a page may reach, what may be filtered by, which vectors.

    `vectors` says whether its legs take one, take none, or disagree on which model made it.
    """

    window: int
    filterable: tuple[str, ...]
    vectors: Literal["one", "none", "several"]
    dimension: int | None

    @classmethod
    def of(cls, route: RoutePlan) -> Accepts:
        """What `route` takes with all its pipelines, live and shadow."""
        pipelines = [pipeline for pipeline, _ in (*route.live, *route.shadows)]
        legs = [leg for pipeline in pipelines for _, leg in pipeline.legs]
        embedders = {embedder_of(leg) for leg in legs if takes_vector(leg)}
        vectors: Literal["one", "none", "several"] = (
            "none" if not embedders else "one" if len(embedders) == 1 else "several"
        )
        return cls(min(route.window, MAX_DEPTH), route.filterable, vectors, route.dimension)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that is in order. `user` and `session` are still what the client sent."""

    text: str
    size: int
    offset: int
    filters: tuple[Filter, ...]
    vector: tuple[float, ...] | None
    user: str | None
    session: str | None
    type: SearchType = "search"
    counting: Counting = field(default=Counting())
    sources: Sources = field(default=Sources())
    highlight: Highlight | None = None


def from_body(raw: bytes, accepts: Accepts) -> Asked:
    """What a POST asks. Raises `BadRequest` naming the first thing that is wrong."""
    body = checks.mapping(checks.decoded(raw))
    checks.known(body.keys(), KEYS)
    return from_mapping(body, accepts, "query")


def from_parameters(given: Mapping[str, list[str]], accepts: Accepts) -> Asked:
    """What a GET asks: `q` for the text, lists and objects as JSON, the rest as in a body."""
    checks.known(given.keys(), PARAMETERS)
    body: dict[str, object] = {}
    for key, values in given.items():
        if len(values) > 1:
            raise BadRequest("is given more than once", field=key)
        body["query" if key == "q" else key] = _parameter(key, values[0])
    return from_mapping(body, accepts, "q")


def _parameter(key: str, value: str) -> object:
    if key in ("size", "from"):
        return int(value) if _INTEGER.fullmatch(value) else value
    if key in _AS_JSON:
        return checks.decoded(value, key)
    return value


def from_mapping(body: Mapping[str, Any], accepts: Accepts, text_key: str) -> Asked:
    """What known keys ask; null is as good as absent. Errors call the text `text_key`."""
    given = {key: value for key, value in body.items() if value is not None}
    size = checks.whole(
        given.get("size", min(DEFAULT_SIZE, accepts.window)), "size", 0, accepts.window
    )
    offset = checks.whole(given.get("from", 0), "from", 0, accepts.window)
    if offset + size > accepts.window:
        raise BadRequest(
            f"from + size is {offset + size}; this route's pages end at {accepts.window}",
            field="from", value=offset,
        )  # fmt: skip
    text = checks.text(given.get("query", ""), text_key, MAX_QUERY)
    vector = _vector(given["vector"], accepts) if "vector" in given else None
    if vector is None and not text.strip():
        raise BadRequest("is empty, and no vector is given", field=text_key, value=text or None)
    filterable = accepts.filterable
    return Asked(
        text, size, offset, filters(given.get("filters", []), filterable), vector,
        checks.name(given["user"], "user", MAX_NAME) if "user" in given else None,
        checks.name(given["session"], "session", MAX_NAME) if "session" in given else None,
        cast(SearchType, checks.choice(given.get("type", "search"), "type", get_args(SearchType))),
        Counting(facets=facets(given["facets"], filterable)) if "facets" in given else Counting(),
        shown.fields(given["fields"]) if "fields" in given else Sources(),
        shown.highlight(given["highlight"]) if "highlight" in given else None,
    )  # fmt: skip


def _vector(value: object, accepts: Accepts) -> tuple[float, ...]:
    if accepts.vectors == "none":
        raise BadRequest("is of no use: no leg of this route takes a vector", field="vector")
    if accepts.vectors == "several":
        raise BadRequest("is ambiguous: this route has two embedders", field="vector")
    return checks.vector(value, "vector", accepts.dimension, MAX_VECTOR)
