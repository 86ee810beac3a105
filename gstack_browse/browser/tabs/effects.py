"""What a page starts besides requests: windows and downloads, those that are refused, and whether a command has asked for them."""

import math
from collections import Counter, deque
from dataclasses import dataclass
from pathlib import Path

from gstack_browse.browser.tabs.asked_permissions import AskedPermissions
from gstack_browse.browser.tabs.file_choosers import FileChoosers
from gstack_browse.browser.tabs.requests import RefusedRequest


@dataclass(frozen=True)
class Wanted:
    """The next file that the page downloads is one that a command has asked for, to lie at `path` if that was said."""

    path: Path | None = None


class Effects:
    """What the page started besides requests: downloads, and windows that the page opened or tried to open."""

    def __init__(self) -> None:
        self.opening = 0
        """Windows and downloads that were asked for and have not begun yet."""
        self.due_downloads = 0
        """Answers that Chromium has taken for files, and of which it has not told as downloads yet."""
        self._is_window_asked = False
        """Whether one of them is a window for which the page has asked: what else is expected may turn out to be nothing."""
        self._is_sure = False
        """Whether one of them is sure to come though the page has not asked for it: Chromium opens it for a click, or has done so."""
        self.blocked: Counter[str] = Counter()
        """Windows of the page's that were closed, by reason: see `popups`."""
        self._windows = 0
        self.refused: deque[RefusedRequest] = deque(maxlen=100)
        """Requests that a rule forbids, and that no reply has told of."""
        self.refused_downloads: Counter[str] = Counter()
        """Downloads that were refused and of which no reply has told yet, by reason."""
        self.file_choosers = FileChoosers()
        """File choosers that no reply has told of."""
        self.asked = AskedPermissions()
        self.wanted: Wanted | None = None
        """The file that a command waits for."""
        self.downloads_before = 0
        """How many downloads there had been when the last action began."""
        self.acted_at = math.inf
        """When the last action began, on the clock that is never set (monotonic); infinite after a command that led to another page itself."""
        self._acting = 0
        self._has_download_permit = True

    def expect_opening(self) -> None:
        """A window or a download was asked for, and will begin a moment later."""
        self.opening += 1

    def expect_window(self) -> None:
        """The page has asked for a window, which will be there a moment later."""
        self.opening += 1
        self._is_window_asked = True

    def opening_is_sure(self) -> None:
        """What is expected will come: the page has let Chromium have the click, or its window is there."""
        self._is_sure = True

    @property
    def is_opening_sure(self) -> bool:
        """Whether a window or a download is to come, and not perhaps."""
        return (self._is_window_asked or self._is_sure) and self.opening > 0

    @property
    def lacks_window(self) -> bool:
        """Whether a window is to come that the page has asked for."""
        return self._is_window_asked and self.opening > 0

    def expect_download(self) -> None:
        """Chromium shows the answer to what an action led to nowhere: it is a file, and the download will begin a moment later."""
        if self._acting:
            self.due_downloads += 1

    def expect_nothing(self) -> None:
        """What has not begun by now is not waited for."""
        self.opening = self.due_downloads = 0
        self._is_window_asked = self._is_sure = False

    def has_opened(self) -> None:
        """A window or a download that may have been expected has begun."""
        self.opening = max(self.opening - 1, 0)

    def download_has_begun(self) -> None:
        """The same of a download, whose answer may have come before."""
        if self.due_downloads:
            self.due_downloads -= 1
        else:
            self.has_opened()

    def take_refused(self) -> list[RefusedRequest]:
        """The refused requests, to be told by the caller; afterwards there are none."""
        taken = list(self.refused)
        self.refused.clear()
        return taken

    def begin_action(self) -> None:
        """A command begins to act in the page."""
        self._acting += 1
        self._windows = 0
        self.file_choosers.pressed = ""

    def takes_window(self) -> bool:
        """Whether the page may open a window for what a command has done: one for each."""
        self._windows += 1
        return self._windows == 1

    def end_action(self) -> None:
        """The command has acted."""
        self._acting = max(self._acting - 1, 0)

    def permit_download(self) -> None:
        """Let the page begin one download, as a command that acts or navigates does. Unused permits do not add up."""
        self._has_download_permit = True

    def use_download_permit(self) -> bool:
        """Take the page's permit to begin a download. Return whether it had one."""
        had, self._has_download_permit = self._has_download_permit, False
        return had
