"""The command line."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.command_line import main
from evaluator.report import CAVEAT
from tests.evaluator.process import ENVIRON, configuration


@pytest.fixture(autouse=True)
def _own_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The environment, and the log where it was before."""
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("SHADOWRANK_CONFIG", raising=False)
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers, root.level = handlers, level


def test_once_prints_a_table(
    redis_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    On stdout, and 0.
    """
    path = configuration(tmp_path, redis_url, 0)

    assert 0 == main(["once", "--config", str(path)])

    assert "route faq" in (said := capsys.readouterr().out)
    assert CAVEAT in said


@pytest.mark.parametrize("named", ["serve", "once"])
def test_a_wrong_configuration_is_refused(
    named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    Every problem on stderr, and 2.
    """
    path = configuration(tmp_path, "nowhere", 0, settle="1h", measures=["MRR"])

    assert 2 == main([named, "--config", str(path)])

    said = capsys.readouterr().err
    for problem in ("events.redis", "'MRR' is no measure", "evaluator.settle"):
        assert problem in said


@pytest.mark.parametrize("url", ["unix:///nowhere/redis.sock", "redis://127.0.0.1:1/3"])
def test_once_says_which_redis_is_away(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    There is nothing it could wait for.
    """
    path = configuration(tmp_path, url, 0)

    assert 2 == main(["once", "--config", str(path)])

    assert f"cannot read the log in {url}:" in capsys.readouterr().err


def test_once_says_where_there_is_no_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    With the folder, and 2.
    """
    path = configuration(tmp_path, "embedded", 0)

    assert 2 == main(["once", "--config", str(path)])

    assert str(tmp_path / "state") in capsys.readouterr().err
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("arguments", [[], ["watch"], ["serve"]])
def test_wrong_usage_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """
    With the usage, and 2.
    """
    with pytest.raises(SystemExit) as raised:
        main(arguments)

    assert 2 == raised.value.code
    assert "usage:" in capsys.readouterr().err


def test_the_configuration_may_be_named_by_the_environment(
    redis_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """
    As in a container.
    """
    monkeypatch.setenv("SHADOWRANK_CONFIG", str(configuration(tmp_path, redis_url, 0)))

    assert 0 == main(["once"])
    assert "route faq" in capsys.readouterr().out
