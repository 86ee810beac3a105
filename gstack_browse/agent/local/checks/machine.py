"""Checks of the machine: disk, memory, limits, fonts, sandbox, display, keyring, proxy.

Each function checks one of them and yields `Finding`s. `ExaminedMachine` is the machine that they examine.
"""

import os
import resource
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import NamedTuple

from gstack_browse.agent.local.reports import NONE, OK, PROBLEM, Finding
from gstack_browse.errors import SetupFailed, UsageError
from gstack_browse.security.client_certs import VARIABLE, KeyLocked, load_identity, parse_client_certs, utc_now
from gstack_browse.security.policy import proxies
from gstack_browse.settings import PROXY_VARIABLES
from gstack_browse.text.units import format_count

MEGABYTE = 1_000_000
LEAST_ROOM = 200 * MEGABYTE
"""Bytes for a Chromium profile, its cache and a few downloads."""
LEAST_MEMORY = 500 * MEGABYTE
"""What Chromium with a few pages and the daemon need."""
ENOUGH_SHARED = 128 * MEGABYTE
LEAST_FILES = 256
ANSWER_SECONDS = 2.0
"""How long connecting to a proxy may take."""
FONTS = (".ttf", ".otf", ".ttc", ".pfb", ".woff2")


class ExaminedMachine(NamedTuple):
    """The machine, or for tests a directory that looks like one (`root`)."""

    environment: Mapping[str, str]
    workspace: Path
    root: Path = Path("/")
    free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free
    limit: Callable[[int], tuple[int, int]] = resource.getrlimit
    user: int = os.geteuid()
    keyring: Callable[[], str] = lambda: "none"
    """Returns the output of `vault.check_keyring`."""

    def read_file(self, path: str) -> str:
        """Return the text of a system file, such as `proc/meminfo`; "" if it does not exist."""
        try:
            return (self.root / path).read_text(errors="replace").strip()
        except OSError:
            return ""


def check_sandbox(machine: ExaminedMachine) -> Iterator[Finding]:
    """Yield a finding if Chromium's sandbox is off, and why: a variable, root, a container or CI.

    Whether a sandbox works is only known after a start: see `browser.launch.browser_check`.
    """
    setting = machine.environment.get("BROWSE_SANDBOX", "").strip()
    if setting == "0":
        text = "BROWSE_SANDBOX=0 takes it away from every page"
        yield Finding(PROBLEM, "sandbox", text, "unset BROWSE_SANDBOX")
    elif not setting and (why := _sandbox_off_reason(machine)):
        remedy = "Run as a user of your own, outside of containers: docs/container.md"
        yield Finding(NONE, "sandbox", f"off: {why}", remedy)


def _sandbox_off_reason(machine: ExaminedMachine) -> str:
    """Return why Chromium's sandbox is off by default on this machine; "" if it is on."""
    if machine.user == 0:
        return "you are root"
    marks = any((machine.root / mark).exists() for mark in (".dockerenv", "run/.containerenv"))
    if marks or "container" in machine.environment:
        return "this is a container"
    return "CI is set" if machine.environment.get("CI") else ""


def check_shared_memory(machine: ExaminedMachine) -> Iterator[Finding]:
    """Check the size of /dev/shm. With too little, Chromium is told to use temporary files instead."""
    name, instead = "shared memory", "Chromium takes temporary files instead"
    place = machine.root / "dev/shm"
    if not place.is_dir():
        yield Finding(NONE, name, f"there is no /dev/shm: {instead}")
        return
    free = machine.free(place)
    text = f"{free // MEGABYTE} MB free in /dev/shm"
    if free < ENOUGH_SHARED:
        yield Finding(NONE, name, f"{text}: {instead}", "docker run --shm-size=1g …")
    else:
        yield Finding(OK, name, text)


