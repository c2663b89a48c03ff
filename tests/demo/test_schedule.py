"""The schedule: half, a quarter, a quarter, and readings that see one phase each."""

from __future__ import annotations

import pytest

from demo.schedule import SHORTEST, Schedule

RUNS = [SHORTEST, 20.0, 60.0, 600.0]


@pytest.mark.parametrize("seconds", RUNS)
def test_the_accident_takes_a_quarter_of_the_traffic(seconds: float):
    """
    Live breaks halfway and is back after another quarter.
    """
    schedule = Schedule(seconds)

    assert schedule.accident == pytest.approx(schedule.traffic / 2)
    assert schedule.repair - schedule.accident == pytest.approx(schedule.traffic / 4)


@pytest.mark.parametrize("seconds", RUNS)
def test_the_last_search_is_judged_within_the_run(seconds: float):
    """
    Traffic ends early enough to settle, and for a round to see it.
    """
    schedule = Schedule(seconds)

    assert schedule.traffic + schedule.settle + schedule.interval < seconds
    assert schedule.readings[-1][1] < seconds


@pytest.mark.parametrize("seconds", RUNS)
def test_a_reading_sees_its_phase_and_no_other(seconds: float):
    """
    Whenever the last round was, the served window lies within the phase that has just ended.
    """
    schedule = Schedule(seconds)
    begins = {"before": 0.0, "during": schedule.accident, "after": schedule.repair}
    ends = {"before": schedule.accident, "during": schedule.repair, "after": schedule.traffic}

    for phase, at in schedule.readings:
        for folded in (at - schedule.settle, at - schedule.settle - schedule.interval):
            assert folded <= ends[phase]
            assert folded - schedule.shown >= begins[phase] - 1e-9


@pytest.mark.parametrize("seconds", RUNS)
def test_the_served_window_is_longer_than_what_is_not_judged_yet(seconds: float):
    """
    It ends now, and the last seconds of it hold nothing so far.
    """
    schedule = Schedule(seconds)

    assert schedule.window - schedule.settle == pytest.approx(schedule.shown)
    assert schedule.shown >= 1
