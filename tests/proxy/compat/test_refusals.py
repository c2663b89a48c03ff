from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("method", "path", "status", "reason"),
    [
        ("POST", "/market/_pit?keep_alive=1m", 400, "scrolls and points in time are not served"),
        ("DELETE", "/_pit", 400, "scrolls and points in time are not served"),
        ("POST", "/market/_search/point_in_time", 400, "scrolls and points in time"),
        ("POST", "/_search/scroll", 400, "scrolls and points in time are not served"),
        ("GET", "/_search/scroll/x", 400, "scrolls and points in time are not served"),
        ("POST", "/_bulk", 403, "[_bulk] documents are not written here"),
        ("POST", "/market/_bulk", 403, "[_bulk] documents are not written here"),
        ("POST", "/market/_update/1", 403, "[_update] documents are not written here"),
        ("POST", "/market/_delete_by_query", 403, "[_delete_by_query] documents are not written"),
        ("PUT", "/market/_doc/1", 405, "documents are only read here"),
        ("POST", "/market/_doc", 405, "documents are only read here"),
        ("DELETE", "/market/_doc/1", 405, "documents are only read here"),
        ("PUT", "/market/_search", 405, "documents are only read here"),
        ("POST", "/market/_search/template", 403, "[template] nothing is run here"),
        ("PUT", "/_scripts/x", 403, "[_scripts] nothing is run here"),
        ("POST", "/_sql", 403, "[_sql] nothing is run here"),
        ("POST", "/market/_async_search", 403, "[_async_search] is not served here"),
        ("GET", "/_cat/indices", 403, "[_cat] is not served here"),
        ("GET", "/_cluster/health", 403, "[_cluster] is not served here"),
        ("GET", "/market/_mapping", 403, "[_mapping] is not served here"),
        ("POST", "/_search", 403, "[_search] names no index"),
        ("GET", "/market", 404, "there is no such path here"),
        ("DELETE", "/market", 404, "there is no such path here"),
        ("GET", "/market/nothing/at/all", 404, "there is no such path here"),
        ("POST", "/", 404, "there is no such path here"),
        ("OPTIONS", "/market/_search", 405, "documents are only read here"),
    ],
)
async def test_what_is_not_served_is_refused_with_a_reason(
    start, market, method, path, status, reason
):
    """
    In the engine's shape, so that a client raises it as its own.
    """
    proxy = await start(market)

    async with proxy.session.request(method, proxy.url + path) as got:
        said = await got.json()

        assert (status, status) == (got.status, said["status"])
        assert said["error"]["reason"].startswith(reason)
        assert "Elasticsearch" == got.headers["x-elastic-product"]
        assert (status == 405) == ("allow" in got.headers)
