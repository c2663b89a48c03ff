from __future__ import annotations

import pytest

from proxy.compat import parameters
from proxy.compat.parameters import OF_PAGE, OF_SOURCE, Form
from proxy.errors import BadRequest


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"size": "5", "from": "10"}, {"size": 5, "from": 10}),
        ({"track_total_hits": "true"}, {"track_total_hits": True}),
        ({"track_total_hits": "100"}, {"track_total_hits": 100}),
        ({"sort": "_score:desc"}, {"sort": [{"_score": "desc"}]}),
        ({"sort": "_score,year"}, {"sort": ["_score", "year"]}),
        ({"_source": "false"}, {"_source": False}),
        ({"_source": ""}, {"_source": True}),
        ({"_source": "a,b"}, {"_source": {"includes": ["a", "b"], "excludes": []}}),
        (
            {"_source_includes": "a", "_source_excludes": "a.b"},
            {"_source": {"includes": ["a"], "excludes": ["a.b"]}},
        ),
        (
            {"_source": "true", "_source_excludes": "b"},
            {"_source": {"includes": [], "excludes": ["b"]}},
        ),
        ({"pretty": "", "preference": "_local"}, {}),
    ],
)
def test_a_url_says_what_a_body_could(given, expected):
    """
    In the words of a body, so that it is recognised as one.
    """

    assert expected == parameters.said(given)


def test_the_url_wins_over_the_body():
    """
    As in the engine.
    """

    assert {"size": 1, "from": 2} == parameters.merged({"size": 9, "from": 2}, {"size": "1"})
    assert [1] == parameters.merged([1], {"size": "1"})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Form()),
        ({"typed_keys": "true"}, Form(typed_keys=True)),
        ({"typed_keys": ""}, Form(typed_keys=True)),
        ({"typed_keys": "false"}, Form()),
        ({"rest_total_hits_as_int": "true"}, Form(total_as_int=True)),
        ({"filter_path": "took,hits.*._id"}, Form(paths=(("took",), ("hits", "*", "_id")))),
    ],
)
def test_how_an_answer_is_shaped(given, expected):
    """
    A flag without a value is set.
    """

    assert expected == parameters.form(given)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"scroll": ["1m"]}, "?scroll"),
        ({"q": ["a"]}, "?q"),
        ({"source": ["{}"]}, "?source"),
        ({"routing": ["a"]}, "?routing"),
        ({"search_pipeline": ["a"]}, "?search_pipeline"),
        ({"stored_fields": ["a"]}, "?stored_fields"),
        ({"explain": ["true"]}, "?explain"),
        ({"size": ["1", "2"]}, "?size"),
    ],
)
def test_what_is_no_parameter_here(given, field):
    """
    An unknown one could mean anything.
    """
    with pytest.raises(BadRequest) as caught:
        parameters.known(given, *OF_PAGE, *OF_SOURCE)

    assert field == caught.value.field


@pytest.mark.parametrize(
    ("read", "given", "field"),
    [
        (parameters.said, {"size": "-1"}, "?size"),
        (parameters.said, {"from": "1e3"}, "?from"),
        (parameters.said, {"size": "9" * 5000}, "?size"),
        (parameters.said, {"track_total_hits": "maybe"}, "?track_total_hits"),
        (parameters.form, {"typed_keys": "1"}, "?typed_keys"),
        (parameters.form, {"filter_path": "-took"}, "?filter_path"),
        (parameters.form, {"filter_path": "[a-z]"}, "?filter_path"),
        (parameters.form, {"filter_path": "a" * 300}, "?filter_path"),
        (parameters.form, {"filter_path": "a," * 30}, "?filter_path"),
        (parameters.form, {"filter_path": "**._id"}, "?filter_path"),
    ],
)
def test_what_a_parameter_may_not_be(read, given, field):
    """
    Each is named.
    """
    with pytest.raises(BadRequest) as caught:
        read(given)

    assert field == caught.value.field


def test_a_header_says_what_is_served_or_ignored():
    """
    The index, and how a cluster would go about it.
    """
    given = {"index": "a", "preference": "_local"}

    assert given == parameters.header(given, "header", ("index",))
    with pytest.raises(BadRequest) as caught:
        parameters.header({"routing": "a"}, "header", ("index",))
    assert "header.routing" == caught.value.field
