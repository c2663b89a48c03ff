"""Tests of proxy.inspection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from config.loader import Loaded
from proxy.inspection import check_backends, reads
from proxy.model import Terms
from proxy.plan import Plan

Load = Callable[[dict[str, Any]], Loaded]
Planned = Callable[[dict[str, Any]], Plan]


def test_a_leg_is_read_with_the_filters_of_every_route_that_asks_it(
    sound: dict[str, Any], planned: Planned
) -> None:
    """
    Mandatory ones and those that callers may use; each leg once, in the order of the pipelines.
    """
    sound["routes"]["faq"] |= {"filter": [{"term": {"course": "a"}}], "filterable": ["year"]}
    sound["routes"]["other"] = {"live": {"alone": 1.0}, "filterable": ["title"]}

    found = reads(planned(sound))["main"]

    assert ["legs.dense", "legs.bm25"] == [read.where for read in found][:2]
    assert (
        Terms("course", ("a",)), Terms("year", ()), Terms("title", ()),
    ) == found[0].filters  # fmt: skip


def test_a_sound_backend_is_said_to_serve(
    sound: dict[str, Any], loaded: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    After the summary of `check`, one line a backend.
    """
    code = check_backends(Path(loaded(sound).source), {})

    printed = capsys.readouterr()
    assert (0, "") == (code, printed.err)
    assert "backends.main: serves all that is read of it" == printed.out.splitlines()[-1]


def test_a_wrong_configuration_asks_nobody(
    sound: dict[str, Any], loaded: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    Its problems come first.
    """
    sound["legs"]["dense"]["widnow"] = 3

    assert 2 == check_backends(Path(loaded(sound).source), {})
    assert "serves" not in capsys.readouterr().out
