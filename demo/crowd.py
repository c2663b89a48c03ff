"""Sends the simulated users to a running proxy over HTTP, as browsers would, and counts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import ClientError, ClientSession

from demo.collection import Claim
from demo.users import Click, Visit, clicks, visits

AT_ONCE: Final = 16
"""Searches in flight at most: a slow machine gets fewer users, not a growing queue."""


@dataclass(slots=True)
class Tally:
    """What the users sent and what they were answered; grows while they come."""

    users: set[str] = field(default_factory=set)
    searches: int = 0
    errors: int = 0
    events: int = 0
    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Crowd:
    """Users of one route. `with_vectors` sends each claim's shipped embedding along."""

    http: ClientSession
    url: str
    route: str
    claims: Sequence[Claim]
    seed: int
    with_vectors: bool = False
    tally: Tally = field(default_factory=Tally)

    async def come(self, rate: float, seconds: float | None = None) -> None:
        """Users arrive, `rate` a second, whether or not others are done (an open loop).

        Returns when `seconds` are over (None: never) and the last of them has left.
        """
        clock = asyncio.get_running_loop().time
        due = start = clock()
        slots = asyncio.Semaphore(AT_ONCE)
        async with asyncio.TaskGroup() as present:
            for visit in visits(self.seed, len(self.claims), rate):
                due = max(due + visit.after, clock() - 1)
                if seconds is not None and due >= start + seconds:
                    return
                await asyncio.sleep(max(0.0, due - clock()))
                await slots.acquire()
                present.create_task(self._visit(visit, slots))

    async def _visit(self, visit: Visit, slots: asyncio.Semaphore) -> None:
        claim = self.claims[visit.claim]
        try:
            page = await self._search(visit, claim)
        finally:
            slots.release()
        if page is None:
            return
        ids = [hit["id"] for hit in page["hits"]]
        for click in clicks(self.seed, visit.number, ids, claim.relevant):
            await self._click(visit, page["query_id"], click)

    async def _search(self, visit: Visit, claim: Claim) -> dict[str, Any] | None:
        body = {"query": claim.text, "user": visit.user, "session": visit.session}
        self.tally.users.add(visit.user)
        self.tally.searches += 1
        page = await self._post(f"/v1/{self.route}/search", body | self._vector(claim))
        if page is None:
            self.tally.errors += 1
        return page

    def _vector(self, claim: Claim) -> dict[str, Any]:
        return {"vector": claim.vector} if self.with_vectors else {}

    async def _click(self, visit: Visit, query_id: str, click: Click) -> None:
        await asyncio.sleep(click.pause)
        about = {"query_id": query_id, "doc_id": click.doc_id, "position": click.position}
        name = f"{self.seed}-{visit.number}-{click.position}"
        await self._event({"event_id": f"{name}-click", "type": "click"} | about)
        await asyncio.sleep(click.dwell)
        left = {"type": click.leaves, "dwell_ms": round(click.dwell * 1000)}
        await self._event({"event_id": f"{name}-{click.leaves}"} | left | about)

    async def _event(self, event: dict[str, Any]) -> None:
        self.tally.events += 1
        answer = await self._post("/v1/events", event)
        if answer is None:
            self.tally.refused["no_answer"] += 1
            return
        self.tally.accepted += answer["accepted"]
        self.tally.refused.update(refusal["reason"] for refusal in answer["refused"])

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """The answer, or None for an error of any sort."""
        try:
            async with self.http.post(self.url + path, json=body) as response:
                return await response.json() if response.ok else None
        except (ClientError, TimeoutError):
            return None
