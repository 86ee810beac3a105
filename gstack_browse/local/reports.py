"""What an agent writes down for the makers of gbrowse, and what it has found out: files that stay on this machine."""

import json
import re
import socket
import time
from typing import NamedTuple

from gstack_browse import __version__
from gstack_browse.errors import BrowseError, Refused
from gstack_browse.local import sessions, settings
from gstack_browse.local.caller import Caller
from gstack_browse.local.git import open_git
from gstack_browse.local.private import PrivateDirectory, home
from gstack_browse.protocol import Request, encode_request
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import sanitise
from gstack_browse.workspace import existing_state_dirs

FOLDER = "contributor-logs"
EUREKA = "eureka.jsonl"
MOST = 3
"""Reports of one session: what is reported again and again is one report."""
_MARK = b"report\n"
_MAX_TEXT = 4000
_ANSWER_SECONDS = 2.0
_STOPPED = "Nothing was written: local_traces is false"


class FieldReport(NamedTuple):
    """What went wrong with gbrowse itself. `severity` is 1 to 10."""

    title: str
    tried: str
    happened: str
    expected: str
    severity: int

    def text(self, date: str, commands: str) -> str:
        """The report as Markdown."""
        parts = [
            f"# {_plain(self.title)}",
            f"{date}, gbrowse {__version__}, severity {self.severity} of 10",
            f"## What I tried\n\n{_plain(self.tried)}",
            f"## What happened\n\n{_plain(self.happened)}",
            f"## What I expected\n\n{_plain(self.expected)}",
            f"## Last commands\n\n```\n{commands}\n```",
        ]
        return "\n\n".join(parts) + "\n"


def _plain(text: str) -> str:
    return redact(sanitise(text[:_MAX_TEXT])).strip() or "-"


def write(report: FieldReport, caller: Caller) -> str:
    """Write the report. Returns what the caller is told. Raises Refused for the fourth of a session."""
    place = home(caller.environment)
    if not settings.read(place).local_traces:
        return _STOPPED
    session = str(sessions.agent())
    written = (place.read(session, folder=sessions.FOLDER) or b"").count(_MARK)
    if written >= MOST:
        raise Refused(
            f"This session has written {MOST} reports already", "Add to one of those, and go on with the work"
        )
    now = time.localtime()
    text = report.text(time.strftime("%Y-%m-%d %H:%M", now), last_commands(caller))
    path = place.write(_name(place, report.title, time.strftime("%Y-%m-%d", now)), text.encode(), folder=FOLDER)
    place.append(session, _MARK, folder=sessions.FOLDER)
    return f"Written: {path}\nIt stays on this machine. Read it before you show it to anybody"


def _name(place: PrivateDirectory, title: str, date: str) -> str:
    stem = f"{date}-{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')[:60] or 'report'}"
    taken = place.times(FOLDER)
    return next(
        name
        for name in (f"{stem}.md", *(f"{stem}-{number}.md" for number in range(2, 1000)))
        if name not in taken
    )


def last_commands(caller: Caller) -> str:
    """The daemon's last commands, without the words typed into pages. Starts no daemon."""
    line = encode_request(Request("recent", cwd=str(caller.paths.cwd)))
    try:
        for state in existing_state_dirs(str(caller.paths.workspace)):
            if sock := state.connect():
                with socket.socket(fileno=sock.detach()) as connection:
                    return _answer(connection, line)
    except (OSError, BrowseError):
        return "(the daemon does not answer)"
    return "(no daemon is running)"


def _answer(connection: socket.socket, line: bytes) -> str:
    connection.settimeout(_ANSWER_SECONDS)
    connection.sendall(line)
    give_up = time.monotonic() + _ANSWER_SECONDS
    said = b""
    while len(said) < 100_000 and time.monotonic() < give_up and (piece := connection.recv(65536)):
        said += piece
    return said.decode("utf-8", "replace").strip()


def eureka(text: str, caller: Caller) -> str:
    """Keep an insight: a line of JSON with the time, the project and the branch."""
    place = home(caller.environment)
    if not settings.read(place).local_traces:
        return _STOPPED
    with open_git(caller) as git:
        slug, branch = git.slug(), git.branch()
    fields = {
        "time": int(time.time()),
        "project": slug,
        "branch": branch,
        "text": _plain(text),
    }
    line = json.dumps(fields, ensure_ascii=False).encode() + b"\n"
    return f"Kept: {place.append(EUREKA, line)}"
