"""What happens on the stage: users come, live breaks halfway, is repaired, and all is read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Final

from aiohttp import ClientError

from demo.board import Board, board
from demo.configuration import BROKEN, ROUTE, switched
from demo.crowd import Crowd
from demo.schedule import Schedule
from demo.scrape import Scrape
from demo.stage import Setting
from demo.table import table
from demo.totals import Sent, Totals, totals
from demo.truth import Truth

EVERY: Final = 5.0
"""Seconds between two tables."""

ACCIDENT: Final = (
    f">>> Everybody is served `{BROKEN}` now; nobody tells the evaluator. No shadow runs\n"
    ">>> meanwhile: a shadow's row pools the pages of all live pipelines, and would fall with\n"
    ">>> these. So the rows stand still, and the served line moves."
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to. `served` are the boards at the end of each phase.

    `start` is the loop's time of the first search.
    """

    start: float
    board: Board
    served: Mapping[str, Board]
    sent: Sent
    totals: Totals


@dataclass(frozen=True, slots=True)
class Performance:
    """One run, once both services are up; `say` shows a text.

    `roles` are the (pipeline, role) that are shown even before there are numbers of them.
    """

    setting: Setting
    schedule: Schedule
    crowd: Crowd
    truth: Truth
    roles: Sequence[tuple[str, str]]
    say: Callable[[str], None]

    async def run(self, rate: float) -> Outcome:
        """From the first search to the last number."""
        before = await self._proxy()
        start = asyncio.get_running_loop().time()
        async with asyncio.TaskGroup() as group:
            group.create_task(self.crowd.come(rate, self.schedule.traffic))
            group.create_task(self._accident(start))
            group.create_task(self.report(start, self.schedule.seconds))
            reading = group.create_task(self._readings(start))
        tally, served = self.crowd.tally, reading.result()
        sent = Sent(tally.searches, tally.errors, tally.events, len(tally.users))
        end, last = await self.look(), served["after"]
        return Outcome(
            start,
            # The served window runs on and is empty by now: the last that was in it is shown.
            replace(end, served=last.served, clicked=last.clicked),
            served,
            sent,
            totals(before, await self._proxy(), sent, ROUTE),
        )

    async def look(self) -> Board:
        """The evaluator's numbers as they are now; unknown if it doesn't answer in time."""
        found = Scrape()
        with suppress(ClientError, TimeoutError):
            found = await self.setting.site.scrape(self.setting.site.evaluator)
        return board(found, ROUTE, self.roles, self.truth.ndcg)

    async def report(self, start: float, seconds: float = inf, every: float = EVERY) -> None:
        """Show the table at each multiple of `every` after `start`, from now until `seconds`."""
        passed = asyncio.get_running_loop().time() - start
        due = (passed // every + 1) * every
        while due < seconds:
            await self._at(start + due)
            title = f"{due:.0f} s, {self.crowd.tally.searches:,} searches"
            self.say(f"\n{table(await self.look(), title)}")
            due += every
        await self._at(start + seconds)

    async def _readings(self, start: float) -> dict[str, Board]:
        """What was served in each phase, read when the served window holds that phase alone."""
        found = dict[str, Board]()
        for phase, at in self.schedule.readings:
            await self._at(start + at)
            found[phase] = await self.look()
        return found

    async def _accident(self, start: float) -> None:
        """Make the broken pipeline live, and take it back."""
        await self._at(start + self.schedule.accident)
        await self.setting.reload(switched(self.setting.config))
        self.say(f"\n{ACCIDENT}")
        await self._at(start + self.schedule.repair)
        await self.setting.reload(self.setting.config)
        self.say("\n>>> The old configuration is back.")

    async def _at(self, time: float) -> None:
        await asyncio.sleep(time - asyncio.get_running_loop().time())

    async def _proxy(self) -> Scrape:
        return await self.setting.site.scrape(self.setting.site.admin)
