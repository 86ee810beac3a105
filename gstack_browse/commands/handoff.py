"""Handoff: let a person see the pages and act on them."""

from gstack_browse.browser.tabs import handoff as handing
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.commands.control import Daemon
from gstack_browse.errors import ActionFailed
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import DisplayName, Rest
from gstack_browse.text.sanitise import one_line


@command(META, examples=["handoff 'Please solve the captcha'", "handoff --display :99"], timeout=60)
async def handoff(browser: BrowserSession, reason: Rest | None = None, *, display: DisplayName = "") -> str:
    """Show the pages to a person, in a visible Chromium with the same tabs, cookies and storage.

    Commands go on working in it. 'resume' goes back to a browser without a window, with what the person did.
    Pages are loaded anew. Dialogs are the person's to answer meanwhile.

    display: where the window appears, for example :99; by default where the daemon was started
    """
    carried = await handing.hand_over(browser, reason or "", display)
    active = browser.tabs.get()
    lines = [f"Handed over: a window shows {shown_url(active.url) if active else 'the pages'}"]
    lines += [f"→ {carried.summary()}"]
    lines += [f"→ reason: {one_line(reason, 300)}"] if reason else []
    return "\n".join([*lines, "Run 'resume' when the person is done"])


@command(META, examples=["resume"], timeout=60, page_text=True)
async def resume(daemon: Daemon) -> str:
    """Go back to a browser without a window, with the tabs, cookies and storage the person left.

    Ends with a fresh 'snapshot -i'. When the person has closed the window, its last tabs are opened again.
    """
    browser = daemon.browser
    if browser is None:
        raise ActionFailed("The browser was not handed to anybody", "'handoff' shows it to a person")
    carried, was_closed = await handing.take_back(browser)
    lines = ["Resumed without a window", f"→ {carried.summary()}"]
    lines += ["→ the person had closed the window: these are its last tabs"] if was_closed else []
    if news := browser.tabs.departed():
        lines.append(f"→ {news}")
        browser.tabs.departures.settle()
    snapshot = await daemon.run(["snapshot", "-i"])
    return "\n".join([*lines, "", snapshot.text or f"Error: {snapshot.message}"])
