"""The stage: what is prepared, and what happens when a service ends amid the work."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import yaml

from config.loader import load
from demo.services import ServiceFailed, running
from demo.stage import ANY, TOKEN_ENV, Setting, Stage, opened, prepared

PATIENT = "import time\ntime.sleep(60)\n"
BRIEF = "import time\ntime.sleep(0.5)\nprint('too tired')\n"


@pytest.fixture
async def setting(tmp_path: Path) -> AsyncIterator[Setting]:
    async with prepared(tmp_path / "demo", served_window=7.5) as found:
        yield found


@pytest.fixture
async def stage(setting: Setting, tmp_path: Path) -> AsyncIterator[Stage]:
    """Two programs that do nothing in place of the services; the evaluator's soon ends."""
    (tmp_path / "patient.py").write_text(PATIENT)
    (tmp_path / "brief.py").write_text(BRIEF)
    environ = {"PYTHONPATH": str(tmp_path)}
    async with AsyncExitStack() as stack:
        proxy, evaluator = [
            await stack.enter_async_context(
                running(module, setting.place.config, setting.place.state, environ)
            )
            for module in ("patient", "brief")
        ]
        yield Stage(setting, proxy, evaluator)


async def test_what_is_prepared_can_be_served(setting: Setting):
    """
    The configuration that is written has no problem, and its ports are those of the addresses.
    """
    loaded = load(setting.place.config, {TOKEN_ENV: setting.place.token})

    assert () == loaded.problems
    assert loaded.settings is not None
    assert str(loaded.settings.server.port) in setting.site.public
    assert 7.5 == loaded.settings.evaluator.served_window


async def test_work_is_done_while_the_services_live(stage: Stage):
    """
    Its result is returned, and nothing is waited for.
    """

    async def work() -> str:
        return "done"

    assert "done" == await stage.during(work())


async def test_a_service_that_ends_ends_the_work(stage: Stage):
    """
    Nobody waits for numbers that can't come; the message has the end of its log.
    """
    with pytest.raises(ServiceFailed, match=r"the brief ended(.|\n)*too tired"):
        await stage.during(asyncio.sleep(60))


async def test_what_fails_because_a_service_ended_is_told_as_its_end(stage: Stage):
    """
    A refused connection is noticed before the process is known to be gone.
    """

    async def work() -> None:
        await asyncio.sleep(0.3)
        raise ConnectionRefusedError

    with pytest.raises(ServiceFailed):
        await stage.during(work())


async def test_what_fails_by_itself_is_raised(stage: Stage, tmp_path: Path):
    """
    A bug in the demo is no service's end.
    """
    steady = Stage(stage.setting, stage.proxy, stage.proxy)

    async def work() -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        await steady.during(work())


async def squat(config: Path) -> socket.socket:
    """Take the public port that a demo has chosen, before its proxy listens there."""
    while not config.exists():
        await asyncio.sleep(0.01)
    port = yaml.safe_load(config.read_text())["server"]["port"]
    return socket.create_server(("127.0.0.1", port))


@pytest.mark.slow
async def test_a_port_taken_in_between_is_another_try(tmp_path: Path, redis_server: str):
    """
    A demo that started at the same moment has it, and this one goes elsewhere.
    """
    squatter = asyncio.create_task(squat(tmp_path / "shadowrank.yaml"))

    async with opened(tmp_path, 7.5, tries=(ANY, ANY)) as stage:
        with await squatter as taken:
            assert taken.getsockname()[1] != stage.setting.site.ports.public
            assert await stage.setting.site.proxy_answers()


@pytest.mark.slow
async def test_ports_taken_each_time_are_the_end(tmp_path: Path, redis_server: str):
    """
    One sentence says so.
    """
    squatter = asyncio.create_task(squat(tmp_path / "shadowrank.yaml"))

    with pytest.raises(ServiceFailed, match="took the chosen ports"):
        async with opened(tmp_path, 7.5, tries=(ANY,)):
            pass

    (await squatter).close()
