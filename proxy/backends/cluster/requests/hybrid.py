"""A pipeline as OpenSearch's `hybrid` query, with the processor that fuses it in the same body."""

from __future__ import annotations

from dataclasses import asdict

from proxy.backends import Question
from proxy.backends.cluster.requests.queries import asked
from proxy.backends.cluster.requests.target import Engine, Json
from proxy.errors import BackendRefused
from proxy.fusion import Dialect, OpenSearchNormalization, OpenSearchRRF
from proxy.legs.pushdown import Pushdown


def hybrid(engine: Engine, leg: Pushdown, question: Question) -> Json:
    """The query and its pipeline. A stored pipeline of the index is not run then."""
    if leg.rerank is not None:
        raise ValueError("rerank: is Elasticsearch's, and OpenSearch has none")
    if isinstance(leg.fusion, Dialect) and (unread := leg.fusion.problems_for(engine.version)):
        # OpenSearch refuses some of it, and ignores bounds that it doesn't know without a word.
        raise BackendRefused("; ".join(unread))
    queries = [asked(engine, each, question, leg.window)["query"] for _, each in leg.legs]
    how: Json = {"queries": queries}
    if engine.version >= (2, 19):  # before, the size of the page is the depth
        how["pagination_depth"] = leg.window
    pipeline = {"phase_results_processors": [processor(leg)]}
    return {"query": {"hybrid": how}, "search_pipeline": pipeline}


def processor(leg: Pushdown) -> Json:
    """The processor of the fusion; what it says of legs is listed in their order."""
    names = [name for name, _ in leg.legs]
    weights = dict(leg.fusion.weights)
    weighed: Json = {"weights": [weights[name] for name in names]} if weights else {}
    match leg.fusion:
        case OpenSearchNormalization() as fusion:
            return {"normalization-processor": {
                "normalization": _technique(fusion.normalization, _normalized(fusion, names)),
                "combination": _technique(fusion.combination, weighed),
            }}  # fmt: skip
        case OpenSearchRRF(rank_constant):
            # Directly under `combination` the constant would be ignored without a word.
            parameters = {"rank_constant": rank_constant, **weighed}
            return {"score-ranker-processor": {"combination": _technique("rrf", parameters)}}
    raise ValueError(f"fusion: {leg.fusion!r} is no processor; choices: os_norm, os_rrf")


def _normalized(fusion: OpenSearchNormalization, names: list[str]) -> Json:
    if fusion.normalization == "rrf":
        return {"rank_constant": fusion.rank_constant}
    lower, upper = dict(fusion.lower_bounds), dict(fusion.upper_bounds)
    parameters: Json = {"lower_bounds": [asdict(lower[name]) for name in names]} if lower else {}
    if upper:
        parameters["upper_bounds"] = [asdict(upper[name]) for name in names]
    return parameters


def _technique(name: str, parameters: Json) -> Json:
    return {"technique": name, "parameters": parameters} if parameters else {"technique": name}
