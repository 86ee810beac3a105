"""Commands that a person lets through one by one (`BROWSE_CONFIRM`): what waits, under which token, and what was let through."""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.errors import Refused, UsageError
from gstack_browse.protocol import Request
from gstack_browse.registry import REGISTRY, Bound
from gstack_browse.settings import CONFIRM
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

SECONDS = 600.0
"""How long a person may take, and how long what was let through may wait for its command."""
MOST_WAITING = 20


class Asked(NamedTuple):
    """A command as it was asked for: what must be the same when it comes again.

    `page` is the address of the tab's page, `files` tells by inode and time of change what its words name.
    """

    name: str
    words: tuple[str, ...]
    cwd: str
    context: str
    tab: int
    page: str
    files: tuple[tuple[int, int, int], ...]


class Waiting(NamedTuple):
    """What waits for a person, or was let through. `shown` is how a person reads it."""

    token: str
    shown: str
    until: float


class Confirmations:
    """Of one daemon. `names` are words of the user's that name commands. Raises UsageError where one does not."""

    def __init__(self, names: Sequence[str], now: Callable[[], float] = time.monotonic) -> None:
        self.names = frozenset(_command(name) for name in names)
        self._now = now
        self._waiting: dict[Asked, Waiting] = {}
        self._let_through: dict[Asked, float] = {}

    def require(self, asked: Asked, shown: str) -> None:
        """Let a command through that a person has confirmed, once. Raises Refused, naming the token, for any other."""
        self._forget_old()
        if self._let_through.pop(asked, None) is not None:
            return
        waiting = self._waiting.get(asked)
        if waiting is None:
            if len(self._waiting) >= MOST_WAITING:
                del self._waiting[next(iter(self._waiting))]
            waiting = self._waiting[asked] = Waiting(_token(), shown, self._now() + SECONDS)
        raise Refused(
            f"{asked.name} waits for a person to confirm it ({CONFIRM}): {waiting.token}",
            f"Ask the user to type, in a terminal of theirs: gbrowse confirm {waiting.token}\n"
            "Then send the very same command again. Do not confirm it yourself",
        )

    def listed(self) -> list[Waiting]:
        """What waits, the oldest first."""
        self._forget_old()
        return list(self._waiting.values())

    def confirm(self, token: str) -> Waiting:
        """Let what waits under that token through, once. Raises UsageError for a token of nothing."""
        self._forget_old()
        for asked, waiting in self._waiting.items():
            if waiting.token == token.upper():
                del self._waiting[asked]
                self._let_through[asked] = self._now() + SECONDS
                return waiting
        raise UsageError(f'Nothing waits under "{token[:20]}"', "Run 'gbrowse confirm' to see what waits")

    def _forget_old(self) -> None:
        now = self._now()
        self._waiting = {asked: waiting for asked, waiting in self._waiting.items() if waiting.until > now}
        self._let_through = {asked: until for asked, until in self._let_through.items() if until > now}


def asked(bound: Bound, request: Request, browser: BrowserSession | None) -> tuple[Asked, str]:
    """What a request asks for: the command on its page, with its files; and how a person reads it, without secrets."""
    tab = browser.tabs.get(request.tab) if browser else None
    words = (*request.args, *([request.stdin] if request.stdin else []))
    given = [value for value in (*bound.positional, *bound.options.values()) if isinstance(value, Path)]
    page = tab.url if tab else ""
    import shlex  # no part of a start

    context = ["--as", request.as_] if request.as_ else []
    line = one_line(redact(shlex.join([*context, bound.command.name, *words]), bound.secrets), 400)
    return (
        Asked(
            bound.command.name, words, request.cwd, request.as_, tab.id if tab else 0, page, identities(given)
        ),
        f"{line} (at {shown_url(page)})" if tab else line,
    )


def identities(files: Sequence[Path]) -> tuple[tuple[int, int, int], ...]:
    """By what files are told from others that take their place, and from what is written into them later."""
    found = []
    for file in files:
        with suppress(OSError):  # one that is yet to be written
            status = file.stat()
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def is_at_terminal(pid: int) -> bool:
    """Whether the standard input of a process is a terminal, as far as the system tells."""
    try:
        return os.readlink(f"/proc/{pid}/fd/0").startswith(("/dev/pts/", "/dev/tty"))
    except FileNotFoundError:
        return not os.path.exists("/proc/self/fd") and _has_terminal(pid)
    except OSError:
        return False


def _has_terminal(pid: int) -> bool:
    """The next best, where there is no /proc: whether a terminal controls it."""
    import psutil  # takes 10 ms, which no first command is to wait for

    try:
        return psutil.Process(pid).terminal() is not None
    except psutil.Error:
        return False


def _command(name: str) -> str:
    command = REGISTRY.get(name)
    if command is None or command.is_local or command.name == "confirm":
        raise UsageError(
            f"{CONFIRM} names commands that can wait, not {name[:60]!r}", "For example: upload,js,eval"
        )
    return command.name


def _token() -> str:
    from base64 import b32encode  # no part of a start

    return b32encode(os.urandom(5)).decode()
