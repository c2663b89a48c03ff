"""The embedded recipe: what it refuses before anything is opened, and a real corpus end to end."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from config.errors import ConfigError
from proxy.backends import Question
from proxy.backends.embedded import Embedded
from proxy.backends.embedded.fields import Field, Index
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import Counting, Exists, MetricFacet, Range, Terms, TermsFacet

DATA = Path(os.environ.get("SHADOWRANK_DATA", Path(__file__).parents[4] / "shared" / "data"))
FIELDS = (("title", Field("text", "english")), ("course", Field("keyword")))
CORPUS = '{"_id": "a", "title": "red foxes", "course": "ml"}\n'


@pytest.fixture
def recipe(tmp_path: Path) -> Embedded:
    """One document with a vector, one index without."""
    (tmp_path / "c.jsonl").write_text(CORPUS)
    np.save(tmp_path / "v.npy", np.ones((1, 3), np.float32))
    plain = Index(Path("c.jsonl"), FIELDS)
    both = (("faq", replace(plain, vectors=Path("v.npy"))), ("plain", plain))
    return Embedded(both).at(tmp_path, tmp_path / "state")


def test_paths_are_the_configurations(tmp_path: Path, recipe: Embedded) -> None:
    """
    Files stand beside the YAML, the cache in the state folder unless it is named.
    """
    assert tmp_path / "c.jsonl" == dict(recipe.indices)["faq"].corpus
    assert tmp_path / "v.npy" == dict(recipe.indices)["faq"].vectors
    assert dict(recipe.indices)["plain"].vectors is None
    assert tmp_path / "state" / "embedded" == recipe.cache
    assert Path("/x/y") == replace(recipe, cache=Path("/x/y")).at(tmp_path, tmp_path).cache


def test_equal_recipes_are_equal(tmp_path: Path, recipe: Embedded) -> None:
    """
    A reload keeps open what it finds equal.
    """
    assert hash(recipe) == hash(replace(recipe))
    assert recipe != replace(recipe, threads=3)


@pytest.mark.parametrize(("threads", "indices"), [(0, 1), (65, 1), (2, 0)])
def test_a_recipe_is_within_bounds(recipe: Embedded, threads: int, indices: int) -> None:
    """
    At least one index, 1 to 64 threads.
    """
    with pytest.raises(ValueError, match=r"^(threads|indices): "):
        Embedded(recipe.indices[:indices], threads=threads)


@pytest.mark.parametrize(
    ("leg", "expected"),
    [
        (Lexical("b", "faq", ("title^2",)), []),
        (Knn("b", "faq", "embedding"), []),
        (
            Lexical("b", "fag", ("title",)),
            ["index: 'fag' is no index of this backend; did you mean faq? choices: faq, plain"],
        ),
        (
            Lexical("b", "faq", ("titel", "course")),
            [
                "fields: 'titel' is no text field of 'faq'; did you mean title? choices: title",
                "fields: 'course' is no text field of 'faq'; choices: title",
            ],
        ),
        (Lexical("b", "faq", ("title^0",)), ["fields: 'title^0': a boost is a number above 0"]),
        (Knn("b", "plain", "embedding"), ["field: 'embedding' index 'plain' has no vectors"]),
        (
            Knn("b", "faq", "vector"),
            ["field: 'vector' is not the vector field of 'faq'; choices: embedding"],
        ),
    ],
)
def test_a_leg_that_cant_be_served_is_told(recipe: Embedded, leg, expected: list[str]) -> None:
    """
    Without opening anything, with the choices.
    """
    assert expected == list(recipe.problems(leg))


def test_missing_files_are_told(tmp_path: Path, recipe: Embedded) -> None:
    """
    All at once, each at its own place.
    """
    (tmp_path / "c.jsonl").unlink()
    (tmp_path / "v.npy").unlink()

    assert [] == list(recipe.problems(Lexical("b", "faq", ("title",))))
    assert [
        f"indices.faq.corpus: '{tmp_path}/c.jsonl' is not there",
        f"indices.faq.vectors: '{tmp_path}/v.npy' is not there",
        f"indices.plain.corpus: '{tmp_path}/c.jsonl' is not there",
    ] == recipe.faults()


def test_filters_and_dimensions_are_known_before_opening(tmp_path: Path, recipe: Embedded) -> None:
    """
    A mandatory filter is checked at the start, a request's vector against the file's head.
    """
    assert [] == recipe.filter_problems("faq", Terms("course", ("ml",)))
    assert 1 == len(recipe.filter_problems("faq", Terms("course", (1,))))
    assert [] == recipe.filter_problems("faq", Exists("title"))
    assert 1 == len(recipe.filter_problems("faq", Range("title", gte="a")))
    assert [] == recipe.facet_problems("faq", TermsFacet("f", "course"))
    assert 1 == len(recipe.facet_problems("faq", MetricFacet("f", "course", "avg")))
    assert [] == recipe.facet_problems("nope", TermsFacet("f", "course"))
    assert 3 == recipe.dimension("faq")
    assert recipe.dimension("plain") is None
    for content in (b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00\x0a\x00{'descr': ("):
        (tmp_path / "v.npy").write_bytes(content)
        assert recipe.dimension("faq") is None
    assert recipe.dimension("nope") is None
    assert [] == recipe.filter_problems("nope", Terms("course", ("ml",)))


async def test_a_bad_corpus_is_a_configuration_error(tmp_path: Path, recipe: Embedded) -> None:
    """
    It leaves nothing built and no thread waiting.
    """
    (tmp_path / "c.jsonl").write_text(CORPUS + "nope\n")

    with pytest.raises(ConfigError, match="line 2: not a JSON object"):
        async with recipe.open("local", "live"):
            pass

    assert not [path for path in (tmp_path / "state" / "embedded").iterdir() if path.is_dir()]


async def test_a_cancelled_open_stops_its_build(tmp_path: Path) -> None:
    """
    The builder ends at its next document, and the next start builds whole.
    """
    line = '{{"_id": "{}", "title": "' + "red foxes jump " * 40 + '", "course": "ml"}}\n'
    (tmp_path / "c.jsonl").write_text("".join(line.format(i) for i in range(3000)))
    recipe = Embedded((("faq", Index(Path("c.jsonl"), FIELDS)),)).at(tmp_path, tmp_path)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02), recipe.open("local", "live"):
            pass

    async with recipe.open("local", "live") as engine:
        question = Question("fox", counting=Counting())
        found = await engine.count(Lexical("local", "faq", ("title",)), question)
    assert 3000 == found.total


async def test_scifact_restarts_from_its_cache_at_once(tmp_path: Path) -> None:
    """
    5,183 documents: built once, then open in well under 2 s (printed), with the same answers.
    """
    folder = DATA / "scifact"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    fields = (("title", Field("text", "english")), ("text", Field("text", "english")))
    index = Index(folder / "corpus.jsonl", fields, folder / "doc-vectors.f16.npy")
    recipe = Embedded((("scifact", index),), tmp_path)
    question = Question("0-dimensional biomaterials show inductive properties.")
    leg = Lexical("local", "scifact", ("title", "text"))

    async with recipe.open("local", "live") as engine:
        built = await engine.search(leg, question)
        version = engine.index_version("scifact")
    del engine  # nobody holds it: what follows is read from the disk
    began = time.perf_counter()
    async with recipe.open("local", "live") as engine:
        took = time.perf_counter() - began
        restarted = await engine.search(leg, question)
        assert version == engine.index_version("scifact")
    print(f"restart from the cache: {took:.3f} s")

    assert built == restarted
    assert 100 == len(built.ranked)
    assert took < 2
