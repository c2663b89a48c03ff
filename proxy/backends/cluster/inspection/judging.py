"""What is read of an index against the fields that it has. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from config.problems import problem
from proxy.backends import Read
from proxy.backends.cluster.inspection.mapping import SPARSE, TEXT, UNFILTERED, VECTORS, Fields
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.neural import Neural
from proxy.legs.sparse import Sparse
from proxy.model import Filter, Range, leaves


def judged(read: Read, index: str, fields: Fields) -> Iterator[str]:
    """Why `index`, one of those that the leg reads, can't answer it."""
    yield from (f"{read.where}.{line}" for line in _leg(read.leg, read.dimension, index, fields))
    for given in read.filters:
        yield from (f"{read.where}: {line}" for line in _filter(given, index, fields))


def id_field_problem(name: str, index: str, fields: Fields) -> str | None:
    """Why `id_field` can't say how the documents of `index` are called."""
    field = fields.get(name)
    if field is None:
        what = f"is no field of index {index!r}: add a keyword copy of the _id, or remove id_field"
        return problem("id_field", what, name)
    if field.type != "keyword" or not field.doc_values:
        what = f"is {field.type} without doc values for it in {index!r}; it has to be a keyword"
        return problem("id_field", what, name)
    return None


def _leg(leg: Leg, dimension: int | None, index: str, fields: Fields) -> Iterator[str]:
    match leg:
        case Lexical():
            for written in leg.fields:
                yield from _text(written.partition("^")[0], index, fields)
        case Knn():
            yield from _vector(leg.field, dimension, index, fields)
        case Neural():
            yield from _vector(leg.field, None, index, fields)
        case Sparse():
            yield from _of_type(leg.field, SPARSE, "holds no weighted terms", index, fields)


def _text(name: str, index: str, fields: Fields) -> Iterator[str]:
    if "*" in name:
        return
    text = _named(fields, lambda of: of in TEXT)
    if name not in fields:
        yield problem("fields", f"is no field of index {index!r}", name, text)
    elif fields[name].type not in TEXT | {"keyword", "alias", "constant_keyword", "wildcard"}:
        what = f"is {fields[name].type} in index {index!r}, and has no words to search"
        yield problem("fields", what, name, text)


def _vector(name: str, dimension: int | None, index: str, fields: Fields) -> Iterator[str]:
    yield from _of_type(name, VECTORS, "holds no vectors", index, fields)
    field = fields.get(name)
    if field is None or field.type not in VECTORS:
        return
    if not field.indexed:
        what = f"is not indexed in {index!r}, so that nothing can be searched in it"
        yield problem("field", f"{what}; reindex with `index: true`", name)
    if dimension and field.dimension and dimension != field.dimension:
        what = f"holds vectors of {field.dimension} numbers in {index!r}"
        advice = "name the embedder that the index was built with, or reindex"
        yield problem("field", f"{what}; the leg asks with {dimension}: {advice}", name)


def _of_type(
    name: str, types: frozenset[str], otherwise: str, index: str, fields: Fields
) -> Iterator[str]:
    choices = _named(fields, lambda of: of in types)
    if name not in fields:
        yield problem("field", f"is no field of index {index!r}", name, choices)
    elif fields[name].type not in types:
        what = f"is {fields[name].type} in index {index!r}, and {otherwise}"
        yield problem("field", what, name, choices)


def _filter(given: Filter, index: str, fields: Fields) -> Iterator[str]:
    for leaf in leaves(given):
        name = leaf.field
        if name in ("_id", "_index"):
            continue
        whole = _named(fields, lambda of: of not in UNFILTERED)
        if name not in fields:
            yield problem("filter", f"is no field of index {index!r}", name, whole)
        elif fields[name].type in UNFILTERED:
            within = [each for each in whole if each.startswith(f"{name}.")]
            what = f"is {fields[name].type} in index {index!r}, and can't be filtered by its value"
            yield problem("filter", f"{what}; {_instead(within)}", name)
        elif isinstance(leaf, Range) and fields[name].type == "boolean":
            yield problem("filter", f"is boolean in index {index!r}, and has no range", name)


def _instead(within: list[str]) -> str:
    if within:
        return f"use {' or '.join(sorted(within))}"
    return "reindex with a keyword beside it"


def _named(fields: Fields, having: Callable[[str], bool]) -> list[str]:
    return [name for name, field in fields.items() if having(field.type)]
