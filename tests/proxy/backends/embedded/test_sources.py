"""Parts of documents: includes and excludes as Elasticsearch's, values as they are written."""

from __future__ import annotations

import json
import time
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.backends.embedded.sources import shown
from proxy.errors import BackendError
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


@pytest.mark.parametrize("pattern", ["*" * 200, "*a" * 100, "a*" * 100, "*a*" * 60 + "b"])
def test_no_pattern_takes_long(pattern: str) -> None:
    """
    A client's pattern against a path that it almost matches.
    """
    source = json.dumps({"a" * 120: 1, "a" * 119 + "c": {"a" * 50: 2}}).encode()
    began = time.perf_counter()

    shown(source, Sources((pattern, "x")))

    assert time.perf_counter() - began < 5


@given(st.text("ab*", max_size=6), st.text("ab", max_size=6))
def test_a_pattern_matches_what_a_glob_matches(glob: str, path: str) -> None:
    """
    Whatever the stars' places.
    """
    found = shown(json.dumps({path: 1}).encode(), Sources((glob,)))

    assert fnmatchcase(path, glob) == (found != b"{}")


def test_a_document_without_bottom_is_the_backend_s_failure() -> None:
    """
    Not a crash.
    """
    source = b'{"a":' * 900 + b"1" + b"}" * 900

    with pytest.raises(BackendError, match="nested too deep"):
        shown(source, Sources(("*.b",)))
