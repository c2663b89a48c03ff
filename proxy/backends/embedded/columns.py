"""Columns: the values of each field by document, for what is counted of many documents at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from proxy.backends.embedded.fields import Field, FieldType
from proxy.model import Scalar

Numbers: TypeAlias = NDArray[np.float64] | NDArray[np.int64]

_EXACT: Final = 2**53
_OWNERS: Final = "owners.npy"
_VALUES: Final = "values.npy"
_WORDS: Final = "words.json"


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One field's values, document after document and each document's in order.

    Document `owners[i]` holds `values[i]`. A keyword's values are places in `words`, each once a
    document; a boolean's are 0 and 1. `words` are in order, of code points as Lucene's are.
    """

    type: FieldType
    owners: NDArray[np.int64]
    values: Numbers
    words: tuple[str, ...] = ()
    whole: bool = False
    """Whether all its numbers are integers that a double holds exactly, as most of a `long`."""


def made(field: Field, held: Iterable[Sequence[Scalar]]) -> Column:
    """The column of what each document holds, in order of documents."""
    pairs = [(owner, value) for owner, several in enumerate(held) for value in several]
    owners = np.array([owner for owner, _ in pairs], np.int64)
    words: tuple[str, ...] = ()
    values: Numbers
    if field.type == "keyword":
        words = tuple(sorted({str(word) for _, word in pairs}))
        places = {word: place for place, word in enumerate(words)}
        values = np.array([places[str(word)] for _, word in pairs], np.int64)
    elif field.type == "number":
        # Added to 0, so that there is no -0.0, which Lucene tells from 0.0.
        values = np.array([float(number) for _, number in pairs], np.float64) + 0.0
    else:
        values = np.array([bool(value) for _, value in pairs], np.int64)
    order = np.lexsort((values, owners))
    owners, values = owners[order], values[order]
    if field.type == "keyword":
        first = firsts(owners, values)
        owners, values = owners[first], values[first]
    return Column(field.type, owners, values, words, _whole(values))


def firsts(owners: NDArray[np.int64], values: Numbers) -> NDArray[np.bool_]:
    """Which of a column's (owner, value) pairs are no repetition of the one before."""
    if not len(owners):
        return np.zeros(0, np.bool_)
    fresh = (owners[1:] != owners[:-1]) | (values[1:] != values[:-1])
    return np.concatenate((np.ones(1, np.bool_), fresh))


def build(
    folder: Path, documents: Iterable[Mapping[str, Any]], fields: Mapping[str, Field]
) -> Mapping[str, Column]:
    """The columns of all fields but texts, which are written to the empty `folder` too."""
    kept = {name: field for name, field in fields.items() if field.type != "text"}
    held: dict[str, list[Sequence[Scalar]]] = {name: [] for name in kept}
    for document in documents:
        for name, field in kept.items():
            held[name].append(field.values(document, name))
    columns = {name: made(field, held[name]) for name, field in kept.items()}
    for place, name in enumerate(sorted(columns)):
        inner, column = folder / str(place), columns[name]
        inner.mkdir()
        np.save(inner / _OWNERS, column.owners)
        np.save(inner / _VALUES, column.values)
        (inner / _WORDS).write_bytes(msgspec.json.encode(column.words))
    return columns


def load(folder: Path, fields: Mapping[str, Field]) -> Mapping[str, Column]:
    """What `build` wrote. Raises OSError, ValueError, EOFError, MsgspecError for damage."""
    kept = sorted(name for name, field in fields.items() if field.type != "text")
    return {
        name: _loaded(folder / str(place), fields[name].type) for place, name in enumerate(kept)
    }


def _loaded(folder: Path, kind: FieldType) -> Column:
    words = msgspec.json.decode((folder / _WORDS).read_bytes(), type=tuple[str, ...])
    owners, values = np.load(folder / _OWNERS), np.load(folder / _VALUES)
    if owners.shape != values.shape:
        raise ValueError(f"{folder} is incomplete")
    return Column(kind, owners, values, words, _whole(values))


def _whole(values: Numbers) -> bool:
    return bool(((values == np.floor(values)) & (np.abs(values) <= _EXACT)).all())
