"""Parts of documents: includes and excludes as Elasticsearch's, values as they are written."""

from __future__ import annotations

import pytest

from proxy.backends.embedded.sources import shown
from proxy.model import Sources

SOURCE = (
    b'{"title": "x",  "a": {"b": 1.50, "c": [{"d": 1, "e": 2}, {"e": 3}, 7], "x.y": 3}, '
    b'"empty": [], "none": null, "big": 123456789012345678901234567890}'
)


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        (("title",), (), '{"title":"x"}'),
        (("t*",), (), '{"title":"x"}'),
        (("*tle", "none"), (), '{"title":"x","none":null}'),
        (("a.c.d",), (), '{"a":{"c":[{"d":1}]}}'),
        (("*.d",), (), '{"a":{"c":[{"d":1}]}}'),
        (("*d",), (), '{"a":{"c":[{"d":1}]}}'),
        (("a.b", "big"), (), '{"a":{"b":1.50},"big":123456789012345678901234567890}'),
        (("a.x.y",), (), '{"a":{"x.y":3}}'),
        (("a.c",), (), '{"a":{"c":[{"d": 1, "e": 2}, {"e": 3}, 7]}}'),
        (("empty",), (), '{"empty":[]}'),
        (("a",), ("a.c",), '{"a":{"b":1.50,"x.y":3}}'),
        (("a",), ("a.c", "a.x*"), '{"a":{"b":1.50}}'),
        (("a", "empty", "none"), ("a*",), '{"empty":[],"none":null}'),
        (("a*",), ("a.*",), "{}"),
        (("nope", "title.x", "itle", "ti.le", "a.c."), (), "{}"),
        (None, ("a", "big", "empty"), '{"title":"x","none":null}'),
        (None, ("a.*", "big", "[t]itle", "title"), '{"empty":[],"none":null}'),
        (("a.c",), ("*.e",), '{"a":{"c":[{"d":1},7]}}'),
        (None, ("*",), "{}"),
    ],
)
def test_what_is_named_comes(
    include: tuple[str, ...] | None, exclude: tuple[str, ...], expected: str
) -> None:
    """
    Paths lead through lists, `*` through dots; a name alone is a whole object; excludes win.
    """
    assert expected.encode() == shown(SOURCE, Sources(include, exclude))


def test_all_is_the_document_itself_and_nothing_is_none() -> None:
    """
    Byte for byte; an empty list of includes wants no source.
    """
    assert SOURCE == shown(SOURCE, Sources())
    assert shown(SOURCE, Sources(())) is None
