"""Real engines, one alive at a time: tests are grouped by engine, and each is started once.

`engine` runs a test on every engine. `@pytest.mark.engines("opensearch-2", ...)` takes some of
them; a kind (`"opensearch"`) takes all of that kind. With ELASTICSEARCH_URL or OPENSEARCH_URL in
the environment the tests run on those clusters instead, in indices of a prefix of their own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from tests.conftest import Require
from tests.engines.cluster import Engine, Vector, at
from tests.engines.node import Node
from tests.engines.recipes import RECIPES
from tests.engines.runtimes import Missing
from tests.engines.scifact import Collection, of_folder, shipped

URLS = {"elasticsearch": "ELASTICSEARCH_URL", "opensearch": "OPENSEARCH_URL"}
GIVEN = {kind: os.environ[name] for kind, name in URLS.items() if os.environ.get(name)}
BUILDING_S = 900
"""An engine may have to be fetched and built before its first test."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "engines(*names): run on these engines or kinds only")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give the test each engine that it is for."""
    if "engine" not in metafunc.fixturenames:
        return
    wanted = _wanted(metafunc.definition)
    names: list[Any]
    if GIVEN:  # which version it is shows when it is asked
        kinds = {name.partition("-")[0] for name in wanted}
        names = [kind for kind in GIVEN if not wanted or kind in kinds]
        given = " and ".join(URLS[kind] for kind in GIVEN)
        reason = f"for {', '.join(sorted(wanted))}; the environment gives only {given}"
        if not names:
            names = [pytest.param(None, marks=pytest.mark.skip(reason=reason))]
    else:
        names = [
            name for name, recipe in RECIPES.items() if not wanted or {name, recipe.kind} & wanted
        ]
    metafunc.parametrize("engine", names, indirect=True, scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "engine" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(BUILDING_S))


@pytest.fixture(scope="session")
def engine(
    request: pytest.FixtureRequest, require: Require, say: Callable[[str], None]
) -> Iterator[Engine]:
    """A running engine without an index."""
    if request.param in GIVEN:
        yield at(GIVEN[request.param], request.param)
        return
    recipe = RECIPES[request.param]
    try:
        node = Node(recipe, say=say)
    except Missing as exc:
        require(None, exc.what, exc.remedy)
        raise
    try:
        yield Engine(recipe.name, recipe.kind, recipe.version, node.url)
    finally:
        node.stop()


@pytest.fixture(autouse=True)
def _of_its_version(request: pytest.FixtureRequest) -> None:
    """Skip what is not for the version of the cluster that was given."""
    if GIVEN and "engine" in request.fixturenames:
        engine, wanted = request.getfixturevalue("engine"), _wanted(request.node)
        if wanted and not {engine.name, engine.kind} & wanted:
            pytest.skip(f"for {', '.join(sorted(wanted))}; this is {engine.name}")


@pytest.fixture
def new_index(engine: Engine) -> Iterator[Callable[..., str]]:
    """`new_index("name", fields, vectors, documents=[...])`: an index that goes with the test."""
    made = list[str]()

    def make(
        name: str,
        fields: dict[str, Any],
        vectors: dict[str, Vector] | None = None,
        documents: list[dict[str, Any]] | None = None,
        settings: dict[str, Any] | None = None,
    ) -> str:
        made.append(engine.create(name, fields, vectors, settings))
        engine.load(made[-1], documents or [])
        return made[-1]

    yield make
    for index in made:
        engine.drop(index)


@pytest.fixture(scope="session")
def scifact(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """SciFact: 5,183 documents, their embeddings, 300 claims with judgments."""
    return shipped(tmp_path_factory.mktemp("scifact"))


@pytest.fixture(scope="session")
def scifact_index(engine: Engine, scifact: Collection) -> Iterator[str]:
    """SciFact in this engine: title and text (english), id (keyword), embedding."""
    index = scifact.load(engine, "scifact")
    yield index
    engine.drop(index)


@pytest.fixture(scope="session")
def collection(data_dir: Any) -> Callable[[str], Collection]:
    """`collection("cranfield")`: a set of the data folder."""
    return lambda name: of_folder(data_dir / name)


@pytest.fixture(scope="session")
def say(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Tells whoever waits what takes so long, past pytest's capturing."""
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def tell(message: str) -> None:
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            print(f"\n{message}", flush=True)

    return tell


def _wanted(node: Any) -> set[str]:
    """The engines that a test's marks name; nothing is all."""
    return {name for mark in node.iter_markers("engines") for name in mark.args}
