"""A configuration fit to be shown: secrets don't stand in it, and what might be one isn't shown."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel

from config.named import Pairs
from config.schema import Part

HIDDEN: Final = "(hidden)"
_SECRET: Final = re.compile(r"(password|secret|token|credential|authorization|_?key)s?$", re.I)


def redacted(value: object, key: str = "") -> object:
    """The value as its file would say it, with secrets hidden by key and credentials cut from URLs.

    >>> redacted(Pairs([("api_key", "x"), ("api_key_env", "KEY"), ("hosts", ("http://u:p@os",))]))
    {'api_key': '(hidden)', 'api_key_env': 'KEY', 'hosts': ['http://(hidden)@os']}
    """
    match value:
        case Part():
            return {"kind": value.kind, **{k: redacted(item, k) for k, item in value.options}}
        case BaseModel():
            return {k: redacted(item, k) for k, item in value}
        case Pairs():
            return {k: redacted(item, k) for k, item in value}
        case tuple():
            return [redacted(item, key) for item in value]
        case str():
            return HIDDEN if _SECRET.search(key) else _without_credentials(value)
    return value


def _without_credentials(text: str) -> str:
    if "://" not in text or "@" not in text:
        return text
    parts = urlsplit(text)
    return urlunsplit(parts._replace(netloc=f"{HIDDEN}@{parts.netloc.rpartition('@')[2]}"))
