"""demo.yaml and what becomes of it: each form must be a configuration that the services accept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config.loader import load
from demo import collection
from demo.configuration import (
    BROKEN,
    ROUTE,
    Config,
    Ports,
    fitted,
    roles,
    switched,
    template,
    without_embedder,
    write,
)
from proxy.build import build
from proxy.plan import Plan

ENVIRON = {"SHADOWRANK_ADMIN_TOKEN": "a token for tests"}
PIPELINES = {"bm25", "dense", "rrf60", "rrf20", "minmax50", "reranked", "misaligned"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo")
    collection.unpack(path)
    return path


def planned(config: Config, folder: Path) -> Plan:
    path = folder / "shadowrank.yaml"
    write(config, path)
    return build(load(path, ENVIRON))


@pytest.mark.parametrize("change", [template, lambda: switched(template())])
def test_it_is_a_configuration_without_a_problem(change: Callable[[], Config], folder: Path):
    """
    As it stands, and with the accident in it.
    """
    assert PIPELINES == planned(change(), folder).pipelines.keys()


def test_without_a_model_it_takes_vectors_of_the_request(folder: Path):
    """
    No leg and no reranker asks an embedder, and the length of a vector is known.
    """
    route = planned(without_embedder(template()), folder).routes[ROUTE]

    assert route.embedder is None
    assert 384 == route.dimension


def test_fitting_sets_ports_folder_and_window(folder: Path):
    """
    Everything else stays as the file says.
    """
    fit = fitted(template(), folder / "state", Ports(1001, 1002, 1003), 7.5)

    settings = planned(fit, folder).settings
    assert (1001, 1002) == (settings.server.port, settings.server.admin.port)
    assert 1003 == settings.evaluator.admin.port
    assert str(folder / "state") == settings.state_dir
    assert 7.5 == settings.evaluator.served_window
    assert (1.0, 5.0) == (settings.judging.satisfied, settings.evaluator.settle)


def test_nothing_changes_what_it_was_given():
    """
    The accident is undone by writing the first value again.
    """
    config = template()

    fitted(config, Path("state"), Ports(1, 2, 3), 1.0)
    switched(config)
    without_embedder(config)

    assert template() == config


def test_the_accident_makes_the_broken_pipeline_live():
    """
    All users get it, and no shadow runs meanwhile.
    """
    assert ((BROKEN, "live"),) == roles(switched(template()))


def test_every_pipeline_has_one_role():
    """
    Live comes first, and all others are shadows.
    """
    found = roles(template())

    assert ("rrf60", "live") == found[0]
    assert PIPELINES == {name for name, _ in found}
    assert {"shadow"} == {role for _, role in found[1:]}


def test_a_written_file_is_for_people(tmp_path: Path):
    """
    No alias stands in it, and no half-written neighbour is left.
    """
    write(template(), tmp_path / "c.yaml")

    assert "&" not in (tmp_path / "c.yaml").read_text()
    assert ["c.yaml"] == [path.name for path in tmp_path.iterdir()]
