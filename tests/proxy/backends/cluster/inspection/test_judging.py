"""What is read of an index against its fields."""

from __future__ import annotations

import pytest

from proxy.backends import Read
from proxy.backends.cluster.inspection.judging import id_field_problem, judged
from proxy.backends.cluster.inspection.mapping import Field
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.neural import Neural
from proxy.legs.sparse import Sparse
from proxy.model import Exists, Filter, Not, Range, Terms

FIELDS = {
    "title": Field("text"),
    "title.raw": Field("keyword"),
    "body": Field("text"),
    "kind": Field("keyword"),
    "bare": Field("keyword", doc_values=False),
    "on": Field("boolean"),
    "author": Field("object"),
    "v": Field("dense_vector", 3),
    "dead": Field("dense_vector", 3, indexed=False),
    "terms": Field("sparse_vector"),
}


def words(*fields: str) -> Lexical:
    """A leg over fields."""
    return Lexical("main", "faq", fields)


@pytest.mark.parametrize(
    ("leg", "dimension", "said"),
    [
        (words("title^3", "kind"), None, []),
        (words("t*"), None, []),
        (words("titel"), None,
         ["a.fields: 'titel' is no field of index 'faq'; did you mean title? choices: body, "
          "title"]),
        (words("on"), None,
         ["a.fields: 'on' is boolean in index 'faq', and has no words to search; choices: body, "
          "title"]),
        (Knn("main", "faq", "v"), 3, []),
        (Knn("main", "faq", "v"), None, []),
        (Knn("main", "faq", "v"), 4,
         ["a.field: 'v' holds vectors of 3 numbers in 'faq'; the leg asks with 4: name the "
          "embedder that the index was built with, or reindex"]),
        (Knn("main", "faq", "dead"), 3,
         ["a.field: 'dead' is not indexed in 'faq', so that nothing can be searched in it; reindex "
          "with `index: true`"]),
        (Knn("main", "faq", "embedding"), 3,
         ["a.field: 'embedding' is no field of index 'faq'; choices: dead, v"]),
        (Knn("main", "faq", "title"), 3,
         ["a.field: 'title' is text in index 'faq', and holds no vectors; choices: dead, v"]),
        (Neural("main", "faq", "v", "m"), None, []),
        (Sparse("main", "faq", "terms", "m"), None, []),
        (Sparse("main", "faq", "v", "m"), None,
         ["a.field: 'v' is dense_vector in index 'faq', and holds no weighted terms; choices: "
          "terms"]),
    ],
)  # fmt: skip
def test_legs(leg: Leg, dimension: int | None, said: list[str]) -> None:
    """
    Fields that are there, of the sort that the leg asks, as long as its vectors.
    """
    assert said == list(judged(Read("a", leg, dimension), "faq", FIELDS))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Terms("kind", ()), None),
        (Not(Terms("title.raw", ())), None),
        (Exists("on"), None),
        (Terms("_id", ()), None),
        (Range("on", gt=1), "'on' is boolean in index 'faq', and has no range"),
        (Terms("knd", ()), "did you mean kind?"),
        (Terms("title", ()), "can't be filtered by its value; use title.raw"),
        (Terms("body", ()), "can't be filtered by its value; reindex with a keyword beside it"),
        (Terms("author", ()), "'author' is object"),
        (Not(Terms("v", ())), "'v' is dense_vector"),
    ],
)
def test_filters(given: Filter, said: str | None) -> None:
    """
    Fields with a value to compare, however deep in the filter.
    """
    told = list(judged(Read("a", words("title"), None, (given,)), "faq", FIELDS))

    assert (said is not None) == len(told)
    assert all(said in line for line in told if said)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("kind", None),
        ("title.raw", None),
        ("id", "is no field of index 'faq': add a keyword copy of the _id, or remove id_field"),
        ("title", "it has to be a keyword"),
        ("bare", "it has to be a keyword"),
    ],
)
def test_id_field(name: str, said: str | None) -> None:
    """
    A keyword with doc values.
    """
    told = id_field_problem(name, "faq", FIELDS)

    assert (said is None) == (told is None)
    assert said is None or said in str(told)
