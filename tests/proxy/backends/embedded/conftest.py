"""Small corpora on disk, and engines over them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes documents (mappings, or a line as it is) as a corpus and says where."""

    def written(documents: Sequence[Mapping[str, Any] | str], name: str = "corpus.jsonl") -> Path:
        lines = [d if isinstance(d, str) else json.dumps(d) for d in documents]
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    return written
