from __future__ import annotations

import asyncio
from typing import Any

import pytest


def reloads(proxy: Any, outcome: str) -> float:
    return proxy.count("shadowrank_config_reload_total", outcome=outcome)


async def test_a_reload_swaps_the_live_pipeline(start, fruit, records):
    """
    The next search is another pipeline's, and the metrics say which versions are in use.
    """
    proxy = await start(fruit)
    fruit["routes"]["fruit"] |= {"live": {"bm25": 1.0}, "shadows": {}}
    proxy.rewrite(fruit)

    assert (200, {"reloaded": True, "problems": []}) == await proxy.ask_admin(
        "POST", "/admin/reload"
    )
    await proxy.search()
    (impression,) = await records(1)

    assert "bm25" == impression.pipeline
    assert 1 == reloads(proxy, "ok")
    route = proxy.service.generation.plan.routes["fruit"]
    labels = {"route": "fruit", "role": "live", "pipeline": "bm25"}
    assert 1 == proxy.count("shadowrank_pipeline_info", version=route.live[0][0].version, **labels)
    assert 0 == proxy.count(
        "shadowrank_pipeline_info", version=route.live[0][0].version, **labels | {"role": "shadow"}
    )


async def test_what_is_unchanged_stays_open(start, fruit):
    """
    A change of a route opens nothing anew.
    """
    proxy = await start(fruit)
    before = proxy.service.generation.lease
    fruit["routes"]["fruit"]["shadows"] = {"bm25": 0.5}
    proxy.rewrite(fruit)

    assert () == await proxy.process.reloader.reload()

    after = proxy.service.generation.lease
    assert before is not after
    assert before.live.backends["local"] is after.live.backends["local"]
    assert (await proxy.search())["hits"]


async def test_a_bad_file_changes_nothing(start, fruit):
    """
    The last good configuration serves on, and every problem is told.
    """
    proxy = await start(fruit)
    fruit["routes"]["fruit"] |= {"live": {"nope": 1.0}, "deadline_ms": -1}
    proxy.rewrite(fruit)

    status, said = await proxy.ask_admin("POST", "/admin/reload")

    assert (409, False) == (status, said["reloaded"])
    assert 2 == len(said["problems"])
    assert (0, 1) == (reloads(proxy, "ok"), reloads(proxy, "failed"))
    assert (await proxy.search())["hits"]


async def test_a_file_that_is_gone_changes_nothing(start, fruit):
    """
    Not even that stops the service.
    """
    proxy = await start(fruit)
    proxy.path.unlink()

    assert 1 == len(await proxy.process.reloader.reload())
    assert (await proxy.search())["hits"]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"state_dir": "/elsewhere"}, "state_dir"),
        ({"secrets": {"ids_env": ["KEYS"], "keys_env": "KEYS"}}, "secrets"),
        ({"server": {"port": 1}}, "server"),
        ({"events": {"redis": "redis://elsewhere:1/0", "shards": 2}}, "events.redis"),
    ],
)
async def test_what_needs_a_restart_is_refused_by_name(start, fruit, change, name):
    """
    It isn't half applied, and it isn't silently ignored.
    """
    proxy = await start(fruit)
    before = proxy.service.generation
    proxy.rewrite({**fruit, **change})

    problems = await proxy.process.reloader.reload()

    assert [name] == [problem.split(":")[0] for problem in problems]
    assert before is proxy.service.generation


async def test_several_changes_are_all_named(start, fruit):
    """
    One look tells everything.
    """
    proxy = await start(fruit)
    proxy.rewrite({**fruit, "state_dir": "/elsewhere", "events": {**fruit["events"], "shards": 3}})

    problems = await proxy.process.reloader.reload()

    assert ["events.shards", "state_dir"] == [problem.split(":")[0] for problem in problems]


async def test_a_part_that_cannot_be_opened_changes_nothing(start, fruit, tmp_path):
    """
    What only opening shows, such as a corpus line that isn't JSON, is a failed reload.
    """
    proxy = await start(fruit)
    (tmp_path / "bad.jsonl").write_text("{}\nnot json\n")
    index = fruit["backends"]["local"]["indices"]["fruit"]
    fruit["backends"]["local"]["indices"]["fruit"] = {
        **index,
        "corpus": str(tmp_path / "bad.jsonl"),
    }
    proxy.rewrite(fruit)

    assert await proxy.process.reloader.reload()
    assert (await proxy.search())["hits"]


async def test_searches_in_progress_finish_on_the_old_configuration(start, scripted, eventually):
    """
    Reloading under a search neither fails nor changes it, and its parts close after it.
    """
    config = scripted({"live": 0.3, "ids": ["old"]})
    proxy = await start(config)
    old: Any = proxy.service.generation.lease.live.backends["main"]

    searching = asyncio.create_task(proxy.search())
    await eventually(lambda: old.asked)
    main = {"kind": "scripted", "ids": ["new"]}
    proxy.rewrite({**config, "backends": {**config["backends"], "main": main}})
    assert () == await proxy.process.reloader.reload()

    assert ["new"] == [hit["id"] for hit in (await proxy.search())["hits"]]
    assert not old.closed
    assert ["old"] == [hit["id"] for hit in (await searching)["hits"]]
    await eventually(lambda: old.closed)


async def test_reloads_wait_for_each_other(start, fruit):
    """
    Several at once are several in a row.
    """
    proxy = await start(fruit)

    done = await asyncio.gather(*(proxy.process.reloader.reload() for _ in range(5)))

    assert [()] * 5 == done
    assert 5 == reloads(proxy, "ok")
