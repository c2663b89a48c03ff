"""The whole demo as it appears on a terminal, and for machines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Final

from demo.checks import checks
from demo.collection import claims
from demo.configuration import BROKEN, ROUTE, roles
from demo.crowd import Crowd
from demo.directions import accounts, addresses, keeping, leaving, overture
from demo.narrative import narrative
from demo.options import Options
from demo.performance import Outcome, Performance
from demo.report import report
from demo.schedule import Schedule
from demo.stage import Setting, opened
from demo.table import table
from demo.truth import Truth, measure

SEED: Final = 2020
KEPT: Final = 0.4
"""The share of users that still comes when the run is over and the demo is kept."""
KEPT_EVERY: Final = 15.0
"""Seconds between two tables then."""

say = partial(print, flush=True)


async def show(options: Options) -> bool:
    """Set the stage, perform, tell. Whether every check held. Raises InUse, ServiceFailed."""
    began = monotonic()
    schedule = Schedule(options.seconds)
    say("Unpacking SciFact (5,183 abstracts) and starting proxy and evaluator …")
    async with opened(options.folder, schedule.window) as stage:
        return await stage.during(_perform(stage.setting, schedule, options, began))


async def _perform(setting: Setting, schedule: Schedule, options: Options, began: float) -> bool:
    say(addresses(setting.site))
    asked = claims()
    with_vectors = setting.missing is not None
    if setting.missing is not None:
        say(f"{setting.missing}\nWithout the model, each search brings the vector shipped for it.")
    say(f"Asking all {len(asked)} claims of every pipeline once (true nDCG@10) …")
    (live, _), *_ = shown = roles(setting.config)
    truth = await measure(setting.site.ask, ROUTE, live, asked, with_vectors)
    say(overture(schedule, options.rate))
    crowd = Crowd(setting.site.http, setting.site.public, ROUTE, asked, SEED, with_vectors)
    performance = Performance(setting, schedule, crowd, truth, shown, say)
    prepared = monotonic()
    outcome = await performance.run(options.rate)
    seconds = {"prepare": prepared - began, "run": monotonic() - prepared}
    held = _tell(outcome, truth, options, seconds)
    if options.keep:
        await _keep_serving(performance, options, outcome.start)
    else:
        say(f"\n{leaving()}")
    return held


def _tell(
    outcome: Outcome,
    truth: Truth,
    options: Options,
    seconds: Mapping[str, float],
) -> bool:
    """The last table, what it shows, and the file for machines."""
    held = checks(outcome.served, outcome.totals, outcome.sent, truth.served_as_explained)
    say(f"\n{table(outcome.board, 'The end, after all clicks were judged')}\n")
    say(narrative(outcome.board, outcome.served, BROKEN))
    say(f"\n{accounts(outcome.totals, outcome.sent.users)}")
    for name in (name for name, holds in held.items() if not holds):
        say(f"CHECK FAILED: {name}")
    if options.json is not None:
        found = report(outcome.board, outcome.served, outcome.totals, held, seconds)
        options.json.write_text(json.dumps(found, indent=1, allow_nan=False) + "\n")
    return all(held.values())


async def _keep_serving(performance: Performance, options: Options, start: float) -> None:
    """Users keep coming, fewer of them, until somebody presses Ctrl-C."""
    place = performance.setting.place
    say(f"\n{keeping(place.config, place.pids)}\n{addresses(performance.setting.site)}")
    crowd = replace(performance.crowd, seed=SEED + 1)
    async with asyncio.TaskGroup() as group:
        group.create_task(crowd.come(options.rate * KEPT))
        group.create_task(
            replace(performance, crowd=crowd, roles=()).report(start, every=KEPT_EVERY)
        )
