"""Filters as clauses of the engines' query language; both engines read the same."""

from __future__ import annotations

from collections.abc import Iterable

from proxy.backends.cluster.requests.target import Json
from proxy.model import AllOf, AnyOf, Exists, Filter, Not, Range, Terms


def clause(given: Filter) -> Json:
    """The clause that the documents match which pass the filter.

    >>> clause(Not(Terms("section", ("draft",))))
    {'bool': {'must_not': [{'term': {'section': {'value': 'draft'}}}]}}
    """
    match given:
        case Terms(field, (value,)):
            return {"term": {field: {"value": value}}}
        case Terms(field, values):
            return {"terms": {field: list(values)}}
        case Range(field):
            bounds = {"gte": given.gte, "gt": given.gt, "lte": given.lte, "lt": given.lt}
            return {"range": {field: {how: to for how, to in bounds.items() if to is not None}}}
        case Exists(field):
            return {"exists": {"field": field}}
        case Not(inner):
            return {"bool": {"must_not": [clause(inner)]}}
        case AnyOf(()):
            return {"match_none": {}}  # an empty `should` would match everything
        case AnyOf(several):
            return {"bool": {"should": clauses(several), "minimum_should_match": 1}}
        case AllOf(()):
            return {"match_all": {}}
        case AllOf(several):
            return {"bool": {"filter": clauses(several)}}


def clauses(given: Iterable[Filter]) -> list[Json]:
    """A clause for each filter, in their order."""
    return [clause(each) for each in given]


def within(query: object, filters: list[Json]) -> object:
    """What `query` finds among the documents that match all of `filters`; these don't score."""
    return {"bool": {"must": [query], "filter": filters}} if filters else query
