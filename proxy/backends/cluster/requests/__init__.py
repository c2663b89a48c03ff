"""What a cluster is asked, as values: no I/O, no client, the same for both engines' callers.

    Engine(kind, version)                         which engine is talked to: it picks the syntax
    Reach(index, several, id_field, indices)      what a leg reads, and how its documents are named
    Request(path, params, body, answer)           a POST; `answer` says what comes back

    search_body(engine, reach, leg, question, timeout_ms, size=None)   -> ids and scores
    count_body(engine, reach, leg, question, timeout_ms)               -> totals and facets only
    fetch_body(engine, reach, ids, wanted, timeout_ms)                 -> documents by id
    vectors_body(engine, reach, field, ids)                            -> stored vectors by id

They raise ValueError for what can't be asked of that kind of engine, or isn't Unicode; NotAsked for
a leg without its vector; BackendRefused for a fusion that the engine's version doesn't compute.
`target` (the values) · `filters` · `facets` · `highlights` · `queries` (a leg as a clause) ·
`retrievers` and `hybrid` (a pipeline fused by the engine) · `searching` · `fetching` (bodies)
"""

from proxy.backends.cluster.requests.fetching import fetch_body, vectors_body
from proxy.backends.cluster.requests.searching import count_body, search_body
from proxy.backends.cluster.requests.target import Engine, Reach, Request

__all__ = [
    "Engine", "Reach", "Request", "count_body", "fetch_body", "search_body", "vectors_body",
]  # fmt: skip
