"""Bytes to answers, whatever it is that stands at the other end."""

from __future__ import annotations

from typing import Final

import msgspec

from proxy.backends.cluster.answers import MGET, NOTHING, SEARCH, MgetAnswer, SearchAnswer
from proxy.errors import BackendError

SHOWN: Final = 40
"""So many characters are repeated of what isn't JSON, and so is no document's."""


class _Shape(msgspec.Struct):
    hits: msgspec.Raw = NOTHING
    docs: msgspec.Raw = NOTHING


_SHAPE: Final = msgspec.json.Decoder(_Shape)


def decoded(data: bytes) -> SearchAnswer | MgetAnswer | None:
    """The answer of a search or an `_mget`, known by its first key; None for any other answer.

    Raises BackendError for half of one, or one of another shape.
    """
    try:
        if data.startswith(b'{"took":'):
            return SEARCH.decode(data)
        if data.startswith(b'{"docs":'):
            return MGET.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as exc:
        raise _strange(data, exc) from exc
    return None


def answered(answer: object) -> SearchAnswer | MgetAnswer:
    """The answer that bytes, or the plain value that a client made of them, hold.

    Raises BackendError for anything else.
    """
    if isinstance(answer, SearchAnswer | MgetAnswer):
        return answer
    data = answer if isinstance(answer, bytes) else _encoded(answer)
    return decoded(data) or _told_apart(data)


def _encoded(answer: object) -> bytes:
    try:
        return msgspec.json.encode(answer)
    except (TypeError, ValueError, RecursionError) as exc:
        kind = type(answer).__name__
        raise BackendError(f"the engine's answer is not as documented, but of type {kind}") from exc


def _told_apart(data: bytes) -> SearchAnswer | MgetAnswer:
    """An answer whose keys come in another order than the engines write them."""
    try:
        return MGET.decode(data) if _SHAPE.decode(data).docs else SEARCH.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as exc:
        raise _strange(data, exc) from exc


def _strange(data: bytes, cause: Exception) -> BackendError:
    """What came instead, without anything of a document."""
    if isinstance(cause, msgspec.ValidationError):
        return BackendError(f"the engine's answer is not as documented: {cause}")
    start = data[: 4 * SHOWN].decode(errors="replace").strip()
    if start.startswith(("{", "[")):
        return BackendError(f"the engine's answer is not whole JSON ({len(data)} bytes)")
    return BackendError(f"the engine's answer is not JSON: it begins with {start[:SHOWN]!r}")
