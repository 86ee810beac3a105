"""Test odd environments: limits, closed descriptors, signals, missing directories.

One clear line each, or it works.
"""

import ctypes
import errno
import os
import random
import resource
import signal
import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest

from tests.e2e.daemon.harness import Completed, DaemonHarness, Site
from tests.faults import Seen, fault

MB = 1 << 20


@dataclass(frozen=True)
class Odd:
    """Oddities of an environment. What is done in the child before it runs, and variables (None: not set)."""

    prepare: Callable[[], object] = lambda: None
    variables: Mapping[str, str | None] = field(default_factory=dict)
    works: bool = True
    """Whether everything works all the same."""


def limited(kind: int, most: int, *, works: bool = False) -> Odd:
    def limit() -> None:
        _, hard = resource.getrlimit(kind)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)  # a limit cannot be raised again
        resource.setrlimit(kind, (least, least))

    return Odd(limit, works=works)


def closed(*descriptors: int) -> Odd:
    return Odd(lambda: [os.close(descriptor) for descriptor in descriptors])


def without_calls(number: int, *calls: int) -> Odd:
    """Have system calls fail with the errno `number`, as older kernels, Docker and gVisor do (seccomp)."""
    load_call = struct.pack("HBBI", 0x20, 0, 0, 0)  # BPF_LD | BPF_W | BPF_ABS
    refuse = struct.pack("HBBI", 0x06, 0, 0, 0x00050000 | number)  # SECCOMP_RET_ERRNO
    tests = (struct.pack("HBBI", 0x15, 0, 1, call) + refuse for call in calls)  # BPF_JMP | BPF_JEQ | BPF_K
    program = load_call + b"".join(tests) + struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)  # SECCOMP_RET_ALLOW
    held = ctypes.create_string_buffer(program)
    fprog = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(held))

    def prepare() -> None:
        prctl = ctypes.CDLL(None).prctl
        prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
        assert held
        assert not prctl(22, 2, fprog, 0, 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER

    return Odd(prepare)


PIDFD_OPEN, CLOSE_RANGE = 434, 436  # on every architecture
NEW_CALLS = {
    f"no new system calls: {errno.errorcode[number]}": without_calls(number, PIDFD_OPEN, CLOSE_RANGE)
    for number in (errno.ENOSYS, errno.EPERM)
}


def with_variables(**variables: str | None) -> Odd:
    return Odd(variables=variables)


ODD = {
    **{f"closed {name}": closed(*map(int, name)) for name in ("0", "12", "012")},
    **{f"nofile {most}": limited(resource.RLIMIT_NOFILE, most) for most in (4, 8, 64, 200)},
    "nofile 256": limited(resource.RLIMIT_NOFILE, 256, works=True),
    **{f"as {most} MB": limited(resource.RLIMIT_AS, most * MB) for most in (64, 512)},
    "data 128 MB": limited(resource.RLIMIT_DATA, 128 * MB),
    **{f"fsize {most}": limited(resource.RLIMIT_FSIZE, most) for most in (0, 20_000)},
    "stack 64 kB": limited(resource.RLIMIT_STACK, 65536),
    "no core": limited(resource.RLIMIT_CORE, 0, works=True),
    "SIGCHLD ignored": Odd(lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)),
    "SIGPIPE as in a shell": Odd(lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL)),
    "signals blocked": Odd(lambda: signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())),
    "umask 777": Odd(lambda: os.umask(0o777)),
    "umask 0": Odd(lambda: os.umask(0)),
    "no HOME": with_variables(HOME=None, XDG_CACHE_HOME=None, XDG_RUNTIME_DIR=None),
    "HOME is missing": with_variables(HOME="/nowhere"),
    "HOME cannot be written": with_variables(HOME="/proc", XDG_CACHE_HOME="/proc", XDG_RUNTIME_DIR="/proc"),
    "HOME is relative": with_variables(HOME="here"),
    "TMPDIR is missing": with_variables(TMPDIR="/nowhere"),
    "TMPDIR is relative": with_variables(TMPDIR="here"),
    "TMPDIR cannot be written": Odd(variables={"TMPDIR": "/proc"}, works=False),
    "TMPDIR is long": with_variables(TMPDIR="/tmp/" + "long" * 50),
    "state where no socket can be": Odd(variables={"BROWSE_STATE_FILE": "/proc/b.json"}, works=False),
    **{
        f"locale {name}": with_variables(LC_ALL=name, LANG=name)
        for name in ("C", "xx_YY.UTF-99", "ja_JP.eucJP")
    },
    "a PATH that leads nowhere": with_variables(PATH="/nowhere"),
    "large variables": with_variables(**{f"LARGE_{number}": "x" * 100_000 for number in range(5)}),
    "settings that are none": Odd(variables={"BROWSE_IDLE_TIMEOUT": "soon"}, works=False),
    "a browser that is none": Odd(variables={"BROWSE_CHROMIUM": "/bin/true"}, works=False),
    "for other Pythons": with_variables(
        PYTHONHOME="/nowhere",
        PYTHONPATH="/etc",
        PYTHONIOENCODING="utf-16",
        PYTHONUTF8="0",
        PYTHONWARNINGS="error",
    ),
    "no such time zone": with_variables(TZ="../../etc/passwd"),
    **(NEW_CALLS if sys.platform == "linux" else {}),
}
COMMANDS = (("goto", "about:blank"), ("screenshot", "a.png"), ("status",))


