"""What the documents say must be true of the tree: links lead somewhere, the example is sound."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from config.loader import load
from proxy.build import build

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "demo/data/ATTRIBUTION.md")
)
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file(document: Path):
    """
    A page that was moved takes its links along.
    """
    links = LINK.findall(document.read_text())

    assert [] == [link for link in links if not (document.parent / link).exists()]


def test_the_configuration_by_example_can_be_served(tmp_path: Path):
    """
    Who copies it starts without a mistake.
    """
    (block,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    (tmp_path / "examples").symlink_to(ROOT / "config" / "examples")
    (tmp_path / "readme.yaml").write_text(block)

    loaded = load(tmp_path / "readme.yaml", {"SHADOWRANK_ADMIN_TOKEN": "a token for tests"})

    assert () == loaded.problems
    assert {"rrf60", "rrf20", "minmax", "words"} == build(loaded).pipelines.keys()


def test_every_decision_is_short_and_listed():
    """
    One page each, in the index.
    """
    index = (ROOT / "docs" / "README.md").read_text()

    for decision in (ROOT / "docs" / "decisions").iterdir():
        assert len(decision.read_text().splitlines()) <= 40
        assert f"decisions/{decision.name}" in index
