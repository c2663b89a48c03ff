"""The services as processes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from demo.services import PortTaken, Service, ServiceFailed, running

LISTENER = """\
import socket, sys, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
time.sleep(60)
"""
LATE = "raise OSError('cannot serve: Address already in use')"


async def yes() -> bool:
    return True


async def no() -> bool:
    return False


async def test_a_service_that_ends_by_itself_says_why(tmp_path: Path):
    """
    The message holds the exit code and the end of its log.
    """
    config = tmp_path / "broken.yaml"
    config.write_text("routes: {}\n")

    async with running("proxy", config, tmp_path, {}) as service:
        with pytest.raises(ServiceFailed, match=r"exit code 2(.|\n)*broken\.yaml"):
            await service.ready((), no)
        with pytest.raises(ServiceFailed, match="exit code 2"):
            await service.watch()


async def port_of(service: Service) -> int:
    while not (said := service.log.read_text()):
        await asyncio.sleep(0.05)
    return int(said)


async def test_a_service_is_ready_when_it_listens_itself(tmp_path: Path):
    """
    What another process answers on the port proves nothing.
    """
    (tmp_path / "listener.py").write_text(LISTENER)
    (tmp_path / "patient.py").write_text("import time\ntime.sleep(60)\n")
    environ, config = {"PYTHONPATH": str(tmp_path)}, tmp_path / "none.yaml"

    async with (
        running("listener", config, tmp_path, environ) as ours,
        running("patient", config, tmp_path, environ) as other,
    ):
        ports = (await port_of(ours),)
        await ours.ready(ports, yes)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await other.ready(ports, yes)


async def test_a_port_that_was_taken_is_told_from_other_ends(tmp_path: Path):
    """
    It can be tried again on another.
    """
    (tmp_path / "late.py").write_text(LATE)
    environ = {"PYTHONPATH": str(tmp_path)}

    async with running("late", tmp_path / "none.yaml", tmp_path, environ) as service:
        with pytest.raises(PortTaken, match="exit code 1"):
            await service.ready((), no)


async def test_a_service_is_stopped_with_its_context(tmp_path: Path):
    """
    Also when what was done meanwhile fails.
    """
    (tmp_path / "patient.py").write_text("import time\ntime.sleep(60)\n")
    environ = {"PYTHONPATH": str(tmp_path)}

    with pytest.raises(RuntimeError, match="amid"):
        async with running("patient", tmp_path / "none.yaml", tmp_path, environ) as service:
            raise RuntimeError("amid it")

    assert service.process.returncode is not None
    with pytest.raises(ProcessLookupError):
        os.kill(service.process.pid, 0)


async def test_a_service_has_a_session_of_its_own(tmp_path: Path):
    """
    Ctrl-C on the terminal reaches the demo, which stops it in good order.
    """
    (tmp_path / "patient.py").write_text("import time\ntime.sleep(60)\n")
    environ = {"PYTHONPATH": str(tmp_path)}

    async with running("patient", tmp_path / "none.yaml", tmp_path, environ) as service:
        await asyncio.sleep(0.05)
        assert os.getsid(service.process.pid) != os.getsid(0)
