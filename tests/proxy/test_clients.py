from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from proxy.clients import Parts
from proxy.plan import Plan


@dataclass
class Recipe:
    """A part that counts how often it is opened and closed."""

    name: str
    fails: bool = False
    open_now: list[str] = field(default_factory=list, compare=False)

    @asynccontextmanager
    async def open(self, name: str, role: str) -> AsyncIterator[object]:
        if self.fails:
            raise OSError(self.name)
        self.open_now.append(role)
        yield object()
        self.open_now.remove(role)


def plan(**backends: Recipe) -> Plan:
    settings: Any = None
    recipes: Any = backends
    return Plan(settings, recipes, {}, {}, {}, {})


async def test_every_part_is_opened_once_a_role():
    """
    Live and shadow share nothing that is open.
    """
    recipe = Recipe("a")

    lease = await Parts().lease(plan(main=recipe))

    assert ["live", "shadow"] == sorted(recipe.open_now)
    assert lease.live.backends["main"] is not lease.shadow.backends["main"]
    await lease.release()
    assert [] == recipe.open_now


async def test_an_equal_recipe_is_the_same_part():
    """
    What a reload leaves unchanged stays open until its last holder lets go.
    """
    parts, first, second = Parts(), Recipe("a"), Recipe("a")

    one = await parts.lease(plan(main=first))
    two = await parts.lease(plan(main=second))
    await one.release()

    assert one.live.backends["main"] is two.live.backends["main"]
    assert (2, 0) == (len(first.open_now), len(second.open_now))
    await two.release()
    assert [] == first.open_now


async def test_a_changed_recipe_is_another_part():
    """
    Both are open until the old one's holder lets go.
    """
    parts, old, new = Parts(), Recipe("a"), Recipe("b")

    one = await parts.lease(plan(main=old))
    two = await parts.lease(plan(main=new))
    assert (2, 2) == (len(old.open_now), len(new.open_now))
    await one.release()

    assert (0, 2) == (len(old.open_now), len(new.open_now))
    await two.release()


async def test_when_one_fails_none_stays_open():
    """
    A lease is whole or it is none, and what was open before is untouched.
    """
    parts, good, bad = Parts(), Recipe("a"), Recipe("b", fails=True)
    held = await parts.lease(plan(main=good))

    with pytest.raises(OSError, match="b"):
        await parts.lease(plan(main=good, more=Recipe("c"), bad=bad))

    assert 2 == len(good.open_now)
    await held.release()
    assert [] == good.open_now
