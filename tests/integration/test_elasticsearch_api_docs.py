"""docs/elasticsearch-api.md against the code: what is recognised, and true bounds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proxy.compat import (
    bodies,
    caps,
    facets,
    filters,
    lookups,
    paths,
    recognition,
    retrievers,
    texts,
)
from proxy.compat.parameters import OF_PAGE, OF_SOURCE, REASONS, SHAPING
from proxy.wire.facets import MAX_FACETS
from proxy.wire.filters import BOUNDS, MAX_TERMS
from proxy.wire.search import MAX_QUERY

PAGE = (Path(__file__).parents[2] / "docs" / "elasticsearch-api.md").read_text()


@pytest.mark.parametrize(
    "names",
    [
        tuple(texts.TEXTS), tuple(filters.CLAUSES), filters.BOOL[:-1], BOUNDS,
        tuple(retrievers.RETRIEVERS), tuple(facets.KINDS), recognition.REASONS,
        tuple(set(recognition.KEYS) - {"ext"}), OF_PAGE, OF_SOURCE, SHAPING, tuple(REASONS),
    ],
)  # fmt: skip
def test_every_name_is_there(names):
    """
    Clauses, keys and parameters that are recognised, and those refused with a reason of their own.
    """

    assert set() == set(names) - set(re.findall(r"`([a-z_]+)`", PAGE))


@pytest.mark.parametrize("path", [path for path, _ in paths.PATHS])
def test_every_path_is_there(path):
    """
    What is served is listed.
    """

    assert re.search(rf"[` ]{re.escape(path)}`", PAGE)


@pytest.mark.parametrize(
    "bound",
    [
        f"{caps.MAX_DEPTH} levels", f"{caps.MAX_CLAUSES} objects", f"{MAX_QUERY:,} characters",
        f"{MAX_TERMS} values", f"up to {MAX_FACETS}", f"up to {facets.MAX_BUCKETS:,} buckets",
        f"up to {bodies.MAX_SEARCHES} searches", f"up to {lookups.MAX_DOCUMENTS} of them",
        f"up to {recognition.COUNT_MOST:,}",
    ],
)  # fmt: skip
def test_every_bound_is_true(bound):
    """
    The page says what is enforced.
    """

    assert bound in PAGE


def test_the_example_is_recognised():
    """
    What the page shows works.
    """
    body = {"query": {"match": {"text": "can I still join"}}, "size": 1}

    assert isinstance(recognition.recognise(body, recognition.Limits(100)), recognition.Recognised)
