"""Gbrowse: its own settings, updates and reports.

Here: `doctor`, which looks at everything that a command rests on, without starting a daemon; and `setup`, which installs a browser.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from gstack_browse import __version__
from gstack_browse.errors import ActionFailed, BrowseError
from gstack_browse.local.caller import Caller
from gstack_browse.local.findings import NONE, OK, PROBLEM, Finding
from gstack_browse.registry import META, READ, command

if TYPE_CHECKING:
    from _socket import socket

Look = Callable[[Caller], Iterator[Finding]]
ANSWER_SECONDS = 3.0
"""How long a daemon may take to answer `status`, which never waits for a page."""
INSTALL_SECONDS = 600
INSTALLABLE = ("There is no Chromium", " of the system: ")
"""What `setup` installs, in the words of the browser's start: Chromium, and libraries."""
MACHINE_CODE = (b"\x7fELF", b"\xcf\xfa\xed\xfe")
"""What programs of Linux and macOS begin with."""


@command(READ, examples=["doctor", "doctor --fix", "doctor --json"], timeout=60, kinds={"fix": META})
def doctor(caller: Caller, *, fix: bool = False, json: bool = False) -> str:
    """Look at all that gbrowse needs, of itself and of the machine; say what to type for what is wrong.

    Itself: Python, client, driver, Chromium, workspace, socket and daemon, settings, skills. The machine: sandbox, shared memory, fonts, display,
    keyring, proxy, client certificates, disk, limits. Starts the browser once, to see whether it and its sandbox work, and no daemon. Fails with 1 if something is wrong.

    fix: do what gbrowse can do itself: install Chromium and libraries, replace a daemon, update skills
    json: a list of what was looked at
    """
    findings = list(_all(caller))
    if fix and any(finding.mend for finding in findings):
        for finding in findings:
            if finding.mend:
                caller.notes.append(f"{finding.name}: {_mended(finding)}")
        findings = list(_all(caller))
    text = _as_json(findings) if json else "\n".join(finding.line() for finding in findings)
    if any(finding.state == PROBLEM for finding in findings):
        failure = ActionFailed(
            "Something that gbrowse needs is not as it should be", "Type what stands after the arrows"
        )
        failure.output = text
        raise failure
    return text


@command(META, examples=["setup"], timeout=INSTALL_SECONDS)
def setup(caller: Caller) -> str:
    """Install Chromium and its libraries if they are missing, and say which Chromium is used.

    Playwright's own is tried first, then Debian's package. Progress is said on standard error.
    """
    return f"Chromium is ready: {_install(caller)}"


def _install(caller: Caller) -> str:
    from gstack_browse.local.process import run_module

    return run_module("gstack_browse.browser.launch.chromium", "", caller, is_loud=True).strip()


def _mended(finding: Finding) -> str:
    assert finding.mend
    try:
        finding.mend()
    except BrowseError as error:
        return f"not mended: {error.message}"
    return "mended"


def _as_json(findings: list[Finding]) -> str:
    from json import dumps

    return dumps([finding.fields() for finding in findings], ensure_ascii=False, indent=1)


def _all(caller: Caller) -> Iterator[Finding]:
    from gstack_browse.local.browser_settings import SettingSources
    from gstack_browse.local.machine import CHECKS, Surroundings
    from gstack_browse.local.process import run_module

    for look in (_program, _client, _browser, _workspace, _settings, _skills):
        yield from _findings(look, caller)
    ask_keyring = partial(run_module, "gstack_browse.vault.look", "", caller)
    sources = SettingSources(caller.environment, str(caller.paths.workspace))
    machine = Surroundings(sources.environment, caller.paths.workspace, keyring=ask_keyring)
    for check in CHECKS:
        yield from _found(partial(check, machine), check.__name__)


def _findings(look: Look, caller: Caller) -> Iterator[Finding]:
    return _found(partial(look, caller), look.__name__.strip("_"))


def _found(look: Callable[[], Iterator[Finding]], name: str) -> Iterator[Finding]:
    """The findings of one check; where the check fails, its failure as a finding."""
    try:
        yield from look()
    except BrowseError as error:
        yield Finding(PROBLEM, name, error.message, error.hint)


def _program(caller: Caller) -> Iterator[Finding]:
    yield Finding(OK, "gbrowse", f"{__version__}, Python {sys.version.split()[0]} ({sys.executable})")


