"""Tests of proxy.build.making."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from config.errors import ConfigError
from config.named import freeze
from config.schema import Part
from proxy.build.making import make


@dataclass(frozen=True)
class Column:
    """A dataclass within a part."""

    type: Literal["text", "keyword"]
    analyzer: str = "standard"


@dataclass(frozen=True)
class Shelf:
    """A part with every sort of field that parts have."""

    corpus: Path
    columns: Mapping[str, Column] = field(default_factory=dict)
    weights: tuple[tuple[str, float], ...] = ()
    fields: tuple[str, ...] = ()
    top: int = 10
    model: str | None = None
    known: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.top < 1:
            raise ValueError(f"top: {self.top} is less than 1")


KINDS = {"shelf": Shelf}


def part(kind: str, **options: Any) -> Part:
    """A part as the loader leaves it."""
    return Part(kind=kind, options=tuple((key, freeze(value)) for key, value in options.items()))


def problems(kind: str, **options: Any) -> tuple[str, ...]:
    """What is wrong with such a part."""
    with pytest.raises(ConfigError) as caught:
        make("backends.a", part(kind, **options), KINDS)
    return caught.value.problems


def test_the_fields_of_a_class_are_its_schema() -> None:
    """
    Texts become paths, lists tuples, mappings pairs or mappings, as the fields' types say.
    """
    made = make(
        "backends.a",
        part(
            "shelf",
            corpus="c.jsonl",
            columns={"title": {"type": "text"}},
            weights={"b": 1, "any key": 0.5},
            fields=["title^3"],
        ),
        KINDS,
    )

    assert (
        Shelf(
            Path("c.jsonl"), {"title": Column("text")}, (("b", 1.0), ("any key", 0.5)), ("title^3",)
        )
        == made
    )


def test_every_problem_of_a_part_has_its_path() -> None:
    """
    At any depth, with the choices of the place.
    """

    assert {
        "backends.a.corpus: is missing",
        "backends.a.columns.t.type: 'txt' is none of the choices; did you mean text? "
        "choices: keyword, text",
        "backends.a.columns.t.anlyzer: is no key here; did you mean analyzer? "
        "choices: analyzer, type",
        "backends.a.weights.b: '1' is not a number",
        "backends.a.top: True is not a whole number",
        "backends.a.fields: 'title' is not a list",
        "backends.a.known: is no key here; choices: columns, corpus, fields, model, top, weights",
    } == set(
        problems(
            "shelf",
            columns={"t": {"type": "txt", "anlyzer": "x"}},
            weights={"b": "1"},
            top=True,
            fields="title",
            known=1,
        )
    )


def test_an_unknown_kind_names_the_choices() -> None:
    """
    Nothing is fallen back to.
    """

    assert (
        "backends.a.kind: 'shelff' is no kind of part here; did you mean shelf? choices: shelf",
    ) == problems("shelff")


def test_a_class_may_check_more_than_types() -> None:
    """
    What it says of a field gets the part's path.
    """

    assert ("backends.a.top: 0 is less than 1",) == problems("shelf", corpus="c", top=0)


def test_a_list_of_pairs_is_no_mapping() -> None:
    """
    Pairs are written as a mapping, and only so.
    """
    (problem,) = problems("shelf", corpus="c", weights=[["a", 1]])

    assert problem.startswith("backends.a.weights: ")
