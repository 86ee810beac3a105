"""A daemon that took a request and says nothing: it is looked at, woken, given up, or ended when asked to."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from tests.faults import fault

Run = Callable[..., subprocess.CompletedProcess[str]]
Daemon = subprocess.Popen[bytes]


def test_a_stopped_daemon_is_told_to_continue(gbrowse: Run, daemon: Daemon) -> None:
    daemon.send_signal(signal.SIGSTOP)
    done = gbrowse("play", "count")
    assert (done.stdout, done.returncode) == ("1\n", 0)
    assert f"Note: the daemon (process {daemon.pid}) had been stopped" in done.stderr


@fault("Hangs", "the daemon takes a request and says nothing more", "given up after 5 s (9), with what to type")
def test_a_silent_daemon_is_given_up_after_five_seconds(gbrowse: Run, daemon: Daemon) -> None:
    begun = time.monotonic()
    done = gbrowse("play", "hang")
    assert done.returncode == 9
    assert "has not answered for 5 s; 'play' may or may not have run" in done.stderr
    assert "gbrowse restart" in done.stderr
    assert 4 < time.monotonic() - begun < 30
    assert daemon.poll() is None


def test_one_that_shows_signs_of_life_is_waited_for(gbrowse: Run, daemon: Daemon) -> None:
    beats = [word for _ in range(7) for word in (r"send:\x16", "wait:1")]
    assert gbrowse("play", *beats, r"send:done\n\0000\n").stdout == "done\n"


@fault("Hangs", "others take the processors for ten seconds", "the daemon is waited for", slow=True)
@pytest.mark.parametrize("threads", [("--one-thread",), ()])
def test_a_daemon_that_others_keep_from_running_is_waited_for(
    gbrowse: Run, start_daemon: Callable[..., Daemon], threads: tuple[str, ...]
) -> None:
    """Also where it is another thread of it that they keep from running, for which the first one waits."""
    daemon = start_daemon(*threads)
    cpu = {min(os.sched_getaffinity(0))}
    os.sched_setaffinity(daemon.pid, cpu)
    os.setpriority(os.PRIO_PROCESS, daemon.pid, 12)
    with ExitStack() as others:
        for _ in range(2):
            other = others.enter_context(subprocess.Popen(["sh", "-c", "while :; do :; done"]))
            others.callback(other.kill)
            os.sched_setaffinity(other.pid, cpu)
        done = gbrowse("play", "work:0.3", r"send:done\n\0000\n")
    assert (done.stdout, done.returncode) == ("done\n", 0)


def test_stop_ends_a_daemon_that_does_not_answer(gbrowse: Run, start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--deaf")
    done = gbrowse("stop")
    assert (done.stdout, done.returncode) == ("Server stopped\n", 0)
    assert f"Note: the daemon (process {daemon.pid}) did not answer and was killed" in done.stderr
    assert daemon.wait(60) == -signal.SIGTERM


def test_stop_ends_one_that_ignores_signals_but_kill(gbrowse: Run, start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--deaf", "--stubborn")
    done = gbrowse("stop")
    assert (done.stdout, done.returncode) == ("Server stopped\n", 0)
    assert daemon.wait(60) == -signal.SIGKILL