def _client(caller: Caller) -> Iterator[Finding]:
    """Whether commands go through the native client, which takes 3 ms, or through Python's."""
    native = os.path.join(os.path.dirname(sys.executable), "gbrowse")
    try:
        with open(native, "rb") as file:
            is_native = file.read(4) in MACHINE_CODE
    except OSError:
        is_native = False
    if is_native:
        yield Finding(OK, "client", f"native ({native})")
    else:
        yield Finding(
            NONE,
            "client",
            "Python's, which takes 15 ms longer: there was no C compiler",
            "apt-get install gcc libc6-dev, and install gbrowse anew",
        )


def _browser(caller: Caller) -> Iterator[Finding]:
    """The driver and Chromium, looked up in another process: the driver's library takes long to load."""
    from gstack_browse.local.process import run_module

    for line in run_module("gstack_browse.browser.launch.look", "", caller).splitlines():
        name, *values = line.split("\t")
        if name == "problem":
            mend = partial(_install, caller) if any(sign in values[0] for sign in INSTALLABLE) else None
            yield Finding(PROBLEM, "browser", values[0], values[1], mend)
        elif name == "ignored":
            yield Finding(PROBLEM, "environment", f"set, but without meaning: {values[0]}", "unset it")
        else:
            yield Finding(OK, name, values[0])


def _workspace(caller: Caller) -> Iterator[Finding]:
    """The state directory and who listens in it. Raises Refused for what is not safely ours."""
    from gstack_browse.workspace import existing_state_dirs, shown

    workspace = str(caller.paths.workspace)
    environment = {os.fsencode(name): os.fsencode(value) for name, value in caller.environment.items()}
    yield Finding(OK, "workspace", shown(workspace))
    states = list(existing_state_dirs(workspace, environment))
    for state in states:
        try:
            sock = state.connect()
            if sock:
                yield Finding(OK, "socket", state.shown("browse.sock"))
                yield _daemon(caller, sock)
                sock.close()
                return
        finally:
            state.close()
    yield Finding(NONE, "daemon", "none runs here; the first command that needs one starts it")


def _daemon(caller: Caller, sock: "socket") -> Finding:
    from gstack_browse.local.process import run_command

    facts = dict(line.partition(": ")[::2] for line in _status(sock).splitlines())
    replace = partial(run_command, caller, "restart")
    if "Version" not in facts:
        said = f"does not answer within {ANSWER_SECONDS:g} s"
        return Finding(PROBLEM, "daemon", said, "gbrowse restart", replace)
    text = f"version {facts['Version']}, process {facts.get('PID', 'unknown')}"
    if facts["Version"] == __version__:
        return Finding(OK, "daemon", text)
    return Finding(PROBLEM, "daemon", text, "gbrowse restart", replace)


def _status(sock: "socket") -> str:
    """What the daemon answers to `status` in the form for people, which ends with the connection; "" if nothing came."""
    from time import monotonic

    received = b""
    give_up = monotonic() + ANSWER_SECONDS
    with suppress(OSError):  # the deadline, or the daemon's end
        sock.settimeout(ANSWER_SECONDS)
        sock.send(b'{"cmd":"status"}\n')
        while (left := give_up - monotonic()) > 0:
            sock.settimeout(left)
            piece = sock.recv(65536)
            if not piece:
                return received.decode("utf-8", "replace")
            received += piece
    return ""


def _settings(caller: Caller) -> Iterator[Finding]:
    """Raises BrowseError for a directory or a file that cannot be used."""
    from gstack_browse.local import settings
    from gstack_browse.local.browser_settings import SettingSources
    from gstack_browse.local.private import home

    place = home(caller.environment)
    settings.read(place)
    sources = SettingSources(caller.environment, str(caller.paths.workspace))
    for problem in sources.problems:
        yield Finding(
            PROBLEM, "settings", problem, "Take it out of the file; gbrowse config lists what there is"
        )
    yield Finding(OK, "settings", ", ".join([str(place.path), *sources.paths]))


def _skills(caller: Caller) -> Iterator[Finding]:
    from gstack_browse.local.process import run_command
    from gstack_browse.skills.outdated import everywhere, outdated

    found = everywhere(str(caller.paths.workspace), caller.environment.get("HOME", ""))
    if not found:
        yield Finding(NONE, "skills", "none is installed here", "gbrowse skills-install")
    elif old := outdated(found):
        install = partial(run_command, caller, "skills-install")
        yield Finding(PROBLEM, "skills", f"out of date: {', '.join(old)}", "gbrowse skills-install", install)
    else:
        names = {name for item in found for name in item.manifest.skills}
        yield Finding(OK, "skills", f"{len(names)} installed ({', '.join(item.folder for item in found)})")
