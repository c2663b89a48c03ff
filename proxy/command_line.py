"""The command line: `shadowrank-proxy serve|check --config FILE`.

Exit codes: 0, or 2 for a wrong configuration or usage, 1 if a task that must run has died.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import uvloop
from prometheus_client import disable_created_metrics

from config import logs
from config.errors import ConfigError
from config.loader import load
from config.secrets import read as read_secrets
from proxy.build import build
from proxy.check import check
from proxy.errors import BackendError
from proxy.events.redis_server import RedisMissing
from proxy.events.shards import ShardsChanged
from proxy.inspection import check_backends
from proxy.listening import ParserMissing, check_parser
from proxy.plan import Plan
from proxy.signals import serve_until_stopped

CONFIG: Final = "SHADOWRANK_CONFIG"
_without_start_times: Callable[[], None] = disable_created_metrics
"""prometheus_client would double every counter by a series that says when it began."""
EXAMPLES: Final = """\
  shadowrank-proxy check --config shadowrank.yaml --backends
  SHADOWRANK_CONFIG=shadowrank.yaml shadowrank-proxy serve --log-level debug
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code. Wrong usage raises SystemExit(2), as argparse does."""
    parser = _parser()
    args = parser.parse_args(argv)
    if not args.config:
        parser.error(f"no configuration: give --config or set {CONFIG}")
    path = Path(args.config)
    if args.command == "check":
        return (check_backends if args.backends else check)(path, os.environ)
    logs.configure(args.log_level)
    _without_start_times()
    return _serve(path, os.environ)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="shadowrank-proxy",
        description="Answers searches with the live pipeline and shows shadows the same traffic.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, what in (
        ("serve", "serve the public and the private port until SIGTERM"),
        ("check", "say what is wrong with a configuration, touching no network unless told to"),
    ):
        command = commands.add_parser(name, help=what)
        command.add_argument("--config", default=os.environ.get(CONFIG), help=f"(or {CONFIG})")
        if name == "check":
            command.add_argument(
                "--backends", action="store_true", help="ask every backend that is used, too"
            )
        if name == "serve":
            command.add_argument("--log-level", choices=logs.LEVELS, default="info")
    return parser


def _serve(path: Path, environ: Mapping[str, str]) -> int:
    """Serve until stopped. What keeps it from starting is said in a sentence on stderr."""

    def read() -> Plan:
        return build(load(path, environ))

    try:
        check_parser()
        plan = read()
        settings = plan.settings
        secrets = read_secrets(settings, environ, Path(settings.state_dir))
        return uvloop.run(serve_until_stopped(plan, read, secrets, _settle))
    except (BackendError, ConfigError, ParserMissing, RedisMissing, ShardsChanged) as exc:
        print(exc, file=sys.stderr)
    except OSError as exc:
        print(f"cannot serve: {exc}", file=sys.stderr)
    return 2


def _settle() -> None:
    """Take what was made up to now out of the garbage collector's sight: it is here to stay, and a
    full collection over it would hold up every search for a tenth of a second.
    """
    gc.collect()
    gc.freeze()
