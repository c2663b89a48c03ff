"""Tests of proxy.legs.lexical."""

from __future__ import annotations

import pytest

from proxy.legs.lexical import Lexical


def test_equal_questions_are_equal() -> None:
    """
    Legs are values: a question asked twice is asked once.
    """

    assert Lexical("main", "faq", ("title^3",)) == Lexical("main", "faq", ("title^3",))
    assert 1 == len({Lexical("main", "faq", ("a",)), Lexical("main", "faq", ("a",))})


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"fields": ()}, "fields"),
        ({"tie_breaker": -0.1}, "tie_breaker"),
        ({"tie_breaker": 1.1}, "tie_breaker"),
        ({"window": 0}, "window"),
        ({"timeout_ms": 0}, "timeout_ms"),
    ],
)
def test_what_no_engine_could_answer_is_refused(options: dict[str, object], field: str) -> None:
    """
    The message begins with the field.
    """
    with pytest.raises(ValueError, match=f"^{field}: "):
        Lexical(**{"backend": "main", "index": "faq", "fields": ("a",), **options})  # type: ignore[arg-type]  # wrong on purpose
