"""Shared values: made once while held, made again when forgotten."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

from proxy.sharing import Shared


class Dear:
    """Something worth sharing."""


def slowly() -> Dear:
    """Makes one."""
    sleep(0.02)
    return Dear()


def test_threads_that_ask_at_once_get_one() -> None:
    """
    Eight threads, one value.
    """
    shared = Shared[Dear]()

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: shared.get("k", slowly), range(8)))

    assert 1 == len({id(value) for value in found})
    assert shared.get("other", slowly) is not found[0]


def test_what_nobody_holds_is_made_again() -> None:
    """
    The store keeps nothing alive.
    """
    shared, made = Shared[Dear](), []

    for _ in range(2):
        shared.get("k", lambda: (made.append(1), Dear())[1])
        gc.collect()

    assert 2 == len(made)


def test_a_failure_is_raised_and_not_kept() -> None:
    """
    The next caller tries again.
    """
    shared = Shared[Dear]()

    with pytest.raises(ZeroDivisionError):
        shared.get("k", lambda: 1 // 0)

    assert isinstance(shared.get("k", Dear), Dear)
