"""The facets of a request, and what is told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from proxy.errors import BadRequest
from proxy.model import Scalar, TermsFacet
from proxy.wire import checks

KEYS: Final = ("field", "size")
DEFAULT_SIZE: Final = 10
MAX_FACETS: Final = 16
MAX_SIZE: Final = 200
"""Values of one facet."""
MAX_NAME: Final = 200
"""Characters of a facet's name."""
_RESERVED: Final = "[]>"
"""What engines use between the names of aggregations."""


class Value(msgspec.Struct, frozen=True, gc=False):
    """One value of a facet, and how many documents hold it."""

    value: Scalar
    count: int


class _Bucket(msgspec.Struct, frozen=True, gc=False):
    key: str | float | int
    doc_count: int
    key_as_string: str | None = None


class _Aggregation(msgspec.Struct, frozen=True):
    buckets: list[_Bucket]


Told: TypeAlias = Mapping[str, list[Value]]
_decode: Final = msgspec.json.Decoder(dict[str, _Aggregation]).decode


def facets(value: object, filterable: Sequence[str]) -> tuple[TermsFacet, ...]:
    """A list of fields, or an object of facets by name: `{name: {field, size}}`, both optional."""
    if not isinstance(value, list | dict):
        raise BadRequest("must be a list of fields or an object", field="facets", value=value)
    if len(value) > MAX_FACETS:
        raise BadRequest(f"has {len(value)} facets; {MAX_FACETS} are allowed", field="facets")
    if isinstance(value, dict):
        return tuple(_named(name, wanted, filterable) for name, wanted in value.items())
    names = [checks.choice(name, f"facets[{i}]", filterable) for i, name in enumerate(value)]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise BadRequest("stands there twice", field=f"facets[{i}]", value=name)
    return tuple(TermsFacet(name, name, DEFAULT_SIZE) for name in names)


def _named(name: str, wanted: object, filterable: Sequence[str]) -> TermsFacet:
    checks.name(name, "facets", MAX_NAME)
    if any(char in name for char in _RESERVED):
        raise BadRequest(f"has one of {_RESERVED} in its name", field="facets", value=name)
    where = f"facets.{name[:100]}"
    given = checks.mapping(wanted, where)
    for key in given:
        checks.choice(key, where, KEYS)
    field = checks.choice(given.get("field", name), f"{where}.field", filterable)
    size = checks.whole(given.get("size", DEFAULT_SIZE), f"{where}.size", 1, MAX_SIZE)
    return TermsFacet(name, field, size)


def told(aggregations: bytes) -> Told:
    """The values of facets, most frequent first, from an engine's aggregations.

    >>> told(b'{"free": {"buckets": [{"key": 1, "key_as_string": "true", "doc_count": 3}]}}')
    {'free': [Value(value=True, count=3)]}
    """
    return {
        name: [Value(_value(bucket), bucket.doc_count) for bucket in facet.buckets]
        for name, facet in _decode(aggregations).items()
    }


def _value(bucket: _Bucket) -> Scalar:
    """What a client may filter by: a boolean's key is a number to engines, a date's, too."""
    match bucket.key_as_string:
        case None:
            return bucket.key
        case "true" | "false":
            return bucket.key_as_string == "true"
    return bucket.key_as_string
