"""Becomes another program that the kernel kills when the process that started it ends.

    leash.py PARENT PROGRAM ARGUMENT...

A process can ask this for itself only, and between fork and exec only by running Python where
threads may be: so it is a program of its own.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

PR_SET_PDEATHSIG: Final = 1

if __name__ == "__main__":
    parent, *command = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):  # it ended before the kernel knew
        raise SystemExit(1)
    os.execv(command[0], command)
