"""The services as processes."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest
from aiohttp import ClientSession

from demo.services import ServiceFailed, free_port, running


def test_a_free_port_is_taken_as_preferred():
    """
    The documented ports are used where they are free.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    assert port == free_port(port)


def test_a_port_in_use_is_passed_over():
    """
    Whoever listens there is left alone.
    """
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()

        assert free_port(busy.getsockname()[1]) not in (0, busy.getsockname()[1])


async def test_a_service_that_ends_by_itself_says_why(tmp_path: Path):
    """
    The message holds the exit code and the end of its log.
    """
    config = tmp_path / "broken.yaml"
    config.write_text("routes: {}\n")

    async with running("proxy", config, tmp_path, {}) as service, ClientSession() as http:
        with pytest.raises(ServiceFailed, match=r"exit code 2(.|\n)*broken\.yaml"):
            await service.ready(http, "http://127.0.0.1:9")
        with pytest.raises(ServiceFailed, match="exit code 2"):
            await service.watch()


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
