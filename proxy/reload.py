"""Another configuration while serving: made whole beside the one in force, swapped or refused."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from config.errors import ConfigError
from config.schema import Settings
from proxy.clients import Parts
from proxy.errors import BackendError
from proxy.generation import Generation
from proxy.plan import Plan
from proxy.service import Service

log = logging.getLogger(__name__)


class Reloader:
    """Reads the configuration again when asked to. `read` builds the plan, off the event loop."""

    def __init__(self, read: Callable[[], Plan], parts: Parts, service: Service) -> None:
        self._read = read
        self._parts = parts
        self._service = service
        self._one = asyncio.Lock()
        self._retiring: set[asyncio.Task[None]] = set()

    async def reload(self) -> tuple[str, ...]:
        """Swap to what the file says now. Returns the problems for which nothing was changed."""
        async with self._one:
            problems = await self._replace()
        self._service.metrics.reload("failed" if problems else "ok").inc()
        if problems:
            log.error("reload failed, the last configuration stays", extra={"problems": problems})
        else:
            log.info("configuration reloaded")
        return problems

    async def close(self) -> None:
        """Wait for the parts of replaced configurations to close."""
        await asyncio.gather(*self._retiring)

    async def _replace(self) -> tuple[str, ...]:
        service = self._service
        try:
            plan = await asyncio.to_thread(self._read)
        except ConfigError as exc:
            return exc.problems
        fixed = unchangeable(service.generation.plan.settings, plan.settings)
        if fixed:
            return tuple(f"{name}: can only change with a restart" for name in fixed)
        try:
            lease = await self._parts.lease(plan)
        except ConfigError as exc:  # of a file that the configuration names
            return tuple(f"{exc.source}: {problem}" for problem in exc.problems)
        except BackendError as exc:
            return (str(exc),)
        replaced = service.swap(Generation(plan, lease))
        retiring = asyncio.create_task(replaced.retire())
        self._retiring.add(retiring)
        retiring.add_done_callback(self._retiring.discard)
        return ()


def unchangeable(old: Settings, new: Settings) -> tuple[str, ...]:
    """What differs and is read at start only."""
    pairs = {
        "server": (old.server, new.server),
        "secrets": (old.secrets, new.secrets),
        "events.redis": (old.events.redis, new.events.redis),
        "events.password_env": (old.events.password_env, new.events.password_env),
        "events.shards": (old.events.shards, new.events.shards),
        "state_dir": (old.state_dir, new.state_dir),
    }
    return tuple(name for name, (before, after) in pairs.items() if before != after)
