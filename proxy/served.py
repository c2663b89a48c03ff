"""A search that is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proxy.answer import Answer
from proxy.backends import Document
from proxy.generation import OpenRoute
from proxy.model import Query, RankedList
from proxy.plan import Pipeline
from proxy.retrieval import Retrieval


@dataclass(frozen=True, slots=True, eq=False)
class Served:
    """A search that is answered: what the response shows and what the records need.

    `answer.ranked` reaches deeper than the page; `documents` are the page's sources as JSON, by id.
    """

    route: OpenRoute
    query: Query
    shard: int
    pipeline: Pipeline
    retrieval: Retrieval
    answer: Answer
    documents: Mapping[str, Document]

    @property
    def page(self) -> RankedList:
        """What the user sees; its first rank is `query.offset` + 1."""
        start, ranked = self.query.offset, self.answer.ranked
        end = start + self.query.size
        return RankedList(ranked.ids[start:end], ranked.scores[start:end])

    @property
    def logged(self) -> bool:
        """Is it an impression? Counts alone, and what appears while somebody types, are none."""
        return self.query.size > 0 and self.query.type == "search"
