"""The command `shadowrank-evaluator`: interrupted early, it is as quiet as later."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run it; returns the exit code. Wrong usage raises SystemExit(2), as argparse does."""
    try:
        # A second of imports, in which Ctrl-C must say nothing. Some of them turn a
        # KeyboardInterrupt into an ImportError, and nothing is open yet: so it ends at once.
        usual = signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        # A reload that is asked for before anything is read has its wish already.
        signal.signal(signal.SIGHUP, lambda *_: None)
        from evaluator.command_line import main as run

        signal.signal(signal.SIGINT, usual)
        return run(argv)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
