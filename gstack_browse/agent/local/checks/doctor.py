"""Gbrowse: its own settings, updates and reports.

Here: `doctor`, which looks at everything that a command rests on, without starting a daemon; and `setup`, which installs a browser.
"""

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from gstack_browse import __version__
from gstack_browse.agent.local.caller import Caller
from gstack_browse.agent.local.reports import ANSWER_SECONDS, NONE, OK, PROBLEM, Finding, ask_daemon
from gstack_browse.errors import ActionFailed, BrowseError
from gstack_browse.registry import META, READ, command

if TYPE_CHECKING:
    from _socket import socket

Subject = TypeVar("Subject")
INSTALL_SECONDS = 600
INSTALLABLE_SIGNS = ("There is no Chromium", " of the system: ")
"""Texts in errors of the browser's start that `setup` can resolve: missing Chromium, missing libraries."""
MACHINE_CODE = (b"\x7fELF", b"\xcf\xfa\xed\xfe")
"""First bytes of native programs on Linux and macOS."""


@command(READ, examples=["doctor", "doctor --fix", "doctor --json"], timeout=60, kinds={"fix": META})
def doctor(caller: Caller, *, fix: bool = False, json: bool = False) -> str:
    """Look at all that gbrowse needs, of itself and of the machine; say what to type for what is wrong.

    Itself: Python, client, Chromium, workspace, socket and daemon, settings, skills. The machine: sandbox, shared memory, fonts, display,
    keyring, proxy, client certificates, disk, limits. Starts the browser once, to see whether it and its sandbox work, and no daemon. Fails with 1 if something is wrong.

    fix: do what gbrowse can do itself: install Chromium and libraries, replace a daemon, update skills
    json: a list of what was looked at
    """
    findings = list(_run_all_checks(caller))
    if fix and any(finding.mend for finding in findings):
        for finding in findings:
            if not finding.mend:
                continue
            try:
                finding.mend()
                caller.notes.append(f"{finding.name}: mended")
            except BrowseError as error:
                caller.notes.append(f"{finding.name}: not mended: {error.message}")
        findings = list(_run_all_checks(caller))
    if json:
        from json import dumps

        text = dumps([finding.fields() for finding in findings], ensure_ascii=False, indent=1)
    else:
        text = "\n".join(finding.line() for finding in findings)
    if any(finding.state == PROBLEM for finding in findings):
        raise ActionFailed(
            "Something that gbrowse needs is not as it should be",
            "Type what stands after the arrows",
            output=text,
        )
    return text


@command(META, examples=["setup"], timeout=INSTALL_SECONDS)
def setup(caller: Caller) -> str:
    """Install Chromium and its libraries if they are missing, and say which Chromium is used.

    Playwright's own is tried first, then Debian's package. Progress is said on standard error.
    """
    return f"Chromium is ready: {_install_browser(caller)}"


def _install_browser(caller: Caller) -> str:
    """Install Chromium and its libraries, with progress on standard error. Return the path of the browser."""
    from gstack_browse.agent.local.subprocesses import run_module

    return run_module("gstack_browse.browser.launch.chromium", "", caller, is_loud=True).strip()


def _run_all_checks(caller: Caller) -> Iterator[Finding]:
    """Yield the findings of all checks, first of gbrowse itself, then of the machine."""
    from gstack_browse.agent.local.checks.browser_settings import SettingSources
    from gstack_browse.agent.local.checks.machine import CHECKS, ExaminedMachine
    from gstack_browse.agent.local.subprocesses import run_module

    own_checks = (
        _check_client,
        _check_browser_start,
        _check_workspace,
        _check_settings,
        _check_skills,
        _check_films,
    )
    yield Finding(OK, "gbrowse", f"{__version__}, Python {sys.version.split()[0]} ({sys.executable})")
    for check in own_checks:
        yield from _run_check(check, caller)
    ask_keyring = partial(run_module, "gstack_browse.security.vault", "", caller)
    sources = SettingSources(caller.environment, str(caller.paths.workspace))
    machine = ExaminedMachine(sources.environment, caller.paths.workspace, keyring=ask_keyring)
    for machine_check in CHECKS:
        yield from _run_check(machine_check, machine)


def _run_check(check: Callable[[Subject], Iterator[Finding]], subject: Subject) -> Iterator[Finding]:
    """Run a check of the caller or the machine (`subject`), and yield its findings.

    A BrowseError that it raises is the last finding: a problem named after the check, `client` for `_check_client`.
    """
    try:
        yield from check(subject)
    except BrowseError as error:
        yield Finding(PROBLEM, check.__name__.rpartition("check_")[2], error.message, error.hint)


