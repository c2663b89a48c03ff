"""`python -m demo`; the README says what it shows."""

from __future__ import annotations

import os
import signal


def main() -> int:
    """Run it; returns the exit code."""
    try:
        # Half a second of imports, in which Ctrl-C must be as quiet as later. Some of them turn a
        # KeyboardInterrupt into an ImportError, and nothing is open yet: so it ends at once.
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        from demo.run import run

        signal.signal(signal.SIGINT, signal.default_int_handler)
        return run(os.environ)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
