from __future__ import annotations

import pytest


async def test_a_document_by_its_id(start, market):
    """
    With the fields that are wanted.
    """
    proxy = await start(market)
    expected = {"_index": "market", "_id": "d1", "found": True, "_source": {"color": "red"}}

    assert (200, expected) == await proxy.get("/market/_doc/d1?_source_includes=color")
    assert "_source" not in (await proxy.get("/market/_doc/d1?_source=false"))[1]


@pytest.mark.parametrize("doc_id", ["d11", "none", "a%2Fb", "d1%20"])
async def test_a_document_that_does_not_pass_is_not_found(start, market, doc_id):
    """
    Whether it is hidden or missing is not told apart.
    """
    proxy = await start(market)

    status, said = await proxy.get(f"/market/_doc/{doc_id}")

    assert (404, False) == (status, said["found"])


async def test_whether_there_is_a_document(start, market):
    """
    HEAD tells by its status alone.
    """
    proxy = await start(market)

    for doc_id, status in (("d1", 200), ("d11", 404)):
        async with proxy.session.head(f"{proxy.url}/market/_doc/{doc_id}") as got:
            assert (status, b"") == (got.status, await got.read())


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/market/_mget", {"ids": ["d1", "d11", "d0", "none"]}),
        ("/_mget", {"docs": [{"_index": "market", "_id": i} for i in ("d1", "d11", "d0", "none")]}),
    ],
)
async def test_several_documents_in_their_order(start, market, path, body):
    """
    What isn't found is said.
    """
    proxy = await start(market)

    status, said = await proxy.post(f"{path}?_source=color", body)

    assert 200 == status
    assert [
        ("d1", {"color": "red"}),
        ("d11", None),
        ("d0", {"color": "green"}),
        ("none", None),
    ] == [(each["_id"], each.get("_source")) for each in said["docs"]]
    assert [True, False, True, False] == [each["found"] for each in said["docs"]]


async def test_each_document_may_show_other_fields(start, market):
    """
    Its own word wins over the URL's.
    """
    proxy = await start(market)
    docs = [{"_id": "d0", "_source": ["year"]}, {"_id": "d0", "_source": False}, {"_id": "d0"}]

    _, said = await proxy.post("/market/_mget?_source=color", {"docs": docs})

    assert [{"year": 2000}, None, {"color": "green"}] == [
        each.get("_source") for each in said["docs"]
    ]


@pytest.mark.parametrize(
    ("path", "body", "status", "reason"),
    [
        ("/_mget", {"ids": ["d1"]}, 400, "[docs[0]._index] is missing"),
        ("/_mget", {"docs": [{"_index": "other", "_id": "1"}]}, 403, "[index other] "),
        ("/market/_mget", {"docs": [{"_index": "other", "_id": "1"}]}, 403, "[docs[0]._index] "),
        ("/other/_mget", {"ids": ["1"]}, 403, "[index other] "),
        ("/market/_mget?routing=x", {"ids": ["1"]}, 400, "[?routing] "),
    ],
)
async def test_another_index_has_no_documents_here(start, market, path, body, status, reason):
    """
    Neither in the path nor in the body.
    """
    proxy = await start(market)

    got, said = await proxy.post(path, body)

    assert status == got
    assert said["error"]["reason"].startswith(reason)


async def test_a_failed_engine_is_told_without_its_name(start, scripted):
    """
    The reason is a constant.
    """
    config = scripted({"loses": True})
    config["routes"]["fruit"]["index"] = "market"
    proxy = await start(config)

    status, said = await proxy.get("/market/_doc/a")

    assert (502, "the search engine failed") == (status, said["error"]["reason"])
