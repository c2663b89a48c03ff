"""The OpenSearch backend: versions 2 and 3, through the project's own client."""

from __future__ import annotations

import asyncio
import logging
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, Final, Literal, cast
from urllib.parse import urlencode

import msgspec
from opensearchpy import (
    AIOHttpConnection,
    AsyncOpenSearch,
    AWSV4SignerAsyncAuth,
    ConnectionError,
    JSONSerializer,
    OpenSearchWarning,
    TransportError,
)
from yarl import URL

from config.problems import problem
from proxy.backends.cluster.node import Call
from proxy.backends.cluster.recipe import ClusterRecipe, Connecting
from proxy.backends.cluster.requests.target import Engine, EngineKind
from proxy.backends.cluster.session import Answer, session
from proxy.backends.cluster.trouble import refusal, trouble_of

LOGGERS: Final = ("opensearch", "opensearchpy.trace")
SIGNING: Final = "botocore"
PATIENCE: Final = 60
"""The client's own limit: above every budget, of which none is its business."""


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

    async def client(self, to: Connecting) -> Opened:
        """OpenSearch's client to one node, with its session made: it would be on the first call.

        Raises ValueError where Amazon's credentials are not to be found.
        """
        signer = None if self.aws is None else await Signer.of(self.aws, to.url)
        made = Opened(to, self.basic(), self._headers(), signer)
        await made.connect()
        return made

    def _headers(self) -> dict[str, str]:
        if self.bearer_env is None:
            return {}
        return {"authorization": f"Bearer {os.environ[self.bearer_env]}"}


class Opened:
    """One official client to one node, with its own retries, pools and logs out of the way."""

    def __init__(
        self,
        to: Connecting,
        basic: tuple[str, str] | None,
        headers: Mapping[str, str],
        signer: Signer | None,
    ) -> None:
        self._signer = signer
        _quiet()
        self._client = AsyncOpenSearch(
            [
                {
                    "host": to.url.host,
                    "port": to.url.port,
                    "url_prefix": to.url.path.strip("/"),
                    "use_ssl": to.url.scheme == "https",
                }
            ],
            connection_class=_connection_class(to),
            serializer=AsItCame(),
            http_auth=basic,
            headers=dict(headers),
            opaque_id=f"shadowrank-{to.role}",
            http_compress=False,
            max_retries=0,
            retry_on_timeout=False,
            retry_on_status=(),
            timeout=PATIENCE,
        )

    async def connect(self) -> None:
        """Make what the client would make on its first call."""
        await self._client.__aenter__()

    async def ask(self, call: Call) -> bytes:
        """The body of a good answer. Raises Trouble."""
        signed = None if self._signer is None else await self._signer.headers(call)
        try:
            answer = await self._client.transport.perform_request(
                call.method,
                call.path,
                params=dict(call.params),
                body=call.body,
                headers=signed,
            )
        except ConnectionError as exc:
            raise trouble_of(cast(Exception, exc.info)) from None
        except TransportError as exc:
            raise refusal(int(exc.status_code), msgspec.json.encode(exc.info)) from None
        return bytes(answer)

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()


class Signer:
    """Signs requests to one node for Amazon (SigV4)."""

    def __init__(self, aws: Aws, url: URL, credentials: Any) -> None:
        self._sign = AWSV4SignerAsyncAuth(credentials, aws.region, aws.service)
        self._credentials = credentials
        self._base = str(url).rstrip("/")

    @classmethod
    async def of(cls, aws: Aws, url: URL) -> Signer:
        """With the credentials of the environment, which may have to be asked for."""
        session = import_module(f"{SIGNING}.session").get_session()
        credentials = await asyncio.to_thread(session.get_credentials)
        if credentials is None:
            raise ValueError("aws: no credentials are in the environment; see docs/clusters.md")
        return cls(aws, url, credentials)

    async def headers(self, call: Call) -> dict[str, str]:
        """What says who asks, and that it asks just this."""
        stale = getattr(self._credentials, "refresh_needed", None)
        if stale is not None and stale():  # asks Amazon, and would hold up everything else
            await asyncio.to_thread(self._credentials.get_frozen_credentials)
        query = f"?{urlencode(call.params)}" if call.params else ""
        return self._sign(call.method, f"{self._base}{call.path}{query}", call.body)


class AsItCame(JSONSerializer):
    """Hands the engine's bytes through: they are decoded once, into what is expected of them."""

    def loads(self, s: Any) -> Any:
        """The same."""
        return s


class Bytes(Answer):
    """An answer whose text is its bytes, which the client has no name for."""

    async def text(self, encoding: Any = None, errors: str = "strict") -> Any:
        """The bytes."""
        return await self.read()


def _connection_class(to: Connecting) -> type[AIOHttpConnection]:
    class Connection(AIOHttpConnection):
        """The project's connection over a session of ours."""

        async def _create_aiohttp_session(self) -> None:
            self.loop = asyncio.get_running_loop()
            self.session = session(to.pool, to.patience, to.context, Bytes)

    return Connection


def _quiet() -> None:
    """The client logs addresses, and bodies below that; its warnings may quote a query."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", OpenSearchWarning)
