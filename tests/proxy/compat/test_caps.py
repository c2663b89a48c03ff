from __future__ import annotations

import json
from contextlib import suppress
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.compat import caps
from proxy.errors import BadRequest


@pytest.mark.parametrize("depth", [caps.MAX_DEPTH, caps.MAX_DEPTH + 1])
@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_bounded_before_and_after_parsing(depth, opens, closes):
    """
    Thirty-two within each other, and no more.
    """
    raw = opens * depth + closes * depth
    raw = raw.replace(":}", ":1}")
    outcomes = []
    for check in (lambda: caps.shallow(raw.encode()), lambda: caps.bounded(json.loads(raw))):
        try:
            check()
            outcomes.append("fine")
        except BadRequest:
            outcomes.append("refused")

    assert ["fine" if depth == caps.MAX_DEPTH else "refused"] * 2 == outcomes


JSON = st.recursive(
    st.none() | st.text(alphabet='[]{}"\\a', max_size=8),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(alphabet='[{"\\', max_size=4), inner),
)


@given(JSON)
def test_brackets_within_strings_are_no_depth(value):
    """
    Text is not structure: what has few levels passes, however many brackets it quotes.
    """
    raw = json.dumps([value, "[" * 100]).encode()

    caps.shallow(raw)


@pytest.mark.parametrize("raw", [b'"\\"' * 80_000, b'"' + b'\\"' * 120_000, b'"' * 250_000,
                                 b"[" * 40 + b'"abc\\'])  # fmt: skip
def test_hostile_bytes_take_no_time(raw):
    """
    The scan is linear whatever is opened and not closed.
    """
    start = perf_counter()
    for brackets in (b"[" * 33 + b"]" * 33, b"[]" * 33):
        with suppress(BadRequest):
            caps.shallow(brackets + raw)

    assert perf_counter() - start < 1


def test_objects_are_bounded():
    """
    However flat they lie.
    """
    caps.bounded([{}] * caps.MAX_CLAUSES)
    with pytest.raises(BadRequest, match="more than 512 objects"):
        caps.bounded([{}] * (caps.MAX_CLAUSES + 1))


def test_parts_are_counted_before_they_are_read():
    """
    A body of empty objects is refused by a glance at it.
    """
    with pytest.raises(BadRequest, match="4096 objects and lists"):
        caps.shallow(b'{"a":[' + b"{}," * 80_000 + b"{}]}")
