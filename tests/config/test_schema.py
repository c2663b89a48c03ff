"""Tests of config.schema."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from config.schema import (
    Evaluator,
    Events,
    Judging,
    MaxAge,
    Part,
    Pipeline,
    Route,
    Server,
    Settings,
)
from config.section import Section


def read(section: type[Section], **keys: Any) -> Any:
    """The section as a file would say it."""
    return section.model_validate_json(json.dumps(keys))


def refusal(section: type[Section], **keys: Any) -> str:
    """Why the section is refused, in one text."""
    with pytest.raises(ValidationError) as caught:
        read(section, **keys)
    return str(caught.value)


def test_the_options_of_a_part_stand_beside_its_kind() -> None:
    """
    What is flat in the file is kept apart, in file order.
    """

    assert Part(kind="rrf", options=(("rank_constant", 60), ("weights", (("a", 1),)))) == read(
        Part, kind="rrf", rank_constant=60, weights={"a": 1}
    )


@pytest.mark.parametrize("kind", [None, "", 3, ["rrf"]])
def test_a_part_s_kind_is_text(kind: object) -> None:
    """
    Anything else names no class.
    """

    assert "kind" in refusal(Part, kind=kind)


@pytest.mark.parametrize(
    ("live", "said"),
    [
        ({"a": 1.5}, "less than or equal to 1"),
        ({"a": -0.5, "b": 1.5}, "greater than or equal to 0"),
        ({}, "at least 1"),
        ({"a": True}, "valid number"),
        ({"a": "1"}, "valid number"),
    ],
)
def test_live_shares_are_fractions(live: dict[str, object], said: str) -> None:
    """
    Numbers from 0 to 1, and at least one.
    """

    assert said in refusal(Route, live=live)


@pytest.mark.parametrize(
    "origin",
    ["*", "https://*.shop.example", "shop.example", "https://shop.example/", "null", "HTTPS://x"],
)
def test_an_origin_is_exact(origin: str) -> None:
    """
    No wildcards, no paths: a page may call the API only from a place that was named.
    """

    assert "no exact origin" in refusal(Server, cors_origins=[origin])


@pytest.mark.parametrize(
    "origin", ["https://shop.example", "http://127.0.0.1:3000", "http://[::1]:3000"]
)
def test_an_exact_origin_is_taken(origin: str) -> None:
    """
    Scheme, host and perhaps a port.
    """

    assert (origin,) == read(Server, cors_origins=[origin]).cors_origins


@pytest.mark.parametrize("key", ["max_connections", "max_in_flight"])
@pytest.mark.parametrize("bound", [0, -1, 1.5, "512", True, 10_000_000])
def test_what_is_taken_at_once_is_bounded(key: str, bound: object) -> None:
    """
    By a whole number; none at all would serve nobody.
    """

    assert key in refusal(Server, **{key: bound})


def test_the_two_apis_need_two_ports() -> None:
    """
    Port 0 is any free one, so two of it are two.
    """

    assert "two ports" in refusal(Server, port=9400)
    assert 0 == read(Server, port=0, admin={"port": 0}).admin.port


@pytest.mark.parametrize("port", [-1, 65536, 80.5, "80", True])
def test_a_port_is_a_number_of_sixteen_bits(port: object) -> None:
    """
    A text that looks like a number is none.
    """

    assert "port" in refusal(Server, port=port)


@pytest.mark.parametrize(
    "redis",
    [
        "embedded",
        "redis://redis:6379/0",
        "redis://[::1]:6379",
        "rediss://redis",
        "unix:///run/r.sock",
    ],
)
def test_redis_is_embedded_or_a_url(redis: str) -> None:
    """
    Every way redis-py connects is taken.
    """

    assert redis == read(Events, redis=redis).redis


@pytest.mark.parametrize(
    "redis", ["", "redis:6379", "http://redis", "redis://:pw@redis", "Embedded"]
)
def test_another_address_is_refused(redis: str) -> None:
    """
    Above all one with a password, which has no place in the file.
    """

    assert "events.password_env" in refusal(Events, redis=redis)


@pytest.mark.parametrize("shards", [0, 65, 1.5])
def test_there_are_one_to_64_shards(shards: float) -> None:
    """
    The shard stands in one byte of a query id.
    """

    assert "shards" in refusal(Events, shards=shards)


def test_spans_have_units() -> None:
    """
    Seconds in code, a text in the file.
    """

    assert 1800.0 == read(Judging, session="30m").session
    assert 259200.0 == read(MaxAge, conversion="72h").conversion
    assert "needs a unit" in refusal(Judging, session=30)


def test_the_served_window_lies_within_the_window() -> None:
    """
    The sums of the longer window are all there is.
    """

    assert "longer than window" in refusal(Evaluator, window="1h", served_window="2h")
    assert "longer than window" in refusal(Evaluator, window="30m")


def test_a_pipeline_names_each_leg_once() -> None:
    """
    A leg named twice would count twice.
    """

    assert "names a leg twice" in refusal(Pipeline, legs=["a", "a"])
    assert "at least 1" in refusal(Pipeline, legs=[])


def test_a_route_s_name_is_narrower_than_others() -> None:
    """
    It stands in URLs, tokens and Redis keys.
    """
    empty: dict[str, object] = {"backends": {}, "legs": {}, "pipelines": {}}

    assert "should match pattern" in refusal(Settings, **empty, routes={"F A": {"live": {"a": 1}}})
    assert "faq" == read(Settings, **empty, routes={"faq": {"live": {"a": 1}}}).routes[0][0]
