"""Resources that a starting daemon (`starter`) leaves to the running one (`main`). Imports little."""

import os

from gstack_browse.workspace.directory import DAEMON_LOG
from gstack_browse.workspace.state import WritableStateDir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gstack_browse.browser.launch.ahead import EarlyChromium

SUCCEED = "--succeed"
"""Command-line argument of a daemon that takes over from a predecessor."""
IN_PLACE = "--in-place"
"""Command-line argument by which the native client has its child become the daemon itself, without a process between."""


class BootState:
    """Resources of a starting daemon for `main`: lock, log, and a Chromium that was started early."""

    def __init__(
        self, state: WritableStateDir, lock: int, early: "EarlyChromium | None" = None, context: str = ""
    ) -> None:
        self.state = state
        self.lock = lock
        self.early = early
        self.context = context
        """Name of the first command's browser context."""

    def discard_browser(self) -> None:
        """End the Chromium that was started before the first command was read, which needs no browser."""
        if self.early:
            self.early.discard()
            self.early = None


def detach_from_client(state: WritableStateDir) -> None:
    """Replace standard input and output by /dev/null, and standard error by the daemon's log.

    The daemon then runs on after the client that started it has ended. `state`: the directory of the log.
    """
    log = state.open_log(DAEMON_LOG)
    null = os.open(os.devnull, os.O_RDWR)
    for source, target in ((null, 0), (null, 1), (log, 2)):
        os.dup2(source, target)
    os.close(null)
    os.close(log)
