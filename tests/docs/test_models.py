"""Tests of docs/models.md."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from proxy.answer import DEGRADED_REASONS
from proxy.embedders.registry import EMBEDDERS
from proxy.rerankers.registry import RERANKERS

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()


def test_every_kind_has_its_row() -> None:
    """
    With whose it is unless told otherwise.
    """
    table = PAGE.split("## Kinds")[1].split("\n\n")[1].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    outside = {cells[1].strip("`"): cells[3] == "yes" for cells in rows[:4]}
    judges = {cells[1].strip("`"): cells[3] == "yes" for cells in rows[4:]}

    assert outside == {kind: getattr(made, "outside", False) for kind, made in EMBEDDERS.items()}
    assert judges == {kind: getattr(made, "outside", False) for kind, made in RERANKERS.items()}


def test_what_it_speaks_of_exists() -> None:
    """
    Options and reasons have not been renamed since.
    """
    words = set(re.findall(r"`([a-z_0-9]+)`", PAGE))
    kinds = (*EMBEDDERS.values(), *RERANKERS.values())
    options = {field.name for made in kinds for field in dataclasses.fields(made)}
    others = {
        "attention_mask", "embed", "false", "float", "input_ids", "invalid_api_key", "kind", "null",
        "rerank", "search_query", "third_party", "token_type_ids",
    }  # fmt: skip

    assert set() == words - options - others - {*EMBEDDERS, *RERANKERS} - {*DEGRADED_REASONS}
