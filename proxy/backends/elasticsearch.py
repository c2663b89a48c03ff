"""The Elasticsearch backend: versions 8 and 9, through Elastic's own client."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar, Final

from yarl import URL

from config.problems import problem
from proxy.backends.cluster.node import Client
from proxy.backends.cluster.recipe import ClusterRecipe, Connecting
from proxy.backends.cluster.requests.target import EngineKind

CLIENT: Final = "proxy.backends.cluster.elasticsearch_py"
"""It takes half a second to import, for which only who uses it should wait."""


@dataclass(frozen=True, slots=True)
class Elasticsearch(ClusterRecipe):
    """A cluster of Elasticsearch 8 or 9, by the URLs of its nodes or by its Elastic Cloud ID."""

    kind: ClassVar[EngineKind] = "elasticsearch"
    logins: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "basic": ("username_env", "password_env"),
        "api_key": ("api_key_env",),
        "bearer": ("bearer_env",),
    }

    cloud_id_env: str | None = None
    api_key_env: str | None = None

    def __post_init__(self) -> None:
        if bool(self.hosts) == (self.cloud_id_env is not None):
            raise ValueError(problem("hosts", "or cloud_id_env is needed, one of them"))
        ClusterRecipe.__post_init__(self)

    def nodes(self) -> tuple[URL, ...]:
        """Where its nodes are; a Cloud ID names one. Raises ValueError for what is no Cloud ID."""
        if self.cloud_id_env is None:
            return tuple(URL(host) for host in self.hosts)
        from proxy.backends.cluster.elasticsearch_py import cloud

        try:
            return (cloud(os.environ[self.cloud_id_env]),)
        except ValueError:
            what = "holds no Cloud ID of an Elasticsearch; copy it from the deployment's page"
            raise ValueError(problem("cloud_id_env", what)) from None

    async def client(self, to: Connecting) -> Client:
        """Elastic's client to one node."""
        await asyncio.to_thread(import_module, CLIENT)
        from proxy.backends.cluster.elasticsearch_py import Elastic

        return Elastic(
            to,
            basic_auth=self.basic(),
            api_key=_secret(self.api_key_env),
            bearer_auth=_secret(self.bearer_env),
        )


def _secret(name: str | None) -> str | None:
    return None if name is None else os.environ[name]
