"""Filters as tantivy's queries, with the meaning that Elasticsearch gives them.

A field of several values passes if one of them does. On a text field a value is compared with
whole terms, unanalysed, as there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import tantivy
from tantivy import FieldType, Occur, Query

from config.problems import problem
from proxy.backends.embedded.fields import Field
from proxy.errors import BackendRefused
from proxy.model import AllOf, AnyOf, Exists, Filter, Not, Range, Scalar, Terms, leaves

HELD: Final = "held"
"""tantivy's field of which fields a document has a value in, by tantivy's names of them."""
ORDERED: Final = ("keyword", "number")
"""The types of fields that have a range."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What tantivy knows of an index. `stored` names its fields there; a keyword stands there as
    its place in the field's `words`, which are in order.
    """

    schema: tantivy.Schema
    fields: Mapping[str, Field]
    stored: Mapping[str, str]
    words: Mapping[str, tuple[str, ...]]


def problems(fields: Mapping[str, Field], given: Filter) -> list[str]:
    """Why `given` can't be asked of these fields."""
    return [line for leaf in leaves(given) for line in _leaf_problems(fields, leaf)]


def check(fields: Mapping[str, Field], filters: Sequence[Filter]) -> None:
    """Raise BackendRefused for an unknown field or a value of another type than the field's."""
    if wrong := [line for given in filters for line in problems(fields, given)]:
        raise BackendRefused(f"filter: {'; '.join(wrong)}")


def clauses(layout: Layout, filters: Sequence[Filter]) -> list[tuple[Occur, Query]]:
    """One clause a filter, required and adding nothing to a score. Raises as `check` does."""
    check(layout.fields, filters)
    return [(Occur.Must, Query.const_score_query(_query(layout, each), 0.0)) for each in filters]


def _leaf_problems(fields: Mapping[str, Field], given: Terms | Range | Exists) -> list[str]:
    name = given.field
    if name not in fields:
        return [problem("field", "is no field of this index", name, fields)]
    field = fields[name]
    match given:
        case Terms():
            values: Sequence[Scalar] = given.values
        case Range() if field.type not in ORDERED:
            what = f"has no range: it is {field.type}; a range compares {' and '.join(ORDERED)}"
            return [f"{name}: {what}"]
        case Range():
            bounds = (given.gte, given.gt, given.lte, given.lt)
            values = [bound for bound in bounds if bound is not None]
        case Exists():
            values = ()
    complaints = (field.complaint(value) for value in values)
    return [f"{name}: {complaint} ({field.type})" for complaint in complaints if complaint]


def _query(layout: Layout, given: Filter) -> Query:
    match given:
        case Terms(name, values):
            return _one_of(layout, name, values)
        case Range():
            return _within(layout, given)
        case Exists(name):
            return Query.term_query(layout.schema, HELD, layout.stored[name], "basic")
        case Not(inner):
            every = (Occur.Must, Query.all_query())
            return Query.boolean_query([every, (Occur.MustNot, _query(layout, inner))])
        case AnyOf(several):
            return Query.boolean_query([(Occur.Should, _query(layout, each)) for each in several])
        case AllOf(several):
            required = [(Occur.Must, _query(layout, each)) for each in several]
            return Query.boolean_query([(Occur.Must, Query.all_query()), *required])


def _one_of(layout: Layout, name: str, values: Sequence[Scalar]) -> Query:
    known: list[Scalar] = list(values)
    match layout.fields[name].type:
        case "number":
            known = [float(value) + 0.0 for value in values]
        case "keyword":
            places = (_place(layout.words[name], str(value)) for value in values)
            known = [place for place in places if place is not None]
    return Query.term_set_query(layout.schema, layout.stored[name], known)


def _place(words: Sequence[str], word: str) -> int | None:
    place = bisect_left(words, word)
    return place if place < len(words) and words[place] == word else None


def _within(layout: Layout, given: Range) -> Query:
    """Of `gte` and `gt`, and of `lte` and `lt`, the tighter one counts."""
    schema, name = layout.schema, layout.stored[given.field]
    if layout.fields[given.field].type == "keyword":
        first, beyond = _places(layout.words[given.field], given)
        if first >= beyond:
            return Query.empty_query()
        return Query.range_query(schema, name, FieldType.Unsigned, first, beyond, True, False)
    low, above = max(_bounds((given.gte, False), (given.gt, True)), default=(None, False))
    high, within = min(_bounds((given.lte, True), (given.lt, False)), default=(None, True))
    if low is None and high is None:
        return _query(layout, Exists(given.field))
    crossed = low is not None and high is not None and low > high
    touching = low == high and (above or not within)
    if crossed or touching:
        return Query.empty_query()
    return Query.range_query(schema, name, FieldType.Float, low, high, not above, within)


def _bounds(*given: tuple[Scalar | None, bool]) -> list[tuple[float, bool]]:
    return [(float(bound) + 0.0, how) for bound, how in given if bound is not None]


def _places(words: Sequence[str], given: Range) -> tuple[int, int]:
    """The first of the words that is within the bounds, and the first beyond them."""
    low = [
        find(words, str(bound))
        for find, bound in ((bisect_left, given.gte), (bisect_right, given.gt))
        if bound is not None
    ]
    high = [
        find(words, str(bound))
        for find, bound in ((bisect_right, given.lte), (bisect_left, given.lt))
        if bound is not None
    ]
    return max(low, default=0), min(high, default=len(words))
