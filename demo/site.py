"""The running services as seen from outside: their addresses, and requests to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import ClientSession

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

    async def ask(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """POST to the proxy: `/admin/…` goes to its private port, with the token.

        Raises aiohttp's ClientError for an error answer.
        """
        private = path.startswith("/admin/")
        headers = {"Authorization": f"Bearer {self.token}"} if private else {}
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
