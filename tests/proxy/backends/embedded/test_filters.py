"""Filters that can't be asked, and how they are told."""

from __future__ import annotations

import pytest

from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.filters import check, problems
from proxy.errors import BackendRefused
from proxy.model import Filter, Terms

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
