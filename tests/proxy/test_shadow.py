from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from typing import Any

import pytest
import uvloop

from proxy import shadow as module
from proxy.events.records import Shadows
from proxy.metrics import SHADOW_OUTCOMES


def counted(proxy: Any, pipeline: str = "shadow") -> dict[str, float]:
    found = {
        outcome: proxy.count(
            "shadowrank_shadow_total", route="fruit", pipeline=pipeline, outcome=outcome
        )
        for outcome in SHADOW_OUTCOMES
    }
    return {outcome: n for outcome, n in found.items() if n}


async def test_ten_fusions_of_the_same_legs_ask_nothing_more(start, fruit, records):
    """
    Shadows that only fuse differently cost no search at all, on either role's clients.
    """
    names = [f"rrf{k}" for k in range(1, 11)]
    pipelines = {
        name: {"legs": ["bm25", "dense"], "fusion": {"kind": "rrf", "rank_constant": k}}
        for k, name in enumerate(names, 1)
    }
    fruit["pipelines"] |= pipelines
    fruit["routes"]["fruit"]["shadows"] = dict.fromkeys(names, 1.0)
    proxy = await start(fruit)

    await proxy.search(vector=[1, 0, 0.5])
    _, shadows = await records(2)

    assert isinstance(shadows, Shadows)
    assert names == [result.pipeline for result in shadows.results]
    assert {"ok"} == {result.status for result in shadows.results}
    assert {()} == {result.own_legs for result in shadows.results}


async def test_a_leg_of_its_own_runs_on_the_shadows_client(start, scripted, records):
    """
    Live's client is never asked on a shadow's behalf.
    """
    proxy = await start(scripted())

    await proxy.search()
    _, shadows = await records(2)

    lease: Any = proxy.service.generation.lease
    asked = {
        (role, name): len(clients.backends[name].asked)
        for role, clients in (("live", lease.live), ("shadow", lease.shadow))
        for name in ("main", "side")
    }
    assert asked == {
        ("live", "main"): 1, ("live", "side"): 0, ("shadow", "main"): 0, ("shadow", "side"): 1,
    }  # fmt: skip
    assert ("theirs",) == shadows.results[0].own_legs


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_the_answer_leaves_before_a_shadow_starts(serving, scripted, loop):
    """
    A shadow that holds the whole event loop still can't hold the answer: its bytes are gone.
    """

    def ask(host: str, port: int) -> float:
        began = time.perf_counter()
        request = urllib.request.Request(f"http://{host}:{port}/v1/fruit/search", b'{"query": "a"}')
        with urllib.request.urlopen(request) as got:
            assert json.load(got)["hits"]
        return time.perf_counter() - began

    async def timed() -> tuple[float, float]:
        began = time.perf_counter()
        async with serving(scripted(blocks=0.5)) as process:
            took = await asyncio.to_thread(ask, *process.public)
        return took, time.perf_counter() - began

    with asyncio.Runner(loop_factory=loop) as runner:
        took, ended = runner.run(timed())

    assert took < 0.3
    assert ended > 0.5, "the shadow did hold the loop"


async def test_a_hung_shadow_never_delays_live(start, scripted, records):
    """
    All workers hang, the queue fills, the rest is dropped and counted; live answers as ever.
    """
    config = scripted(shadow=60.0)
    config["legs"]["theirs"]["timeout_ms"] = 60_000
    config["routes"]["fruit"]["deadline_ms"] = 60_000
    proxy = await start(config)

    async def timed() -> float:
        began = time.perf_counter()
        await proxy.search()
        return time.perf_counter() - began

    took = sorted([await timed() for _ in range(300)])

    assert took[150] < 0.05
    assert 300 == counted(proxy)["sampled"]
    full = int(counted(proxy)["dropped_full"])
    assert full > 0
    found = [record for record in await records(300 + full) if isinstance(record, Shadows)]
    assert full <= sum(record.results[0].reason == "full" for record in found)
    engine: Any = proxy.service.generation.lease.live.backends["main"]
    assert 300 == len(engine.asked)


