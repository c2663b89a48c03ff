"""Single values as clients send them: each check returns the value or raises `BadRequest`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from proxy.errors import BadRequest
from proxy.model import Scalar

MAX_FLOAT32: Final = 3.4e38
MAX_INT: Final = 2**63 - 1


def decoded(raw: bytes | str, field: str | None = None) -> object:
    """The JSON value. Not JSON are, too: lone surrogates, NaN, numbers beyond a double, nesting
    that would exhaust the stack. Of duplicate keys the last counts.
    """
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError) as exc:
        what = "the body" if field is None else "it"
        raise BadRequest(f"{what} is not valid JSON: {exc}", field=field) from None


def mapping(value: object, field: str | None = None) -> Mapping[str, object]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise BadRequest("must be a JSON object", field=field, value=value)
    return value


def known(keys: Collection[str], choices: Sequence[str]) -> None:
    """No key but the choices."""
    for key in keys:
        if key not in choices:
            raise BadRequest(f"unknown key {key[:100]!r}", field=key[:100], choices=choices)


def text(value: object, field: str, longest: int) -> str:
    """A string of at most `longest` characters, every one of which can be stored and sent on."""
    if not isinstance(value, str):
        raise BadRequest("must be a string", field=field, value=value)
    if len(value) > longest:
        raise BadRequest(
            f"is longer than {longest} characters ({len(value)})", field=field, value=value
        )
    if "\0" in value:
        raise BadRequest("holds a NUL character", field=field, value=value)
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise BadRequest("holds a lone surrogate, which is no character", field=field, value=value)
    return value


def name(value: object, field: str, longest: int) -> str:
    """A text that isn't empty."""
    if not (read := text(value, field, longest)):
        raise BadRequest("is empty", field=field)
    return read


def whole(value: object, field: str, low: int, high: int) -> int:
    """An integer within bounds; neither 1.0 nor true is one."""
    if type(value) is not int:
        raise BadRequest("must be an integer", field=field, value=value)
    if not low <= value <= high:
        raise BadRequest(f"must be from {low} to {high}", field=field, value=value)
    return value


def choice(value: object, field: str, choices: Sequence[str]) -> str:
    """One of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise BadRequest("is none of the choices", field=field, value=value, choices=choices)
    return value


def scalar(value: object, field: str, longest: int) -> Scalar:
    """What a document's field can be compared with: a string, a number or a boolean."""
    if isinstance(value, str):
        return text(value, field, longest)
    if isinstance(value, bool | float) or (isinstance(value, int) and abs(value) <= MAX_INT):
        return value
    raise BadRequest("must be a string, a number or a boolean", field=field, value=value)


def vector(value: object, field: str, length: int | None, longest: int) -> tuple[float, ...]:
    """A vector with a direction: finite in float32, not all zeros, of the length asked for."""
    if not isinstance(value, list):
        raise BadRequest("must be a list of numbers", field=field, value=value)
    if length is not None and len(value) != length:
        raise BadRequest(f"has {len(value)} numbers; this route takes {length}", field=field)
    if not 0 < len(value) <= longest:
        raise BadRequest(f"must have 1 to {longest} numbers, not {len(value)}", field=field)
    for index, number in enumerate(value):
        if type(number) not in (int, float):
            raise BadRequest("must be a number", field=f"{field}[{index}]", value=number)
        if not abs(number) <= MAX_FLOAT32:  # true of NaN, too
            raise BadRequest("must be finite in float32", field=f"{field}[{index}]", value=number)
    if not any(value):
        raise BadRequest("is all zeros and points nowhere", field=field)
    return tuple(map(float, value))