def _check_client(caller: Caller) -> Iterator[Finding]:
    """Check whether the installed client is the native one (in C), or Python's, which takes 15 ms longer."""
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


def _check_browser_start(caller: Caller) -> Iterator[Finding]:
    """Check in another process that Chromium starts; report environment variables that have no effect.

    Also yields what that process found out, such as the version (see `browser_check`). A finding has a remedy if something is
    missing that can be installed.
    """
    from gstack_browse.agent.local.subprocesses import run_module

    for line in run_module("gstack_browse.browser.launch.browser_check", "", caller).splitlines():
        name, *values = line.split("\t")
        if name == "problem":
            can_mend = any(sign in values[0] for sign in INSTALLABLE_SIGNS)
            mend = partial(_install_browser, caller) if can_mend else None
            yield Finding(PROBLEM, "browser", values[0], values[1], mend)
        elif name == "ignored":
            yield Finding(PROBLEM, "environment", f"set, but without meaning: {values[0]}", "unset it")
        else:
            yield Finding(OK, name, values[0])


def _check_workspace(caller: Caller) -> Iterator[Finding]:
    """Check the workspace's socket and the daemon that listens at it; no daemon is no problem.

    Raises Refused for a state directory that others can write to.
    """
    from gstack_browse.workspace.directory import existing_state_dirs, printable_path

    workspace = str(caller.paths.workspace)
    environment = {os.fsencode(name): os.fsencode(value) for name, value in caller.environment.items()}
    yield Finding(OK, "workspace", printable_path(workspace))
    for state in list(existing_state_dirs(workspace, environment)):
        try:
            if sock := state.connect():
                yield Finding(OK, "socket", state.printable_path("browse.sock"))
                yield _check_daemon(caller, sock)
                sock.close()
                return
        finally:
            state.close()
    yield Finding(NONE, "daemon", "none runs here; the first command that needs one starts it")


def _check_daemon(caller: Caller, sock: "socket") -> Finding:
    """Check that the daemon at the other end of `sock` answers, and has the version of this program."""
    from gstack_browse.agent.local.subprocesses import run_command

    answer = ask_daemon(sock, b'{"cmd":"status"}\n') or ""
    facts = dict(line.partition(": ")[::2] for line in answer.splitlines())
    replace = partial(run_command, caller, "restart")
    if "Version" not in facts:
        problem = f"does not answer within {ANSWER_SECONDS:g} s"
        return Finding(PROBLEM, "daemon", problem, "gbrowse restart", replace)
    text = f"version {facts['Version']}, process {facts.get('PID', 'unknown')}"
    if facts["Version"] == __version__:
        return Finding(OK, "daemon", text)
    return Finding(PROBLEM, "daemon", text, "gbrowse restart", replace)


def _check_settings(caller: Caller) -> Iterator[Finding]:
    """Check the settings files. Raises BrowseError for a directory or file that cannot be used."""
    from gstack_browse.agent.local import settings
    from gstack_browse.agent.local.checks.browser_settings import SettingSources
    from gstack_browse.workspace.private_files import open_home

    place = open_home(caller.environment)
    settings.read_settings(place)
    sources = SettingSources(caller.environment, str(caller.paths.workspace))
    for problem in sources.problems:
        yield Finding(
            PROBLEM, "settings", problem, "Take it out of the file; gbrowse config lists what there is"
        )
    yield Finding(OK, "settings", ", ".join([str(place.path), *sources.paths]))


def _check_skills(caller: Caller) -> Iterator[Finding]:
    """Check whether the installed skills are up to date."""
    from gstack_browse.agent.local.subprocesses import run_command
    from gstack_browse.agent.skills.destinations import find_everywhere, find_outdated

    found = find_everywhere(str(caller.paths.workspace), caller.environment.get("HOME", ""))
    if not found:
        yield Finding(NONE, "skills", "none is installed here", "gbrowse skills-install")
    elif old := find_outdated(found):
        install = partial(run_command, caller, "skills-install")
        yield Finding(PROBLEM, "skills", f"out of date: {', '.join(old)}", "gbrowse skills-install", install)
    else:
        names = {name for item in found for name in item.manifest.skills}
        yield Finding(OK, "skills", f"{len(names)} installed ({', '.join(item.folder for item in found)})")


def _check_films(caller: Caller) -> Iterator[Finding]:
    """Check whether films can be written as WebM.

    Another process looks for the codec: this one may not see installed packages.
    """
    from gstack_browse.agent.local.subprocesses import run_module
    from gstack_browse.documents.film.codec import GET_CODEC

    if run_module("gstack_browse.documents.film.codec", "", caller):
        yield Finding(OK, "films", "WebM")
    else:
        yield Finding(NONE, "films", "animated WebP, which is larger: there is no codec for WebM", GET_CODEC)