async def test_run_and_dropped_are_what_was_sampled(start, scripted, records, eventually):
    """
    Each impression has exactly one record of its shadows, and the counters add up.
    """
    proxy = await start(scripted(shadow=0.02))

    await asyncio.gather(*(proxy.search() for _ in range(100)))
    found = await records(200)

    by_kind = [type(record).__name__ for record in found]
    assert (100, 100) == (by_kind.count("Impression"), by_kind.count("Shadows"))
    assert 100 == len({record.id for record in found if isinstance(record, Shadows)})
    booked = counted(proxy)
    assert 100 == booked.pop("sampled") == sum(booked.values())


@pytest.mark.parametrize(
    ("script", "status", "reason"),
    [
        ({"fails": True}, "error", "no_leg_answered"),
        ({"shadow": 5.0}, "timeout", "backend_error"),
    ],
)
async def test_what_went_wrong_is_recorded(start, scripted, records, script, status, reason):
    """
    A shadow's failure is its own record and nobody's error.
    """
    proxy = await start(scripted(**script))

    await proxy.search()
    _, shadows = await records(2)

    assert (status, reason) == (shadows.results[0].status, shadows.results[0].reason)
    assert {"sampled": 1, status: 1} == counted(proxy)


async def test_a_job_has_a_limit_of_its_own(start, scripted, records, monkeypatch):
    """
    Whatever the legs' budgets come to, a worker is free again.
    """
    monkeypatch.setattr(module, "JOB_SECONDS", 0.05)
    config = scripted(shadow=60.0)
    config["legs"]["theirs"]["timeout_ms"] = 60_000
    proxy = await start(config)

    await proxy.search()
    _, shadows = await records(2)

    assert ("timeout", "job") == (shadows.results[0].status, shadows.results[0].reason)


async def test_a_replaced_configuration_stays_open_for_its_shadows(
    start, scripted, records, eventually
):
    """
    Its parts close when the last job that holds them is done, and not before.
    """
    config = scripted(shadow=0.3)
    proxy = await start(config)
    old: Any = proxy.service.generation.lease.shadow.backends["side"]

    await proxy.search()
    await eventually(lambda: old.asked)
    proxy.rewrite({**config, "backends": {**config["backends"], "side": {"kind": "scripted"}}})
    assert () == await proxy.process.reloader.reload()

    assert not old.closed
    _, shadows = await records(2)
    assert "ok" == shadows.results[0].status
    await eventually(lambda: old.closed)


async def test_a_partial_answer_is_degraded_in_the_records(start, scripted, records):
    """
    Live's is counted too; the impression and the shadow each say what theirs was.
    """
    proxy = await start(scripted({"partial": True}, partial=True))

    said = await proxy.search()
    impression, shadows = await records(2)

    assert [{"stage": "leg:mine", "reason": "partial"}] == said["degraded"]
    assert (("leg:mine", "partial"),) == impression.degraded
    assert ("ok", (("leg:theirs", "partial"),)) == (
        shadows.results[0].status, shadows.results[0].degraded,
    )  # fmt: skip
    labels = {"route": "fruit", "stage": "leg:mine", "reason": "partial"}
    assert 1 == proxy.count("shadowrank_degraded_total", **labels)


async def test_a_job_that_is_stopped_is_charged_for_its_calls(start, scripted, eventually):
    """
    The model worked on them; a job that never ran is charged for nothing.
    """
    config = scripted()
    config["rerankers"] = {"judge": {"kind": "scripted", "price_per_1000": 2.0, "delay": 60.0}}
    config["rerankers"]["judge"]["timeout_ms"] = 60_000
    config["pipelines"]["shadow"]["rerank"] = "judge"
    proxy = await start(config)
    side: Any = proxy.service.generation.lease.shadow

    await proxy.search()
    await eventually(lambda: side.rerankers["judge"].asked)
    proxy.service.background.kill()
    await proxy.search()
    await eventually(lambda: 2 == counted(proxy).get("dropped_killed"))

    labels = {"route": "fruit", "pipeline": "shadow", "model": "judge-1"}
    calls = proxy.count("shadowrank_model_calls_total", **labels, outcome="cancelled")
    assert (1, 0.002) == (calls, proxy.count("shadowrank_model_cost_total", **labels))
