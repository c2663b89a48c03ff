"""Tests of proxy.legs.template."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.legs.template import Template

QUERY = '{"bool": {"must": [{"match": {"title": "{{query}}"}}], "should": [{"match": {"x": "a"}}]}}'


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_only_the_text_is_put_in(text: str) -> None:
    """
    Whatever it is: the query stays the same JSON with that text in its place.
    """
    filled = json.loads(Template("main", "faq", QUERY).filled(text))

    assert text == filled["bool"]["must"][0]["match"]["title"]
    assert [{"match": {"x": "a"}}] == filled["bool"]["should"]


def test_a_text_that_holds_the_placeholder_is_no_second_template() -> None:
    """
    It is put in once, as it is.
    """
    filled = Template("main", "faq", '{"match": {"title": "{{query}}"}}').filled("{{query}} x")

    assert {"match": {"title": "{{query}} x"}} == json.loads(filled)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"query": '{"match_all": {}}'}, "query: names no {{query}}"),
        ({"query": '{"match": {"title": "{{query}}"}'}, "query: is not JSON"),
        ({"query": '["{{query}}"]'}, "query: is not a JSON object with one key"),
        ({"query": '{"match": "{{query}}", "term": {}}'}, "query: is not a JSON object with one"),
        ({"query": '{"match": {"{{query}}": "a"}}'}, "query: {{query}} stands in a key"),
        ({"query": '{"match": {"b": "{{query}}", "c": NaN}}'}, "query: is not JSON"),
        ({"query": '{"match": {"b": 1, "b": "{{query}}"}}'}, "query: is not JSON"),
        ({"window": 0}, "window: "),
        ({"timeout_ms": 0}, "timeout_ms: "),
    ],
)
def test_what_could_not_be_asked_is_refused(options: dict[str, object], message: str) -> None:
    """
    The message begins with the field.
    """
    with pytest.raises(ValueError, match="^" + message.replace("{", r"\{")):
        Template(**{"backend": "main", "index": "faq", "query": QUERY, **options})  # type: ignore[arg-type]  # wrong on purpose