def run(home: DaemonHarness, odd: list[Odd], *words: str) -> Completed:
    env = dict(home.env)
    for each in odd:
        env = {name: value for name, value in {**env, **each.variables}.items() if value is not None}

    def prepare() -> None:
        for each in reversed(odd):  # the first comes last
            each.prepare()

    process = home.start(*words, env=env, preexec_fn=prepare)
    out, err = process.communicate(timeout=60)
    return Completed(words, process.returncode, out, err)


def complaint(odd: list[Odd], done: Completed) -> str:
    """Return what is wrong with how a command ended; "" for nothing."""
    lines = done.stderr.splitlines()
    if done.returncode not in (0, 1, 2, 3, 8) or (done.returncode and all(each.works for each in odd)):
        return f"exit code {done.returncode}"
    if not done.returncode:
        return ""
    if len(lines) > 2 or not all(line.startswith("Error: ") for line in lines[:1]):
        return "not one line of what happened and one of what to type"
    return "called a fault of ours" if "nternal error" in done.stderr or "bug" in done.stderr else ""


def wrong(home: DaemonHarness, odd: list[Odd]) -> list[str]:
    """Return what is wrong with a few commands in that environment.

    They go from a start without a daemon to its end.
    """
    found = []
    for words in COMMANDS:
        done = run(home, odd, *words)
        if why := complaint(odd, done):
            found.append(f"{' '.join(words)}: {why}: {done.stdout[-300:]}{done.stderr[-700:]}")
    home.run("stop")
    try:
        home.until_gone()
    except AssertionError:
        found.append(f"left running: {home.leftovers()}")
        home.close()
        home.temporary.mkdir(exist_ok=True)
    return found


@fault(
    "Environments",
    "standard descriptors are closed, SIGCHLD is ignored, too few files or too little memory are allowed, cold",
    "it works, or one line says what has run short and one what to type",
)
def test_odd_environments_without_a_browser(home: DaemonHarness) -> None:
    for name in ("closed 012", "SIGCHLD ignored", "nofile 4", "nofile 8", "fsize 0"):
        done = run(home, [ODD[name]], "status")
        assert not complaint([ODD[name]], done), (name, done)
        home.run("stop")


@fault(
    "Environments",
    "pidfd_open and close_range are unknown or forbidden, as by older kernels, Docker and gVisor; then Chromium is killed",
    "it works; the loss is said (6)",
)
@pytest.mark.skipif(sys.platform != "linux", reason="system calls of Linux")
def test_system_calls_that_are_not_there(home: DaemonHarness, site: Site) -> None:
    done = run(home, [NEW_CALLS["no new system calls: ENOSYS"]], "goto", site("/"))
    assert (done.returncode, done.stderr) == (0, "")
    home.processes()["chromium"].kill()
    home.until_gone()
    assert "was lost" in home.fails(6, "text")


@fault(
    "Environments",
    "each of some forty oddities: limits, closed descriptors, signals, variables, locales, directories",
    "it works, or one line says what is wrong and one what to type; no process is left",
    slow=True,
)
@pytest.mark.parametrize("name", ODD)
def test_an_odd_environment(home: DaemonHarness, name: str) -> None:
    assert not wrong(home, [ODD[name]])


@fault("Environments", "several of these at once, chosen at random", "the same", slow=True)
def test_odd_environments_at_random(home: DaemonHarness, seen: Seen) -> None:
    seed = int(os.environ.get("FAULTS_SEED", 0)) or random.SystemRandom().randrange(1_000_000)
    dice = random.Random(seed)
    seen(f"FAULTS_SEED={seed}")
    for _ in range(12):
        names = dice.sample(sorted(ODD), dice.choice((2, 3)))
        if sum(name.startswith("closed") for name in names) < 2:
            found = wrong(home, [ODD[name] for name in sorted(names, key=_prepared_late)])
            assert not found, (names, found)


def _prepared_late(name: str) -> int:
    """Descriptors are closed last, and memory is limited just before: nothing else could be prepared then."""
    kinds = ("closed", "as", "data")
    kind = name.split()[0]
    return kinds.index(kind) if kind in kinds else len(kinds)
