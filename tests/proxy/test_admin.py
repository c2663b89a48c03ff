from __future__ import annotations

import pytest

from config.secrets import Secrets


async def test_metrics_need_no_token(start, fruit):
    """
    The scrape is Prometheus' text format, and of what is configured only.
    """
    proxy = await start(fruit)
    await proxy.search()

    async with proxy.session.get(proxy.admin + "/metrics") as got:
        said = await got.text()

    assert (200, "text/plain") == (got.status, got.content_type)
    assert 'shadowrank_request_seconds_count{outcome="ok",route="fruit"} 1.0' in said
    assert 'shadowrank_pipeline_info{pipeline="rrf60",role="live",route="fruit"' in said


@pytest.mark.parametrize("path", ["/health/live", "/health/ready"])
async def test_health_needs_no_token(start, fruit, path):
    """
    A kubelet has none.
    """
    proxy = await start(fruit)

    assert (200, {"status": "ok"}) == await proxy.ask_admin("GET", path, token=None)


ADMIN = [("GET", "config"), ("POST", "reload"), ("POST", "kill-shadows"), ("POST", "explain")]


@pytest.mark.parametrize(("method", "name"), ADMIN)
@pytest.mark.parametrize("token", [None, "", "letmei", "letmein2", "l\u00e9tmein"])
async def test_admin_needs_the_token(start, fruit, method, name, token):
    """
    Whoever hasn't got it learns how to ask, and nothing is done.
    """
    proxy = await start(fruit)

    status, said = await proxy.ask_admin(method, f"/admin/{name}", token=token)

    assert (401, "unauthorized") == (status, said["error"]["code"])
    assert not proxy.service.background.killed


@pytest.mark.parametrize(("method", "name"), ADMIN)
async def test_without_a_configured_token_admin_is_closed(start, fruit, method, name):
    """
    No token means nobody, rather than everybody.
    """
    proxy = await start(
        fruit, Secrets((b"a key of query ids, long enough",), b"another key of ours")
    )

    status, said = await proxy.ask_admin(method, f"/admin/{name}")

    assert (403, "forbidden") == (status, said["error"]["code"])


async def test_config_shows_what_is_in_force(start, fruit):
    """
    As the file says it, defaults included.
    """
    proxy = await start(fruit)

    status, said = await proxy.ask_admin("GET", "/admin/config")

    assert 200 == status
    assert {"rrf60": 1.0} == said["config"]["routes"]["fruit"]["live"]
    assert 1024 == said["config"]["events"]["max_memory_mb"]
    assert said["shadows_killed"] is False


async def test_explain_shows_every_pipeline_side_by_side(start, fruit):
    """
    The live list is the page that is served, and each hit says where its legs had it.
    """
    proxy = await start(fruit)
    asked = {"query": "cherry", "size": 5, "vector": [0.5, 0.5, 0.5]}

    status, said = await proxy.ask_admin("POST", "/admin/explain", {"route": "fruit", **asked})
    page = await proxy.search(**asked)

    assert 200 == status
    assert {"rrf60", "rrf20", "bm25"} == said["pipelines"].keys()
    live = said["pipelines"]["rrf60"]["hits"]
    assert [hit["id"] for hit in page["hits"]] == [hit["id"] for hit in live]
    assert {"bm25", "dense"} == live[0]["legs"].keys()


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"query": "a"}, 400, "route"),
        ({"route": "nope", "query": "a"}, 404, "route"),
        ({"route": "fruit"}, 400, "query"),
        ({"route": "fruit", "query": "a", "user": "u"}, 400, "user"),
        ([], 400, None),
    ],
)
async def test_explain_refuses_as_a_search_does(start, fruit, body, status, field):
    """
    The same checks, the same shape.
    """
    proxy = await start(fruit)

    got, said = await proxy.ask_admin("POST", "/admin/explain", body)

    assert (status, field) == (got, said["error"]["field"])


async def test_explain_leaves_no_trace(start, fruit):
    """
    An operator's look is no impression.
    """
    proxy = await start(fruit)

    await proxy.ask_admin("POST", "/admin/explain", {"route": "fruit", "query": "apple"})

    assert 0 == proxy.count("shadowrank_log_records_total", kind="impression", outcome="offered")


async def test_killed_shadows_stay_killed_and_are_counted(start, fruit, records):
    """
    Searches go on, every sampled shadow is recorded as dropped, and the configuration says so.
    """
    proxy = await start(fruit)

    assert (200, {"shadows_killed": True}) == await proxy.ask_admin("POST", "/admin/kill-shadows")
    await proxy.search()
    _, shadows = await records(2)

    assert [("dropped", "killed")] * 2 == [(r.status, r.reason) for r in shadows.results]
    labels = {"route": "fruit", "pipeline": "bm25", "outcome": "dropped_killed"}
    assert 1 == proxy.count("shadowrank_shadow_total", **labels)
    assert (await proxy.ask_admin("GET", "/admin/config"))[1]["shadows_killed"] is True
