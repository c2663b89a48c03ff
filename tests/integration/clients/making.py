"""Official clients, each in an environment of its own, made once in a folder of the cache."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
INSTALL_SECONDS: Final = 300
RUN_SECONDS: Final = 60


class Missing(Exception):
    """A client that can't be had on this machine, and what to do about it."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what} is missing: {remedy}")
        self.what = what
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Client:
    """A package at a version, in Python or in JavaScript, and the script that tries it."""

    package: str
    version: str
    script: str

    @property
    def folder(self) -> Path:
        """Where it is installed; its name says all that it was made of."""
        default = Path.home() / ".cache" / "shadowrank-clients"
        cache = Path(os.environ.get("SHADOWRANK_CLIENT_CACHE") or default)
        language = f"python{sys.version_info[0]}.{sys.version_info[1]}" if self.python else "js"
        name = self.package.removeprefix("@").replace("/", "-")
        return cache / f"{language}-{name}-{self.version}"

    @property
    def python(self) -> bool:
        """Is it one of Python's?"""
        return self.script.endswith(".py")

    def installed(self) -> Client:
        """The client, installed if it isn't yet. Half a folder never has its name."""
        folder = self.folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with (folder.parent / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.is_dir():
                partial = folder.with_name(f"{folder.name}.partial")
                shutil.rmtree(partial, ignore_errors=True)
                self._install(partial)
                partial.rename(folder)
        return self

    def run(self, url: str) -> str:
        """What its script prints of the server at `url`."""
        program = self.folder / "bin" / "python" if self.python else _node()
        command = [program, HERE / self.script, url, self.folder, self.package]
        done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _install(self, folder: Path) -> None:
        if self.python:
            _done([sys.executable, "-m", "venv", folder])
            pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet"]
            _done([*pip, f"{self.package}=={self.version}"])
            return
        folder.mkdir(parents=True)
        (folder / "package.json").write_text('{"private": true}')
        npm = [_found("npm"), "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder]
        _done([*npm, f"{self.package}@{self.version}"])


def _node() -> str:
    return _found("node")


def _found(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise Missing(program, "`apt-get install nodejs npm` (Node.js 18 or later)")
    return path


def _done(command: list[str | Path]) -> None:
    """Run a step of an installation."""
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as exc:
        said = str(exc.stderr or exc).strip().splitlines()
        raise Missing(
            f"{command[-1]}", f"it can't be installed ({said[-1] if said else exc}); is there a "
            "network?",
        ) from exc  # fmt: skip
