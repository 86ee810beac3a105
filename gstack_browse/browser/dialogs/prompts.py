"""Prompts of Chromium's own that no person can answer: file choosers, permissions and passkeys.

Permissions and passkeys are refused at once. The file choosers that pages open are intercepted, and a reply names the `upload` command
for each: no window appears, and the page hears that nothing was chosen. In a visible window, and in a person's own browser, Chromium
shows its own chooser. `actions.upload` gives files to a chooser that its own click opens.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, call_in
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tab.effects import FileChooser
from gstack_browse.browser.tab.tab import Tab

_BINDING = "__gbrowseAsks"


def note_permissions(running: RunningBrowser, heard: Subscriber, tab_of: Callable[[str], Tab | None]) -> None:
    """Note in each tab of a browser context what its page asks for, from now on.

    Leaves a person's own browser alone.
    """
    if running.is_shared:
        return

    def note(target: Target, name: str, context: int) -> None:
        if tab := tab_of(target.page):
            granted = running.granted_permissions.get(target.browser_context, frozenset())
            tab.effects.asked.note(name, tab.document, granted)

    def begin(target: Target) -> None:
        target.run_in_documents(_permissions_script(), binding=_BINDING)

    heard.on_binding(_BINDING, note)
    running.connection.events.call_for_targets(heard, begin)


@cache
def _permissions_script() -> str:
    """Return the script that reports requests for permissions."""
    return Path(__file__).with_name("asked-permissions.js").read_text(encoding="utf-8")


_AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "usb",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": False,
    "automaticPresenceSimulation": True,
}
"""A security key without passkeys that verifies no user: the page gets a NotAllowedError for every request."""


def refuse_passkeys(running: RunningBrowser, target: Target) -> None:
    """Refuse passkeys in a page and its frames, unless a person may be asked."""
    if not running.may_have_person:
        target.session.notify("WebAuthn.enable")
        target.session.notify("WebAuthn.addVirtualAuthenticator", {"options": _AUTHENTICATOR})


def refuse_again(running: RunningBrowser, target: Target) -> None:
    """Refuse passkeys after sessions with a page have ended, whether Chromium still refuses them or not."""
    if not running.may_have_person:
        target.session.notify("WebAuthn.disable")
    refuse_passkeys(running, target)


async def open_session(running: RunningBrowser, target: Target) -> Session:
    """Open a further session with a page, and go on refusing passkeys when it ends. Raises ProtocolError."""
    session = await running.connection.open_session(target.id)
    session.on("close", lambda _: refuse_again(running, target))
    return session


_INTERCEPT = "Page.setInterceptFileChooserDialog"
_DESCRIBE_SECONDS = 1.0
"""Time limit for a page to name the field that opened the chooser."""


def intercept_choosers(running: RunningBrowser, heard: Subscriber, tab_of: Callable[[str], Tab | None]) -> None:
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
def leave_chooser_open(
    running: RunningBrowser, tab: Tab, answer: Callable[[FileChooser], None]
) -> Iterator[None]:
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


async def take_chooser_news(tab: Tab, since: float) -> str:
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
