"""Tests of config.section."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from config.section import Section, Text


class Small(Section):
    """A section of one key."""

    name: Text = "x"


def test_sections_cannot_be_changed() -> None:
    """
    Settings are values.
    """
    with pytest.raises(ValidationError, match="frozen"):
        Small().name = "y"


@pytest.mark.parametrize("written", ['{"nmae": "a"}', '{"name": ""}', '{"name": 5}'])
def test_what_people_type_is_read_strictly(written: str) -> None:
    """
    No unknown key, no empty text, no number for a text.
    """
    with pytest.raises(ValidationError):
        Small.model_validate_json(written)
