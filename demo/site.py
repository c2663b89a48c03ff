"""The running services as seen from outside: their addresses, and requests to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import ClientError, ClientSession

from demo.configuration import Ports
from demo.scrape import Scrape, read


@dataclass(frozen=True, slots=True)
class Site:
    """Where the three listeners are, and what opens the admin API."""

    http: ClientSession
    ports: Ports
    token: str

    @property
    def public(self) -> str:
        """The proxy's public API."""
        return f"http://127.0.0.1:{self.ports.public}"

    @property
    def admin(self) -> str:
        """The proxy's private port."""
        return f"http://127.0.0.1:{self.ports.admin}"

    @property
    def evaluator(self) -> str:
        """The evaluator's port."""
        return f"http://127.0.0.1:{self.ports.evaluator}"

    async def proxy_answers(self) -> bool:
        """Whether the proxy opens its admin API to our token: no other demo's would."""
        return await self._ok(f"{self.admin}/admin/config", self._token())

    async def evaluator_answers(self) -> bool:
        """Whether the evaluator has finished a round."""
        return await self._ok(f"{self.evaluator}/health/ready", {})

    async def ask(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """POST to the proxy: `/admin/…` goes to its private port, with the token.

        Raises aiohttp's ClientError for an error answer.
        """
        private = path.startswith("/admin/")
        headers = self._token() if private else {}
        url = (self.admin if private else self.public) + path
        async with self.http.post(url, json=body, headers=headers) as response:
            response.raise_for_status()
            answer: Mapping[str, Any] = await response.json()
            return answer

    async def scrape(self, url: str) -> Scrape:
        """The metrics of the proxy's private port or of the evaluator's."""
        async with self.http.get(f"{url}/metrics") as response:
            response.raise_for_status()
            return read(await response.text())

    def _token(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    async def _ok(self, url: str, headers: Mapping[str, str]) -> bool:
        try:
            async with self.http.get(url, headers=headers) as response:
                return response.ok
        except (ClientError, TimeoutError):
            return False
