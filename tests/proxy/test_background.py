from __future__ import annotations

import asyncio

from proxy.background import Background


class Work:
    """A job that takes its time and remembers how it ended."""

    def __init__(self, seconds: float = 0.0, *, bug: bool = False) -> None:
        self.seconds = seconds
        self.bug = bug
        self.ended: list[str] = []

    async def run(self) -> None:
        await asyncio.sleep(self.seconds)
        if self.bug:
            raise RuntimeError
        self.ended.append("ran")

    def drop(self, reason: str) -> None:
        self.ended.append(reason)


def fates(jobs: list[Work]) -> list[str]:
    assert all(len(job.ended) == 1 for job in jobs), "a job ends exactly once"
    return [job.ended[0] for job in jobs]


async def test_jobs_run():
    """
    What fits is done.
    """
    background, jobs = Background(), [Work() for _ in range(20)]

    for job in jobs:
        background.offer(job)
    await background.close(1.0)

    assert ["ran"] * 20 == fates(jobs)


async def test_what_does_not_fit_is_dropped_at_once():
    """
    One runs, two wait, the others are full.
    """
    background, jobs = Background(workers=1, queue=2), [Work(0.01) for _ in range(6)]

    background.offer(jobs[0])
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    for job in jobs[1:]:
        background.offer(job)
    await background.close(1.0)

    assert ["ran"] * 3 + ["full"] * 3 == fates(jobs)


async def test_kill_stops_what_runs_and_what_waits_and_what_comes():
    """
    After it nothing runs any more, and every job knows.
    """
    background, jobs = Background(workers=1), [Work(60.0), Work(), Work()]

    background.offer(jobs[0])
    background.offer(jobs[1])
    await asyncio.sleep(0.01)
    background.kill()
    background.offer(jobs[2])
    await background.close(1.0)

    assert background.killed
    assert ["killed"] * 3 == fates(jobs)


async def test_close_is_bounded():
    """
    A job that hangs is dropped when the time is up.
    """
    background, jobs = Background(workers=1), [Work(60.0), Work()]

    for job in jobs:
        background.offer(job)
    async with asyncio.timeout(1.0):
        await background.close(0.05)

    assert not background.killed
    assert ["shutdown"] * 2 == fates(jobs)


async def test_a_bug_costs_one_job(caplog):
    """
    The worker goes on, and the bug is loud.
    """
    background, jobs = Background(workers=1), [Work(bug=True), Work()]

    for job in jobs:
        background.offer(job)
    await background.close(1.0)

    assert ["bug", "ran"] == fates(jobs)
    assert ["job failed"] == [record.message for record in caplog.records]
