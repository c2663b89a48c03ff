from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from config.loader import load
from config.secrets import Secrets
from proxy.build import build
from proxy.plan import Plan
from proxy.signals import serve_until_stopped

SECRETS = Secrets((b"a key of query ids, long enough",), b"a key of hashes, long enough")


@pytest.fixture
def served(fruit, tmp_path: Path):
    """The serving coroutine over a file, and the file."""
    path = tmp_path / "c.yaml"
    path.write_text(json.dumps(fruit))

    def read() -> Plan:
        return build(load(path, {"IDS": "a" * 32, "KEYS": "b" * 32}))

    return serve_until_stopped(read(), read, SECRETS, lambda: None), path


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.name.startswith("proxy")]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_in_order(served, caplog, eventually, number):
    """
    It stops, says so, and exits with 0.
    """
    caplog.set_level("INFO")
    task = asyncio.create_task(served[0])
    await eventually(lambda: "serving" in said(caplog))

    os.kill(os.getpid(), number)

    assert 0 == await asyncio.wait_for(task, 5.0)
    assert ["stopping", "stopped"] == said(caplog)[-2:]


async def test_a_signal_before_it_serves_ends_it(served):
    """
    Starting can take long; nobody needs to wait for it.
    """
    task = asyncio.create_task(served[0])
    await asyncio.sleep(0)

    os.kill(os.getpid(), signal.SIGTERM)

    assert 0 == await asyncio.wait_for(task, 5.0)


async def test_sighup_reloads(served, fruit, caplog, eventually):
    """
    The file is read again, and serving goes on.
    """
    caplog.set_level("INFO")
    coroutine, path = served
    task = asyncio.create_task(coroutine)
    await eventually(lambda: "serving" in said(caplog))

    fruit["routes"]["fruit"]["shadows"] = {}
    path.write_text(json.dumps(fruit))
    os.kill(os.getpid(), signal.SIGHUP)
    await eventually(lambda: "configuration reloaded" in said(caplog))
    path.write_text("{")
    os.kill(os.getpid(), signal.SIGHUP)
    await eventually(lambda: "reload failed, the last configuration stays" in said(caplog))

    assert not task.done()
    os.kill(os.getpid(), signal.SIGTERM)
    assert 0 == await asyncio.wait_for(task, 5.0)


async def test_a_second_signal_hurries(fruit, tmp_path, caplog, eventually):
    """
    The flush of a log that nobody takes is given up.
    """
    caplog.set_level("INFO")
    fruit["events"]["redis"] = f"unix://{tmp_path / 'nobody.sock'}"
    path = tmp_path / "c.yaml"
    path.write_text(json.dumps(fruit))
    plan = build(load(path, {"IDS": "a" * 32, "KEYS": "b" * 32}))
    task = asyncio.create_task(serve_until_stopped(plan, lambda: plan, SECRETS, lambda: None))
    await eventually(lambda: "serving" in said(caplog))
    (line,) = [record for record in caplog.records if record.message == "serving"]
    host, port = vars(line)["public"]
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b"GET /v1/fruit/search?q=fig HTTP/1.1\r\nhost: x\r\n\r\n")
    assert b"200" in await reader.readline()

    os.kill(os.getpid(), signal.SIGTERM)
    await eventually(lambda: "stopping" in said(caplog))
    await asyncio.sleep(0.3)
    assert not task.done(), "the flush has five seconds"
    os.kill(os.getpid(), signal.SIGTERM)

    assert 0 == await asyncio.wait_for(task, 2.0)
    writer.close()


async def test_a_second_signal_does_not_wait_for_a_slow_body(served, caplog, eventually):
    """
    A client that never finishes its request can't keep a hurried process.
    """
    caplog.set_level("INFO")
    task = asyncio.create_task(served[0])
    await eventually(lambda: "serving" in said(caplog))
    (line,) = [record for record in caplog.records if record.message == "serving"]
    _, writer = await asyncio.open_connection(*vars(line)["public"])
    writer.write(b"POST /v1/fruit/search HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
    await writer.drain()
    await asyncio.sleep(0.1)

    os.kill(os.getpid(), signal.SIGTERM)
    await eventually(lambda: "stopping" in said(caplog))
    await asyncio.sleep(0.2)
    assert not task.done(), "a request in progress has ten seconds"
    os.kill(os.getpid(), signal.SIGTERM)

    assert 0 == await asyncio.wait_for(task, 3.0)
    writer.close()
