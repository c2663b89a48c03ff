"""The fields of indices."""

from __future__ import annotations

import json

import msgspec
import pytest

from proxy.backends.cluster.inspection.mapping import Field, fields_of


def test_fields_have_their_whole_names() -> None:
    """
    Of objects, and of what is indexed beside a field in another way.
    """
    properties = {
        "title": {"type": "text", "fields": {"raw": {"type": "keyword", "doc_values": False}}},
        "author": {"properties": {"name": {"type": "keyword"}}},
        "v": {"type": "dense_vector", "dims": 384, "index": False},
        "w": {"type": "knn_vector", "dimension": 128},
    }
    body = json.dumps({"faq": {"mappings": {"properties": properties}}, "empty": {"mappings": {}}})

    assert {
        "faq": {
            "title": Field("text"),
            "title.raw": Field("keyword", doc_values=False),
            "author": Field("object"),
            "author.name": Field("keyword"),
            "v": Field("dense_vector", 384, indexed=False),
            "w": Field("knn_vector", 128),
        },
        "empty": {},
    } == fields_of(body.encode())


@pytest.mark.parametrize("body", [b"", b"[]", b"<html>", b'{"faq": 1}'])
def test_what_is_no_mapping_is_told(body: bytes) -> None:
    """
    Somebody else has answered.
    """
    with pytest.raises(msgspec.MsgspecError):
        fields_of(body)
