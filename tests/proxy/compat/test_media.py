from __future__ import annotations

import pytest

from proxy.compat import media
from proxy.errors import BadRequest

VND = "application/vnd.elasticsearch+json; compatible-with="


@pytest.mark.parametrize(
    ("accept", "content_type", "expected"),
    [
        ("", "", None),
        ("*/*", "application/json", None),
        (f"{VND}8", f"{VND}8", "8"),
        (f"{VND}9,text/plain", "", "9"),
        ("application/vnd.elasticsearch+json;compatible-with=9", "application/json", "9"),
        ("", "application/vnd.elasticsearch+x-ndjson; compatible-with=8", "8"),
    ],
)
def test_a_client_says_its_version(accept, content_type, expected):
    """
    In either header, as its official clients do.
    """

    assert expected == media.version(accept, content_type)


@pytest.mark.parametrize("version", ["7", "10"])
def test_other_versions_are_not_served(version):
    """
    A client of another one expects other shapes.
    """
    with pytest.raises(BadRequest, match=f"version {version} is not served"):
        media.version(VND + version, "")


def test_a_version_is_mirrored():
    """
    Clients check what they get.
    """

    assert "application/json" == media.answer_type(None)
    assert "application/vnd.elasticsearch+json;compatible-with=8" == media.answer_type("8")
