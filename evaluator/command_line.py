"""The command line: `shadowrank-evaluator serve|once --config FILE`.

Exit codes: 0, or 2 for a wrong configuration or usage.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from prometheus_client import disable_created_metrics
from redis.exceptions import RedisError

from config import logs
from config.errors import ConfigError
from evaluator.once import NoLog, once
from evaluator.service import AlreadyRunning
from evaluator.serving import serve
from evaluator.settings import read
from proxy.events.redis_server import RedisMissing
from proxy.events.shards import ShardsChanged

CONFIG: Final = "SHADOWRANK_CONFIG"
REFUSALS: Final = (ConfigError, NoLog, RedisMissing, ShardsChanged, AlreadyRunning)
_without_start_times: Callable[[], None] = disable_created_metrics
"""prometheus_client would double every counter by a series that says when it began."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code. Wrong usage raises SystemExit(2), as argparse does."""
    parser = _parser()
    args = parser.parse_args(argv)
    if not args.config:
        parser.error(f"no configuration: give --config or set {CONFIG}")
    settings = partial(read, Path(args.config), os.environ)
    try:
        if args.command == "once":
            print(asyncio.run(once(settings(), os.environ)))
            return 0
        logs.configure("info")
        _without_start_times()
        asyncio.run(serve(settings, os.environ))
    except REFUSALS as exc:
        print(exc, file=sys.stderr)
        return 2
    except (RedisError, OSError) as exc:
        print(f"cannot serve: {exc}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="shadowrank-evaluator",
        description="Folds the event log into measures with intervals and exports them.",
        epilog="  shadowrank-evaluator once --config shadowrank.yaml",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, what in (
        ("serve", "evaluate every interval and export metrics until SIGTERM"),
        ("once", "read, print a table, write nothing"),
    ):
        command = commands.add_parser(name, help=what)
        command.add_argument("--config", default=os.environ.get(CONFIG), help=f"(or {CONFIG})")
    return parser
