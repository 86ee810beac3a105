"""A browser that runs already, with its own tabs and logins: going into it, and leaving it as it was."""

from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import BrowserAddress
from gstack_browse.registry.values.measures import AUTO


@command(
    META,
    examples=["connect", "connect 9222", "connect ws://127.0.0.1:9222/devtools/browser/3f0c…"],
    timeout=60,
    secret=("address",),
    fresh=True,
)
async def connect(daemon: Daemon, address: BrowserAddress = AUTO) -> str:
    """Use a Chrome or Chromium that runs already, with its logins.

    Its own tabs stay untouched until 'tab <n> --take'. It must allow debugging; where it does not, the error
    says how to. 'tabs' lists its tabs. 'disconnect', 'stop' and an idle end close the tabs that gbrowse has
    opened there, and nothing else. A browser that gbrowse runs itself is closed.
    """
    return await daemon.connect(address)


@command(META, examples=["disconnect", "disconnect --keep"], offline="Not connected")
async def disconnect(daemon: Daemon, *, keep: bool = False) -> str:
    """Leave the browser that 'connect' went to. The next command starts one of gbrowse's own.

    keep: leave open what gbrowse has opened there
    """
    return await daemon.disconnect(keep=keep)
