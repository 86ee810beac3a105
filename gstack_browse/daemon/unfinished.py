"""What the end of a daemon leaves unfinished: recordings, and boards that nobody has answered."""

from typing import TYPE_CHECKING

from gstack_browse.text.columns import counted

if TYPE_CHECKING:
    from gstack_browse.daemon.service import Service


def words(service: "Service") -> str:
    """`the recording of 12 requests, board 1`; "" where nothing is left unfinished."""
    from gstack_browse.browser.output import coverage  # no part of a start

    recordings = [session.recording for session in service.contexts.sessions() if session.recording]
    found = [f"the recording of {counted(recording.count, 'request')}" for recording in recordings]
    if coverage.is_recorded():
        found.append("coverage")
    if service.has_boards:
        found += [f"board {number}" for number in service.boards().unanswered()]
    return ", ".join(found)
