"""A YAML text as plain values, JSON's and no others, with every trap of YAML named by its place."""

from __future__ import annotations

import re
from math import isfinite
from typing import Final, NamedTuple, TypeAlias, cast

import yaml

from config.problems import ABSENT, problem

Value: TypeAlias = "str | bool | int | float | list[Value] | dict[str, Value] | None"

MAX_VALUES: Final = 100_000
"""How many values a text may come to once its aliases are followed."""
MAX_NESTING: Final = 50
LARGEST: Final = 1 << 63
_MERGE: Final = "tag:yaml.org,2002:merge"
_NO_TEXT: Final = re.compile("[\0\ud800-\udfff]")
"""NUL and halves of surrogate pairs, which other programs would choke on."""


class Document(NamedTuple):
    """What a text says, as far as it could be read, and what is wrong with it."""

    value: Value
    problems: tuple[str, ...]
    unread: frozenset[tuple[str, ...]] = frozenset()
    """Where something stands that could not be read: None in `value`, and already a problem."""


def parse(text: str) -> Document:
    """Read one YAML document. Never raises: what can't be read is a problem with its line."""
    loader = yaml.SafeLoader("")
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as exc:
        return Document(None, (f"{_line(exc.problem_mark)}: is no YAML: {exc.problem}",))
    except yaml.YAMLError as exc:
        return Document(None, (f"the file: is no YAML: {' '.join(str(exc).split())}",))
    except RecursionError:
        return Document(None, (f"the file: is nested deeper than {MAX_NESTING} levels",))
    finally:
        loader.dispose()
    if node is None:
        return Document(None, ("the file: is empty",))
    reader = _Reader(loader)
    try:
        value = reader.value(node, ())
    except _TooLarge as exc:
        return Document(None, (*reader.problems, str(exc)))
    return Document(value, tuple(reader.problems), frozenset(reader.unread))


class _TooLarge(Exception):
    """The document's aliases make more of it than a configuration can be."""


class _Reader:
    """Turns nodes into values; what cannot be turned is left out and noted."""

    def __init__(self, loader: yaml.SafeLoader) -> None:
        self.loader = loader
        self.problems: list[str] = []
        self.unread: set[tuple[str, ...]] = set()
        self.read = 0

    def value(self, node: yaml.Node, path: tuple[str, ...]) -> Value:
        """The node's value. An alias is read wherever it is used: the count is the expanded one."""
        self.read += 1
        if self.read > MAX_VALUES:
            raise _TooLarge(
                f"the file: comes to more than {MAX_VALUES} values (aliases of aliases?)"
            )
        if len(path) > MAX_NESTING:
            raise _TooLarge(f"the file: is nested deeper than {MAX_NESTING} levels")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, str(at))) for at, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: tuple[str, ...]) -> Value:
        merged: dict[str, Value] = {}
        own: dict[str, Value] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _MERGE:
                merged |= self._merge(value_node, path)
                continue
            key = self._scalar(key_node, path)
            if not isinstance(key, str):
                self._note(path, key_node, "is a key but no text: quote it", key)
            elif key in own:
                self._note((*path, key), key_node, "is there twice")
            else:
                own[key] = self.value(value_node, (*path, key))
        return {**merged, **own}

    def _merge(self, node: yaml.Node, path: tuple[str, ...]) -> dict[str, Value]:
        """`<<: *other`: that mapping's keys, unless the mapping has its own."""
        value = self.value(node, (*path, "<<"))
        if isinstance(value, dict):
            return value
        self._note((*path, "<<"), node, "merges what is no mapping")
        return {}

    def _scalar(self, node: yaml.Node, path: tuple[str, ...]) -> Value:
        try:
            value = self.loader.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError):
            value = ABSENT
            wrong: str | None = f"cannot be read as {node.tag}"
        else:
            wrong = _wrong(value)
        if wrong is None:
            return cast(Value, value)
        self._note(path, node, wrong, value)
        self.unread.add(path)
        return None

    def _note(
        self, path: tuple[str, ...], node: yaml.Node, what: str, value: object = ABSENT
    ) -> None:
        where = ".".join(path) or "the file"
        self.problems.append(f"{problem(where, what, value)} ({_line(node.start_mark)})")


def _wrong(value: object) -> str | None:
    """Why a scalar that YAML can say is none of ours."""
    match value:
        case None | bool():
            return None
        case float():
            return None if isfinite(value) else "is no finite number"
        case int():
            return None if abs(value) < LARGEST else "is too large a number"
        case str():
            return "holds characters that are no text" if _NO_TEXT.search(value) else None
    return f"is read as a {type(value).__name__}: quote it"


def _line(mark: yaml.Mark | None) -> str:
    return "the file" if mark is None else f"line {mark.line + 1}"
