"""Check that caller and daemon have the same policy; have a person confirm commands (BROWSE_CONFIRM)."""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import Refused, UsageError
from gstack_browse.protocol import HOME_VARIABLE, Request
from gstack_browse.registry import REGISTRY, BoundCall
from gstack_browse.registry.values.targets import Files, FormFields
from gstack_browse.settings import CONFIRM, read_policy_variables
from gstack_browse.text.redact import hide_values
from gstack_browse.text.sanitise import one_line

_USES_HOME = ("secret", "design-")
"""How commands begin that read or write a person's notes in the daemon."""
CONFIRM_SECONDS = 600.0
"""How long a token is valid, and then how long a confirmed command may be sent."""
MOST_WAITING = 20
MOST_SHOWN = 4_000
"""Characters of a command line that a person reads before confirming it."""
_LINE_ENDS = re.compile("[\n\r\u2028\u2029]")
"""Characters that end a comment in a script: a person has to see that code follows."""
MOST_IDENTIFIED = 10_000
"""Files of which a change is noticed: as many as `upload` gives to a page."""


def check_policy_matches(
    caller_variables: Mapping[str, str], daemon_values: Mapping[str, tuple[str, ...]]
) -> None:
    """Raise Refused if a policy variable in the caller's environment differs from that of the daemon.

    A caller without policy variables is not refused; the daemon's policy holds for it.
    `daemon_values`: variable → words of its value.
    """
    for name, words in read_policy_variables(caller_variables).items():
        if words != daemon_values.get(name):
            raise Refused(
                one_line(
                    f"The daemon was started {_describe_variable(name, daemon_values)}, not with {name}={caller_variables[name]}",
                    400,
                ),
                "A daemon reads rules when it starts: run 'gbrowse stop', then the command again",
            )


def check_home_matches(command: str, caller_variables: Mapping[str, str], cwd: str) -> None:
    """Raise Refused if the command uses GSTACK_HOME, and caller and daemon have different values of it.

    `cwd`: the caller's working directory, to which the variable may be relative.
    """
    word = caller_variables.get(HOME_VARIABLE, "")
    if not word or not command.startswith(_USES_HOME):
        return
    own = os.environ.get(HOME_VARIABLE) or "~/.gstack"
    caller_home = os.path.realpath(os.path.join(cwd, os.path.expanduser(word)))
    if caller_home != os.path.realpath(os.path.expanduser(own)):
        raise Refused(
            one_line(f"The daemon keeps a person's notes in {own}, not in {HOME_VARIABLE}={word}", 400),
            "A daemon reads it when it starts: run 'gbrowse stop', then the command again",
        )


def _describe_variable(name: str, daemon_values: Mapping[str, tuple[str, ...]]) -> str:
    """Return a policy variable's value at the daemon's start: `with NAME=VALUE` or `without NAME`."""
    return f"with {name}={','.join(daemon_values[name])}" if name in daemon_values else f"without {name}"


class ConfirmableCommand(NamedTuple):
    """A command as a person confirms it: when it is sent again, all of this must be equal.

    `page`: URL of the tab's page. `files`: inode, size and time of change of the files that the words name.
    """

    name: str
    words: tuple[str, ...]
    cwd: str
    context: str
    tab: int
    page: str
    files: tuple[tuple[int, int, int], ...]


class PendingConfirmation(NamedTuple):
    """A command that waits for a person to confirm it.

    `shown`: the command line as that person reads it. `until`: when the token expires.
    """

    token: str
    shown: str
    until: float


