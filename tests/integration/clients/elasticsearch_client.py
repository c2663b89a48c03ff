"""What elasticsearch-py makes of a proxy: run in the client's own environment."""

import json
import sys

from elasticsearch import ApiError, Elasticsearch

client = Elasticsearch(sys.argv[1])
WORDS = {"multi_match": {"query": "start project environment", "fields": ["question^3", "text"]}}


def refused(ask):
    """The status and the reason of an error."""
    try:
        ask()
    except ApiError as exc:
        return [exc.meta.status, exc.body["error"]["reason"] if exc.body.get("error") else ""]
    return None


page = client.search(
    index="faq",
    query={"bool": {"must": WORDS, "filter": [{"terms": {"course": ["basics", "setup"]}}]}},
    size=3,
    source=["question"],
    highlight={"fields": {"question": {}}},
    aggs={"courses": {"terms": {"field": "course"}}},
    sort=["_score"],
    track_total_hits=True,
)
several = client.msearch(
    searches=[{"index": "faq"}, {"query": WORDS}, {"index": "other"}, {"query": WORDS}]
)
here = client.msearch(index="faq", searches=[{}, {"query": WORDS, "size": 1}])
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
            "count": client.count(index="faq", query=WORDS)["count"],
            "get": client.get(index="faq", id="enrol-late")["_source"]["course"],
            "exists": [bool(client.exists(index="faq", id=i)) for i in ("bm25", "none")],
            "mget": [
                [doc["_id"], doc["found"]]
                for doc in client.mget(index="faq", ids=["rrf", "deadline-extension"])["docs"]
            ],
            "documents": [
                hit["_source"]
                for hit in client.search(
                    index="faq", query=WORDS, size=1, source=["course"],
                    filter_path="hits.hits._source",
                )["hits"]["hits"]
            ],
            "missing": refused(lambda: client.get(index="faq", id="deadline-extension"))[0],
            "sort": refused(lambda: client.search(index="faq", query=WORDS, sort=["course"])),
            "clause": refused(
                lambda: client.search(index="faq", query={"prefix": {"question": "jo"}})
            )[0],
            "index": refused(lambda: client.search(index="other", query=WORDS)),
            "scroll": refused(lambda: client.search(index="faq", query=WORDS, scroll="1m")),
            "scrolled": refused(lambda: client.scroll(scroll_id="x")),
            "pit": refused(lambda: client.open_point_in_time(index="faq", keep_alive="1m")),
            "write": refused(lambda: client.index(index="faq", id="x", document={}))[0],
        }
    )
)  # fmt: skip
