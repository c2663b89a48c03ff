"""Tests of config.validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from config.document import Document, parse
from config.schema import Settings
from config.validation import NAMED, choices, validate

SOUND: dict[str, Any] = {
    "backends": {"main": {"kind": "embedded"}},
    "legs": {"bm25": {"kind": "lexical", "backend": "main"}},
    "pipelines": {"only": {"legs": ["bm25"]}},
    "routes": {"faq": {"live": {"only": 1.0}}},
}


def document(**sections: Any) -> Document:
    """A sound document with some sections replaced, as it would be read."""
    return parse(yaml.safe_dump({**SOUND, **sections}))


def test_a_sound_document_is_settings_without_problems() -> None:
    """
    Nothing is lost and nothing is wrong.
    """
    settings, problems, broken = validate(document())

    assert () == problems
    assert frozenset() == broken
    assert settings is not None
    assert ("faq",) == tuple(name for name, _ in settings.routes)


def test_every_problem_is_reported_at_once() -> None:
    """
    A wrong type, an unknown key, a missing one and a range, wherever they are.
    """
    _, problems, _ = validate(
        document(
            server={"port": "80"},
            pipelines={"only": {"legs": ["bm25"], "fusoin": {}}, "none": {}},
            routes={"faq": {"live": {"only": 1.0}, "deadline_ms": 0}},
            bakends={},
        )
    )

    assert {
        "server.port: '80' is not a whole number",
        "pipelines.only.fusoin: is no key here; did you mean fusion? "
        "choices: engine_rerank, fused_by, fusion, legs, rerank",
        "pipelines.none.legs: is missing",
        "routes.faq.deadline_ms: 0 is not greater than 0",
    } < set(problems)
    assert 5 == len(problems)


def test_missing_sections_are_problems() -> None:
    """
    There is no default backend, leg, pipeline or route.
    """
    _, problems, _ = validate(Document({}, ()))

    assert [f"{name}: is missing" for name in ("backends", "legs", "pipelines", "routes")] == list(
        problems
    )


def test_what_is_broken_is_left_out_and_the_rest_stays() -> None:
    """
    A broken key costs itself, or its entry where that can't do without; others are kept whole.
    """
    settings, _, broken = validate(
        document(
            server={"port": "80", "host": "::1"},
            pipelines={
                "only": {"legs": ["bm25"], "rerank": 5},
                "none": {"legs": []},
                "whole": {"legs": ["bm25"]},
            },
        )
    )

    assert settings is not None
    assert (8080, "::1") == (settings.server.port, settings.server.host)
    assert ("only", "whole") == tuple(name for name, _ in settings.pipelines)
    assert {("server", "port"), ("pipelines", "only"), ("pipelines", "none")} == broken


def test_what_could_not_be_read_is_no_second_problem() -> None:
    """
    The value that YAML could not give has been reported already.
    """
    settings, problems, broken = validate(
        Document({**SOUND, "events": {"shards": None}}, ("…",), frozenset({("events", "shards")}))
    )

    assert () == problems
    assert {("events", "shards")} == broken
    assert settings is not None
    assert 4 == settings.events.shards


def test_a_list_is_no_configuration() -> None:
    """
    The file is a mapping of sections.
    """

    assert (None, ("the file: is no mapping of sections",), frozenset()) == validate(
        Document([], ())
    )
    assert (None, (), frozenset()) == validate(Document(None, ("the file: is empty",)))


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ({"server": {"port": 1.5}}, "server.port: 1.5 is not a whole number"),
        ({"server": {"port": None}}, "server.port: is not a whole number"),
        ({"server": {"port": -1}}, "server.port: -1 is less than 0"),
        ({"server": {"port": 70000}}, "server.port: 70000 is greater than 65535"),
        ({"server": {"host": ""}}, "server.host: '' is empty"),
        ({"server": {"host": 1}}, "server.host: 1 is not a text"),
        ({"server": 3}, "server: 3 is not a mapping"),
        ({"server": {"cors_origins": "x"}}, "server.cors_origins: 'x' is not a list"),
        ({"events": {"store_query_text": 1}}, "events.store_query_text: 1 is neither true nor "),
        ({"evaluator": {"measures": []}}, "evaluator.measures: names too few: at least 1 is need"),
        ({"legs": []}, "legs: is not a mapping"),
        ({"legs": {"a b": {"kind": "x"}}}, "legs.a b: 'a b' is no name here: it should match ^["),
        ({"routes": {"faq": {"live": {"only": "1"}}}}, "routes.faq.live.only: '1' is not a number"),
    ],
)
def test_a_mistake_is_told_in_the_words_of_the_file(sections: dict[str, Any], said: str) -> None:
    """
    Neither Python's types nor a validator's sentences.
    """
    _, (problem, *_), _ = validate(document(**sections))

    assert problem.startswith(said)


def test_choices_are_the_keys_of_the_section_at_a_path() -> None:
    """
    Names and indices between a field and its section are stepped over, whatever they are called.
    """

    assert ("host", "port", "token_env") == choices(("server", "admin"), Settings)
    assert ("legs", "fusion", "fused_by", "engine_rerank", "rerank") == choices(
        ("pipelines", "legs"), Settings
    )
    assert ("field", "values") == choices(("routes", "filter", "filter", 0), Settings)


def test_choices_of_a_dataclass_are_its_fields() -> None:
    """
    The parts' own schemas are dataclasses, one within another.
    """

    @dataclass
    class Inner:
        a: int

    @dataclass
    class Outer:
        inner: tuple[tuple[str, Inner], ...]

    Outer.__annotations__["inner"] = tuple[tuple[str, Inner], ...]
    Inner.__annotations__["a"] = int

    assert ("inner",) == choices((), Outer)
    assert ("a",) == choices(("inner", "any name"), Outer)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "bm25", "only", "30s"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["kind", "legs", "live", "filter", "x", "port"]), inner)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*NAMED, "server", "events", "judging", "odd"]), VALUES))
def test_whatever_is_wrong_settings_are_left(sections: dict[str, Any]) -> None:
    """
    Taking out what is broken ends, and ends with settings.
    """
    settings, _, _ = validate(Document(sections, ()))

    assert isinstance(hash(settings), int)
