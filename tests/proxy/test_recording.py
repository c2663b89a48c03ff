from __future__ import annotations

import pytest

from proxy.answer import Answer, Degraded, Observation
from proxy.errors import BackendTimeout, NoLegAnswered
from proxy.model import Query, RankedList
from proxy.plan import Pipeline
from proxy.recording import event, impression, observed, unseen
from proxy.tokens import Token
from proxy.wire.events import Told

IDS = tuple(f"d{n}" for n in range(1, 101))
RANKED = RankedList(IDS, tuple(1 / n for n in range(1, 101)))
QUERY = Query("token", b"n" * 16, "faq", "what?", 5, 10, user=b"u", session=b"s")
RRF = Pipeline("rrf", "v1", ())
ANSWER = Answer(
    RANKED, 42, (Degraded("rerank", "timeout"),), (("fusion", 0.002),), 0.03, ("dense",)
)


def recorded(query: Query = QUERY, text: str | None = None):
    return impression(
        query, RRF, ANSWER, time=1, query_key=b"k", index_version="i", sampled=[RRF], text=text
    )


def test_an_impression_holds_what_was_served():
    """
    The list reaches from rank 1 to the page's end, times are milliseconds.
    """
    record = recorded()

    assert IDS[:15] == record.list
    assert (10, 5, 42, b"u", b"s") == (
        record.offset, record.size, record.total, record.user, record.session,
    )  # fmt: skip
    assert (30.0, (("fusion", 2.0),)) == (record.took, record.stages)
    assert (("rerank", "timeout"),) == record.degraded
    assert ("rrf",) == record.sampled


def test_a_short_page_is_recorded_to_ten():
    """
    What wasn't shown is there as well, as deep as shadows are compared.
    """
    assert IDS[:10] == recorded(Query("t", b"n" * 16, "faq", "a", size=3)).list


def test_text_is_recorded_only_when_it_is_given():
    """
    The configuration decides; the record doesn't take it from the query.
    """
    assert None is recorded().text
    assert "what?" == recorded(text="what?").text


def test_a_shadow_that_answered():
    """
    Its list is as deep as the impression's.
    """
    result = observed(Observation("rrf", "v1", 0.5, ANSWER), 15)

    assert ("rrf", "v1", "ok", IDS[:15]) == (
        result.pipeline, result.version, result.status, result.list,
    )  # fmt: skip
    assert (30.0, None, ("dense",)) == (result.took, result.reason, result.own_legs)
    assert (("rerank", "timeout"),) == result.degraded


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (BackendTimeout("slow"), "timeout", "backend_error"),
        (NoLegAnswered("none"), "error", "no_leg_answered"),
        (KeyError("what the user typed"), "error", "bug"),
    ],
)
def test_a_shadow_that_did_not(error: Exception, status: str, reason: str):
    """
    Why is a code of ours and never a message.
    """
    result = observed(Observation("rrf", "v1", 0.5, None, error), 10)

    assert (status, reason, (), 500.0) == (result.status, result.reason, result.list, result.took)


def test_shadows_that_never_ran():
    """
    Each is named with its version and the one reason.
    """
    (result,) = unseen([RRF], "dropped", "full")

    assert ("rrf", "v1", "dropped", "full", None) == (
        result.pipeline, result.version, result.status, result.reason, result.took,
    )  # fmt: skip


def test_an_event_is_its_impressions():
    """
    The record carries the impression's id and not the client's token.
    """
    said = Told("e", "token", "hide", "d1", 3, 900, 5)

    record = event(said, Token(b"n" * 16, "faq", 0, 1), 7)

    assert (b"n" * 16, "e", "hide", 7) == (record.id, record.event_id, record.type, record.received)
    assert ("d1", 3, 900, 5) == (record.doc_id, record.position, record.dwell_ms, record.at)
