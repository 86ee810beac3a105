"""Test clients of a daemon that took a request and says nothing.

They look at it, wake it, give it up, or end it when asked to.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product

import pytest

from tests.e2e.client.conftest import KINDS, Completed, client_of, run_client, scripted_daemon
from tests.e2e.conftest import make_workspace
from tests.faults import fault

Run = Callable[..., Completed]
Daemon = subprocess.Popen[bytes]


@dataclass(frozen=True)
class SilentRun:
    """Daemon that said nothing, the output of its client, and the seconds until the client ended."""

    daemon: Daemon
    done: Completed
    seconds: float


Silence = Callable[[str], SilentRun]
BEATS = [word for _ in range(7) for word in (r"send:\x16", "wait:1")]
SILENT: dict[str, tuple[list[str], list[str]]] = {
    "stopped": ([], ["play", "count"]),
    "stopped before its end": ([], ["stop"]),
    "hangs": ([], ["play", "hang"]),
    "beats": ([], ["play", *BEATS, r"send:done\n\0000\n"]),
    "deaf": (["--deaf"], ["stop"]),
    "stubborn": (["--deaf", "--stubborn"], ["stop"]),
}
"""Words of a daemon, and of the client that asks it."""


@pytest.fixture(scope="module")
def silences(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, str], SilentRun]]:
    """All of them with all clients, at once: each waits for seconds and computes nothing."""

    def play(key: tuple[str, str]) -> SilentRun:
        begun = time.monotonic()
        done = run_client(clients[key], workspaces[key], *SILENT[key[1]][1])
        return SilentRun(daemons[key], done, time.monotonic() - begun)

    kinds = [kind for kind in KINDS if kind != "native" or shutil.which("cc")]
    keys = list(product(kinds, SILENT))
    places = {key: tmp_path_factory.mktemp("silent") for key in keys}
    clients = {key: client_of(request, key[0], place) for key, place in places.items()}
    workspaces = {key: make_workspace(place) for key, place in places.items()}
    with ExitStack() as stack, ThreadPoolExecutor(len(keys)) as threads:
        daemons = {
            key: stack.enter_context(scripted_daemon(workspaces[key], *SILENT[key[1]][0])) for key in keys
        }
        for (_, name), daemon in daemons.items():
            if name.startswith("stopped"):
                daemon.send_signal(signal.SIGSTOP)
        yield dict(zip(keys, threads.map(play, keys), strict=True))


@pytest.fixture(params=KINDS)
def silence(request: pytest.FixtureRequest, silences: dict[tuple[str, str], SilentRun]) -> Silence:
    """Return a function that returns what a client saw of a silent daemon: `silence("hangs")`."""
    if (request.param, "hangs") not in silences:
        pytest.skip("there is no C compiler")
    return lambda name: silences[request.param, name]


@fault(
    "Kills",
    "the daemon is stopped (SIGSTOP)",
    "the client has it continue and says so, the command works; stop ends it all the same",
)
def test_a_stopped_daemon_is_told_to_continue(silence: Silence) -> None:
    seen = silence("stopped")
    assert (seen.done.stdout, seen.done.returncode) == ("1\n", 0)
    assert f"Note: the daemon (process {seen.daemon.pid}) had been stopped" in seen.done.stderr
    ended = silence("stopped before its end")
    assert (ended.done.stdout, ended.done.returncode) == ("Server stopped\n", 0)


@fault("Hangs", "the daemon takes a request and says nothing more", "given up after 5 s (9), with what to type")
def test_a_silent_daemon_is_given_up_after_five_seconds(silence: Silence) -> None:
    seen = silence("hangs")
    assert seen.done.returncode == 9
    assert "has not answered for 5 s; 'play' may or may not have run" in seen.done.stderr
    assert "gbrowse restart" in seen.done.stderr
    assert 4 < seen.seconds < 30
    assert seen.daemon.poll() is None


def test_one_that_shows_signs_of_life_is_waited_for(silence: Silence) -> None:
    assert silence("beats").done.stdout == "done\n"


@fault("Hangs", "others take the processors for ten seconds", "the daemon is waited for", slow=True)
@pytest.mark.parametrize("threads", [("--one-thread",), ()])
def test_a_daemon_that_others_keep_from_running_is_waited_for(
    gbrowse: Run, start_daemon: Callable[..., Daemon], threads: tuple[str, ...]
) -> None:
    """Wait also where only another thread of the daemon is kept from running. The first one waits for it."""
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


def test_stop_ends_a_daemon_that_does_not_answer_by_what_it_takes(silence: Silence) -> None:
    seen = silence("deaf")
    assert (seen.done.stdout, seen.done.returncode) == ("Server stopped\n", 0)
    assert f"Note: the daemon (process {seen.daemon.pid}) did not answer and was killed" in seen.done.stderr
    assert seen.daemon.wait(60) == -signal.SIGTERM
    stubborn = silence("stubborn")
    assert (stubborn.done.stdout, stubborn.done.returncode) == ("Server stopped\n", 0)
    assert stubborn.daemon.wait(60) == -signal.SIGKILL
