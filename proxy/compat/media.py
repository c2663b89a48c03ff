"""Content types: what bodies come as, and what is mirrored to clients that ask for a version."""

from __future__ import annotations

import re
from typing import Final

from proxy.errors import BadRequest

JSON: Final = "application/json"
BODIES: Final = (
    JSON, "application/x-ndjson",
    "application/vnd.elasticsearch+json", "application/vnd.elasticsearch+x-ndjson",
)  # fmt: skip
VERSIONS: Final = ("8", "9")
"""Of Elasticsearch's API, which agree in all that is served here."""
_VERSIONED: Final = re.compile(
    r"application/vnd\.elasticsearch\+(?:x-nd)?json\s*;\s*compatible-with\s*=\s*\"?(\d{1,3})"
)


def version(accept: str, content_type: str) -> str | None:
    """The version that a client wants to be compatible with; None if it doesn't say.

    >>> version("application/vnd.elasticsearch+json; compatible-with=8,text/plain", "")
    '8'
    """
    wanted = {found[1] for said in (accept, content_type) for found in _VERSIONED.finditer(said)}
    for each in sorted(wanted):
        if each not in VERSIONS:
            raise BadRequest(
                f"a client compatible with version {each} is not served", choices=VERSIONS
            )
    return max(wanted, default=None)


def answer_type(wanted: str | None) -> str:
    """The content type of an answer to who wants that version.

    >>> answer_type("9")
    'application/vnd.elasticsearch+json;compatible-with=9'
    """
    return JSON if wanted is None else f"{BODIES[2]};compatible-with={wanted}"
