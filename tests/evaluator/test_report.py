"""A snapshot as a table."""

from __future__ import annotations

from evaluator.report import report
from evaluator.snapshot import Member, Numbers, Served, Snapshot
from evaluator.stats import Estimate

ESTIMATE = Estimate(0.5, 200, 0.4, 0.6)
LIVE = Numbers("v", 200, (("RR", ESTIMATE),), (("judged@10", 1.0),), ((0.95, 0.0123),))
SHADOW = Numbers("v", 0, (), (), ())
SERVED = Served(210, (("RR", Estimate(0.25, 210)),), (("clicked", 0.5), ("degraded", 0.0)))


def test_every_number_stands_with_its_n_and_its_interval() -> None:
    """
    What can't be said is a dash.
    """
    pipelines = ((Member("live", "rrf60"), LIVE), (Member("shadow", "rrf20"), SHADOW))
    table = report("faq", Snapshot(pipelines, SERVED), ["RR"])

    assert [
        "route faq",
        "pipeline  role    n    RR                    judged@10  overlap@10  p95 ms",
        "          served  210  0.250                 -          -           -",
        "rrf60     live    200  0.500 [0.400, 0.600]  1.000      -           12.3",
        "rrf20     shadow  0    -                     -          -           -",
        "served: clicked 0.500, degraded 0.000",
    ] == table.splitlines()


def test_before_the_first_impression_there_is_nothing() -> None:
    """
    And that is said.
    """
    table = report("faq", Snapshot((), Served(0, (), ())), ["RR"])

    assert "served: nothing yet" == table.splitlines()[-1]
