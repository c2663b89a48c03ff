"""`python -m demo`; the README says what it shows."""

from __future__ import annotations

import os


def main() -> int:
    """Run it; returns the exit code."""
    try:
        # Half a second of imports, in which Ctrl-C must be as quiet as later.
        from demo.run import run

        return run(os.environ)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
