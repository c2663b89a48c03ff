"""The official clients, unchanged, against a proxy: each in an environment of its own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.integration.clients.making import Client, Missing

PYTHON = (
    Client("elasticsearch", "8.19.3", "elasticsearch_client.py"),
    Client("elasticsearch", "9.5.1", "elasticsearch_client.py"),
    Client("opensearch-py", "3.2.0", "opensearch_client.py"),
)
JAVASCRIPT = (
    Client("@elastic/elasticsearch", "8.19.2", "client.js"),
    Client("@elastic/elasticsearch", "9.4.3", "client.js"),
    Client("@opensearch-project/opensearch", "3.9.0", "client.js"),
)
TEXT = "start project environment"
CURSORS = [
    400,
    "scrolls and points in time are not served: pages are cut from one ranking, with `from` and "
    "`size`",
]


@pytest.fixture
def indexed(faq):
    """The examples' corpus under the index `faq`, without its draft."""
    fields = faq["backends"]["local"]["indices"]["faq"]["fields"]
    fields |= {"course": {"type": "keyword"}, "published": {"type": "boolean"}}
    route = faq["routes"]["faq"]
    route |= {
        "index": "faq", "filterable": ["course"], "filter": [{"term": {"published": True}}],
    }  # fmt: skip
    return faq


@pytest.mark.timeout(600)  # the first time, they are installed
@pytest.mark.parametrize("clients", [PYTHON, JAVASCRIPT], ids=["python", "javascript"])
def test_unchanged_clients_work(serve, indexed, require, clients):
    """
    All at once, they introduce themselves, search, count and fetch; and what isn't served they
    raise as the engine's own error, with the reason.
    """
    try:
        for client in clients:
            client.installed()
    except Missing as exc:
        require(None, exc.what, exc.remedy)
    proxy = serve(indexed).ready()
    url = f"http://127.0.0.1:{proxy.public}"

    with ThreadPoolExecutor() as threads:
        said = dict(zip(clients, threads.map(lambda client: client.run(url), clients), strict=True))

    expected = expectation(proxy)
    assert dict.fromkeys(clients, expected) == {each: json.loads(said[each]) for each in clients}
    assert "request failed" not in proxy.events()


def expectation(proxy):
    """What every client should have made of it, by what the other API says."""
    filters = [{"terms": {"course": ["basics", "setup"]}}]
    own = proxy.search(query=TEXT, size=3, filters=filters, facets=["course"])
    return {
        "cluster": "shadowrank",
        "ping": True,
        "ids": [hit["id"] for hit in own["hits"]],
        "indices": ["faq"],
        "sources": ["question"],
        "highlight": ["Can I still join after the <em>start</em> date?"],
        "total": {"value": own["total"], "relation": "eq"},
        "buckets": [
            {"key": each["value"], "doc_count": each["count"]} for each in own["facets"]["course"]
        ],
        "query_id": True,
        "msearch": [200, 403],
        "here": [1],
        "count": proxy.search(query=TEXT, size=0)["total"],
        "get": "basics",
        "exists": [True, False],
        "mget": [["rrf", True], ["deadline-extension", False]],
        "documents": [{"course": "basics"}],
        "missing": 404,
        "sort": [403, "[sort[0].course] is no order that is served: by _score, desc"],
        "clause": 403,
        "index": [403, "[index other] is no index that is served; recognised: faq"],
        "scroll": [400, f"[?scroll] {CURSORS[1]}"],
        "scrolled": CURSORS,
        "pit": CURSORS,
        "write": 405,
    }
