"""Hybrid search as tutorials have it: FastAPI, the official client as it comes, RRF in Python.

    python bench/peers/tutorial.py opensearch|elasticsearch URL INDEX PORT

Runs in an environment of its own (fastapi, uvicorn, elasticsearch[async], opensearch-py[async]).
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

KIND, URL, INDEX, PORT = sys.argv[1:5]
WINDOW, RANK_CONSTANT = 100, 60

if KIND == "opensearch":
    from opensearchpy import AsyncOpenSearch

    client: Any = AsyncOpenSearch(hosts=[URL])
else:
    from elasticsearch import AsyncElasticsearch

    client = AsyncElasticsearch(URL)

app = FastAPI()


class SearchRequest(BaseModel):
    """What a search asks."""

    query: str
    vector: list[float]
    size: int = 10


@app.post("/search")
async def search(request: SearchRequest) -> dict[str, Any]:
    """The page after reciprocal rank fusion of both legs."""
    lexical_body = {
        "query": {"multi_match": {"query": request.query, "fields": ["title", "text"]}},
        "size": WINDOW,
    }
    if KIND == "opensearch":
        dense_body: dict[str, Any] = {
            "query": {"knn": {"embedding": {"vector": request.vector, "k": WINDOW}}},
            "size": WINDOW,
            "_source": {"excludes": ["embedding"]},
        }
    else:
        dense_body = {
            "knn": {
                "field": "embedding", "query_vector": request.vector,
                "k": WINDOW, "num_candidates": 200,
            },
            "size": WINDOW,
            "_source": {"excludes": ["embedding"]},
        }  # fmt: skip
    lexical_body["_source"] = {"excludes": ["embedding"]}
    lexical, dense = await asyncio.gather(
        client.search(index=INDEX, body=lexical_body), client.search(index=INDEX, body=dense_body)
    )
    scores: dict[str, float] = {}
    sources: dict[str, Any] = {}
    for answer in (lexical, dense):
        for rank, hit in enumerate(answer["hits"]["hits"], 1):
            scores[hit["_id"]] = scores.get(hit["_id"], 0.0) + 1 / (RANK_CONSTANT + rank)
            sources[hit["_id"]] = hit["_source"]
    best = sorted(scores.items(), key=lambda item: item[1], reverse=True)[: request.size]
    return {
        "hits": [
            {"id": doc, "rank": rank, "score": score, "source": sources[doc]}
            for rank, (doc, score) in enumerate(best, 1)
        ]
    }


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(PORT), log_level="warning")
