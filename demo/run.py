"""The demo as a process: what the environment asks for, signals, messages and exit codes."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from aiohttp import ClientError

from demo.options import Options, UsageError, options
from demo.place import InUse
from demo.services import ServiceFailed
from demo.show import show

ENDINGS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INTERRUPTED: Final = 130


def run(environ: Mapping[str, str]) -> int:
    """Exit code 0: done; 1: a check or a service failed; 2: usage; 130: interrupted.

    A demo that is kept has no other end than to be interrupted, which is then 0.
    """
    try:
        return asyncio.run(_until_told(options(environ)))
    except UsageError as exc:
        print(exc, file=sys.stderr)
        return 2
    except (InUse, ServiceFailed) as exc:
        print(exc, file=sys.stderr)
        return 1
    except (ClientError, TimeoutError, ExceptionGroup) as exc:
        if (cause := unanswered(exc)) is None:
            raise
        print(f"a service did not answer as it should: {cause}", file=sys.stderr)
        return 1


def unanswered(exc: Exception) -> str | None:
    """What went wrong with a request, if that is all that went wrong."""
    if not isinstance(exc, ExceptionGroup):
        return str(exc) or type(exc).__name__
    requests, others = exc.split((ClientError, TimeoutError))
    return None if others or not requests else unanswered(requests.exceptions[0])


async def _until_told(asked: Options) -> int:
    """Show until the first signal; the services are then stopped in good order."""
    task, loop = asyncio.ensure_future(show(asked)), asyncio.get_running_loop()
    told: list[signal.Signals] = []

    def end(by: signal.Signals) -> None:
        if not told:
            print("\nStopping …", flush=True)
            told.append(by)
            task.cancel()

    for ending in ENDINGS:
        loop.add_signal_handler(ending, end, ending)
    with suppress(asyncio.CancelledError):
        return 0 if await task else 1
    return 0 if asked.keep else INTERRUPTED
