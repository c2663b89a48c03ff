"""What the configuration says of any model service: where, which model, how much, at what price."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from proxy.models import access
from proxy.models.access import Access

UNVERSIONED: Final = frozenset({
    "url", "api_key_env", "ca_file", "timeout_ms", "concurrency", "in_house", "price_per_1000",
})  # fmt: skip
"""Options that change no number that the model answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A model behind HTTP; every kind of embedder and reranker that is one adds its own options."""

    kind: ClassVar[str]
    outside: ClassVar[bool] = True
    """Whether the service is somebody else's unless `in_house` says otherwise."""

    url: str
    model: str
    api_key_env: str | None = None
    ca_file: Path | None = None
    timeout_ms: int = 500
    concurrency: int = 4
    max_characters: int = 8_000
    in_house: bool | None = None
    price_per_1000: float | None = None

    def __post_init__(self) -> None:
        access.check_url(self.url)
        if not self.model:
            raise ValueError("model: is empty")
        within("timeout_ms", self.timeout_ms, 1, 60_000)
        within("concurrency", self.concurrency, 1, 256)
        within("max_characters", self.max_characters, 1, 1_000_000)
        if self.price_per_1000 is not None and not 0 <= self.price_per_1000 < float("inf"):
            raise ValueError(f"price_per_1000: {self.price_per_1000} is no price")

    @property
    def third_party(self) -> bool:
        """Whether text leaves the house."""
        return self.outside if self.in_house is None else not self.in_house

    @property
    def identity(self) -> str:
        """The model and every option that changes what it answers."""
        left_out = self.unversioned()
        said = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name not in left_out
        }
        return f"{self.kind} {json.dumps(said, sort_keys=True)}"

    def unversioned(self) -> frozenset[str]:
        """The options that `identity` leaves out."""
        return UNVERSIONED

    def problems(self) -> list[str]:
        """A file that isn't there."""
        if self.ca_file is None or self.ca_file.is_file():
            return []
        return [f"there is no file {str(self.ca_file)!r}"]

    def at(self, folder: Path, state_dir: Path) -> Self:
        """The same with its path starting at the configuration's folder."""
        return self if self.ca_file is None else replace(self, ca_file=folder / self.ca_file)

    def access(self, where: str) -> Access:
        """The way to the service; reads the key. Raises ConfigError about `where`."""
        return Access(
            self.url.rstrip("/"),
            access.key(where, self.api_key_env),
            access.tls(where, self.ca_file),
            self.timeout_ms / 1000,
            self.concurrency,
        )


def within(field: str, value: Any, least: int, most: int) -> None:
    """Raises ValueError about `field` unless `value` is from `least` to `most`."""
    if not least <= value <= most:
        raise ValueError(f"{field}: {value} is not from {least} to {most}")
