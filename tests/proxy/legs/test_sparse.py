"""Tests of proxy.legs.sparse."""

from __future__ import annotations

import pytest

from proxy.legs.sparse import Sparse


@pytest.mark.parametrize(
    ("options", "field"), [({"model": ""}, "model"), ({"window": 0}, "window")]
)
def test_what_no_engine_could_answer_is_refused(options: dict[str, object], field: str) -> None:
    """
    The message begins with the field.
    """
    sound = {"backend": "main", "index": "faq", "field": "terms", "model": "elser"}

    with pytest.raises(ValueError, match=f"^{field}: "):
        Sparse(**{**sound, **options})  # type: ignore[arg-type]  # wrong on purpose
