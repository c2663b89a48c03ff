"""Mandatory filters, written as in a search request: `term`, `terms`, `range` and `exists`."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from pydantic import Discriminator, Field, Tag, ValidationInfo, model_validator

from config.section import Section, Text

Scalar: TypeAlias = str | bool | int | float

BOUNDS: Final = ("gte", "gt", "lte", "lt")


class Term(Section):
    """A mandatory filter: `{term: {field: value}}` or `{terms: {field: [values]}}`."""

    field: Text
    values: Annotated[tuple[Scalar, ...], Field(min_length=1)]

    @model_validator(mode="before")
    @classmethod
    def _clause(cls, value: Any, info: ValidationInfo) -> Any:
        """In the file it is written as in a search request."""
        if info.mode != "json":
            return value
        kind, field, wanted = _one_field(value)
        values = [wanted] if kind == "term" else wanted
        if kind not in ("term", "terms") or not isinstance(values, list) or not values:
            raise ValueError("is neither {term: {field: value}} nor {terms: {field: [values]}}")
        return {"field": field, "values": tuple(map(_scalar, values))}


class Within(Section):
    """A mandatory filter: `{range: {field: {gte, gt, lte, lt}}}`, one bound or two."""

    field: Text
    gte: Scalar | None = None
    gt: Scalar | None = None
    lte: Scalar | None = None
    lt: Scalar | None = None

    @model_validator(mode="before")
    @classmethod
    def _clause(cls, value: Any, info: ValidationInfo) -> Any:
        if info.mode != "json":
            return value
        kind, field, bounds = _one_field(value)
        if kind != "range" or not isinstance(bounds, dict) or not bounds:
            raise ValueError("is not {range: {field: {gte: value}}}")
        if unknown := sorted(bounds.keys() - BOUNDS):
            raise ValueError(f"has no bound {unknown[0]!r}; choices: {', '.join(BOUNDS)}")
        for several in (BOUNDS[:2], BOUNDS[2:]):
            if bounds.keys() >= set(several):
                raise ValueError(f"has both {' and '.join(several)}")
        if any(isinstance(bound, bool) for bound in bounds.values()):
            raise ValueError("compares with true or false, which have no order")
        return {"field": field, **{key: _scalar(bound) for key, bound in bounds.items()}}


class Present(Section):
    """A mandatory filter: `{exists: {field: name}}`."""

    field: Text

    @model_validator(mode="before")
    @classmethod
    def _clause(cls, value: Any, info: ValidationInfo) -> Any:
        if info.mode != "json":
            return value
        match value:
            case {"exists": {"field": str(name), **others}} if name and len(value) == 1:
                if not others:
                    return {"field": name}
        raise ValueError("is not {exists: {field: name}}")


_FILTERS: Final = {"term": Term, "terms": Term, "range": Within, "exists": Present}


def _kind(value: Any) -> str | None:
    """Which of the filters it is, read from a file or made by a program."""
    if isinstance(value, dict):
        return next((kind for kind in _FILTERS if kind in value), None)
    return next((kind for kind, made in _FILTERS.items() if isinstance(value, made)), None)


Clause: TypeAlias = Annotated[
    Annotated[Term, Tag("term")]
    | Annotated[Term, Tag("terms")]
    | Annotated[Within, Tag("range")]
    | Annotated[Present, Tag("exists")],
    Discriminator(
        _kind,
        custom_error_type="no_filter",
        custom_error_message=(
            "Is none of {term: {field: value}}, {terms: {field: [values]}}, "
            "{range: {field: {gte, gt, lte, lt}}} and {exists: {field: name}}"
        ),
    ),
]
"""A mandatory filter, as a search request writes it."""


def _one_field(value: Any) -> tuple[str, str, Any]:
    """The kind of a filter, its only field and what it says of that."""
    if isinstance(value, dict) and len(value) == 1:
        ((kind, clause),) = value.items()
        if isinstance(clause, dict) and len(clause) == 1:
            ((field, wanted),) = clause.items()
            if field:
                return kind, field, wanted
    raise ValueError("is not about one field")


def _scalar(value: Any) -> Scalar:
    if isinstance(value, Scalar):
        return value
    raise ValueError("compares with what is neither text nor a number nor true or false")
