"""Prometheus text, looked up by name and labels."""

from __future__ import annotations

from demo.scrape import Scrape, read

TEXT = """\
# HELP shadowrank_shadow_total Shadows.
# TYPE shadowrank_shadow_total counter
shadowrank_shadow_total{route="r",pipeline="a",outcome="ok"} 3.0
shadowrank_shadow_total{route="r",pipeline="b",outcome="ok"} 4.0
shadowrank_shadow_total{route="r",pipeline="b",outcome="error"} 1.0
shadowrank_shadow_total{route="other",pipeline="b",outcome="ok"} 9.0
# HELP up Up.
# TYPE up gauge
up 1.0
"""


def test_a_value_is_found_by_some_of_its_labels():
    """
    Labels that are not asked for don't matter.
    """
    found = read(TEXT)

    assert 1.0 == found.value("shadowrank_shadow_total", pipeline="b", outcome="error")
    assert 1.0 == found.value("up")


def test_what_is_not_there_is_none():
    """
    An absent series is no zero.
    """
    found = read(TEXT)

    assert found.value("shadowrank_shadow_total", pipeline="z") is None
    assert found.value("no_such_metric") is None
    assert Scrape().value("up") is None


def test_a_counter_is_summed_by_the_values_of_a_label():
    """
    Other labels are added up, except those that are asked for.
    """
    found = read(TEXT).by("outcome", "shadowrank_shadow_total", route="r")

    assert {"ok": 7, "error": 1} == found
