from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.compat.kept import kept

ANSWER = {
    "took": 3,
    "hits": {"total": 2, "hits": [{"_id": "a", "_source": {"t": 1, "u": 2}}, {"_id": "b"}]},
}


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ("took", {"took": 3}),
        ("nothing", {}),
        ("took.deeper", {}),
        ("hits.total", {"hits": {"total": 2}}),
        ("hits.hits._id", {"hits": {"hits": [{"_id": "a"}, {"_id": "b"}]}}),
        ("hits.hits._source", {"hits": {"hits": [{"_source": {"t": 1, "u": 2}}]}}),
        ("hits.*._source.t", {"hits": {"hits": [{"_source": {"t": 1}}]}}),
        ("*", ANSWER),
        ("took hits.to*", {"took": 3, "hits": {"total": 2}}),
    ],
)
def test_paths_keep_what_they_lead_to(paths, expected):
    """
    Lists don't count as steps, and what holds nothing is left out.
    """

    assert expected == kept(ANSWER, [tuple(path.split(".")) for path in paths.split()])


@given(st.lists(st.lists(st.sampled_from(["*", "*i*", "a", "hits", "h*"]), min_size=1, max_size=8)))
def test_no_path_is_too_clever(paths):
    """
    What is kept is part of what was there, and soon found.
    """
    found = kept(ANSWER, map(tuple, paths))

    assert isinstance(found, dict)
    assert found.keys() <= ANSWER.keys()