class Confirmations:
    """Commands that a person has to confirm, or has confirmed, before they run.

    `names`: names of commands, from the user. Raises UsageError for an unknown one.
    """

    def __init__(self, names: Sequence[str], now: Callable[[], float] = time.monotonic) -> None:
        self.names = frozenset(_resolve_name(name) for name in names)
        self._now = now
        self._waiting: dict[ConfirmableCommand, PendingConfirmation] = {}
        self._let_through: dict[ConfirmableCommand, float] = {}

    def require_confirmation(self, command: ConfirmableCommand, shown: str) -> None:
        """Use up the confirmation that a person gave for this command. Raises Refused without one.

        The error has the token by which a person can confirm it. `shown`: the command line as that person reads it.
        """
        self._drop_expired()
        if self._let_through.pop(command, None) is not None:
            return
        waiting = self._waiting.get(command)
        if waiting is None:
            if len(self._waiting) >= MOST_WAITING:
                del self._waiting[next(iter(self._waiting))]
            waiting = self._waiting[command] = PendingConfirmation(
                _new_token(), shown, self._now() + CONFIRM_SECONDS
            )
        raise Refused(
            f"{command.name} waits for a person to confirm it ({CONFIRM}): {waiting.token}",
            f"Ask the user to type, in a terminal of theirs: gbrowse confirm {waiting.token}\n"
            "Then send the very same command again. Do not confirm it yourself",
        )

    def list_pending(self) -> list[PendingConfirmation]:
        """Return the commands that wait for a person's confirmation, oldest first."""
        self._drop_expired()
        return list(self._waiting.values())

    def confirm(self, token: str) -> PendingConfirmation:
        """Note a person's confirmation: the command with that token may run once.

        Raises UsageError for an unknown token.
        """
        self._drop_expired()
        for command, waiting in self._waiting.items():
            if waiting.token == token.upper():
                del self._waiting[command]
                self._let_through[command] = self._now() + CONFIRM_SECONDS
                return waiting
        raise UsageError(f'Nothing waits under "{token[:20]}"', "Run 'gbrowse confirm' to see what waits")

    def _drop_expired(self) -> None:
        """Forget commands that were not confirmed in time, and confirmations that were not used in time."""
        now = self._now()
        self._waiting = {command: waiting for command, waiting in self._waiting.items() if waiting.until > now}
        self._let_through = {command: until for command, until in self._let_through.items() if until > now}


def describe_request(
    bound: BoundCall, request: Request, browser: OpenContext | None
) -> tuple[ConfirmableCommand, str]:
    """Return the command in a form that can be compared with a confirmed one, and as a line for a person.

    In the line only typed secrets are hidden: what looks like a password in an address may be code, which a person has to see.
    `browser`: the context on which it acts; None if not open.
    """
    tab = browser.tabs.get(request.tab) if browser else None
    words = (*request.args, *([request.stdin] if request.stdin else []))
    values = [*bound.positional, *bound.options.values()]
    page = tab.url if tab else ""
    import shlex  # no part of a start

    context = ["--as", request.as_] if request.as_ else []
    line = hide_values(shlex.join([*context, bound.command.name, *words]), bound.secrets)
    line = one_line(_LINE_ENDS.sub(" ⏎ ", line), MOST_SHOWN)
    return (
        ConfirmableCommand(
            bound.command.name,
            words,
            request.cwd,
            request.as_,
            tab.id if tab else 0,
            page,
            file_identities(path for value in values for path in _list_paths(value)),
        ),
        f"{line} (at {shown_url(page)})" if tab else line,
    )


def _list_paths(value: object) -> Iterator[Path]:
    """Yield the path that a bound value is, with the files below a folder, or those in a form's fields."""
    if isinstance(value, FormFields):
        yield from (path for field in value if isinstance(field.value, Files) for path in field.value.paths)
    elif isinstance(value, Path):
        yield value
        yield from (Path(folder, name) for folder, _, names in os.walk(value) for name in sorted(names))


def file_identities(files: Iterable[Path]) -> tuple[tuple[int, int, int], ...]:
    """Return inode, size and modification time (ns) of each file that exists.

    If one of them differs later, the file has changed. Files beyond the first MOST_IDENTIFIED are left out.
    """
    found = []
    for file in islice(files, MOST_IDENTIFIED):
        with suppress(OSError):  # one that is yet to be written
            status = file.stat()
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def is_at_terminal(pid: int) -> bool:
    """Return whether a process's standard input is a terminal, so that a person types there.

    Without /proc: whether the process has a controlling terminal.
    """
    try:
        return os.readlink(f"/proc/{pid}/fd/0").startswith(("/dev/pts/", "/dev/tty"))
    except FileNotFoundError:
        return not os.path.exists("/proc/self/fd") and _has_terminal(pid)
    except OSError:
        return False


def _has_terminal(pid: int) -> bool:
    """Return whether a process has a controlling terminal. Asked on systems without /proc."""
    import psutil  # takes 10 ms, which no first command is to wait for

    try:
        return psutil.Process(pid).terminal() is not None
    except psutil.Error:
        return False


def _resolve_name(name: str) -> str:
    """Resolve a command's alias to its main name. Raises UsageError if it cannot need confirmation."""
    command = REGISTRY.get(name)
    if command is None or command.is_local or command.name == "confirm":
        raise UsageError(
            f"{CONFIRM} names commands that can wait, not {name[:60]!r}", "For example: upload,js,eval"
        )
    return command.name


def _new_token() -> str:
    """Return a random token of eight characters that are easy to type."""
    from base64 import b32encode  # no part of a start

    return b32encode(os.urandom(5)).decode()
