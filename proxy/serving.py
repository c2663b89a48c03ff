"""One proxy process: opened in order, closed in reverse, with what was taken finished."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from config.schema import Settings
from config.secrets import Secrets
from proxy.admin import private
from proxy.admin import told as told_private
from proxy.app import public, told
from proxy.background import Background
from proxy.clients import Parts
from proxy.door import Door
from proxy.events.redis_server import opened
from proxy.events.shards import claim
from proxy.generation import Generation
from proxy.identity import Identity
from proxy.intake import Intake
from proxy.listening import PRIVATE_CONNECTIONS, listening, room
from proxy.metrics import Metrics
from proxy.plan import Plan
from proxy.reload import Reloader
from proxy.service import Service
from proxy.tokens import Issuer
from proxy.trimming import Trimmer
from proxy.writer import Writer

log = logging.getLogger(__name__)

REDIS_SECONDS: Final = 1.0
"""How long the log waits for Redis to connect or to reply; no search ever does."""
DRAIN_SECONDS: Final = 10.0
"""How long requests in progress may take to end. With the two below, less than Kubernetes waits."""
SHADOW_SECONDS: Final = 2.0
FLUSH_SECONDS: Final = 5.0
HURRIED_SECONDS: Final = 0.2


class Grace:
    """How patient the end is: a second signal hurries it."""

    def __init__(self) -> None:
        self.hurried = False

    def seconds(self, usual: float) -> float:
        """What a step of the shutdown may take."""
        return HURRIED_SECONDS if self.hurried else usual


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """A process that serves. Addresses are (host, port), as bound; `tasks` end when it does."""

    service: Service
    reloader: Reloader
    public: tuple[str, int]
    private: tuple[str, int]
    tasks: tuple[asyncio.Task[None], ...]


@asynccontextmanager
async def running(
    plan: Plan, read: Callable[[], Plan], secrets: Secrets, grace: Grace
) -> AsyncIterator[Running]:
    """Serve `plan`; `read` makes the next one at a reload.

    Raises ConfigError for what only opening shows, `RedisMissing`, `ShardsChanged`, and OSError
    for a port that is taken. A Redis elsewhere that doesn't answer is no error.
    """
    settings = plan.settings
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(_redis(settings, secrets))
        await _claim(redis, settings.events.shards)
        parts = Parts()
        first = Generation(plan, await parts.lease(plan))
        metrics = Metrics(CollectorRegistry())
        writer = Writer(redis, settings.events.shards, metrics)
        background, issuer = Background(), Issuer(secrets.ids)
        identity = Identity(secrets.hmac)
        service = Service(first, identity, issuer, writer, background, metrics)
        reloader = Reloader(read, parts, service)
        stack.push_async_callback(_release, service, reloader, grace)
        tasks = await _log_tasks(stack, service, redis, grace)
        stack.push_async_callback(_end, background, grace)
        intake = Intake(issuer, writer, metrics, settings.events.shards)
        server = settings.server
        clock, limit = asyncio.get_running_loop().time, room(server.max_connections)
        admin = await stack.enter_async_context(listening(
            private(service, reloader, secrets.admin_token), server.admin.host, server.admin.port,
            Door("private", PRIVATE_CONNECTIONS, metrics, clock), told_private, DRAIN_SECONDS,
        ))  # fmt: skip
        api = await stack.enter_async_context(listening(
            public(service, intake, server.cors_origins), server.host, server.port,
            Door("public", limit, metrics, clock), told, DRAIN_SECONDS,
        ))  # fmt: skip
        yield Running(service, reloader, api, admin, tasks)


@asynccontextmanager
async def _redis(settings: Settings, secrets: Secrets) -> AsyncIterator[Redis]:
    """A client that gives up soon and never retries: the writer does, and knows what was lost."""
    async with opened(settings.events.redis, Path(settings.state_dir)) as url:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=4,
            timeout=REDIS_SECONDS,
            socket_timeout=REDIS_SECONDS,
            socket_connect_timeout=REDIS_SECONDS,
            retry=Retry(NoBackoff(), 0),
            **({} if secrets.redis_password is None else {"password": secrets.redis_password}),
        )
        async with Redis.from_pool(pool) as redis:
            yield redis


async def _claim(redis: Redis, shards: int) -> None:
    try:
        await claim(redis, shards)
    except (RedisError, OSError) as exc:
        log.warning("redis does not answer, serving all the same", extra={"reason": str(exc)})


async def _release(service: Service, reloader: Reloader, grace: Grace) -> None:
    """Close the parts once nobody holds them; a request that hangs doesn't keep the process."""
    with suppress(TimeoutError):
        async with asyncio.timeout(grace.seconds(DRAIN_SECONDS)):
            await service.generation.retire()
    await reloader.close()


async def _log_tasks(
    stack: AsyncExitStack, service: Service, redis: Redis, grace: Grace
) -> tuple[asyncio.Task[None], ...]:
    """Start writing and trimming; at the end the log is flushed."""
    writer = service.writer
    settings = service.generation.plan.settings
    trimmer = Trimmer(redis, settings.judging.session, settings.events.max_memory_mb << 20)
    writing = asyncio.create_task(writer.run())
    trimming = asyncio.create_task(trimmer.run(service.streams))

    async def flush() -> None:
        trimming.cancel()
        await writer.close(writing, grace.seconds(FLUSH_SECONDS))

    stack.push_async_callback(flush)
    return writing, trimming


async def _end(background: Background, grace: Grace) -> None:
    await background.close(grace.seconds(SHADOW_SECONDS))
