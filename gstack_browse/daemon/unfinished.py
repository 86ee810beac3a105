"""What an end leaves unfinished: recordings, and boards that nobody has answered."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gstack_browse.text.columns import format_count

if TYPE_CHECKING:
    from gstack_browse.board.desk import BoardRegistry
    from gstack_browse.browser.tabs.session import BrowserSession


def words(sessions: "Sequence[BrowserSession]", boards: "BoardRegistry | None") -> str:
    """What ends with a daemon that has no successor: `the recording of 12 requests, board 1`; "" where nothing is left unfinished."""
    return ", ".join(filter(None, [recordings(sessions), unanswered(boards)]))


def unanswered(boards: "BoardRegistry | None") -> str:
    """`board 1, board 2`: a successor goes on with them; "" for none."""
    return ", ".join(f"board {number}" for number in boards.unanswered_numbers()) if boards else ""


def recordings(sessions: "Sequence[BrowserSession]") -> str:
    """What ends with these sessions: `the recording of 12 requests, the coverage of tab 2`; "" for nothing."""
    from gstack_browse.browser.output import coverage  # no part of a start

    recorded = [session.recording for session in sessions if session.recording]
    found = [f"the recording of {format_count(recording.count, 'request')}" for recording in recorded]
    tabs = [tab.id for session in sessions for tab in session.tabs if coverage.is_recorded(tab)]
    return ", ".join(found + [f"the coverage of tab {number}" for number in tabs])


def line(found: str) -> str:
    """The line below a reply that says what has ended; "" for nothing."""
    return f"\n→ ended: {found}" if found else ""
