"""Structured logs of both services: a JSON object a line on stderr, the message a constant event.

What varies stands in `extra`. Query text, users and documents are never logged; an exception's
message may quote them, so of an exception only its type and its frames are.
"""

from __future__ import annotations

import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

LEVELS: Final = ("debug", "info", "warning", "error")
CHATTY: Final = ("elastic_transport", "elasticsearch", "opensearch", "httpx", "httpcore")
"""They log a line a call with its URL, and bodies below that: searches, so never."""
MAX_FRAMES: Final = 12
_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON: time, level, logger, event, then what `extra` holds."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line.update((key, value) for key, value in vars(record).items() if key not in _STANDARD)
        if record.exc_info and record.exc_info[1] is not None:
            line.update(_exception(record.exc_info[1]))
        return msgspec.json.encode(line, enc_hook=str).decode()


def configure(level: str) -> None:
    """Send every log line of this process to stderr; aiohttp's access log stays off."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for chatty in CHATTY:
        logging.getLogger(chatty).setLevel(logging.WARNING)


def _exception(exc: BaseException) -> dict[str, object]:
    frames = traceback.extract_tb(exc.__traceback__)[-MAX_FRAMES:]
    where = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return {"error": type(exc).__name__, "frames": where}
