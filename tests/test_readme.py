"""What the documents say must be true of the tree: links lead somewhere, the example is sound."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from config.loader import load
from proxy.build import build

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "demo/data/ATTRIBUTION.md")
)
README = (ROOT / "README.md").read_text()
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
    (block,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    (tmp_path / "config").symlink_to(ROOT / "config")
    (tmp_path / "faq.yaml").write_text(block)

    loaded = load(tmp_path / "faq.yaml", {"SHADOWRANK_ADMIN_TOKEN": "a token for tests"})

    assert () == loaded.problems
    assert {"rrf60", "rrf20", "minmax", "words"} == build(loaded).pipelines.keys()


def test_the_commands_by_example_work_as_they_are_written(tmp_path: Path):
    """
    In a clone whose `.venv` is there, the example is copied out and has no mistake.
    """
    (commands,) = re.findall(r"```\n(sed -n .*?)```\n\n", README, re.DOTALL)
    for name in ("README.md", "config"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(Path(sys.executable).parent)

    done = subprocess.run(
        ("sh", "-ec", commands), cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (0, "") == (done.returncode, done.stderr)
    assert "faq" in done.stdout


def test_every_decision_is_short_and_listed():
    """
    One page each, in the index.
    """
    index = (ROOT / "docs" / "README.md").read_text()

    for decision in (ROOT / "docs" / "decisions").iterdir():
        assert len(decision.read_text().splitlines()) <= 40
        assert f"decisions/{decision.name}" in index
