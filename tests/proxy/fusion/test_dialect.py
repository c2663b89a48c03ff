"""What the copies of engines share."""

from __future__ import annotations

import pytest

from proxy.fusion import FUSIONS, Dialect, LegTable
from proxy.fusion.dialect import before, of_no_leg
from tests.fakes import ranked

DIALECTS = [kind for kind in FUSIONS.values() if issubclass(kind, Dialect)]


@pytest.mark.parametrize(
    ("version", "problems"),
    [
        ((2, 19), ["weights: of reciprocal ranks needs OpenSearch 3.1 or later"]),
        ((3, 0), ["weights: of reciprocal ranks needs OpenSearch 3.1 or later"]),
        ((3, 1), []),
        ((3, 10), []),
        ((4, 0), []),
    ],
)
def test_a_version_that_is_too_old_is_a_problem(version: tuple[int, int], problems: list[str]):
    """
    Versions are compared as numbers.
    """
    assert problems == before(version, (3, 1), "OpenSearch", "weights: of reciprocal ranks")


def test_a_name_that_is_no_leg_is_told_with_the_choices():
    """
    One line for each.
    """
    assert ["normalizers: 'bm52' is no leg of this pipeline; choices: bm25, dense"] == of_no_leg(
        "normalizers", ("bm52", "dense"), ("dense", "bm25")
    )


@pytest.mark.parametrize("kind", DIALECTS)
def test_defaults_fit_any_legs_and_the_newest_versions(kind: type[Dialect]):
    """
    As the engines' own defaults do.
    """
    assert [] == kind().leg_problems(("a", "b"))
    assert [] == kind().problems_for((9, 9))


@pytest.mark.parametrize("kind", DIALECTS)
def test_what_is_usable_of_sound_lists_is_all(kind: type[Dialect]):
    """
    The very same table, so that what is derived from it stays shared.
    """
    table = LegTable.of({"x": ranked("a b"), "y": ranked("b")})

    assert table is kind().usable(table)


@pytest.mark.parametrize("kind", DIALECTS)
def test_a_dialect_is_a_value(kind: type[Dialect]):
    """
    Two with the same fields are one, and can be a key.
    """
    assert {kind()} == {kind(), kind()}
