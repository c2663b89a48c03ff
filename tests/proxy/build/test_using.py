"""Tests of proxy.build.using."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from config.loader import Loaded
from proxy.build import build
from tests.proxy.build.conftest import REGISTRIES

Load = Callable[[dict[str, Any]], Loaded]
Wrongs = Callable[[dict[str, Any]], list[str]]


def test_a_part_that_no_route_uses_is_not_in_the_plan(
    clustered: dict[str, Any], loaded: Load
) -> None:
    """
    So it is neither opened nor asked.
    """
    used = build(loaded(clustered), REGISTRIES).backends.keys()
    del clustered["routes"]["other"]
    rest = build(loaded(clustered), REGISTRIES).backends.keys()

    assert ({"main", "os"}, {"main"}) == (used, rest)


def test_only_what_is_used_needs_its_secrets(clustered: dict[str, Any], wrongs: Wrongs) -> None:
    """
    The variable of a backend that no route asks may be unset.
    """
    clustered["backends"]["os"]["password_env"] = "OS_PASSWORD"
    used = wrongs(clustered)
    del clustered["routes"]["other"]

    assert ["backends.os.password_env: 'OS_PASSWORD' is not set in the environment"] == used
    assert [] == wrongs(clustered)
