"""What the configuration says of a cluster, whichever of the two engines it is."""

from __future__ import annotations

import asyncio
import os
import ssl
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final, Self

import numpy as np
from yarl import URL

from config.errors import ConfigError
from config.problems import problem
from proxy.backends import Question, Read
from proxy.backends.cluster.addresses import host_problems, is_sha256
from proxy.backends.cluster.caller import Caller
from proxy.backends.cluster.cluster import Cluster
from proxy.backends.cluster.indices import Indices
from proxy.backends.cluster.inspection.asking import Inspection
from proxy.backends.cluster.node import Client, Node
from proxy.backends.cluster.requests import Engine, Reach, search_body
from proxy.backends.cluster.requests.target import EngineKind
from proxy.backends.cluster.tls import Trust, context
from proxy.errors import NotAsked
from proxy.legs import Leg
from proxy.model import Facet, Filter, Role

NEWEST: Final = (99, 0)
"""Nobody has asked yet which version it is: only what no version could do is a problem."""
FILES: Final = ("ca_file", "client_cert_file", "client_key_file")


@dataclass(frozen=True, slots=True)
class Connecting:
    """What a vendor's client is made of: one node, the connections it may hold, who is trusted
    (None: nothing is encrypted).
    """

    url: URL
    role: Role
    pool: int
    patience: float
    context: ssl.SSLContext | None


