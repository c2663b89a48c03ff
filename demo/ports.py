"""Ports of 127.0.0.1: which are free, and whether a process listens on one."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

LISTENS: Final = "0A"
"""The kernel's number of the state LISTEN in /proc/net/tcp."""


def free_ports(preferred: Sequence[int]) -> tuple[int, ...]:
    """Each of `preferred` if nobody listens there, else (and for 0) one that the system picks.

    All are different. They are free again at once: whoever binds one first has it.
    """
    with ExitStack() as probes:
        return tuple(_free(port, probes.enter_context(socket.socket())) for port in preferred)


def _free(preferred: int, probe: socket.socket) -> int:
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind(("127.0.0.1", preferred))
    except OSError:
        probe.bind(("127.0.0.1", 0))
    return int(probe.getsockname()[1])


def listens(process: int, port: int) -> bool:
    """Whether it is that process, and no other, that listens on `port` over IPv4."""
    try:
        table = Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]
        held = {_target(file) for file in Path(f"/proc/{process}/fd").iterdir()}
    except OSError:
        return False
    rows = [line.split() for line in table]
    return any(
        row[1].endswith(f":{port:04X}") and row[3] == LISTENS and f"socket:[{row[9]}]" in held
        for row in rows
    )


def _target(file: Path) -> str | None:
    """What an open file is; None for one that was closed meanwhile."""
    try:
        return str(file.readlink())
    except OSError:
        return None
