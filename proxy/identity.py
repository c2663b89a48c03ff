"""Who asked what, as keyed hashes: nothing that the log or a decision holds leads back to a person.

HMAC-SHA256, 16 bytes, each kind of input under its own label, so that a user and a session of the
same spelling differ.
"""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Sequence
from struct import pack
from typing import Final

import msgspec

from proxy.model import AllOf, AnyOf, Exists, Filter, Not, Query, Range, Terms

HASH_BYTES: Final = 16


class Identity:
    """The hashes under one secret. Another secret makes every user and query a new one."""

    def __init__(self, secret: bytes) -> None:
        self._keyed = hmac.new(secret, digestmod="sha256")

    def user(self, value: str) -> bytes:
        """What stands for a user that the client named."""
        return self._hash(b"user", value.encode())

    def session(self, value: str) -> bytes:
        """What stands for a session that the client named."""
        return self._hash(b"session", value.encode())

    def query_key(self, query: Query) -> bytes:
        """What stands for everyone's asking of the same: the normalised text and the filters.

        A request without text is told apart by its vector.
        """
        text = normalised(query.text)
        vector = b"" if text or query.vector is None else _packed(query.vector)
        return self._hash(b"query", text.encode(), canonical(query.filters), vector)

    def _hash(self, *fields: bytes) -> bytes:
        hasher = self._keyed.copy()
        hasher.update(b"".join(len(field).to_bytes(4, "big") + field for field in fields))
        return hasher.digest()[:HASH_BYTES]


def normalised(text: str) -> str:
    """The text as everyone might have typed it: NFKC, case folded, single spaces, and no outer
    punctuation.

    >>> normalised('  "Can I  still JOIN?" ')
    'can i still join'
    """
    spaced = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    start, end = 0, len(spaced)
    while start < end and _is_outer(spaced[start]):
        start += 1
    while end > start and _is_outer(spaced[end - 1]):
        end -= 1
    return spaced[start:end]


def canonical(filters: Sequence[Filter]) -> bytes:
    """The filters as bytes that neither their order nor that of their values changes."""
    return msgspec.msgpack.encode(sorted(_canonical(clause) for clause in filters))


def _canonical(clause: Filter) -> bytes:
    """One filter as bytes, the order within it taken out."""
    said: object
    match clause:
        case Terms(field, values):
            said = ["terms", field, sorted({_typed(value) for value in values})]
        case Range(field, gte, gt, lte, lt):
            said = ["range", field, [_typed(bound) for bound in (gte, gt, lte, lt)]]
        case Exists(field):
            said = ["exists", field]
        case Not(given):
            said = ["not", _canonical(given)]
        case AnyOf(several):
            said = ["any", sorted(map(_canonical, several))]
        case AllOf(several):
            said = ["all", sorted(map(_canonical, several))]
    return msgspec.msgpack.encode(said)


def _typed(value: object) -> str:
    """A scalar that tells true from 1 and from "1"."""
    return f"{type(value).__name__}:{value}"


def _packed(vector: Sequence[float]) -> bytes:
    return pack(f"<{len(vector)}d", *vector)


def _is_outer(char: str) -> bool:
    return char == " " or unicodedata.category(char).startswith("P")
