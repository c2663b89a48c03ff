"""The least that serves a hybrid page: aiohttp, two legs of ids, one `_mget`, json, no fusion.

    python bench/peers/bare.py opensearch|elasticsearch URL INDEX PORT [ID_FIELD]

What the proxy is compared with: it does the same service and nothing that a proxy is for.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import aiohttp
import uvloop
from aiohttp import web

WINDOW = 100


class Bare:
    """One session, one handler."""

    def __init__(self, kind: str, url: str, index: str, id_field: str | None) -> None:
        self.kind, self.url, self.index, self.id_field = kind, url, index, id_field
        self.session: aiohttp.ClientSession | None = None

    async def search(self, request: web.Request) -> web.Response:
        """A page of the first ten that the legs name, lexical before dense."""
        asked = json.loads(await request.read())
        lexical, dense = await asyncio.gather(
            self.post(f"/{self.index}/_search", self.lexical(asked["query"])),
            self.post(f"/{self.index}/_search", self.dense(asked["vector"])),
        )
        size = asked.get("size", 10)
        ids = list(dict.fromkeys([*self.ids(lexical), *self.ids(dense)]))[:size]
        page = await self.post(f"/{self.index}/_mget?_source_includes=title,text", {"ids": ids})
        hits = [
            {"id": doc["_id"], "rank": rank, "source": doc.get("_source")}
            for rank, doc in enumerate(page["docs"], 1)
        ]
        return web.Response(body=json.dumps({"hits": hits}), content_type="application/json")

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        """The engine's answer."""
        assert self.session is not None
        async with self.session.post(
            self.url + path,
            data=json.dumps(body),
            headers={"content-type": "application/json", "accept-encoding": "identity"},
        ) as response:
            return json.loads(await response.read())

    def ids(self, answer: Any) -> list[str]:
        """The ids that a leg found."""
        hits = answer["hits"]["hits"]
        if self.id_field:
            return [hit["fields"][self.id_field][0] for hit in hits]
        return [hit["_id"] for hit in hits]

    def lean(self) -> dict[str, Any]:
        """Ids and scores only."""
        if self.id_field:
            return {"stored_fields": "_none_", "docvalue_fields": [self.id_field]}
        return {"_source": False}

    def lexical(self, text: str) -> dict[str, Any]:
        """BM25 over title and text."""
        query = {"multi_match": {"query": text, "fields": ["title", "text"]}}
        return {"query": query, "size": WINDOW, "track_total_hits": 10_000, **self.lean()}

    def dense(self, vector: list[float]) -> dict[str, Any]:
        """The nearest vectors, in the engine's own syntax."""
        common = {"size": WINDOW, "track_total_hits": False, **self.lean()}
        if self.kind == "opensearch":
            return {"query": {"knn": {"embedding": {"vector": vector, "k": WINDOW}}}, **common}
        knn = {"field": "embedding", "query_vector": vector, "k": WINDOW, "num_candidates": 200}
        return {"knn": knn, **common}

    async def open(self, _: web.Application) -> None:
        """A session with as many connections as the proxy has."""
        connector = aiohttp.TCPConnector(limit=256)
        self.session = aiohttp.ClientSession(connector=connector)


def main() -> None:
    """Serve until killed."""
    kind, url, index, port, *rest = sys.argv[1:]
    bare = Bare(kind, url, index, rest[0] if rest else None)
    app = web.Application()
    app.on_startup.append(bare.open)
    app.router.add_post("/search", bare.search)
    uvloop.install()
    web.run_app(app, host="127.0.0.1", port=int(port), print=None, access_log=None)


if __name__ == "__main__":
    main()