def check_fonts(machine: ExaminedMachine) -> Iterator[Finding]:
    """Check that fonts exist: without any, Chromium draws no text; without an emoji font, empty boxes."""
    homes = [machine.root / "usr/share/fonts", machine.root / "usr/local/share/fonts"]
    if home := machine.environment.get("HOME"):
        homes += [Path(home, ".fonts"), Path(home, ".local/share/fonts")]
    files = (name for place in homes for _, _, names in os.walk(place) for name in names)
    names = [name for name in files if name.lower().endswith(FONTS)]
    if not names:
        remedy = "apt-get install fonts-liberation fonts-noto-color-emoji"
        yield Finding(PROBLEM, "fonts", "there are none: pages are drawn without text", remedy)
    elif not any("emoji" in name.lower() for name in names):
        yield Finding(NONE, "fonts", f"{len(names)}, none for emoji", "apt-get install fonts-noto-color-emoji")
    else:
        yield Finding(OK, "fonts", str(len(names)))


def check_display(machine: ExaminedMachine) -> Iterator[Finding]:
    """Check that the command `handoff` can show a window: a display is set, and its socket exists."""
    wayland, x = (machine.environment.get(name, "") for name in ("WAYLAND_DISPLAY", "DISPLAY"))
    if not (wayland or x):
        remedy = "gbrowse watch --control needs none; ssh -X, or a virtual one: docs/handoff.md"
        yield Finding(NONE, "display", "none: 'handoff' and 'pick' need one", remedy)
        return
    path = _display_socket(machine, wayland, x)
    if path and not path.exists():
        name = "WAYLAND_DISPLAY" if wayland else "DISPLAY"
        yield Finding(PROBLEM, "display", f"{name}={wayland or x}, where nobody listens", f"unset {name}")
    else:
        yield Finding(OK, "display", wayland or x)


def _display_socket(machine: ExaminedMachine, wayland: str, x: str) -> Path | None:
    """Return the path of a local display's socket; None for a display on another machine.

    `wayland`, `x`: values of WAYLAND_DISPLAY, which counts first, and DISPLAY.
    """
    if wayland:
        return Path(machine.environment.get("XDG_RUNTIME_DIR", "/run"), wayland)
    number = x.removeprefix(":").partition(".")[0]
    return machine.root / f"tmp/.X11-unix/X{number}" if x.startswith(":") and number.isdigit() else None


def check_keyring(machine: ExaminedMachine) -> Iterator[Finding]:
    """Check that the desktop's keyring, for `cookie-import-browser` and secrets, answers and is unlocked."""
    status, why, remedy = [*machine.keyring().rstrip("\n").split("\t"), "", ""][:3]
    if status == "answers":
        yield Finding(OK, "keyring", "answers")
    elif status == "locked":
        yield Finding(PROBLEM, "keyring", why, remedy)
    else:
        yield Finding(
            NONE,
            "keyring",
            "none: secrets are kept in a file (0600), cookies of other browsers may stay locked",
        )


def check_proxy(machine: ExaminedMachine) -> Iterator[Finding]:
    """Check that the proxy named by the environment can be reached."""
    name = next((name for name in PROXY_VARIABLES if machine.environment.get(name)), "")
    word = machine.environment.get(name, "").strip()
    if not name or (name, word) == (proxies.OWN, proxies.DIRECT):
        yield Finding(NONE, "proxy", f"none: {name}={word}" if name else "none is set")
        return
    server = proxies.parse_server(word)
    if server is None:
        yield Finding(PROBLEM, "proxy", f"{name} is no address of a proxy", f"export {name}=http://host:port")
        return
    shown = f"{name}, {server.host}:{server.port}"
    try:
        socket.create_connection((server.host, server.port), ANSWER_SECONDS).close()
        yield Finding(OK, "proxy", shown)
    except OSError as error:
        why = error.strerror or type(error).__name__
        yield Finding(PROBLEM, "proxy", f"{shown} cannot be reached: {why}", f"Start it, or: unset {name}")


