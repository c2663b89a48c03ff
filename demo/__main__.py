"""`python -m demo`; the README says what it shows."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress

from demo.options import Options, UsageError, options
from demo.place import InUse
from demo.services import ServiceFailed
from demo.show import show

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INTERRUPTED = 130


def main() -> int:
    """Exit code 0: done; 1: a check or a service failed; 2: usage; 130: interrupted."""
    try:
        asked = options(os.environ)
    except UsageError as exc:
        print(exc, file=sys.stderr)
        return 2
    try:
        return asyncio.run(_until_told(asked))
    except (InUse, ServiceFailed) as exc:
        print(exc, file=sys.stderr)
        return 1


async def _until_told(asked: Options) -> int:
    """Show, until a signal ends it: the first one, for the services then stop in good order."""
    task, loop = asyncio.ensure_future(show(asked)), asyncio.get_running_loop()
    told: list[signal.Signals] = []

    def end(by: signal.Signals) -> None:
        if not told:
            print("\nStopping proxy and evaluator …", flush=True)
            told.append(by)
            task.cancel()

    for ending in ENDINGS:
        loop.add_signal_handler(ending, end, ending)
    with suppress(asyncio.CancelledError):
        return 0 if await task else 1
    return 0 if asked.keep else INTERRUPTED


if __name__ == "__main__":
    raise SystemExit(main())
