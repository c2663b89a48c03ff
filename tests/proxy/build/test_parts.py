"""Tests of proxy.build.parts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from config.schema import Part
from proxy.build.parts import embedder_of, make_all
from proxy.embedders.onnx import Onnx
from proxy.fusion import FUSIONS
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.plan import Plan

Planned = Callable[[dict[str, Any]], Plan]
Problems = Callable[[dict[str, Any]], list[str]]


def test_what_can_be_made_is_made_and_the_rest_is_reported() -> None:
    """
    One broken entry does not hide another.
    """
    entries = tuple((name, Part(kind=name)) for name in ("rrf", "rff", "weighted", "wieghted"))

    made, judged, problems = make_all("fusions", entries, FUSIONS)

    assert ["rrf", "weighted"] == list(made) == list(judged)
    assert ["fusions.rff.kind", "fusions.wieghted.kind"] == [
        line.partition(":")[0] for line in problems
    ]


def test_only_a_knn_leg_may_need_an_embedder() -> None:
    """
    And only if its vectors don't come with the request.
    """

    assert "minilm" == embedder_of(Knn("main", "faq", "embedding", "minilm"))
    assert None is embedder_of(Knn("main", "faq", "embedding"))
    assert None is embedder_of(Lexical("main", "faq", ("title",)))


def test_paths_start_at_the_file_and_the_cache_in_the_state_folder(
    sound: dict[str, Any], planned: Planned, folder: Path
) -> None:
    """
    Wherever the service is started, it finds the same corpus.
    """
    recipe: Any = planned({**sound, "state_dir": "state"}).backends["main"]

    assert folder / "faq.jsonl" == dict(recipe.indices)["faq"].corpus
    assert Path("state/embedded") == recipe.cache


def test_a_part_with_a_mistake_is_judged_all_the_same(
    sound: dict[str, Any], problems: Problems
) -> None:
    """
    Legs are checked against the fields that can be read, and their own fields beside a mistake.
    """
    index = sound["backends"]["main"]["indices"]["faq"]
    index["fields"]["title"] = {"type": "txt"}
    sound["legs"]["text"] |= {"fields": ["bdy"], "window": "40"}

    assert [
        "backends.main.indices.faq.fields.title.type: 'txt' is none of the choices; "
        "did you mean text? choices: boolean, keyword, number, text",
        "legs.text.window: '40' is not a whole number",
        "legs.text.fields: 'bdy' is no text field of 'faq'; choices: text, title",
    ] == problems(sound)


def test_what_follows_from_a_mistake_is_no_second_one(
    sound: dict[str, Any], problems: Problems
) -> None:
    """
    Legs of an index that could not be read, or whose key was misspelt, are not blamed.
    """
    index = sound["backends"]["main"]["indices"]["faq"]
    index["vectros"] = index.pop("vectors")
    index["fields"]["title"] = 3
    fields = "backends.main.indices.faq"

    assert [f"{fields}.fields.title", f"{fields}.vectros"] == [
        line.partition(":")[0] for line in problems(sound)
    ]


def test_a_file_that_is_not_there_is_told_once_at_its_place(
    sound: dict[str, Any], problems: Problems, folder: Path
) -> None:
    """
    However many legs and rerankers would read it, and if none does.
    """
    sound["backends"]["main"]["indices"] |= {
        "spare": {"corpus": "spare.jsonl", "fields": {"a": {"type": "text"}}}
    }
    (folder / "faq.npy").unlink()

    assert [
        f"backends.main.indices.faq.vectors: '{folder}/faq.npy' is not there",
        f"backends.main.indices.spare.corpus: '{folder}/spare.jsonl' is not there",
    ] == problems(sound)


def test_a_reranker_s_reading_is_checked_like_a_leg(
    sound: dict[str, Any], problems: Problems
) -> None:
    """
    Its backend, its index and its embedder must be there.
    """
    near = sound["rerankers"]["near"]
    sound["rerankers"] |= {
        "lost": {**near, "backend": "mian"},
        "blind": {**near, "field": "vector"},
        "mute": {**near, "embedder": "minilm"},
    }

    assert [
        "rerankers.lost.backend: 'mian' is not declared; did you mean main? choices: main",
        "rerankers.blind.field: 'vector' is not the vector field of 'faq'; choices: embedding",
        "rerankers.mute.embedder: 'minilm' is not declared",
    ] == problems(sound)


def test_an_embedder_must_make_vectors_as_long_as_the_index_s(
    sound: dict[str, Any], problems: Problems
) -> None:
    """
    Otherwise every search of the leg would fail.
    """
    if Onnx().problems():
        pytest.skip("the optional embedding model is not installed")
    sound["embedders"] = {"minilm": {"kind": "onnx"}}
    sound["legs"]["dense"]["embedder"] = "minilm"

    assert [
        "legs.dense.embedder: 'minilm' makes vectors of 384 numbers; index 'faq' holds vectors of 3"
    ] == problems(sound)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"window": 0}, "window: 0 is not within 1 and 10000"),
        ({"window": 10_001}, "window: 10001 is not within 1 and 10000"),
        ({"window": 300}, "num_candidates: 200 is less than window (300)"),
        ({"timeout_ms": 0}, "timeout_ms: 0 leaves no time to answer"),
    ],
)
def test_the_limits_of_a_leg_are_reported_with_its_path(
    sound: dict[str, Any], problems: Problems, options: dict[str, int], said: str
) -> None:
    """
    What a leg's class refuses is a line like any other.
    """
    sound["legs"]["dense"] |= options

    assert [f"legs.dense.{said}"] == problems(sound)
