"""Reading measures as people write them: `nDCG@10`, `nDCG(gain=linear)@10`, `RR`, `P(rel=2)@5`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, Final

from evaluator.measures import AP, NDCG, RR, Judged, Measure, Precision, Recall, Success

MEASURES: Final[Mapping[str, Callable[..., Measure]]] = {
    kind.name: kind for kind in (NDCG, RR, Success, Precision, Recall, AP, Judged)
}
"""Every measure by the name it is written with."""
MAX_K: Final = 1000

_FORM: Final = re.compile(
    r"(?P<name>[A-Za-z]+)(\((?P<options>[^()]*)\))?(@(?P<k>[1-9][0-9]{0,3}))?"
)


def parse(text: str) -> Measure:
    """The measure that `text` names; raises ValueError saying what is wrong with it.

    >>> parse("nDCG(gain=linear)@10")
    NDCG(k=10, gain='linear')
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError("is no measure such as nDCG@10 or nDCG(gain=linear)@10")
    name, k = match["name"], int(match["k"]) if match["k"] else None
    if name not in MEASURES:
        raise ValueError(f"is no measure; choices: {', '.join(MEASURES)}")
    kind = MEASURES[name]
    needs_cutoff = signature(kind).parameters["k"].default is not None
    if k is None and needs_cutoff:
        raise ValueError(f"needs a cutoff, such as {name}@10")
    if k is not None and k > MAX_K:
        raise ValueError(f"has a cutoff beyond {MAX_K}")
    return kind(k=k, **_options(kind, match["options"]))


def _options(kind: Callable[..., Measure], text: str | None) -> dict[str, Any]:
    known = sorted(signature(kind).parameters.keys() - {"k"})
    read: dict[str, Any] = {}
    for option in text.split(",") if text is not None else ():
        key, _, value = (part.strip() for part in option.partition("="))
        if key not in known or key in read:
            choices = ", ".join(known) or "none"
            raise ValueError(f"has {key!r} twice or no such option; choices: {choices}")
        read[key] = _gain(value) if key == "gain" else _grade(value)
    return read


def _gain(value: str) -> str:
    if value not in ("exp", "linear"):
        raise ValueError(f"has gain {value!r}; choices: exp, linear")
    return value


def _grade(value: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]?", value):
        raise ValueError(f"has rel={value}, which is no grade from 1")
    return int(value)