def check_client_certs(machine: ExaminedMachine) -> Iterator[Finding]:
    """Check that client certificates can be read and are valid, except those with a passphrase."""
    name, words = "client certificate", machine.environment.get(VARIABLE, "")
    if not words.strip():
        return
    try:
        named = parse_client_certs(words)
    except UsageError as error:
        yield Finding(PROBLEM, name, error.message, error.hint)
        return
    for one in named:
        text, now = f"{one.certificate} for {one.origin}", utc_now()
        try:
            found = load_identity(one)
        except KeyLocked:
            yield Finding(NONE, name, f"{text} has a passphrase: not looked at")
        except SetupFailed as error:
            yield Finding(PROBLEM, name, error.message, error.hint.removesuffix("; gbrowse stop"))
        else:
            if lapse := found.describe_invalidity(now):
                yield Finding(PROBLEM, name, f"{text} {lapse}", "Get a new one from who has issued it")
            else:
                yield Finding(OK, name, f"{text}, {format_count(found.days_left(now), 'day')} left")


def check_disk(machine: ExaminedMachine) -> Iterator[Finding]:
    """Check free space for the workspace (state, downloads) and temporary files (Chromium's profile)."""
    temporary = Path(machine.environment.get("TMPDIR") or gettempdir())
    for name, place in (("workspace", machine.workspace), ("temporary directory", temporary)):
        try:
            free = machine.free(place)
        except OSError as error:
            remedy = "export TMPDIR=/tmp" if place == temporary else "cd somewhere else"
            yield Finding(PROBLEM, "disk", f"{name} {place}: {error.strerror}", remedy)
            continue
        text = f"{free // MEGABYTE:,} MB free in the {name}"
        if free < LEAST_ROOM:
            yield Finding(PROBLEM, "disk", text, f"Make room in {place}")
        else:
            yield Finding(OK, "disk", text)


def check_limits(machine: ExaminedMachine) -> Iterator[Finding]:
    """Check this shell's limits of open files and memory, which a daemon inherits, and the free memory."""
    problem = partial(Finding, PROBLEM, "limits")
    files = machine.limit(resource.RLIMIT_NOFILE)[1]
    has_files = files == resource.RLIM_INFINITY or files >= LEAST_FILES
    if not has_files:
        yield problem(f"{files} open files: Chromium needs more", "ulimit -n 4096; gbrowse stop")
    memory = machine.limit(resource.RLIMIT_AS)[0]
    if memory != resource.RLIM_INFINITY:
        text = f"{memory // MEGABYTE:,} MB of address space: Chromium reserves far more"
        yield problem(text, "ulimit -v unlimited; gbrowse stop")
    left = _available_memory(machine)
    if left is not None and left < LEAST_MEMORY:
        remedy = "End programs that are not needed, or give the container more"
        yield problem(f"{left // MEGABYTE} MB of memory are free", remedy)
    elif has_files:
        memory_text = f"{left // MEGABYTE:,} MB of memory free" if left is not None else "memory unknown"
        count = "any number of" if files == resource.RLIM_INFINITY else f"{files:,}"
        yield Finding(OK, "limits", f"{count} open files, {memory_text}")


def _available_memory(machine: ExaminedMachine) -> int | None:
    """Return how many bytes of memory programs can still use; None if unknown.

    The limit of the control group counts, too.
    """
    lines = machine.read_file("proc/meminfo").splitlines()
    found = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    most, now = machine.read_file("sys/fs/cgroup/memory.max"), machine.read_file("sys/fs/cgroup/memory.current")
    if most.isdigit() and now.isdigit():
        facts = dict(line.split() for line in machine.read_file("sys/fs/cgroup/memory.stat").splitlines())
        found.append(int(most) - int(now) + int(facts.get("file", 0)))  # the page cache can be reclaimed
    return min(found, default=None)


CHECKS = (
    check_sandbox,
    check_shared_memory,
    check_fonts,
    check_display,
    check_keyring,
    check_proxy,
    check_client_certs,
    check_disk,
    check_limits,
)
