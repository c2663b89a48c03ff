"""docs/http-api.md against the code: nothing that a client may meet is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proxy.metrics import REFUSALS
from proxy.model import DEGRADED_REASONS
from proxy.wire import events, search
from proxy.wire.failures import CODES

PAGE = (Path(__file__).parents[2] / "docs" / "http-api.md").read_text()


@pytest.mark.parametrize("names", [search.KEYS, events.KEYS, REFUSALS, DEGRADED_REASONS])
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
        f"{search.MAX_QUERY:,} characters", f"{search.MAX_FILTERS} filters",
        f"{search.MAX_TERMS} values", f"{search.MAX_TERM:,} characters each",
        f"1 to {search.MAX_NAME} characters", f"up to {events.MAX_EVENTS}",
        f"1 to {events.MAX_DOC_ID} characters",
    ],
)  # fmt: skip
def test_every_bound_is_true(bound: str):
    """
    The page says what is enforced.
    """
    assert bound in PAGE
