"""Describe the work that an end aborts: recordings, and boards without an answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gstack_browse.text.columns import format_count

if TYPE_CHECKING:
    from gstack_browse.board.desk import BoardRegistry
    from gstack_browse.browser.tabs.session import BrowserSession


def describe_aborted_work(sessions: "Sequence[BrowserSession]", boards: "BoardRegistry | None") -> str:
    """Describe what ends without a successor: `the recording of 12 requests, board 1`; "" for nothing."""
    return ", ".join(filter(None, [describe_recordings(sessions), list_unanswered_boards(boards)]))


def list_unanswered_boards(boards: "BoardRegistry | None") -> str:
    """List the boards without an answer, which a successor continues: `board 1, board 2`; "" for none."""
    return ", ".join(f"board {number}" for number in boards.unanswered_numbers()) if boards else ""


def describe_recordings(sessions: "Sequence[BrowserSession]") -> str:
    """Describe what ends with these sessions: `the recording of 12 requests, the coverage of tab 2`.

    "" if nothing is recorded.
    """
    from gstack_browse.browser.output import coverage  # no part of a start

    recorded = [session.recording for session in sessions if session.recording]
    found = [f"the recording of {format_count(recording.count, 'request')}" for recording in recorded]
    tabs = [tab.id for session in sessions for tab in session.tabs if coverage.is_recorded(tab)]
    return ", ".join(found + [f"the coverage of tab {number}" for number in tabs])


def ended_line(found: str) -> str:
    """Return the line below a reply that names the aborted work; "" for none."""
    return f"\n→ ended: {found}" if found else ""
