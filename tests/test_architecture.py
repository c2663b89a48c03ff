"""What holds of the whole tree: where things are, how large they are, and what they are called."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("config", "proxy", "evaluator")
TESTED = (*PACKAGES, "demo")
LONGEST = 250
CONFUSING = {
    "base.py", "common.py", "config.py", "helpers.py", "logging.py", "proxy.py", "statistics.py",
    "types.py", "utils.py",
}  # fmt: skip
"""Names that hide a standard module or a package of ours, or that say nothing."""

SOURCES = sorted(path for package in TESTED for path in (ROOT / package).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a file, at any depth."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def has_behaviour(path: Path) -> bool:
    """Whether any of its functions does something: nouns and protocols don't."""
    return any(
        not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for function in functions(path)
        for statement in function.body
    )


def mirror(source: Path) -> Path:
    """Where the test of a source file is."""
    relative = source.relative_to(ROOT)
    if source.name == "__init__.py":
        return ROOT / "tests" / relative.parent.parent / f"test_{source.parent.name}.py"
    return ROOT / "tests" / relative.parent / f"test_{source.stem.strip('_')}.py"


def name(path: Path) -> str:
    """The path as it is spoken of."""
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("source", list(filter(has_behaviour, SOURCES)), ids=name)
def test_every_source_file_has_its_test(source: Path) -> None:
    """
    Whoever changes a file knows where it is tested.
    """

    assert mirror(source).is_file(), f"{name(mirror(source))} is missing"


MIRRORED = [
    path
    for path in TESTS
    if path.parent != ROOT / "tests"
    and {"engines", "integration"}.isdisjoint(path.relative_to(ROOT).parts)
]


@pytest.mark.parametrize("test", MIRRORED, ids=name)
def test_every_test_file_has_its_source(test: Path) -> None:
    """
    A file of tests tests one file, one package, or one folder of files.
    """
    folder = ROOT / test.parent.relative_to(ROOT / "tests")
    stem = test.stem.removeprefix("test_")

    assert any(
        (folder / candidate).exists()
        for candidate in (f"{stem}.py", f"__{stem}__.py", f"{stem}.yaml", f"{stem}.md", stem)
    )


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_no_source_file_is_long(source: Path) -> None:
    """
    Past this length it is a design question.
    """

    assert len(source.read_text().splitlines()) <= LONGEST


def test_no_file_has_a_confusing_name() -> None:
    """
    Imports are absolute, and a reader should never wonder which module is meant.
    """

    assert [] == [name(path) for path in SOURCES if path.name in CONFUSING]


def test_nothing_is_left_undone() -> None:
    """
    What isn't built isn't hinted at.
    """
    unfinished = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")

    assert [] == [name(path) for path in SOURCES if unfinished.search(path.read_text())]


def test_nothing_is_mocked() -> None:
    """
    Fakes have behaviour, and engines and Redis are real.
    """
    mocked = re.compile(r"^\s*(from|import) unittest|\bmocker\b", re.MULTILINE)

    assert [] == [
        name(path) for path in TESTS if path != Path(__file__) and mocked.search(path.read_text())
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_our_packages_are_ours(package: str) -> None:
    """
    Another distribution that installs a package of such a plain name would replace our files.
    """

    assert {"shadowrank"} == set(packages_distributions()[package])


@pytest.mark.parametrize("package", PACKAGES)
def test_our_packages_say_that_they_are_typed(package: str) -> None:
    """
    A type checker reads annotations of packages with this mark only.
    """

    assert (ROOT / package / "py.typed").is_file()


def test_the_evaluator_is_kept_from_all_of_the_proxy_but_nouns_and_records() -> None:
    """
    The contract names what it forbids, so it must name everything else that there is.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = project["tool"]["importlinter"]["contracts"]
    (contract,) = (each for each in contracts if each["source_modules"] == ["evaluator"])
    there = {
        f"proxy.{path.stem}"
        for path in (ROOT / "proxy").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }

    assert there - {"proxy.__init__", "proxy.__main__", "proxy.model", "proxy.events"} == set(
        contract["forbidden_modules"]
    )


def test_the_model_is_pinned_alike_everywhere() -> None:
    """
    The lock holds the versions that pyproject.toml names and whose hashes the embedder checks.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    locked = (ROOT / "requirements-minilm.lock").read_text().splitlines()

    for pinned in project["project"]["optional-dependencies"]["minilm"]:
        assert any(line.startswith(f"{pinned} ") for line in locked)
