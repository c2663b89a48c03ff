"""Tests of proxy.check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from config.loader import Loaded
from proxy.check import check

Load = Callable[[dict[str, Any]], Loaded]


def test_a_sound_configuration_is_summed_up(
    sound: dict[str, Any], loaded: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    Routes with who serves and who is tried, pipelines with their versions, in columns.
    """
    code = check(Path(loaded(sound).source), {})

    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert (0, "") == (code, printed.err)
    assert "faq    alone 0.25, near 0.75  rrf 0.5  0.8 s" == lines[1]
    assert ["pipeline", "version", "legs", "fusion", "rerank"] == lines[3].split()
    assert lines[4].startswith("rrf       ")


def test_a_fusion_reads_as_in_the_file(
    sound: dict[str, Any], loaded: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    Its kind and what it computes with, defaults included.
    """
    sound["pipelines"]["near"]["fusion"] = {"kind": "weighted"}

    check(Path(loaded(sound).source), {})

    rrf, weighted, alone = capsys.readouterr().out.splitlines()[4:]
    assert rrf.endswith("  bm25 dense text  rrf rank_constant=60 weights=bm25:2")
    assert "  weighted normalization=min_max combination=arithmetic_mean  " in weighted
    assert alone.endswith("  dense")


def test_what_a_fusion_says_of_legs_reads_by_leg(
    sound: dict[str, Any], loaded: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    Normalizers, bounds and weights; what isn't said isn't shown.
    """
    bound = {"mode": "clip", "min_score": 2.0}
    sound["pipelines"]["near"]["fusion"] = {
        "kind": "os_norm", "lower_bounds": {"bm25": bound, "dense": bound},
        "weights": {"bm25": 0.25, "dense": 0.75},
    }  # fmt: skip

    check(Path(loaded(sound).source), {})

    near = capsys.readouterr().out.splitlines()[5]
    assert "lower_bounds=bm25:clip/2.0,dense:clip/2.0" in near
    assert "weights=bm25:0.25,dense:0.75" in near
    assert "upper_bounds" not in near


def test_a_wrong_one_lists_every_problem(
    sound: dict[str, Any], loaded: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    On stderr, with exit code 2 and nothing on stdout.
    """
    sound["legs"]["dense"]["widnow"] = 3
    sound["server"] = {"port": "80"}
    source = loaded(sound).source

    code = check(Path(source), {})

    printed = capsys.readouterr()
    assert (2, "") == (code, printed.out)
    assert f"{source} is not a valid configuration:" == printed.err.splitlines()[0]
    assert 3 == len(printed.err.splitlines())
