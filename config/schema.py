"""The typed configuration: frozen to the bottom, strict on what people type.

Parts (backends, embedders, rerankers, legs, fusions) keep their options unread: `kind` picks a class
elsewhere and that class's fields are the schema. Named things are tuples of (name, value) in file order.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

T = TypeVar("T")
Named: TypeAlias = tuple[tuple[str, T], ...]
Frozen: TypeAlias = Any
"""A YAML value made hashable: scalars, tuples, and mappings as tuples of (key, value)."""


class Section(BaseModel):
    """A mapping of the file: immutable, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Part(Section):
    """Something named by its `kind`; `options` are the other keys, checked by the class that `kind` names."""

    kind: str
    options: Named[Frozen] = ()


class Admin(Section):
    host: str = "127.0.0.1"
    port: int = 9400
    token_env: str | None = None


class Server(Section):
    host: str = "0.0.0.0"
    port: int = 8080
    cors_origins: tuple[str, ...] = ()
    admin: Admin = Admin()


class Secrets(Section):
    ids_env: tuple[str, ...] = ()
    keys_env: str | None = None


class Pipeline(Section):
    legs: tuple[str, ...]
    fusion: Part | None = None
    rerank: str | None = None


class Term(Section):
    """A mandatory filter: `{term: {field: value}}` or `{terms: {field: [values]}}`."""

    field: str
    values: tuple[str | int | float | bool, ...]


class Route(Section):
    live: Named[float]
    shadows: Named[float] = ()
    deadline_ms: int = 800
    filter: tuple[Term, ...] = ()
    filterable: tuple[str, ...] = ()
    primary: str | None = None


class MaxAge(Section):
    click: float = 1800.0
    conversion: float = 259200.0


class Events(Section):
    """`redis` is a URL or `embedded`. Spans are seconds here, strings with a unit in the file."""

    redis: str = "embedded"
    shards: int = 4
    max_memory_mb: int = 1024
    max_age: MaxAge = MaxAge()
    store_query_text: bool = False


class Judging(Section):
    satisfied: float = 30.0
    session: float = 1800.0


class EvaluatorAdmin(Section):
    host: str = "127.0.0.1"
    port: int = 9401


class Evaluator(Section):
    interval: float = 60.0
    window: float = 86400.0
    served_window: float = 3600.0
    settle: float = 60.0
    measures: tuple[str, ...] = ("nDCG@10", "RR", "Success@5")
    admin: EvaluatorAdmin = EvaluatorAdmin()


class Settings(Section):
    """The whole file. Everything in it is hashable: `hash(settings)` is a test."""

    state_dir: str = "/var/lib/shadowrank"
    server: Server = Server()
    secrets: Secrets = Secrets()
    backends: Named[Part]
    embedders: Named[Part] = ()
    rerankers: Named[Part] = ()
    legs: Named[Part]
    pipelines: Named[Pipeline]
    routes: Named[Route]
    events: Events = Events()
    judging: Judging = Judging()
    evaluator: Evaluator = Evaluator()


