"""How a cluster is asked: one node, and where it is safe one retry."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from proxy.backends.cluster.budget import Budget
from proxy.backends.cluster.node import Call, Node
from proxy.backends.cluster.trouble import PASSING, UNCONNECTED, Kind, Trouble
from proxy.errors import BackendError
from proxy.model import Role

log = logging.getLogger(__name__)


class Caller:
    """The nodes of one backend for one role, asked in turn.

    Time is the caller's: whoever gives up cancels, and nothing is retried for somebody who left.
    """

    def __init__(self, nodes: Sequence[Node], role: Role) -> None:
        self._nodes = nodes
        self._role = role
        self._turn = 0
        self._budget = Budget(asyncio.get_running_loop().time)

    async def ask(self, call: Call) -> bytes:
        """The body of a good answer. Raises BackendError."""
        try:
            return await self.attempt(call)
        except Trouble as trouble:
            raise trouble.error() from None

    async def attempt(self, call: Call) -> bytes:
        """The body of a good answer. Raises Trouble or, where no node is up, BackendError."""
        self._budget.earn()
        node = self._next()
        if node is None:
            raise BackendError("no node of it is up")
        try:
            return await node.ask(call)
        except Trouble as trouble:
            other = self._other(node, trouble)
            if other is None:
                raise
            why = trouble.kind.name.lower()
            log.info("asked again", extra={"node": node.host, "why": why, "status": trouble.status})
        return await other.ask(call)

    async def close(self) -> None:
        """Close every node."""
        await asyncio.gather(*(node.close() for node in self._nodes))

    def _next(self, instead_of: Node | None = None) -> Node | None:
        """The next node that is up, another one if there is one."""
        up = [node for node in self._nodes if not node.down]
        others = [node for node in up if node is not instead_of] or up
        if not others:
            return None
        self._turn += 1
        return others[self._turn % len(others)]

    def _other(self, node: Node, trouble: Trouble) -> Node | None:
        """Who is asked once more, if anybody: never for what an engine has begun to work on, never
        when it says that it has too much to do, never beyond the budget.
        """
        other = self._next(node)
        if other is None or not self._safe(trouble, elsewhere=other is not node):
            return None
        return other if self._budget.take() else None

    def _safe(self, trouble: Trouble, *, elsewhere: bool) -> bool:
        if trouble.kind is Kind.STALE:
            return True
        if trouble.kind in UNCONNECTED:
            return elsewhere
        # A shadow adds no work to an engine that is in trouble.
        return trouble.status in PASSING and self._role == "live"
