"""Query ids: tokens that say which impression an event belongs to, and that only we can have made.

Base64url without padding over: key id (4 bytes), nonce (16), issue time (6, ms since the epoch),
shard (1), route (1 to 32), MAC (8, keyed blake2b over all before it). At most 91 characters.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from typing import Final, Literal, TypeAlias

from proxy.model import digest

NONCE_BYTES: Final = 16
MAC_BYTES: Final = 8
KEY_ID_BYTES: Final = 4
MAX_CHARS: Final = 100
_HEAD_BYTES: Final = KEY_ID_BYTES + NONCE_BYTES + 6 + 1
_SHAPE: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")

Forgery: TypeAlias = Literal["shape", "key", "mac"]
"""Why a text is no query id of ours: not the shape, no key of ours, or a wrong MAC."""


@dataclass(frozen=True, slots=True)
class Token:
    """What a query id says. `issued` is in ms since the epoch."""

    nonce: bytes
    route: str
    shard: int
    issued: int


class Issuer:
    """Writes query ids with the newest key and reads those of every key it holds."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        if not keys:
            raise ValueError("an issuer needs a key")
        self._keys = {_key_id(key): blake2b(key=_fit(key), digest_size=MAC_BYTES) for key in keys}
        self._newest = _key_id(keys[0])

    def write(self, token: Token) -> str:
        """The query id."""
        time, shard = token.issued.to_bytes(6, "big"), token.shard.to_bytes(1, "big")
        said = b"".join((self._newest, token.nonce, time, shard, token.route.encode()))
        return urlsafe_b64encode(said + self._mac(self._newest, said)).rstrip(b"=").decode()

    def read(self, text: str) -> Token | Forgery:
        """What the query id says, or why it is none; says nothing of its age."""
        if not _SHAPE.fullmatch(text):
            return "shape"
        try:
            raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        except ValueError:
            return "shape"
        said, mac = raw[:-MAC_BYTES], raw[-MAC_BYTES:]
        if len(said) <= _HEAD_BYTES:
            return "shape"
        if said[:KEY_ID_BYTES] not in self._keys:
            return "key"
        if not compare_digest(mac, self._mac(said[:KEY_ID_BYTES], said)):
            return "mac"
        return _parse(said)

    def _mac(self, key_id: bytes, said: bytes) -> bytes:
        hasher = self._keys[key_id].copy()
        hasher.update(said)
        return hasher.digest()


def _parse(said: bytes) -> Token:
    """The fields of what our own key has signed."""
    nonce = said[KEY_ID_BYTES : KEY_ID_BYTES + NONCE_BYTES]
    issued = int.from_bytes(said[_HEAD_BYTES - 7 : _HEAD_BYTES - 1], "big")
    return Token(nonce, said[_HEAD_BYTES:].decode(), said[_HEAD_BYTES - 1], issued)


def _key_id(key: bytes) -> bytes:
    """Names a key without telling it."""
    return digest(b"key id", key)[:KEY_ID_BYTES]


def _fit(key: bytes) -> bytes:
    """blake2b takes keys of up to 64 bytes; a longer one is hashed to that."""
    return key if len(key) <= 64 else blake2b(key).digest()
