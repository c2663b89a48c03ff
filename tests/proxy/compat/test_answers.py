from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.answer import Answer, Degraded
from proxy.backends import Document
from proxy.compat import answers
from proxy.compat.parameters import Form
from proxy.model import (
    Counting,
    HistogramFacet,
    MetricFacet,
    Query,
    RangeFacet,
    RankedList,
    Sources,
    TermsFacet,
)
from proxy.served import Served

FACETS = {
    "words": {"buckets": [{"key": "red", "doc_count": 2}]},
    "numbers": {"buckets": [{"key": 2001, "doc_count": 2}]},
    "prices": {"buckets": [{"key": 1.5, "doc_count": 2}]},
    "none": {"buckets": []},
    "ages": {"buckets": [{"key": "*-5.0", "doc_count": 1}]},
    "years": {"buckets": []},
    "months": {"buckets": []},
    "most": {"value": 3.0},
}
ASKED = (
    TermsFacet("words", "w"), TermsFacet("numbers", "n"), TermsFacet("prices", "p"),
    TermsFacet("none", "w"), RangeFacet("ages", "a", ((None, None, 5.0),)),
    HistogramFacet("years", "y", 10.0), HistogramFacet("months", "m", "month"),
    MetricFacet("most", "n", "max"),
)  # fmt: skip


def page(
    answer: Answer,
    documents: dict[str, Document] | None = None,
    leg_index: str = "faq",
    **said: Any,
) -> dict[str, Any]:
    """The page of an answer, as a client reads it."""
    form, counts = said.pop("form", Form()), said.pop("counts", True)
    query = Query("token", b"n" * 16, "faq", "a", **said)
    route: Any = SimpleNamespace(
        plan=SimpleNamespace(primary=("bm25", SimpleNamespace(index=leg_index)))
    )
    whatever: Any = None
    served = Served(route, query, 0, whatever, whatever, answer, documents or {})
    made = answers.page(served, "faq", 0.0123, form, counts=counts)
    got: dict[str, Any] = json.loads(answers.encoded(made, form))
    return got


AB = RankedList(("a", "b"), (2.0, None))


def test_a_page_is_the_engine_s():
    """
    Documents are spliced in, and the id of the query stands where UBI puts it.
    """
    documents = {"a": Document(b'{"t":1}', b'{"t":["<em>x</em>"]}', "faq-v2")}
    expected = {
        "took": 12,
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {
            "total": {"value": 7, "relation": "eq"},
            "max_score": 2.0,
            "hits": [
                {"_index": "faq-v2", "_id": "a", "_score": 2.0, "_source": {"t": 1},
                 "highlight": {"t": ["<em>x</em>"]}},
                {"_index": "faq", "_id": "b", "_score": None, "_source": {}},
            ],
        },
        "ext": {"ubi": {"query_id": "token"}},
    }  # fmt: skip

    assert expected == page(Answer(AB, 7), documents)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(AB, 7), {"value": 7, "relation": "eq"}),
        (Answer(AB, 7, at_least=True), {"value": 7, "relation": "gte"}),
        (Answer(AB, 1, at_least=True), {"value": 1, "relation": "gte"}),
        (Answer(AB, 0), {"value": 2, "relation": "gte"}),
        (Answer(AB, None), {"value": 2, "relation": "gte"}),
        (Answer(RankedList(), 0), {"value": 0, "relation": "eq"}),
    ],
)
def test_a_total_is_no_less_than_what_is_there(answer, expected):
    """
    A client that reads 0 shows nothing, though vectors found what no word did.
    """

    assert expected == page(answer)["hits"]["total"]
    assert expected["value"] == page(answer, form=Form(total_as_int=True))["hits"]["total"]
    assert "total" not in page(answer, counts=False)["hits"]


def test_documents_of_several_indices_have_the_engine_s_ids():
    """
    A document's id within the route is its index and its id; the engine says them apart.
    """
    documents = {
        "logs-1/a/b": Document(b"{}", None, "logs-1"),
        "logs-2/c": Document(b"{}", None, "logs-2"),
    }
    ranked = RankedList(tuple(documents), (2.0, 1.0))

    got = page(Answer(ranked, 2), documents, "logs-*")["hits"]["hits"]

    assert [("logs-1", "a/b"), ("logs-2", "c")] == [(hit["_index"], hit["_id"]) for hit in got]


def test_an_id_that_begins_with_the_name_of_its_index_is_left_whole():
    """
    Where one index is read, an id is what it is.
    """
    documents = {"faq/1": Document(b"{}", None, "faq")}

    (hit,) = page(Answer(RankedList(("faq/1",), (1.0,)), 1), documents)["hits"]["hits"]

    assert ("faq", "faq/1") == (hit["_index"], hit["_id"])


def test_no_source_is_shown_where_none_is_wanted():
    """
    Not even an empty one.
    """
    got = page(Answer(AB, 2), {"a": Document(None)}, sources=Sources(()))

    assert all("_source" not in hit for hit in got["hits"]["hits"])


def test_a_stage_that_was_late_is_a_timeout():
    """
    The engine's word for it, beside ours.
    """
    late = Answer(AB, 2, (Degraded("leg:dense", "timeout"),))
    refused = Answer(AB, 2, (Degraded("rerank", "error"),))

    assert page(late)["timed_out"]
    assert not page(refused)["timed_out"]
    assert [{"stage": "rerank", "reason": "error"}] == page(refused)["ext"]["shadowrank"][
        "degraded"
    ]


def test_aggregations_are_as_the_engine_said_them():
    """
    Or named with their types, for clients that tell them apart by that.
    """
    answer = Answer(AB, 2, facets=json.dumps(FACETS).encode())
    counting = Counting(facets=ASKED)
    named = [
        "sterms#words", "lterms#numbers", "dterms#prices", "sterms#none", "range#ages",
        "histogram#years", "date_histogram#months", "max#most",
    ]  # fmt: skip

    plain = page(answer, counting=counting)["aggregations"]
    typed = page(answer, counting=counting, form=Form(typed_keys=True))["aggregations"]

    assert plain == FACETS
    assert named == list(typed)
    assert list(FACETS.values()) == list(typed.values())


def test_a_document_is_found_or_not():
    """
    With its source, where that is wanted.
    """
    found = answers.encoded(answers.document("1", "faq", Document(b'{"t":1}')), Form())
    bare = answers.encoded(answers.document("1", "faq", Document(None)), Form())

    assert {"_index": "faq", "_id": "1", "found": True, "_source": {"t": 1}} == json.loads(found)
    assert {"_index": "faq", "_id": "1", "found": True} == json.loads(bare)
    assert {"_index": "faq", "_id": "1", "found": False} == answers.document("1", "faq", None)
