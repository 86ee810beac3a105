"""Gbrowse: its own settings, updates and reports.

Here: `doctor`, which looks at everything that a command rests on, without starting a browser or a daemon.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from gstack_browse import __version__
from gstack_browse.errors import ActionFailed, BrowseError
from gstack_browse.local.caller import Caller
from gstack_browse.registry import READ, command

if TYPE_CHECKING:
    from _socket import socket

ANSWER_SECONDS = 3.0
"""How long a daemon may take to answer `status`, which never waits for a page."""
OK, NONE, PROBLEM = "ok", "-", "problem"


class Finding(NamedTuple):
    """One thing that was looked at: OK, NONE (not there, which is well), or PROBLEM, and then what to type."""

    state: str
    text: str
    next: str = ""


@command(READ, examples=["doctor"], timeout=60)
def doctor(caller: Caller) -> str:
    """Look at what gbrowse needs: driver, Chromium, workspace, daemon, settings, skills; say what to type for what is wrong.

    Starts no browser and no daemon, and changes nothing. Fails with 1 if something is wrong.
    """
    findings = [
        finding
        for look in (_program, _browser, _workspace, _settings, _skills)
        for finding in _findings(look, caller)
    ]
    text = "\n".join(_line(finding) for finding in findings)
    if any(finding.state == PROBLEM for finding in findings):
        failure = ActionFailed(
            "Something that gbrowse needs is not as it should be", "Type what stands after the arrows"
        )
        failure.output = text
        raise failure
    return text


def _findings(look: Callable[[Caller], Iterator[Finding]], caller: Caller) -> Iterator[Finding]:
    try:
        yield from look(caller)
    except BrowseError as error:
        yield Finding(PROBLEM, error.message, error.hint)


def _line(finding: Finding) -> str:
    line = f"{finding.state:<7}  {finding.text}"
    return f"{line}\n         → {finding.next}" if finding.next else line


def _program(caller: Caller) -> Iterator[Finding]:
    yield Finding(OK, f"gbrowse {__version__}, Python {sys.version.split()[0]} ({sys.executable})")


def _browser(caller: Caller) -> Iterator[Finding]:
    """The driver and Chromium, looked up in another process: the driver's library takes long to load."""
    from gstack_browse.local.process import run_module

    for line in run_module("gstack_browse.browser.launch.look", "", caller).splitlines():
        name, *values = line.split("\t")
        if name == "problem":
            yield Finding(PROBLEM, values[0], values[1])
        elif name == "ignored":
            yield Finding(PROBLEM, f"set, but without meaning: {values[0]}", "unset it")
        else:
            yield Finding(OK, f"{name}: {values[0]}")


def _workspace(caller: Caller) -> Iterator[Finding]:
    """The state directory and who listens in it. Raises Refused for what is not safely ours."""
    from gstack_browse.workspace import existing_state_dirs, shown

    workspace = str(caller.paths.workspace)
    environment = {os.fsencode(name): os.fsencode(value) for name, value in caller.environment.items()}
    yield Finding(OK, f"workspace: {shown(workspace)}")
    states = list(existing_state_dirs(workspace, environment))
    for state in states:
        try:
            sock = state.connect()
            if sock:
                yield _daemon(sock, state.shown("browse.sock"))
                sock.close()
                return
        finally:
            state.close()
    yield Finding(NONE, "daemon: none runs here; the first command that needs one starts it")


def _daemon(sock: "socket", where: str) -> Finding:
    facts = dict(line.partition(": ")[::2] for line in _status(sock).splitlines())
    if "Version" not in facts:
        return Finding(
            PROBLEM, f"daemon: does not answer within {ANSWER_SECONDS:g} s ({where})", "gbrowse restart"
        )
    text = f"daemon: version {facts['Version']}, process {facts.get('PID', 'unknown')} ({where})"
    return Finding(OK, text) if facts["Version"] == __version__ else Finding(PROBLEM, text, "gbrowse restart")


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
    from gstack_browse.local.private import home

    place = home(caller.environment)
    settings.read(place)
    yield Finding(OK, f"settings: {place.path}")


def _skills(caller: Caller) -> Iterator[Finding]:
    from gstack_browse.skills.outdated import everywhere, outdated

    found = everywhere(str(caller.paths.workspace), caller.environment.get("HOME", ""))
    if not found:
        yield Finding(NONE, "skills: none is installed here", "gbrowse skills-install")
    elif old := outdated(found):
        yield Finding(PROBLEM, f"skills: out of date: {', '.join(old)}", "gbrowse skills-install")
    else:
        names = {name for item in found for name in item.manifest.skills}
        yield Finding(OK, f"skills: {len(names)} installed ({', '.join(item.folder for item in found)})")
