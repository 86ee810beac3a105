"""What the first moments of a daemon and its later life share. Imports next to nothing: see `starter`."""

import os

from gstack_browse.state import WritableStateDir
from gstack_browse.workspace import DAEMON_LOG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gstack_browse.browser.launch.ahead import Ahead
    from gstack_browse.browser.launch.driver_process import Driver

SUCCEED = "--succeed"
"""The argument by which a daemon is told to take over from a predecessor."""
IN_PLACE = "--in-place"
"""The argument by which the native client tells its child to be the daemon itself, without another process between."""


class BootState:
    """What a starting daemon hands to `main`: its lock, its log, and the driver that is loading or the Chromium that starts."""

    def __init__(
        self,
        state: WritableStateDir,
        lock: int,
        driver: "Driver | None" = None,
        ahead: "Ahead | None" = None,
        context: str = "",
    ) -> None:
        self.state = state
        self.lock = lock
        self.driver = driver
        self.ahead = ahead
        self.context = context
        """The browser context of the first command, by its name."""

    def end(self) -> None:
        """No browser is needed after all."""
        if self.driver:
            self.driver.give_up()
            self.driver = None
        if self.ahead:
            self.ahead.end()
            self.ahead = None


def detach(state: WritableStateDir) -> None:
    """Let go of what the client has as standard input and output; errors go to the daemon's log from here on."""
    log = state.open_log(DAEMON_LOG)
    null = os.open(os.devnull, os.O_RDWR)
    for source, target in ((null, 0), (null, 1), (log, 2)):
        os.dup2(source, target)
    os.close(null)
    os.close(log)
