"""Intercepts the file choosers that pages open, and names the `upload` command for each in a reply.

No window appears, and the page hears that nothing was chosen. In a visible window, and in a person's own browser,
Chromium shows its own chooser. `input.upload` gives files to a chooser that its own click opens.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, call_in
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tab.effects import FileChooser
from gstack_browse.browser.tab.tab import Tab

_INTERCEPT = "Page.setInterceptFileChooserDialog"
_DESCRIBE_SECONDS = 1.0
"""Time limit for a page to name the field that opened the chooser."""


def follow(running: RunningBrowser, heard: Subscriber, tab_of: Callable[[str], Tab | None]) -> None:
    """Intercept the file choosers of a browser context's pages from now on."""

    def opened(target: Target, event: dict[str, Any]) -> None:
        if tab := tab_of(target.page):
            node, mode = event.get("backendNodeId", 0), event.get("mode", "")
            choosers = tab.effects.file_choosers
            frame, is_multiple = event["frameId"], mode == "selectMultiple"
            choosers.add(FileChooser(target, frame, node, is_multiple, tab.document, choosers.pressed))
            tab.wake_waiters()

    heard.on("Page.fileChooserOpened", opened)
    if not _shows_windows(running):
        running.connection.events.call_for_targets(heard, _cancel_choosers)


def _shows_windows(running: RunningBrowser) -> bool:
    """Return whether Chromium opens its own file choosers: in a window, and in a person's own browser."""
    return running.window.visible or running.is_shared


def _cancel_choosers(target: Target) -> None:
    """Make Chromium cancel each file chooser that a target's documents open, and report it."""
    if target.has_documents:
        target.session.notify(_INTERCEPT, {"enabled": True, "cancel": True})


@contextmanager
def leave_open(running: RunningBrowser, tab: Tab, answer: Callable[[FileChooser], None]) -> Iterator[None]:
    """Pass each file chooser of a tab's page to `answer` during the block. The page waits for its files."""
    page = tab.world.frames.target.id
    targets = [target for target in running.connection.targets if target.page == page and target.has_documents]
    for target in targets:
        target.session.notify(_INTERCEPT, {"enabled": True})
    tab.effects.file_choosers.answer = answer
    try:
        yield
    finally:
        tab.effects.file_choosers.answer = None
        for target in targets:
            if _shows_windows(running):
                target.session.notify(_INTERCEPT, {"enabled": False})
            else:
                _cancel_choosers(target)


async def take_news(tab: Tab, since: float) -> str:
    """Take the tab's unreported file chooser, and return the line about it.

    Args:
        since: when the command began to act (monotonic); an older chooser is marked "earlier"

    Returns "" if there is none in the tab's document.
    """
    chooser, tab.effects.file_choosers.last = tab.effects.file_choosers.last, None
    if chooser is None or chooser.document != tab.document:
        return ""
    return f"{'earlier: ' if chooser.at < since else ''}{await _describe_chooser(tab, chooser)}"


async def _describe_chooser(tab: Tab, chooser: FileChooser) -> str:
    """Return what a file chooser asks for, and its command: `asks for a file: upload @e3 <file>`."""
    import shlex  # imported late: a start does not need it

    pressed = shlex.quote(chooser.pressed) if chooser.pressed else "<target>"
    if not chooser.node:
        return f"asks for a file or a folder, or where to save one: upload {pressed} <path>"
    ref, is_folder = "", False
    with suppress(ProtocolError, FrameGone, PageScriptError, TimeoutError):
        if not tab.is_leaving:
            ref, is_folder = await tab.world.run_with_timeout(_find_field(tab, chooser), _DESCRIBE_SECONDS)
    if is_folder:
        return f"asks for a folder: upload {ref or pressed} <folder>"
    if chooser.is_multiple:
        return f"asks for files: upload {ref or pressed} <file>…"
    return f"asks for a file: upload {ref or pressed} <file>"


async def _find_field(tab: Tab, chooser: FileChooser) -> tuple[str, bool]:
    """Return the ref of the field, "" if it is in no document, and whether it is for a folder."""
    context = chooser.target.contexts.get(chooser.frame_id)
    if context:
        await call_in(context, "tick")  # loads the engine
    function = "function() { return [__gbrowse.idOf(this), this.webkitdirectory, this.isConnected]; }"
    node, is_folder, is_connected = await chooser.call_on_field(function)
    if context is None or not is_connected:
        return "", is_folder
    is_main = chooser.frame_id == tab.page.target.id
    return (await tab.refs.named_in(context, [node], is_main=is_main))[0][0], is_folder
