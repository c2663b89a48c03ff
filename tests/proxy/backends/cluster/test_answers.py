"""What a cluster answers, as structs."""

from __future__ import annotations

import msgspec
import pytest

from proxy.backends.cluster.answers import MGET, SEARCH

HEAD = b'"took":3,"timed_out":false,"_shards":{"total":5,"successful":5,"skipped":0,"failed":0}'


def test_a_search_answer_is_read_in_one_go() -> None:
    """
    What the proxy doesn't need is passed over, what it passes on stays bytes.
    """
    answer = SEARCH.decode(
        b'{%b,"hits":{"total":{"value":7,"relation":"gte"},"max_score":2.5,"hits":['
        b'{"_index":"faq","_id":"1","_score":2.5,"_ignored":["x"],"_source":{"a": 1},'
        b'"highlight":{"a": ["<em>"]},"fields":{"id":["1"]}}]},"aggregations":{"n": {}}}' % HEAD
    )
    (hit,) = answer.hits.hits

    assert ("faq", "1", 2.5, {"id": ["1"]}) == (hit.index, hit.id, hit.score, hit.fields)
    assert (b'{"a": 1}', b'{"a": ["<em>"]}') == (bytes(hit.source), bytes(hit.highlight))
    assert b'{"n": {}}' == bytes(answer.aggregations)
    assert answer.hits.total is not None
    assert (7, "gte") == (answer.hits.total.value, answer.hits.total.relation)
    assert not answer.partial


@pytest.mark.parametrize(
    "head",
    [
        HEAD.replace(b"false", b"true"),
        HEAD.replace(b'"failed":0', b'"failed":1'),
        HEAD + b',"_clusters":{"total":2,"successful":1,"skipped":1}',
    ],
)
def test_an_answer_may_be_of_a_part(head: bytes) -> None:
    """
    Time ran out, a shard failed, or another cluster was left out: all come with status 200.
    """
    assert SEARCH.decode(b'{%b,"hits":{"hits":[]}}' % head).partial


def test_documents_are_there_or_not() -> None:
    """
    Or can't be had.
    """
    there, gone, failed = MGET.decode(
        b'{"docs":[{"_index":"faq","_id":"1","_version":1,"found":true,"_source":{"a": 1}},'
        b'{"_index":"faq","_id":"2","found":false},'
        b'{"_index":"faq","_id":"3","error":{"root_cause":[],"type":"shard","reason":"x"}}]}'
    ).docs

    assert (True, b'{"a": 1}', None) == (there.found, bytes(there.source), there.error)
    assert (False, b"", None) == (gone.found, bytes(gone.source), gone.error)
    assert failed.error is not None
    assert "shard" == failed.error.type


@pytest.mark.parametrize(
    "wrong",
    [
        b"{}",
        b"[]",
        b'{"error":{"type":"x"},"status":400}',
        b'{"timed_out":false,"hits":{"hits":[]}}',
        b'{%b,"hits":{"hits":{}}}' % HEAD,
        b'{%b,"hits":{"hits":[{"_id":"1"}]}}' % HEAD,
        b'{%b,"hits":{"total":7,"hits":[]}}' % HEAD,
    ],
)
def test_what_is_not_documented_is_not_read(wrong: bytes) -> None:
    """
    An answer that doesn't say whether it is whole is none.
    """
    with pytest.raises(msgspec.ValidationError):
        SEARCH.decode(wrong)
