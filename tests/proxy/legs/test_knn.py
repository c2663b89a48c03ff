"""Tests of proxy.legs.knn."""

from __future__ import annotations

import pytest

from proxy.legs.knn import Knn


def test_equal_questions_are_equal() -> None:
    """
    Legs are values, so several pipelines share one search.
    """

    assert 1 == len({Knn("main", "faq", "embedding"), Knn("main", "faq", "embedding")})


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"window": 0}, "window"),
        ({"timeout_ms": -1}, "timeout_ms"),
        ({"window": 201}, "num_candidates"),
    ],
)
def test_what_no_engine_could_answer_is_refused(options: dict[str, int], field: str) -> None:
    """
    Fewer candidates than results is what engines refuse, too.
    """
    with pytest.raises(ValueError, match=f"^{field}: "):
        Knn("main", "faq", "embedding", **options)  # type: ignore[arg-type]  # wrong on purpose
