"""The OpenSearch backend: versions 2 and 3, through the project's own client."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import ClassVar, Final, Literal

from yarl import URL

from config.problems import problem
from proxy.backends.cluster.node import Client
from proxy.backends.cluster.recipe import ClusterRecipe, Connecting
from proxy.backends.cluster.requests.target import Engine, EngineKind

CLIENT: Final = "proxy.backends.cluster.opensearch_py"
"""It takes half a second to import, for which only who uses it should wait."""
SIGNING: Final = "botocore"


@dataclass(frozen=True, slots=True)
class Aws:
    """A domain of Amazon's: requests are signed with what the environment says who we are.

    `service` is `es` for a domain, `aoss` for a serverless collection.
    """

    region: str
    service: Literal["es", "aoss"] = "es"


@dataclass(frozen=True, slots=True)
class OpenSearch(ClusterRecipe):
    """A cluster of OpenSearch 2 or 3, by the URLs of its nodes."""

    kind: ClassVar[EngineKind] = "opensearch"
    logins: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "basic": ("username_env", "password_env"),
        "bearer": ("bearer_env",),
        "aws": ("aws",),
    }

    aws: Aws | None = None

    def __post_init__(self) -> None:
        if not self.hosts:
            raise ValueError(problem("hosts", "at least one is needed"))
        ClusterRecipe.__post_init__(self)

    def nodes(self) -> tuple[URL, ...]:
        """Where its nodes are."""
        return tuple(URL(host) for host in self.hosts)

    @property
    def assumed(self) -> Engine | None:
        """A serverless collection doesn't say what it is: it is a late OpenSearch 2."""
        serverless = self.aws is not None and self.aws.service == "aoss"
        return Engine("opensearch", (2, 17)) if serverless else None

    def faults(self) -> list[str]:
        """Which of its files are not there, and what signs requests."""
        missing = self.aws is not None and find_spec(SIGNING) is None
        signing = [problem("aws", "needs botocore: pip install 'shadowrank[aws]'")]
        return [*ClusterRecipe.faults(self), *(signing if missing else ())]

    async def client(self, to: Connecting) -> Client:
        """OpenSearch's client to one node, with its session made: it would be on the first call.

        Raises ValueError where Amazon's credentials are not to be found.
        """
        await asyncio.to_thread(import_module, CLIENT)
        from proxy.backends.cluster.opensearch_py import OpenSearchPy, Signer, basic

        aws = self.aws
        signer = None if aws is None else await Signer.of(aws.region, aws.service)
        named = self.basic()
        headers = self._bearer() if named is None else basic(*named)
        made = OpenSearchPy(to, headers, signer)
        await made.connect()
        return made

    def _bearer(self) -> dict[str, str]:
        if self.bearer_env is None:
            return {}
        return {"authorization": f"Bearer {os.environ[self.bearer_env]}"}
