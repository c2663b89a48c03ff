"""Tests of proxy.errors."""

from __future__ import annotations

import pytest

from proxy import errors
from proxy.answer import DEGRADED_REASONS
from proxy.errors import BadRequest, SearchError

ALL = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, SearchError)
]


@pytest.mark.parametrize("error", ALL, ids=lambda error: error.__name__)
def test_every_error_says_what_http_and_the_metrics_call_it(error: type[SearchError]) -> None:
    """
    A status of an error, and names that are labels.
    """

    assert 400 <= error.status <= 599
    assert error.outcome.isidentifier()
    assert error.code.isidentifier()


@pytest.mark.parametrize("error", ALL, ids=lambda error: error.__name__)
def test_an_absorbed_error_has_a_reason_of_the_closed_set(error: type[SearchError]) -> None:
    """
    The reason is a metric's label.
    """
    reason = getattr(error, "reason", DEGRADED_REASONS[0])

    assert reason in DEGRADED_REASONS


def test_a_bad_request_repeats_no_more_than_100_characters() -> None:
    """
    What a caller sent may be long, and may be personal.
    """
    error = BadRequest("is too long", field="query", value="x" * 5000, choices=["a"])

    assert ("query", "x" * 100, ("a",)) == (error.field, error.value, error.choices)
    assert "is too long" == str(error) == error.message


def test_a_bad_request_may_have_nothing_to_repeat() -> None:
    """
    An absent value is not the text "None".
    """

    assert None is BadRequest("is no JSON").value
