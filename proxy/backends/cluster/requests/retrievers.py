"""A pipeline as one of Elasticsearch's compound retrievers: it fuses, and may rerank."""

from __future__ import annotations

from proxy.backends import Question
from proxy.backends.cluster.requests.queries import asked
from proxy.backends.cluster.requests.target import Engine, Json
from proxy.fusion import ElasticsearchLinear, ElasticsearchRRF
from proxy.legs.pushdown import EngineRerank, Inner, Pushdown


def retriever(engine: Engine, leg: Pushdown, question: Question) -> Json:
    """The retriever, each of its children with the filters of its own: none depends on how a
    version hands them down.
    """
    children = [(name, _child(engine, each, question, leg.window)) for name, each in leg.legs]
    weights = dict(leg.fusion.weights)
    match leg.fusion:
        case ElasticsearchRRF(rank_constant):
            fused: Json = {"rrf": {
                "retrievers": _ranked(children, weights),
                "rank_constant": rank_constant,
                "rank_window_size": leg.window,
            }}  # fmt: skip
        case ElasticsearchLinear():
            fused = {"linear": {
                "retrievers": [
                    {
                        "retriever": child,
                        "weight": weights.get(name, 1.0),
                        "normalizer": leg.fusion.normalizer_of(name),
                    }
                    for name, child in children
                ],
                "rank_window_size": leg.window,
            }}  # fmt: skip
        case _:
            raise ValueError(f"fusion: {leg.fusion!r} is no retriever; choices: es_linear, es_rrf")
    return fused if leg.rerank is None else _reranked(leg.rerank, fused, leg, question.text)


def deepest(leg: Pushdown) -> int:
    """How many documents the outermost retriever brings: a reranker drops what is beyond its top,
    and may not look deeper than what it reranks.
    """
    return leg.window if leg.rerank is None else min(leg.rerank.top, leg.window)


def _child(engine: Engine, leg: Inner, question: Question, window: int) -> Json:
    part = asked(engine, leg, question, window)
    return part if "knn" in part else {"standard": part}


def _ranked(children: list[tuple[str, Json]], weights: dict[str, float]) -> list[Json]:
    """Weights are written only where they matter: a version before 9.2 doesn't read them."""
    if all(weight == 1 for weight in weights.values()):
        return [child for _, child in children]
    return [{"retriever": child, "weight": weights.get(name, 1.0)} for name, child in children]


def _reranked(rerank: EngineRerank, fused: Json, leg: Pushdown, text: str) -> Json:
    how: Json = {
        "retriever": fused,
        "inference_id": rerank.inference_id,
        "inference_text": text,
        "field": rerank.field,
        "rank_window_size": deepest(leg),
    }
    if rerank.min_score is not None:
        how["min_score"] = rerank.min_score
    return {"text_similarity_reranker": how}
