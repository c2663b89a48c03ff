"""The typed configuration: frozen to the bottom, strict on what people type.

Parts (backends, embedders, rerankers, legs, fusions) keep their options unread: `kind` picks a
class elsewhere and that class's fields are the schema. Spans are seconds here and strings with a
unit in the file; budgets end in `_ms`; shares and rates are fractions.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import Field, ValidationInfo, field_validator, model_validator

from config.durations import Seconds
from config.filters import Clause
from config.named import Named, Options, Routes
from config.section import Section, Text

Port: TypeAlias = Annotated[int, Field(ge=0, le=65535)]
Milliseconds: TypeAlias = Annotated[int, Field(gt=0, le=600_000)]
Fraction: TypeAlias = Annotated[float, Field(ge=0, le=1)]

EMBEDDED: Final = "embedded"
"""The value of `events.redis` that asks for a private server."""
_INDEX: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}")
_ORIGIN: Final = re.compile(r"https?://[a-z0-9.-]+(:\d+)?|https?://\[[0-9a-f:]+\](:\d+)?")
_REDIS: Final = re.compile(r"(rediss?://[^/@]+(/\d+)?|unix:///[^@]+)")


class Part(Section):
    """Something whose `kind` names a class; `options` are the other keys, for that class."""

    kind: Text
    options: Options = ()

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, value: Any, info: ValidationInfo) -> Any:
        """In the file the options stand beside `kind`."""
        if info.mode != "json" or not isinstance(value, dict):
            return value
        kind = {"kind": value["kind"]} if "kind" in value else {}
        return {**kind, "options": {key: item for key, item in value.items() if key != "kind"}}


class Admin(Section):
    """The private port: metrics, health and, with a token, `/admin`. Without a token: 403."""

    host: Text = "127.0.0.1"
    port: Port = 9400
    token_env: Text | None = None


class Server(Section):
    """Where the public API listens, and how much at once. `cors_origins`: the exact origins whose
    pages may call it.
    """

    host: Text = "0.0.0.0"
    port: Port = 8080
    max_connections: Annotated[int, Field(ge=1, le=1_000_000)] = 2048
    max_in_flight: Annotated[int, Field(ge=1, le=100_000)] = 512
    cors_origins: tuple[str, ...] = ()
    admin: Admin = Admin()

    @field_validator("cors_origins")
    @classmethod
    def _origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is no exact origin, such as https://shop.example")
        return origins

    @model_validator(mode="after")
    def _two_ports(self) -> Self:
        if self.port and self.port == self.admin.port:
            raise ValueError(f"port and admin.port are both {self.port}: two APIs need two ports")
        return self


class Secrets(Section):
    """The variables that hold the keys of query ids (newest first) and of user and query hashes."""

    ids_env: tuple[Text, ...] = ()
    keys_env: Text | None = None


class EngineRerank(Section):
    """Elasticsearch's `text_similarity_reranker`, over the first `top` of what it fused."""

    inference_id: Text
    field: Text
    top: Annotated[int, Field(ge=1, le=10_000)] = 100
    min_score: float | None = None


class Pipeline(Section):
    """Legs, then fusion (for several), then rerank, each by its name.

    `fused_by: engine` asks the engine for all of it in one request; it may then rerank, too.
    """

    legs: Annotated[tuple[str, ...], Field(min_length=1)]
    fusion: Part | None = None
    fused_by: Literal["proxy", "engine"] = "proxy"
    engine_rerank: EngineRerank | None = None
    rerank: str | None = None

    @field_validator("legs")
    @classmethod
    def _once(cls, legs: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(legs)) < len(legs):
            raise ValueError("names a leg twice")
        return legs


class Route(Section):
    """A public search: live pipelines with shares that sum to 1, shadows with their rates.

    The sum is checked by `references`: a wrong one says nothing against the rest of the route.
    """

    live: Annotated[Named[Fraction], Field(min_length=1)]
    shadows: Named[Fraction] = ()
    deadline_ms: Milliseconds = 800
    filter: tuple[Clause, ...] = ()
    filterable: tuple[Text, ...] = ()
    primary: str | None = None
    third_party: tuple[Text, ...] = ()
    index: str | None = None

    @field_validator("index")
    @classmethod
    def _index(cls, index: str | None) -> str | None:
        if index is not None and (index == "v1" or not _INDEX.fullmatch(index)):
            raise ValueError(
                "is no name of an index here: lower-case letters, digits, `.`, `_` "
                "and `-`, a letter or digit first, at most 128, and not `v1`"
            )
        return index


class MaxAge(Section):
    """How long after its answer an event is accepted."""

    click: Seconds = 1800.0
    conversion: Seconds = 259200.0


class Events(Section):
    """The event log. `redis` is a URL or `embedded`."""

    redis: str = EMBEDDED
    password_env: Text | None = None
    shards: Annotated[int, Field(ge=1, le=64)] = 4
    max_memory_mb: Annotated[int, Field(ge=1)] = 1024
    max_age: MaxAge = MaxAge()
    store_query_text: bool = False

    @field_validator("redis")
    @classmethod
    def _address(cls, redis: str) -> str:
        if redis != EMBEDDED and not _REDIS.fullmatch(redis):
            raise ValueError(
                "is neither `embedded` nor redis://host:port/db, rediss://… or unix:///path "
                "(a password stands in the variable that events.password_env names)"
            )
        return redis


class Judging(Section):
    """What a click is worth: `satisfied` after this dwell, credited within `session`."""

    satisfied: Seconds = 30.0
    session: Seconds = 1800.0


class EvaluatorAdmin(Section):
    """Where the evaluator's metrics and health are."""

    host: Text = "127.0.0.1"
    port: Port = 9401


class Evaluator(Section):
    """How often it looks, over which windows, and what it measures."""

    interval: Seconds = 60.0
    window: Seconds = 86400.0
    served_window: Seconds = 3600.0
    settle: Seconds = 60.0
    measures: Annotated[tuple[Text, ...], Field(min_length=1)] = ("nDCG@10", "RR", "Success@5")
    admin: EvaluatorAdmin = EvaluatorAdmin()

    @model_validator(mode="after")
    def _within(self) -> Self:
        if self.served_window > self.window:
            raise ValueError(
                f"served_window ({self.served_window:g} s) is longer than window "
                f"({self.window:g} s)"
            )
        return self


class Settings(Section):
    """The whole file. Everything in it is hashable: `hash(settings)` is a test."""

    state_dir: Text = "/var/lib/shadowrank"
    server: Server = Server()
    secrets: Secrets = Secrets()
    backends: Named[Part]
    embedders: Named[Part] = ()
    rerankers: Named[Part] = ()
    legs: Named[Part]
    pipelines: Named[Pipeline]
    routes: Routes[Route]
    events: Events = Events()
    judging: Judging = Judging()
    evaluator: Evaluator = Evaluator()
