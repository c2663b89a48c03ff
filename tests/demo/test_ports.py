"""Ports: free ones, and whose they are."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

from demo.ports import free_ports, listens


def test_a_free_port_is_taken_as_preferred():
    """
    The documented ports are used where they are free.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    assert (port,) == free_ports((port,))


def test_a_port_in_use_is_passed_over():
    """
    Whoever listens there is left alone.
    """
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()

        assert free_ports((busy.getsockname()[1],)) not in ((0,), (busy.getsockname()[1],))


def test_ports_of_one_call_differ():
    """
    Three listeners can't share one.
    """
    assert 3 == len(set(free_ports((0, 0, 0))))


def test_who_listens_is_known():
    """
    Another process on the same port is not taken for ours, nor is a port that is only bound.
    """
    with (
        socket.socket() as ours,
        subprocess.Popen((sys.executable, "-c", "input()"), stdin=subprocess.PIPE) as other,
    ):
        ours.bind(("127.0.0.1", 0))
        port = ours.getsockname()[1]
        assert not listens(os.getpid(), port)
        ours.listen()

        assert listens(os.getpid(), port)
        assert not listens(other.pid, port)
        other.communicate(b"\n")


def test_a_process_that_has_ended_listens_nowhere():
    """
    It is asked about while it may go at any moment.
    """
    with subprocess.Popen((sys.executable, "-c", "")) as gone:
        gone.wait()

    assert not listens(gone.pid, 80)
