"""A shard's state as the fields of one Redis hash.

`at` holds position, clock and since; `newest:{role}:{pipeline}` a time and a version; every other
field is a cell, `{bucket}:{role}:{pipeline}:{version}`, packed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from evaluator.records import record_id
from evaluator.state import Newest, Slot, State, layout_of
from evaluator.sums import unpack

AT: Final = b"at"
_NEWEST: Final = "newest"


def at_field(state: State) -> bytes:
    """How far the state has come: what tells one commit from another."""
    return f"{state.position} {state.clock} {state.since}".encode()


def slot_field(slot: Slot) -> bytes:
    """The name of a cell's field."""
    return f"{slot.bucket}:{slot.role}:{slot.pipeline}:{slot.version}".encode()


def written(state: State, slots: Iterable[Slot], before: State) -> dict[bytes, bytes]:
    """The fields to write: the named cells, where it has come to, and versions that are new."""
    fields = {AT: at_field(state)}
    for slot in slots:
        if slot in state.cells:
            fields[slot_field(slot)] = state.cells[slot].pack()
    for (role, pipeline), newest in state.newest.items():
        if before.newest.get((role, pipeline)) != newest:
            name = f"{_NEWEST}:{role}:{pipeline}"
            fields[name.encode()] = f"{newest.ms}:{newest.version}".encode()
    return fields


def read(fields: Mapping[bytes, bytes], measures: int) -> State | None:
    """The state in a hash; None in an empty one."""
    if AT not in fields:
        return None
    position, clock, since = fields[AT].split()
    cells, newest = {}, {}
    for name, value in fields.items():
        first, _, rest = name.decode().partition(":")
        if first == _NEWEST:
            role, _, pipeline = rest.partition(":")
            ms, _, version = value.decode().partition(":")
            newest[role, pipeline] = Newest(int(ms), version)
        elif name != AT:
            slot = Slot(int(first), *rest.split(":", 2))
            cells[slot] = unpack(value, layout_of(slot.role, measures))
    at = (record_id(position), int(clock), record_id(since))
    return State(*at, cells, newest, stored=fields[AT])
