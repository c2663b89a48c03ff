"""Tests of proxy.legs.neural."""

from __future__ import annotations

import pytest

from proxy.legs.neural import Neural


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"model": ""}, "model"),
        ({"window": 0}, "window"),
        ({"window": 300}, "num_candidates"),
    ],
)
def test_what_no_engine_could_answer_is_refused(options: dict[str, object], field: str) -> None:
    """
    The message begins with the field.
    """
    sound = {"backend": "main", "index": "faq", "field": "embedding", "model": "m"}

    with pytest.raises(ValueError, match=f"^{field}: "):
        Neural(**{**sound, **options})  # type: ignore[arg-type]  # wrong on purpose
