"""Models that do as they are told, as parts of a configuration: a reranker and an embedder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import numpy as np

from proxy.backends import Backend, Question, Vector
from proxy.errors import BackendError
from proxy.model import Role
from proxy.rerankers import Shortlist


@dataclass(frozen=True, slots=True)
class ScriptedReranker:
    """A watched reranker: the longer a text, the better; or it fails, or takes `delay` seconds.

    It is billed by the hundred documents begun.
    """

    model: str | None = "judge-1"
    top: int = 5
    timeout_ms: int = 500
    text: tuple[str, ...] = ()
    price_per_1000: float | None = None
    delay: float = 0.0
    fails: bool = False

    identity = "scripted"
    third_party = False
    reads = ()

    def units(self, documents: int) -> int:
        return -(-documents // 100)

    def problems(self) -> list[str]:
        return []

    @asynccontextmanager
    async def open(self, name: str, role: Role) -> AsyncIterator[ScriptedJudge]:
        yield ScriptedJudge(self, role)


class ScriptedJudge:
    """The open one; remembers what it was asked."""

    embedder = None

    def __init__(self, script: ScriptedReranker, role: Role) -> None:
        self.script = script
        self.role = role
        self.top = script.top
        self.timeout_ms = script.timeout_ms
        self.text = script.text
        self.asked: list[Shortlist] = []

    async def score(
        self, question: Question, shortlist: Shortlist, backends: Mapping[str, Backend]
    ) -> Mapping[str, float]:
        self.asked.append(shortlist)
        await asyncio.sleep(self.script.delay)
        if self.script.fails:
            raise BackendError("scripted")
        return {doc: float(len(shortlist.texts.get(doc, doc))) for doc in shortlist.ids}


@dataclass(frozen=True, slots=True)
class ScriptedEmbedder:
    """A watched embedder: always the same vector, a text of `remembered` for nothing."""

    model: str | None = "embed-1"
    price_per_1000: float | None = None
    remembered: str = ""

    identity = "scripted"
    third_party = False
    dimension = 3

    def problems(self) -> list[str]:
        return []

    @asynccontextmanager
    async def open(self, name: str, role: Role) -> AsyncIterator[ScriptedVectors]:
        yield ScriptedVectors(self)


class ScriptedVectors:
    """The open one."""

    def __init__(self, script: ScriptedEmbedder) -> None:
        self.script = script

    def remembers(self, text: str) -> bool:
        return text == self.script.remembered

    async def embed(self, text: str) -> Vector:
        return np.float32((1, 0, 0.5))
