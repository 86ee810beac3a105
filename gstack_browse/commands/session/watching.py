"""Watch: a page on which a person follows what agents do, and may take over."""

from gstack_browse.commands.control import Daemon
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry import META, command


@command(META, examples=["watch", "watch --control", "watch --off"], fresh=True)
async def watch(daemon: Daemon, *, control: bool = False, open: bool = False, off: bool = False) -> str:
    """Serve a page on which a person sees the browser live, and print its address.

    It shows the tab in which commands run, or one that the person chooses, the commands as they come, and their replies, without
    secrets. The address is on this machine, for one visitor, and works once. The command returns at once; another 'watch'
    closes the page and prints a new address. It needs no display: from another machine it is reached by ssh -L.

    control: the person may take over a tab and give it back; commands on that tab wait meanwhile
    open: have the desktop's browser show it
    off: close the page
    """
    if off:
        if control or open:
            raise UsageError("--off closes the page", "Give it alone: watch --off")
        return "The watch page is closed" if await daemon.watch.close() else "Nobody could watch"
    from gstack_browse.local_pages.loopback import server  # aiohttp: not at every start of the daemon

    address = await daemon.watch.open(daemon.context, control=control)
    is_shown = open and await server.open_in_desktop_browser(address)
    if open and not is_shown:
        await daemon.watch.close()
        raise ActionFailed("There is no desktop to open it on", "'watch' prints the address for the person")
    how = "a browser was asked to open it" if is_shown else "tell the person to open it; it works once"
    acts = "\n→ they can take over a tab there; commands on it wait until they give it back" if control else ""
    return f"Watch: {address}\n→ {how}\n→ {server.describe_tunnel(address)}{acts}\n→ 'watch --off' closes it"
