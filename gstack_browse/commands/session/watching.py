"""Watch: see the browser live on a page, where a person may take over, or later in a trace."""

import asyncio

from gstack_browse.commands.daemon_interface import Daemon, open_browser
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import OutFile
from gstack_browse.text.units import format_bytes
from gstack_browse.workspace.files import write_whole


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
        is_closed = await daemon.watch.close("gbrowse watch --off has closed this page.")
        return "The watch page is closed" if is_closed else "Nobody could watch"
    from gstack_browse.local_pages.loopback import server  # aiohttp: not at every start of the daemon

    address = await daemon.watch.open(daemon.context, control=control)
    is_shown = open and await server.open_in_desktop_browser(address)
    if open and not is_shown:
        await daemon.watch.close("There is no desktop to show it on.")
        raise ActionFailed("There is no desktop to open it on", "'watch' prints the address for the person")
    how = "a browser was asked to open it" if is_shown else "tell the person to open it; it works once"
    acts = "\n→ they can take over a tab there; commands on it wait until they give it back" if control else ""
    return f"Watch: {address}\n→ {how}\n→ {server.describe_tunnel(address)}{acts}\n→ 'watch --off' closes it"


@command(META, examples=["trace-start"], timeout=60, fresh=True)
async def trace_start(daemon: Daemon) -> str:
    """Record commands, pictures, documents, requests and console messages from now on, for 'trace-stop'.

    Of all tabs of this browser context. The trace is in the format of Playwright's: 'trace' prints it, and
    'playwright show-trace' and trace.playwright.dev show it. Pages hear nothing of it. The bodies of answers
    are kept as by 'har-start'. 'restart', 'stop' and the end of an idle daemon drop the trace.
    """
    from gstack_browse.browser.auditing.trace_recorder import TraceRecorder, recorders  # no part of a start

    browser = daemon.browser or await open_browser(daemon)
    async with browser.recording.changing:
        if browser in recorders:
            return "A trace is recorded already: 'trace-stop <file.zip>' saves it"
        recorder = TraceRecorder(browser, daemon.feed, daemon.hide_from_watchers)
        try:
            await recorder.start()
        except BaseException:
            browser.background.start(recorder.discard())
            raise
        recorders[browser] = recorder
    return "Recording a trace: 'trace-stop <file.zip>' saves it"


@command(META, examples=["trace-stop trace.zip"], timeout=120)
async def trace_stop(daemon: Daemon, file: OutFile) -> str:
    """Save the trace that 'trace-start' has begun, and end recording.

    What was typed into fields for passwords, credentials, the values of secrets, and cookies of requests are left out. Addresses are
    whole, and so are bodies, pictures, and else what pages have answered: the file is readable by its owner only. At most 200 MB are kept.
    """
    from gstack_browse.browser.auditing.trace_recorder import recorders

    browser = daemon.browser
    if browser is None:
        raise _no_trace_error()
    async with browser.recording.changing:
        if (recorder := recorders.get(browser)) is None:
            raise _no_trace_error()
        content = await recorder.finish()
        await asyncio.to_thread(write_whole, str(file), content)
        del recorders[browser]
    dropped = f"\n→ {recorder.dropped:,} events or pictures had no room" if recorder.dropped else ""
    return f"Trace saved: {file} ({recorder.describe()}, {format_bytes(len(content))}){dropped}\n→ 'trace {file.name}' prints it; playwright show-trace {file.name} shows it"


def _no_trace_error() -> ActionFailed:
    """Return the error of `trace-stop` while no trace is recorded."""
    return ActionFailed(
        "No trace is recorded",
        "Run 'trace-start', then the commands to record; a trace is lost with its daemon",
    )
