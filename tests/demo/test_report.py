"""The document for machines."""

from __future__ import annotations

import json

from demo.board import Board, Estimate, Row
from demo.report import report
from demo.totals import Totals

SHOWN = Board(
    (
        Row("rrf60", "live", Estimate(0.5, 0.4, 0.6, 1200), 1.0, 0.71, 12.5),
        Row("bm25", "shadow"),
    )
)
TOTALS = Totals(5, 0, {}, 5, 4, {"full": 1}, 3, 2, {"clock": 1}, 30, 29, {"full": 1})


def test_the_document_has_the_published_shape():
    """
    Every key stands where readers of DEMO_JSON look for it.
    """
    served = {"before": Board((), Estimate(0.5)), "during": Board((), Estimate(0.1))}

    found = report(SHOWN, served, TOTALS, {"events": True}, {"prepare": 3.04, "run": 60.06})

    assert {
        "pipelines": {
            "rrf60": {
                "role": "live",
                "true_ndcg@10": 0.71,
                "ndcg@10": {"mean": 0.5, "low": 0.4, "high": 0.6, "n": 1200},
                "judged@10": 1.0,
                "p95_ms": 12.5,
            },
            "bm25": {
                "role": "shadow",
                "true_ndcg@10": None,
                "ndcg@10": {"mean": None, "low": None, "high": None, "n": 0},
                "judged@10": None,
                "p95_ms": None,
            },
        },
        "served": {"before": 0.5, "during": 0.1, "after": None},
        "totals": {
            "requests": 5,
            "errors": 0,
            "impressions": {"offered": 5, "stored": 4, "dropped": {"full": 1}},
            "events": {"sent": 3, "accepted": 2, "refused": {"clock": 1}},
            "shadows": {"sampled": 30, "ran": 29, "dropped": {"full": 1}},
        },
        "checks": {"events": True},
        "seconds": {"prepare": 3.0, "run": 60.1},
    } == json.loads(json.dumps(found, allow_nan=False))
