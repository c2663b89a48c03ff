"""Immutable things that are dear to make: made once a process, shared while somebody holds them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")


class Shared(Generic[T]):
    """Values by key, forgotten when their last user lets go; one thread makes, the others wait."""

    def __init__(self) -> None:
        self._values: WeakValueDictionary[Hashable, T] = WeakValueDictionary()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under `key`, made by `make` if nobody holds one; raises what `make` raises."""
        with self._lock:
            value = self._values.get(key)
            if value is None:
                value = self._values[key] = make()
            return value
