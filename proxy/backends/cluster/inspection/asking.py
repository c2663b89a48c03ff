"""The inspection of a cluster: what is asked, in which order, and when it is of no use to go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

import msgspec
import numpy as np

from config.problems import problem
from proxy.backends import Question, Read
from proxy.backends.cluster.inspection import judging, sentences
from proxy.backends.cluster.inspection.mapping import Fields, fields_of
from proxy.backends.cluster.node import PING, Call, Node
from proxy.backends.cluster.product import Unusable, engine_of
from proxy.backends.cluster.requests import Engine, Reach, search_body
from proxy.backends.cluster.requests.target import EngineKind
from proxy.backends.cluster.trouble import Kind, Trouble
from proxy.errors import NotAsked
from proxy.fusion.dialect import Dialect
from proxy.legs import takes_vector
from proxy.legs.knn import Knn
from proxy.legs.pushdown import Pushdown

WITHIN: Final = 5.0
"""Seconds for each question; a first search of a cold engine takes its time."""
SAMPLE: Final = 20
"""Of so many documents it is looked whether `id_field` holds their `_id`."""
LOUD: Final = {"ignore_unavailable": "false", "allow_no_indices": "false"}


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """A cluster to be inspected: its nodes, and what the configuration says of it."""

    nodes: Sequence[Node]
    kind: EngineKind
    login: tuple[str, ...]
    id_field: str | None
    tls: bool
    assumed: Engine | None = None
    within: float = WITHIN

    async def sentences(self, reads: Sequence[Read]) -> list[str]:
        """What is wrong; nothing if all that is read can be served."""
        said, up = await self._nodes()
        if up is None:
            return said
        node, engine = up
        for index in dict.fromkeys(read.leg.index for read in reads):
            of_it = [read for read in reads if read.leg.index == index]
            try:
                said += [line async for line in self._index(node, engine, index, of_it)]
            except (msgspec.MsgspecError, LookupError, TypeError, AttributeError):
                said.append(sentences.undocumented(node.host, index))
        return list(dict.fromkeys(said))

    async def _nodes(self) -> tuple[list[str], tuple[Node, Engine] | None]:
        """What is wrong with each node, and one that is right with what it is."""
        answers = await asyncio.gather(*(self._ask(node, PING) for node in self.nodes))
        said: list[str] = []
        up = None
        for node, answer in zip(self.nodes, answers, strict=True):
            if isinstance(answer, Trouble) and self.assumed and answer.status == 404:
                up = up or (node, self.assumed)
                continue
            if isinstance(answer, Trouble):
                said.append(sentences.unreachable(node.host, answer, self.login, tls=self.tls))
                continue
            try:
                up = up or (node, engine_of(self.kind, answer))
            except Unusable as exc:
                said.append(f"{node.host}: {exc}")
        return said, up

    async def _index(
        self, node: Node, engine: Engine, index: str, reads: Sequence[Read]
    ) -> AsyncIterator[str]:
        where = reads[0].where
        path = f"/{quote(index, safe='*,:')}"
        answer = await self._ask(node, Call("GET", f"{path}/_mapping", params=LOUD))
        if isinstance(answer, Trouble):
            yield sentences.unreadable(where, index, answer)
            return
        health = await self._ask(node, Call("GET", f"/_cluster/health{path}"))
        if not isinstance(health, Trouble) and msgspec.json.decode(health).get("status") == "red":
            yield sentences.red(where, index)
        mappings = fields_of(answer)
        if self.id_field is not None:
            async for line in self._id_field(node, path, mappings):
                yield line
        for read in reads:
            wrong = list(_judged(read, mappings))
            if isinstance(read.leg, Pushdown) and isinstance(read.leg.fusion, Dialect):
                lines = read.leg.fusion.problems_for(engine.version)
                wrong += [f"{read.where}.fusion.{line}" for line in lines]
            if not wrong:  # else the engine would say the same again, in its words
                wrong = await self._tried(node, engine, read, mappings)
            for line in wrong:
                yield line

    async def _id_field(
        self, node: Node, path: str, mappings: Mapping[str, Fields]
    ) -> AsyncIterator[str]:
        name = self.id_field or ""
        for index, fields in mappings.items() if name != "_id" else ():
            if wrong := judging.id_field_problem(name, index, fields):
                yield wrong
                return
        body = {"size": SAMPLE, "_source": False, "docvalue_fields": [name]}
        answer = await self._ask(node, Call("POST", f"{path}/_search", msgspec.json.encode(body)))
        if isinstance(answer, Trouble):
            what = "can't be read as a doc value here; name a keyword copy of the _id"
            yield problem("id_field", what, name)
            return
        for hit in msgspec.json.decode(answer)["hits"]["hits"]:
            held = hit.get("fields", {}).get(name)
            if held != [hit["_id"]]:
                what = f"holds {held} where the _id is {hit['_id']!r}; it has to be a copy of it"
                yield problem("id_field", what, name)
                return

    async def _tried(
        self, node: Node, engine: Engine, read: Read, mappings: Mapping[str, Fields]
    ) -> list[str]:
        """What the engine says to the leg's own request."""
        vector = None
        if takes_vector(read.leg):
            length = _length(read, mappings)
            if length is None:
                return []
            vector = np.full(length, length**-0.5, np.float32)
        question = Question("shadowrank", read.filters, vector)
        try:
            request = search_body(
                engine, Reach(read.leg.index), read.leg, question, int(self.within * 1000), 1
            )
        except NotAsked:
            return []
        except ValueError as exc:
            return [f"{read.where}.{exc}"]
        call = Call("POST", request.path, request.body, request.params)
        answer = await self._ask(node, call)
        return [sentences.refused(read.where, answer)] if isinstance(answer, Trouble) else []

    async def _ask(self, node: Node, call: Call) -> bytes | Trouble:
        try:
            async with asyncio.timeout(self.within):
                return await node.ask(call)
        except TimeoutError:
            return Trouble(Kind.TIMEOUT)
        except Trouble as trouble:
            return trouble


def _judged(read: Read, mappings: Mapping[str, Fields]) -> Iterable[str]:
    """The problems of the first index that has any: its like have the same."""
    for index, fields in mappings.items():
        if lines := list(judging.judged(read, index, fields)):
            return lines
    return ()


def _length(read: Read, mappings: Mapping[str, Fields]) -> int | None:
    """How long the leg's vectors are, by its embedder or by the index."""
    if read.dimension:
        return read.dimension
    legs = read.leg.legs if isinstance(read.leg, Pushdown) else (("", read.leg),)
    names = [leg.field for _, leg in legs if isinstance(leg, Knn)]
    found = (
        field.dimension
        for fields in mappings.values()
        for name in names
        if (field := fields.get(name)) is not None
    )
    return next((length for length in found if length), None)
