"""Texts as they are sent to a model: cut to its budget, and always Unicode."""

from __future__ import annotations

from proxy.errors import BackendRefused


def query(text: str, most: int, prefix: str = "") -> str:
    """The first `most` characters of a query after `prefix`. Raises BackendRefused for no Unicode.

    One text that can't be sent must not fail those that would have been sent along with it.
    """
    cut = text[:most]
    if not _is_unicode(cut):
        raise BackendRefused("the text is no Unicode")
    return prefix + cut


def document(text: str, most: int) -> str:
    """The first `most` characters of a document, what is no Unicode replaced.

    >>> document("caf\\ud800", 10)
    'caf?'
    """
    cut = text[:most]
    return cut if _is_unicode(cut) else cut.encode("utf-8", "replace").decode()


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a surrogate of its own
        return False
    return True
