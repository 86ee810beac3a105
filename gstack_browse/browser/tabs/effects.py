"""Tracks windows and downloads that a page starts or is refused, and whether a command expects them."""

import math
from collections import Counter, deque
from dataclasses import dataclass
from pathlib import Path

from gstack_browse.browser.tabs.asked_permissions import AskedPermissions
from gstack_browse.browser.tabs.file_choosers import FileChoosers
from gstack_browse.browser.tabs.requests import RefusedRequest


@dataclass(frozen=True)
class Wanted:
    """A request of a command for the page's next download. `path` is where to save it, if given."""

    path: Path | None = None


class Effects:
    """Windows and downloads that the page started, or tried to start."""

    def __init__(self) -> None:
        self.opening = 0
        """Windows and downloads that were asked for and have not begun yet."""
        self.due_downloads = 0
        """Responses that Chromium treats as files, but has not reported as downloads yet."""
        self._is_window_asked = False
        """Whether one of them is a window that the page has asked for. Others may turn out to be nothing."""
        self._is_sure = False
        """Whether one of them is certain though the page has not asked for it: Chromium opens it for a click."""
        self.blocked: Counter[str] = Counter()
        """Number of the page's windows that were closed, by reason: see `popups`."""
        self._windows = 0
        self.refused: deque[RefusedRequest] = deque(maxlen=100)
        """Unreported requests that a rule forbids."""
        self.refused_downloads: Counter[str] = Counter()
        """Number of unreported refused downloads, by reason."""
        self.file_choosers = FileChoosers()
        """Unreported file choosers."""
        self.asked = AskedPermissions()
        self.wanted: Wanted | None = None
        """The file that a command waits for."""
        self.downloads_before = 0
        """Number of downloads when the last action began."""
        self.acted_at = math.inf
        """Start of the last action (monotonic); infinite after a command that itself navigated."""
        self._acting = 0
        self._has_download_permit = True

    def expect_opening(self) -> None:
        """Expect a window or download that begins a moment later."""
        self.opening += 1

    def expect_window(self) -> None:
        """Expect a window that the page has asked for, and that appears a moment later."""
        self.opening += 1
        self._is_window_asked = True

    def opening_is_sure(self) -> None:
        """Note that the expected window will appear: Chromium has the click, or the window exists."""
        self._is_sure = True

    @property
    def is_opening_sure(self) -> bool:
        """Return whether a window or a download is certain to come."""
        return (self._is_window_asked or self._is_sure) and self.opening > 0

    @property
    def lacks_window(self) -> bool:
        """Return whether a window that the page has asked for is still to come."""
        return self._is_window_asked and self.opening > 0

    def expect_download(self) -> None:
        """Expect a download: the response to an action is a file, which Chromium reports a moment later."""
        if self._acting:
            self.due_downloads += 1

    def expect_nothing(self) -> None:
        """Stop waiting for windows and downloads that have not begun."""
        self.opening = self.due_downloads = 0
        self._is_window_asked = self._is_sure = False

    def has_opened(self) -> None:
        """Note that a window or download has begun, which may have been expected."""
        self.opening = max(self.opening - 1, 0)

    def download_has_begun(self) -> None:
        """Note that a download has begun. It counts as an expected download, else as an expected window."""
        if self.due_downloads:
            self.due_downloads -= 1
        else:
            self.has_opened()

    def take_refused(self) -> list[RefusedRequest]:
        """Return the refused requests for the caller to report, and forget them."""
        taken = list(self.refused)
        self.refused.clear()
        return taken

    def begin_action(self) -> None:
        """Note that a command begins to act in the page."""
        self._acting += 1
        self._windows = 0
        self.file_choosers.pressed = ""

    def takes_window(self) -> bool:
        """Count a window. Return whether it is the one that the page may open for a command's action."""
        self._windows += 1
        return self._windows == 1

    def end_action(self) -> None:
        """Note that the command has acted."""
        self._acting = max(self._acting - 1, 0)

    def permit_download(self) -> None:
        """Let the page begin one download, as a command that acts or navigates does.

        Unused permits do not add up.
        """
        self._has_download_permit = True

    def use_download_permit(self) -> bool:
        """Take the page's permit to begin a download. Return whether it had one."""
        had, self._has_download_permit = self._has_download_permit, False
        return had
