"""What a document's sections say about each other, and about the environment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import fsum, isclose
from typing import Final, TypeAlias, TypeGuard

from config.document import Value
from config.problems import problem
from config.schema import EMBEDDED, Settings
from config.validation import NAMED

PARTS: Final = ("backends", "embedders", "rerankers")
"""Sections whose variables only who uses the part must have: no evaluator asks an engine."""
SHORTEST_KEY: Final = 16
"""In characters. Shorter keys could be guessed, and with them query ids forged."""

Unset: TypeAlias = Mapping[tuple[str, str], tuple[str, ...]]
Names: TypeAlias = Mapping[str, frozenset[str]]
"""The names that the document gives to the entries of each named section, sound or not."""


def names(document: Mapping[str, Value]) -> Names:
    """Every name the document declares, by section."""
    return {section: frozenset(_mapping(document.get(section))) for section in NAMED}


def references(document: Mapping[str, Value], declared: Names) -> Iterator[str]:
    """Problems with what pipelines and routes name, and with the shares of live pipelines."""
    for name, pipeline in _entries(document, "pipelines"):
        where = f"pipelines.{name}"
        for at, leg in enumerate(_texts(pipeline.get("legs"))):
            yield from known(f"{where}.legs.{at}", leg, declared["legs"])
        for reranker in _texts([pipeline.get("rerank")]):
            yield from known(f"{where}.rerank", reranker, declared["rerankers"])
    for name, route in _entries(document, "routes"):
        yield from _whole(f"routes.{name}.live", _mapping(route.get("live")).values())
        for role in ("live", "shadows"):
            for pipeline_name in _texts(list(_mapping(route.get(role)))):
                yield from known(f"routes.{name}.{role}", pipeline_name, declared["pipelines"])
        for at, model in enumerate(_texts(route.get("third_party"))):
            models = declared["embedders"] | declared["rerankers"]
            yield from known(f"routes.{name}.third_party.{at}", model, models)
    yield from _shared_indices(document)
    if not declared["routes"]:
        yield problem("routes", "has no route, so nothing would be served")


def _shared_indices(document: Mapping[str, Value]) -> Iterator[str]:
    """A problem for every route whose index another route, before it, answers already."""
    taken: dict[str, str] = {}
    for name, route in _entries(document, "routes"):
        for index in _texts([route.get("index")]):
            if index in taken:
                what = f"is the index of route {taken[index]!r}, too: a request names one route"
                yield problem(f"routes.{name}.index", what, index)
            taken.setdefault(index, name)


def _whole(where: str, shares: Collection[Value]) -> Iterator[str]:
    """A problem unless the shares sum to 1; one that is no share is the schema's problem."""
    fractions = [share for share in shares if _is_fraction(share)]
    if 0 < len(fractions) == len(shares) and not isclose(fsum(fractions), 1, abs_tol=1e-9):
        yield problem(where, f"shares sum to {fsum(fractions):g}, not 1")


def _is_fraction(value: Value) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _entries(
    document: Mapping[str, Value], section: str
) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """The entries of a section that are mappings; others are the schema's problem."""
    for name, entry in _mapping(document.get(section)).items():
        if isinstance(entry, dict):
            yield name, entry


def _mapping(value: Value) -> Mapping[str, Value]:
    return value if isinstance(value, dict) else {}


def _texts(value: Value) -> Sequence[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def known(where: str, name: str, declared: Iterable[str]) -> Iterator[str]:
    """A problem, with the choices, unless `name` is one of those declared."""
    choices = tuple(declared)
    if name not in choices:
        yield problem(where, "is not declared", name, choices)


def variables(document: Value, environ: Mapping[str, str], where: str = "") -> Iterator[str]:
    """Problems with the variables that keys ending in `_env` name, wherever they stand."""
    if not isinstance(document, dict):
        return
    for key, value in document.items():
        path = f"{where}.{key}" if where else key
        if not key.endswith("_env"):
            yield from variables(value, environ, path)
            continue
        for variable in value if isinstance(value, list) else [value]:
            if isinstance(variable, str) and not environ.get(variable):
                yield problem(path, "is not set in the environment", variable)


def unset(document: Mapping[str, Value], environ: Mapping[str, str]) -> Unset:
    """By (section, name), the problems with the variables that a part names."""
    return {
        (section, name): tuple(found)
        for section in PARTS
        for name, entry in _entries(document, section)
        if (found := list(variables(dict(entry), environ, f"{section}.{name}")))
    }


def others(document: Mapping[str, Value]) -> dict[str, Value]:
    """The document without the parts."""
    return {section: value for section, value in document.items() if section not in PARTS}


def spans(settings: Settings) -> Iterator[str]:
    """Problems with spans of which one must reach beyond the other."""
    judged = settings.evaluator
    if judged.served_window <= judged.settle:
        yield problem(
            "evaluator.served_window",
            f"is not longer than settle ({judged.settle:g} s): no answer would ever be in it",
            f"{judged.served_window:g} s",
        )


def keys(settings: Settings, environ: Mapping[str, str]) -> Iterator[str]:
    """Problems with keys that are needed and not named, or too short. (Unset: see `variables`.)"""
    named = settings.secrets
    if settings.events.redis != EMBEDDED:
        why = "is missing: only a private Redis (`embedded`) keeps a generated key beside it"
        if not named.ids_env:
            yield problem("secrets.ids_env", why)
        if named.keys_env is None:
            yield problem("secrets.keys_env", why)
    for variable in (*named.ids_env, *filter(None, [named.keys_env])):
        if 0 < len(environ.get(variable, "")) < SHORTEST_KEY:
            yield problem("secrets", f"holds less than {SHORTEST_KEY} characters", variable)
