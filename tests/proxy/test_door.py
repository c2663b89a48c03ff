from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry

from proxy.door import HEAD_SECONDS, Door
from proxy.metrics import Metrics


class Clock:
    """A clock that stands still unless it is told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Guest:
    """A connection that remembers whether it was cut off."""

    def __init__(self) -> None:
        self.gone = False

    def cut(self) -> None:
        self.gone = True


class House:
    """A door for two, its clock and its metrics."""

    def __init__(self, limit: int = 2) -> None:
        self.clock = Clock()
        self.registry = CollectorRegistry()
        self.door = Door("public", limit, Metrics(self.registry), self.clock)

    def let_in(self) -> Guest:
        guest = Guest()
        assert self.door.enters(guest)
        return guest

    def count(self, reason: str) -> float | None:
        labels = {"port": "public", "reason": reason}
        return self.registry.get_sample_value("shadowrank_connections_cut_total", labels)

    @property
    def inside(self) -> float | None:
        return self.registry.get_sample_value("shadowrank_connections", {"port": "public"})


@pytest.fixture
def house() -> House:
    return House()


def test_a_head_has_a_deadline(house: House):
    """
    Who has not asked in time is cut off; who asked later, or is served, is not.
    """
    slow, served = house.let_in(), house.let_in()
    house.door.begins(served)

    house.clock.now = HEAD_SECONDS - 1
    house.door.sweep()
    assert not slow.gone

    house.clock.now = HEAD_SECONDS
    house.door.sweep()
    assert (True, False) == (slow.gone, served.gone)
    assert (1, 1) == (house.count("late"), house.inside)


def test_a_later_head_has_its_deadline_from_its_first_byte(house: House):
    """
    Being idle between requests is no fault, and further bytes win no time.
    """
    guest = house.let_in()
    house.door.begins(guest)
    house.door.waits(guest)
    house.clock.now = 60.0
    house.door.sweep()
    assert not guest.gone

    house.door.heard(guest)
    house.clock.now += HEAD_SECONDS - 1
    house.door.heard(guest)
    house.door.sweep()
    assert not guest.gone
    house.clock.now += 1
    house.door.sweep()
    assert guest.gone


def test_a_newcomer_takes_the_place_of_who_waits_longest(house: House):
    """
    Of who has never asked before of who is between requests.
    """
    old, silent = house.let_in(), house.let_in()
    house.door.begins(old)
    house.door.waits(old)

    house.let_in()
    assert (False, True) == (old.gone, silent.gone)
    assert (1, 2) == (house.count("crowded"), house.inside)


def test_who_is_idle_gives_way_too(house: House):
    """
    If all others are being served.
    """
    served, idle = house.let_in(), house.let_in()
    for guest in (served, idle):
        house.door.begins(guest)
    house.door.waits(idle)

    house.let_in()
    assert (False, True) == (served.gone, idle.gone)


def test_who_is_served_keeps_its_place(house: House):
    """
    When nobody waits, it is the newcomer that must go.
    """
    guests = [house.let_in(), house.let_in()]
    for guest in guests:
        house.door.begins(guest)

    assert not house.door.enters(Guest())
    assert [False, False] == [guest.gone for guest in guests]
    assert (1, 2) == (house.count("full"), house.inside)

    house.door.leaves(guests[0])
    assert house.door.enters(Guest())


def test_who_has_left_is_forgotten(house: House):
    """
    An answer that ends afterwards doesn't bring it back.
    """
    guest = house.let_in()
    house.door.begins(guest)
    house.door.leaves(guest)
    house.door.waits(guest)
    house.door.leaves(guest)

    assert 0 == house.inside
    house.let_in()
    house.let_in()
    house.let_in()
    assert not guest.gone
