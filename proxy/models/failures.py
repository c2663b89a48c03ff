"""A model service's failures as ours. No message quotes an answer: it may repeat text or key."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from proxy.errors import BackendError, BackendRefused, BackendTimeout

SLOW: Final = frozenset({408, 504})
"""Statuses of a service, or of what stands before it, that took too long."""
NOT_OURS: Final = frozenset({424, 425, 429})
"""Statuses below 500 that aren't about the question: the model failed, or it has too much to do."""

_CODE: Final = re.compile(r"[A-Za-z][A-Za-z_.-]{1,39}")


def refusal(status: int, code: str | None = None) -> BackendError:
    """What a status that isn't 200 means; `code` is the service's own word for it."""
    said = f"HTTP {status}" if code is None else f"HTTP {status} ({code})"
    if status in SLOW:
        return BackendTimeout(said)
    if 400 <= status < 500 and status not in NOT_OURS:
        return BackendRefused(said)
    return BackendError(said)


def code(body: bytes) -> str | None:
    """The word by which a service names an error, where it is only a word.

    >>> code(b'{"error": {"code": "invalid_api_key", "message": "Incorrect key: sk-1"}}')
    'invalid_api_key'
    >>> code(b'{"error": "Model is overloaded", "error_type": "Overloaded"}')
    'Overloaded'
    """
    try:
        answer = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if not isinstance(answer, dict):
        return None
    inner = answer.get("error")
    told = inner if isinstance(inner, dict) else {}
    words = (told.get("code"), told.get("type"), answer.get("error_type"))
    return next((word for word in words if isinstance(word, str) and _CODE.fullmatch(word)), None)
