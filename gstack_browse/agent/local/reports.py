"""Gbrowse: its own settings, updates and reports.

Here: `field-report` and `eureka`, whose files stay on this machine; and `Finding`, a line of the report of `doctor`.
"""

import json
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from gstack_browse import __version__
from gstack_browse.agent.local import settings
from gstack_browse.agent.local.caller import Caller
from gstack_browse.agent.local.git import open_git
from gstack_browse.errors import BrowseError, Refused, UsageError
from gstack_browse.protocol import Request, encode_request
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import Rest, Severity, Text
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import sanitise
from gstack_browse.workspace.directory import existing_state_dirs
from gstack_browse.workspace.private_files import PrivateDirectory, open_home

if TYPE_CHECKING:
    from _socket import socket

FOLDER = "contributor-logs"
EUREKA = "eureka.jsonl"
MOST_REPORTS = 3
"""Limit of reports in one session: a problem that repeats needs one report."""
_MARK = b"report\n"
_MAX_TEXT = 4000
ANSWER_SECONDS = 3.0
"""Time limit for a daemon's answer to a request that never waits for a page."""
_NOT_WRITTEN = "Nothing was written: local_traces is false"


class FieldReport(NamedTuple):
    """A problem with gbrowse itself. `severity` is 1 to 10."""

    title: str
    tried: str
    happened: str
    expected: str
    severity: int

    def render(self, date: str, commands: str) -> str:
        """Render the report as Markdown. `commands`: the daemon's last commands, as text."""
        parts = [
            f"# {_redact(self.title)}",
            f"{date}, gbrowse {__version__}, severity {self.severity} of 10",
            f"## What I tried\n\n{_redact(self.tried)}",
            f"## What happened\n\n{_redact(self.happened)}",
            f"## What I expected\n\n{_redact(self.expected)}",
            f"## Last commands\n\n```\n{commands}\n```",
        ]
        return "\n\n".join(parts) + "\n"


def _redact(text: str) -> str:
    """Shorten a text for a report, and remove secrets and control characters; "-" for an empty text."""
    return redact(sanitise(text[:_MAX_TEXT])).strip() or "-"


def write_field_report(report: FieldReport, caller: Caller) -> str:
    """Write a field report below ~/.gstack. Return the reply's text. Raises Refused beyond MOST_REPORTS."""
    place = open_home(caller.environment)
    if not settings.read_settings(place).local_traces:
        return _NOT_WRITTEN
    session = str(settings.find_agent_process())
    written = (place.read(session, folder=settings.FOLDER) or b"").count(_MARK)
    if written >= MOST_REPORTS:
        raise Refused(
            f"This session has written {MOST_REPORTS} reports already",
            "Add to one of those, and go on with the work",
        )
    now = time.localtime()
    text = report.render(time.strftime("%Y-%m-%d %H:%M", now), read_last_commands(caller))
    path = place.write(
        _unused_name(place, report.title, time.strftime("%Y-%m-%d", now)), text.encode(), folder=FOLDER
    )
    place.append(session, _MARK, folder=settings.FOLDER)
    return f"Written: {path}\nIt stays on this machine. Read it before you show it to anybody"


def _unused_name(place: PrivateDirectory, title: str, date: str) -> str:
    """Return a report's file name, of date and title, that no report in ~/.gstack (`place`) has yet."""
    stem = f"{date}-{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')[:60] or 'report'}"
    taken = place.list_times(FOLDER)
    names = (f"{stem}.md", *(f"{stem}-{number}.md" for number in range(2, 1000)))
    return next(name for name in names if name not in taken)


def read_last_commands(caller: Caller) -> str:
    """Return the daemon's last commands, without what was typed into pages, as text. Starts no daemon."""
    line = encode_request(Request("recent", cwd=str(caller.paths.cwd)))
    try:
        for state in existing_state_dirs(str(caller.paths.workspace)):
            if sock := state.connect():
                reply = ask_daemon(sock, line)
                sock.close()
                return "(the daemon does not answer)" if reply is None else reply.strip()
    except (OSError, BrowseError):
        return "(the daemon does not answer)"
    return "(no daemon is running)"


def ask_daemon(sock: "socket", line: bytes) -> str | None:
    """Send a request to the daemon at the other end of `sock`, and return its answer.

    None unless the whole answer comes within ANSWER_SECONDS; the daemon closes the connection after it.
    """
    received = b""
    give_up = time.monotonic() + ANSWER_SECONDS
    try:
        sock.settimeout(ANSWER_SECONDS)
        sock.send(line)
        while (left := give_up - time.monotonic()) > 0:
            sock.settimeout(left)
            piece = sock.recv(65536)
            if not piece:
                return received.decode("utf-8", "replace")
            received += piece
    except OSError:  # a timeout, or the daemon has ended
        pass
    return None


@command(
    META,
    examples=[
        "field-report 'select chose nothing' --tried 'select @e3 Two' --happened 'exit 0, but One stayed' --expected 'Two' --severity 6"
    ],
)
def field_report(
    caller: Caller,
    title: Text,
    *,
    tried: Text = "",
    happened: Text = "",
    expected: Text = "",
    severity: Severity = 5,
) -> str:
    """Write down that gbrowse itself misbehaved, with its version and the last commands.

    The report is kept below ~/.gstack/contributor-logs/. --tried, --happened and --expected are needed. Nothing
    is sent anywhere. At most 3 a session. Of commands only names, options and refs are noted, not what was
    typed.

    title: what went wrong, in a few words
    tried: what was to be done, and how
    happened: what gbrowse did
    expected: what it should have done
    severity: 1 (a blemish) to 10 (nothing goes on)
    """
    if not (tried and happened and expected):
        raise UsageError("A report says what was tried, what happened and what was expected")
    return write_field_report(FieldReport(title, tried, happened, expected, severity), caller)


@command(META, examples=["eureka 'A queue is not needed: the kernel has one'"])
def eureka(caller: Caller, text: Rest) -> str:
    """Keep an insight that turned out better than what everybody does, in ~/.gstack/eureka.jsonl.

    text: the insight, and why
    """
    place = open_home(caller.environment)
    if not settings.read_settings(place).local_traces:
        return _NOT_WRITTEN
    with open_git(caller) as git:
        slug = git.project_slug()
        branch = git.run("symbolic-ref", "--quiet", "--short", "HEAD") or ""  # "" for a detached HEAD
    fields = {"time": int(time.time()), "project": slug, "branch": branch, "text": _redact(text)}
    line = json.dumps(fields, ensure_ascii=False).encode() + b"\n"
    return f"Kept: {place.append(EUREKA, line)}"


OK, NONE, PROBLEM = "ok", "-", "problem"


class Finding(NamedTuple):
    """The result of one check.

    `state` is OK, NONE (absent, which is fine), or PROBLEM. `next`: the command to type. `mend` does it for
    `doctor --fix`; None if a person has to.
    """

    state: str
    name: str
    text: str
    next: str = ""
    mend: Callable[[], object] | None = None

    def line(self) -> str:
        """Render the finding for people: one line, and a second one with the command to type, if there is any."""
        line = f"{self.state:<7}  {self.name}: {self.text}"
        return f"{line}\n         → {self.next}" if self.next else line

    def fields(self) -> dict[str, str]:
        """Return the finding as an object for JSON, with `next` only if there is something to do."""
        found = {"check": self.name, "state": self.state, "text": self.text}
        return {**found, "next": self.next} if self.next else found
