"""Tests of proxy.answer."""

from __future__ import annotations

import dataclasses

import pytest

from proxy.answer import DEGRADED_REASONS, Answer, Degraded
from proxy.model import RankedList


def test_an_answer_says_nothing_that_it_doesn_t_know() -> None:
    """
    No total where nothing was counted, no facet, no leg of shadows.
    """
    answer = Answer(RankedList(("a",), (1.0,)), None)

    assert ((), (), (), False, None) == (
        answer.degraded, answer.stages, answer.own_legs, answer.at_least, answer.facets,
    )  # fmt: skip


def test_what_shadows_share_can_t_be_changed() -> None:
    """
    A stage of live's answer is the same object in the record of every shadow.
    """
    with pytest.raises(dataclasses.FrozenInstanceError):
        Degraded("leg:bm25", "timeout").reason = "error"  # type: ignore[misc]  # wrong on purpose


def test_reasons_are_words_once_each() -> None:
    """
    They are a metric's label.
    """

    assert len(set(DEGRADED_REASONS)) == len(DEGRADED_REASONS)
    assert all(reason.replace("_", "").isalpha() for reason in DEGRADED_REASONS)
