"""One evaluator process."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
from pathlib import Path

import pytest
from redis import Redis

from config.schema import EvaluatorAdmin
from evaluator import serving
from proxy.events.keys import FIELD, evaluator_key, log_key
from tests.evaluator.made import settings
from tests.evaluator.process import configuration, running, samples, server, wait_for
from tests.evaluator.test_route import recent
from tests.evaluator.test_service import service

N = ("shadowrank_served_relevance_samples", ("RR", "faq"))


@pytest.fixture
def port() -> int:
    """A port that is free."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        number: int = listening.getsockname()[1]
        return number


def test_it_serves_reloads_and_stops_when_told(redis_url: str, tmp_path: Path, port: int) -> None:
    """
    Numbers on its port; SIGHUP takes another file into force, SIGTERM ends it with 0.
    """
    path = configuration(tmp_path, redis_url, port, interval="0.1s")
    with Redis.from_url(redis_url) as client, running(path) as process:
        for entry in recent(3):
            client.xadd(log_key("faq", 0), {FIELD: entry.raw}, id=str(entry.id))
        wait_for(lambda: samples(port).get(N) == 3)
        content = json.loads(path.read_text())
        content["evaluator"]["measures"] = ["RR", "R@3"]
        path.write_text(json.dumps(content))

        process.send_signal(signal.SIGHUP)
        wait_for(lambda: samples(port).get(("shadowrank_config_reload_total", ("ok",))) == 1)
        process.send_signal(signal.SIGTERM)

        assert 0 == process.wait(timeout=20)
        assert client.get(evaluator_key("faq")) is None


@pytest.mark.parametrize("how", ["unix", "tcp"])
def test_a_redis_that_comes_later_is_waited_for(
    redis_server: str, tmp_path: Path, port: int, how: str
) -> None:
    """
    Nobody listens at the start: failed rounds are counted, and the first that can be done is done.
    """
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        number = listening.getsockname()[1]
    unix = f"unix://{tmp_path}/redis.sock"
    url = unix if how == "unix" else f"redis://127.0.0.1:{number}"
    path = configuration(tmp_path, url, port, interval="0.1s")
    failed = ("shadowrank_evaluator_failed_rounds_total", ())
    with running(path) as process:
        wait_for(lambda: samples(port).get(failed, 0) >= 2)
        assert process.poll() is None
        assert f'"redis":"{url}"' in (tmp_path / "evaluator.log").read_text()
        with server(redis_server, tmp_path, number) as client:
            for entry in recent(3):
                client.xadd(log_key("faq", 0), {FIELD: entry.raw}, id=str(entry.id))
            wait_for(lambda: samples(port).get(N) == 3)
            process.send_signal(signal.SIGTERM)

            assert 0 == process.wait(timeout=20)


def test_a_port_that_is_taken_is_said(redis_url: str, tmp_path: Path, port: int) -> None:
    """
    Exit code 2.
    """
    path = configuration(tmp_path, redis_url, port)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        with running(path) as process:
            assert 2 == process.wait(timeout=20)
    said = (tmp_path / "evaluator.log").read_text()
    assert f"cannot serve: evaluator.admin: 127.0.0.1:{port}: " in said


def test_a_host_that_is_not_known_is_said(redis_url: str, tmp_path: Path, port: int) -> None:
    """
    By its name, and exit code 2.
    """
    path = configuration(tmp_path, redis_url, 0, admin={"host": "no.such.invalid", "port": port})
    with running(path) as process:
        assert 2 == process.wait(timeout=20)
    said = (tmp_path / "evaluator.log").read_text()
    assert f"cannot serve: evaluator.admin: no.such.invalid:{port}: " in said


def test_a_second_evaluator_exits(
    redis_url: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, port: int
) -> None:
    """
    Exit code 2, and the first one goes on.
    """
    other = tmp_path_factory.mktemp("second")
    path = configuration(tmp_path, redis_url, port, interval="0.1s")
    with running(path) as first:
        wait_for(lambda: samples(port))
        with running(configuration(other, redis_url, 0)) as second:
            assert 2 == second.wait(timeout=30)
        assert first.poll() is None
    assert "another evaluator" in (other / "evaluator.log").read_text()


async def test_who_asks_nothing_is_not_kept(
    redis_url: str, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Connections without a whole request can't use up the descriptors.
    """
    monkeypatch.setattr(serving, "IDLE_SECONDS", 0.3)
    where = settings(admin=EvaluatorAdmin(port=port))
    async with service(redis_url) as (made, _), serving.listening(made, where):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /health/live HTTP/1.1\r\nhost:")

        async with asyncio.timeout(5):
            assert b"" == await reader.read()
        writer.close()
