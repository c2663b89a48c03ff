"""Filters that can't be asked, and how they are told."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.backends.embedded import columns, text_index
from proxy.backends.embedded.corpus import scan
from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.filters import check, problems
from proxy.backends.embedded.progress import Progress
from proxy.backends.embedded.text_index import TextIndex
from proxy.errors import BackendRefused
from proxy.model import AllOf, AnyOf, Exists, Filter, Not, Range, Scalar, Terms

FIELDS = {"course": Field("keyword"), "year": Field("number"), "free": Field("boolean")}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Terms("course", ("ml", "de")), []),
        (Terms("year", (1, 2.5)), []),
        (
            Terms("cuorse", ("ml",)),
            ["field: 'cuorse' is no field of this index; did you mean course? "
             "choices: course, free, year"],
        ),
        (Terms("course", (5,)), ["course: '5' is not a string (keyword)"]),
        (Terms("year", ("5", True)), [
            "year: '5' is not a number (number)", "year: 'True' is not a number (number)",
        ]),
        (Terms("free", (1,)), ["free: '1' is not true or false (boolean)"]),
        (Range("year", gte=1, lt=2.5), []),
        (Range("course", gt="a"), []),
        (Range("course", gte="a", lte=5), ["course: '5' is not a string (keyword)"]),
        (Range("year", gt="1", lt=True), [
            "year: '1' is not a number (number)", "year: 'True' is not a number (number)",
        ]),
        (Range("free"), [
            "free: has no range: it is boolean; a range compares keyword and number"
        ]),
        (Exists("free"), []),
        (Not(AnyOf((AllOf((Terms("year", (1,)),)), Exists("yaer")))), [
            "field: 'yaer' is no field of this index; did you mean year? "
            "choices: course, free, year",
        ]),
    ],
)  # fmt: skip
def test_a_filter_fits_its_field(given: Filter, expected: list[str]) -> None:
    """
    Unknown fields name the choices; a value must be of its field's type.
    """
    assert expected == problems(FIELDS, given)


def test_every_filter_is_checked() -> None:
    """
    One refusal names all that is wrong.
    """
    check(FIELDS, [Terms("course", ("ml",))])
    with pytest.raises(BackendRefused, match=r"nope.*not a string"):
        check(FIELDS, [Terms("nope", ("x",)), Terms("course", (5,))])


Made = Mapping[str, Any]
MIXED = {name: Field(kind, optional=True) for name, kind in (
    ("word", "keyword"), ("number", "number"), ("flag", "boolean"), ("text", "text"),
)}  # fmt: skip
VALUES: Mapping[str, st.SearchStrategy[Scalar]] = {
    "word": st.sampled_from(["", "a", "B", "b", "b\0", "b c", "é", "\uffff", "\U0001f98a"]),
    "number": st.sampled_from([-0.0, 0, 1, 1.0, 1.5, -2, 1e300, -1e-300, 2**53]),
    "flag": st.booleans(),
    "text": st.sampled_from(["", "a", "b c", "B"]),
}


def filters(field: str) -> st.SearchStrategy[Filter]:
    """Filters that name the field."""
    value = VALUES[field]
    kinds = [
        st.builds(Terms, st.just(field), st.lists(value, max_size=3).map(tuple)),
        st.builds(Exists, st.just(field)),
    ]
    if field in ("word", "number"):
        bound = st.none() | value
        kinds.append(st.builds(Range, st.just(field), bound, bound, bound, bound))
    return st.one_of(kinds)


nested = st.recursive(
    st.sampled_from(sorted(VALUES)).flatmap(filters),
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(AnyOf, st.lists(inner, max_size=3).map(tuple))
        | st.builds(AllOf, st.lists(inner, max_size=3).map(tuple))
    ),
    max_leaves=5,
)
documents = st.fixed_dictionaries(
    {},
    optional={
        name: st.none() | value | st.lists(st.none() | value, max_size=3)
        for name, value in VALUES.items()
    },
)


def held(document: Made, field: str) -> list[Any]:
    """Its values, by the definition."""
    value = document.get(field)
    values = value if isinstance(value, list) else [value]
    return [one for one in values if one is not None]


def passes(document: Made, given: Filter) -> bool:
    """Whether the document passes, by the definition."""
    match given:
        case Terms("text", values):
            words = {word for text in held(document, "text") for word in text.lower().split()}
            return any(value in words for value in values)
        case Terms(field, values):
            return any(value in values for value in held(document, field))
        case Exists(field):
            return bool(held(document, field))
        case Range():
            return any(
                (given.gte is None or value >= given.gte)
                and (given.gt is None or value > given.gt)
                and (given.lte is None or value <= given.lte)
                and (given.lt is None or value < given.lt)
                for value in held(document, given.field)
            )
        case Not(inner):
            return not passes(document, inner)
        case AnyOf(several):
            return any(passes(document, each) for each in several)
        case AllOf(several):
            return all(passes(document, each) for each in several)


def opened(folder: Path, made: Sequence[Made]) -> TextIndex:
    """The index of the documents, in their order."""
    lines = [json.dumps({"_id": f"{at:03}", **each}) for at, each in enumerate(made)]
    (folder / "corpus.jsonl").write_text("\n".join(lines))
    corpus = scan(folder / "corpus.jsonl", MIXED, Progress())
    (folder / "columns").mkdir()
    (folder / "text").mkdir()
    built = columns.build(folder / "columns", corpus.documents(), MIXED)
    text_index.build(folder / "text", corpus, MIXED, built, range(len(made)))
    return TextIndex(folder / "text", MIXED, built)


@settings(max_examples=40, deadline=None)
@given(st.lists(documents, min_size=1, max_size=20), st.lists(nested, min_size=5, max_size=20))
def test_a_filter_means_what_it_says(made: list[Made], asked: list[Filter]) -> None:
    """
    For random documents and filters, what passes is what passes by the definition.
    """
    with tempfile.TemporaryDirectory() as folder:
        index = opened(Path(folder), made)

        for each in asked:
            expected = [at for at, document in enumerate(made) if passes(document, each)]
            assert expected == index.matching([each]).tolist()