@dataclass(frozen=True, slots=True)
class ClusterRecipe(ABC):
    """How a cluster is reached. Secrets are read from the environment when it is opened.

    `hosts` are URLs of nodes, each with its port; `pool` is how many connections each gets, for
    live and for shadows apart. `id_field` has a copy of the `_id` in doc values. `refresh` is how
    often, in seconds, it is looked up what indices and aliases stand for.
    """

    kind: ClassVar[EngineKind]
    logins: ClassVar[Mapping[str, tuple[str, ...]]]
    """The ways to say who we are, each with its options; one of them, or none."""

    hosts: tuple[str, ...] = ()
    username_env: str | None = None
    password_env: str | None = None
    bearer_env: str | None = None
    ca_file: Path | None = None
    fingerprint: str | None = None
    client_cert_file: Path | None = None
    client_key_file: Path | None = None
    pool: int = 256
    connect_timeout_ms: int = 500
    fetch_timeout_ms: int = 1000
    refresh: float = 5.0
    id_field: str | None = None

    def __post_init__(self) -> None:
        for line in self._contradictions():
            raise ValueError(line)

    @property
    def assumed(self) -> Engine | None:
        """What it is, where that can't be asked."""
        return None

    @abstractmethod
    def nodes(self) -> tuple[URL, ...]:
        """Where its nodes are. Reads the environment if that says where."""

    @abstractmethod
    async def client(self, to: Connecting) -> Client:
        """The vendor's client to one node."""

    def at(self, folder: Path, state_dir: Path) -> Self:
        """The same with files read from `folder`."""
        given = {name: path for name in FILES if (path := getattr(self, name)) is not None}
        return replace(self, **{name: folder / path for name, path in given.items()})

    def faults(self) -> list[str]:
        """Which of its files are not there."""
        return [
            problem(name, "is not there", str(path))
            for name in FILES
            if (path := getattr(self, name)) is not None and not path.is_file()
        ]

    def problems(self, leg: Leg) -> Sequence[str]:
        """What no version of this engine can be asked."""
        question = Question("text", vector=np.ones(1, np.float32))
        try:
            search_body(Engine(self.kind, NEWEST), Reach(leg.index), leg, question, leg.timeout_ms)
        except NotAsked:
            return ()
        except ValueError as exc:
            return (str(exc),)
        return ()

    def filter_problems(self, index: str, given: Filter) -> Sequence[str]:
        """None: which fields an index has, only the cluster knows (`check --backends` asks)."""
        return ()

    def facet_problems(self, index: str, facet: Facet) -> Sequence[str]:
        """None, for the same reason."""
        return ()

    def dimension(self, index: str) -> int | None:
        """Unknown without asking."""
        return None

    async def inspect(self, name: str, reads: Sequence[Read]) -> Sequence[str]:
        """Ask the cluster: what is wrong, each a sentence with the remedy."""
        async with AsyncExitStack() as stack:
            try:
                nodes = await self.opened("live", stack)
            except ValueError as exc:
                return (str(exc),)
            login = next((options for options in self.logins.values() if self._uses(options)), ())
            tls = all(url.scheme == "https" for url in self.nodes())
            asking = Inspection(nodes, self.kind, login, self.id_field, tls, self.assumed)
            return await asking.sentences(reads)

    @asynccontextmanager
    async def open(self, name: str, role: Role) -> AsyncIterator[Cluster]:
        """Clients with connections of this role's own; a cluster that is down is no error.

        Raises ConfigError for certificates that aren't any.
        """
        async with AsyncExitStack() as stack:
            try:
                caller = Caller(await self.opened(role, stack), role)
            except ValueError as exc:
                raise ConfigError(f"backends.{name}", [f"backends.{name}.{exc}"]) from exc
            indices = Indices(caller, self.kind, self.id_field, self.refresh, self.assumed)
            stack.push_async_callback(indices.close)
            async with _running(indices):
                yield Cluster(caller, indices, self.fetch_timeout_ms)

    async def opened(self, role: Role, stack: AsyncExitStack) -> list[Node]:
        """A node for each host; `stack` closes them. Raises ValueError("option: what")."""
        patience = self.connect_timeout_ms / 1000
        found = []
        for url in await asyncio.to_thread(self.nodes):  # it may have to import a client
            secure = context(self._trust) if url.scheme == "https" else None
            client = await self.client(Connecting(url, role, self.pool, patience, secure))
            node = Node(f"{url.host}:{url.port}", client)
            stack.push_async_callback(node.close)
            found.append(node)
        return found

    @property
    def _trust(self) -> Trust:
        files = self.client_cert_file, self.client_key_file
        return Trust(self.ca_file, self.fingerprint, *files)

    def basic(self) -> tuple[str, str] | None:
        """The name and the password, where that is how we say who we are."""
        if self.username_env is None or self.password_env is None:
            return None
        return os.environ[self.username_env], os.environ[self.password_env]

    def _contradictions(self) -> Iterator[str]:
        yield from self._logins()
        for at, host in enumerate(self.hosts):
            yield from host_problems(f"hosts.{at}", host)
        encrypted = not self.hosts or any(host.startswith("https:") for host in self.hosts)
        for option in ("fingerprint", *FILES):
            if getattr(self, option) is not None and not encrypted:
                yield problem(option, "is of no use: no host is `https://`")
        if self.fingerprint is not None and not is_sha256(self.fingerprint):
            what = "is no SHA-256 fingerprint: 64 hexadecimal digits, with colons or without"
            yield problem("fingerprint", what, self.fingerprint)
        if self.client_key_file is not None and self.client_cert_file is None:
            yield problem("client_key_file", "is the key of no certificate; add client_cert_file")
        for option, low, high in (
            ("pool", 1, 10_000),
            ("connect_timeout_ms", 10, 60_000),
            ("fetch_timeout_ms", 10, 60_000),
            ("refresh", 1, 3600),
        ):
            if not low <= getattr(self, option) <= high:
                yield problem(option, f"is not {low} to {high}", getattr(self, option))

    def _uses(self, options: tuple[str, ...]) -> bool:
        return any(getattr(self, option) is not None for option in options)

    def _logins(self) -> Iterator[str]:
        """Half a login, or two of them."""
        used = []
        for options in self.logins.values():
            given = [option for option in options if getattr(self, option) is not None]
            if given and len(given) < len(options):
                missing = next(option for option in options if option not in given)
                yield problem(missing, f"is missing beside {given[0]}")
            used += given[:1]
        if len(used) > 1:
            yield problem(used[1], f"contradicts {used[0]}: say in one way who we are")


@asynccontextmanager
async def _running(indices: Indices) -> AsyncIterator[None]:
    """Look up beside what is done within."""
    keeping = asyncio.create_task(indices.keep())
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
