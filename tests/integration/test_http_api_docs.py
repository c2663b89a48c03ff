"""docs/http-api.md against the code: nothing that a client may meet is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proxy.answer import DEGRADED_REASONS
from proxy.metrics import REFUSALS
from proxy.model import COUNT_TO
from proxy.wire import events, facets, filters, search, shown
from proxy.wire.failures import CODES

PAGE = (Path(__file__).parents[2] / "docs" / "http-api.md").read_text()


@pytest.mark.parametrize(
    "names",
    [
        search.KEYS, filters.KINDS, filters.BOUNDS, facets.KEYS, shown.KEYS,
        events.KEYS, REFUSALS, DEGRADED_REASONS,
    ],
)  # fmt: skip
def test_every_name_is_there(names: tuple[str, ...]):
    """
    Keys, reasons for refusing an event, reasons for a degraded stage.
    """
    assert set() == set(names) - set(re.findall(r"`([a-z_]+)`", PAGE))


def test_every_code_is_there():
    """
    A client that sees a code finds it.
    """
    told = set(re.findall(r"`([a-z_]+)`", PAGE))

    assert set() == set(CODES.values()) - told


@pytest.mark.parametrize(
    "bound",
    [
        f"{search.MAX_QUERY:,} characters", f"{filters.MAX_FILTERS} filters",
        f"{filters.MAX_TERMS} values", f"{filters.MAX_TERM:,} characters each",
        f"up to {facets.MAX_FACETS} facets", f"1 to {facets.MAX_SIZE} values",
        f"default {facets.DEFAULT_SIZE}", f"up to {shown.MAX_FIELDS} paths",
        f"up to {shown.MAX_HIGHLIGHTS} fields", f"{shown.MAX_PATH} characters",
        f"{shown.MAX_TAG} characters", f"{COUNT_TO:,}",
        f"1 to {search.MAX_NAME} characters", f"up to {events.MAX_EVENTS}",
        f"1 to {events.MAX_DOC_ID} characters",
    ],
)  # fmt: skip
def test_every_bound_is_true(bound: str):
    """
    The page says what is enforced.
    """
    assert bound in PAGE
