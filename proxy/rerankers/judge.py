"""A model that judges texts: what it is sent, and whether its scores can be believed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

from proxy.backends import Backend, Question
from proxy.errors import BackendError, NotAsked
from proxy.models import texts
from proxy.rerankers import Shortlist

Ask: TypeAlias = Callable[[str, Sequence[str]], Awaitable[Iterable[tuple[int, float]]]]
"""What a kind of model has of its own: query and documents to (index, score), in any order."""


class BadScore(BackendError):
    """A score that isn't a number: none of the list can be believed."""

    reason = "bad_score"


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """An open reranker over texts of up to `most` characters."""

    ask: Ask
    top: int
    timeout_ms: int
    text: tuple[str, ...]
    most: int

    @property
    def embedder(self) -> None:
        """It reads the query's text, not its vector."""

    async def score(
        self, question: Question, shortlist: Shortlist, backends: Mapping[str, Backend]
    ) -> Mapping[str, float]:
        """Scores by document id; a document without text gets none.

        Raises NotAsked without a text of the query, and BackendError for an answer in doubt.
        """
        query = question.text.strip()
        if not query:
            raise NotAsked("there is no text to judge by", reason="empty_query")
        judged = {
            doc: texts.document(text, self.most)
            for doc in shortlist.ids[: self.top]
            if (text := shortlist.texts.get(doc, "").strip())
        }
        if not judged:
            return {}
        query = texts.query(query, self.most)
        return scores(tuple(judged), await self.ask(query, tuple(judged.values())))


def scores(ids: Sequence[str], judged: Iterable[tuple[int, float]]) -> dict[str, float]:
    """Scores by id. Raises BackendError unless each index is there once, with a finite score.

    >>> scores(["a", "b"], [(1, 0.9), (0, 0.1)])
    {'b': 0.9, 'a': 0.1}
    """
    found: dict[str, float] = {}
    for index, score in judged:
        if not 0 <= index < len(ids):
            raise BackendError(f"index {index} of a list of {len(ids)}")
        if ids[index] in found:
            raise BackendError(f"index {index} came twice")
        if not isfinite(score):
            raise BadScore("a score that isn't finite")
        found[ids[index]] = score
    if len(found) != len(ids):
        raise BackendError(f"{len(found)} scores for {len(ids)} documents")
    return found
