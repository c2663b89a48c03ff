"""What opensearch-py makes of a proxy: run in the client's own environment."""

import json
import sys

from opensearchpy import OpenSearch, TransportError

client = OpenSearch(sys.argv[1])
WORDS = {"multi_match": {"query": "start project environment", "fields": ["question^3", "text"]}}


def refused(ask):
    """The status and the reason of an error."""
    try:
        ask()
    except TransportError as exc:
        said = exc.info if isinstance(exc.info, dict) else {}
        return [exc.status_code, said["error"]["reason"] if said.get("error") else ""]
    return None


page = client.search(
    index="faq",
    body={
        "query": {"bool": {"must": WORDS, "filter": [{"terms": {"course": ["basics", "setup"]}}]}},
        "highlight": {"fields": {"question": {}}},
        "aggs": {"courses": {"terms": {"field": "course"}}},
        "sort": ["_score"],
    },
    size=3,
    _source=["question"],
    track_total_hits=True,
)
several = client.msearch(
    body=[{"index": "faq"}, {"query": WORDS}, {"index": "other"}, {"query": WORDS}]
)
here = client.msearch(index="faq", body=[{}, {"query": WORDS, "size": 1}])
print(
    json.dumps(
        {
            "cluster": client.info()["cluster_name"],
            "ping": client.ping(),
            "ids": [hit["_id"] for hit in page["hits"]["hits"]],
            "indices": sorted({hit["_index"] for hit in page["hits"]["hits"]}),
            "sources": sorted({key for hit in page["hits"]["hits"] for key in hit["_source"]}),
            "highlight": page["hits"]["hits"][0]["highlight"]["question"],
            "total": page["hits"]["total"],
            "buckets": page["aggregations"]["courses"]["buckets"],
            "query_id": len(page["ext"]["ubi"]["query_id"]) > 40,
            "msearch": [each["status"] for each in several["responses"]],
            "here": [len(each["hits"]["hits"]) for each in here["responses"]],
            "count": client.count(index="faq", body={"query": WORDS})["count"],
            "get": client.get(index="faq", id="enrol-late")["_source"]["course"],
            "exists": [client.exists(index="faq", id=i) for i in ("bm25", "none")],
            "mget": [
                [doc["_id"], doc["found"]]
                for doc in client.mget(index="faq", body={"ids": ["rrf", "deadline-extension"]})[
                    "docs"
                ]
            ],
            "documents": [
                hit["_source"]
                for hit in client.search(
                    index="faq", body={"query": WORDS}, size=1, _source=["course"],
                    filter_path="hits.hits._source",
                )["hits"]["hits"]
            ],
            "missing": refused(lambda: client.get(index="faq", id="deadline-extension"))[0],
            "sort": refused(
                lambda: client.search(index="faq", body={"query": WORDS, "sort": ["course"]})
            ),
            "clause": refused(
                lambda: client.search(index="faq", body={"query": {"prefix": {"question": "jo"}}})
            )[0],
            "index": refused(lambda: client.search(index="other", body={"query": WORDS})),
            "scroll": refused(
                lambda: client.search(index="faq", body={"query": WORDS}, scroll="1m")
            ),
            "scrolled": refused(lambda: client.scroll(body={"scroll_id": "x"})),
            "pit": refused(lambda: client.create_pit(index="faq", keep_alive="1m")),
            "write": refused(lambda: client.index(index="faq", id="x", body={}))[0],
        }
    )
)  # fmt: skip
