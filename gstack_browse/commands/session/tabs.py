"""Tabs: several pages side by side, and the frames in them.

A tab's number never changes and is never used again. A name is its user's, and free again once the tab is closed.
"""

import asyncio
from collections.abc import Sequence

from gstack_browse.browser.actions import navigate
from gstack_browse.browser.actions.locate import frames
from gstack_browse.browser.command.observer import describe_awaited_document
from gstack_browse.browser.command.page import PageCommand, PageOpener
from gstack_browse.browser.context import tab_taking
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.tab import table as titling
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.urls import NO_PAGE, shown_url
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import UsageError, from_reply
from gstack_browse.protocol import Reply
from gstack_browse.registry import META, READ, REGISTRY, Requires, command, resolve_call
from gstack_browse.registry.arguments import (
    CommandName,
    CommandWord,
    TabId,
    TabName,
    Target,
    Text,
    Url,
    UrlGlob,
)
from gstack_browse.text.sanitise import one_line


@command(READ, examples=["tabs"], page_text=True, aliases=["tab-list"], fresh=True)
async def tabs(browser: OpenContext, *, all: bool = False) -> str:
    """List the tabs with numbers and names; an arrow marks the active one.

    A page that crashed is marked. So is, once, the active tab that went by itself. Tabs of a browser context with a name
    say whose they are: `[3 of ann]`.

    all: those of the other browser contexts, too ('contexts' lists these)
    """
    lines = await _render_tabs(browser)
    for other in browser.neighbours.contexts() if all else ():
        lines += await _render_tabs(other)
    lines += [other.line for other in await browser.external_tabs.list_tabs(browser.running)]
    if went := browser.tabs.closed_tabs.unreported:
        lines.append(f"  [{went.tab}] {went.reason} — {shown_url(went.url)}")
        browser.tabs.closed_tabs.mark_reported()
    return "\n".join(lines) or "There are no tabs: 'newtab <url>' opens one"


async def _render_tabs(browser: OpenContext) -> list[str]:
    """Return a line for each tab, as `tabs` prints them; an arrow marks the active one."""
    titles = await titling.read_titles(browser.tabs, browser.prepare)
    for tab in browser.tabs:
        tab.is_unreported = False
    owner = f" of {browser.name}" if browser.name else ""
    return [
        f"{'→' if tab.id == browser.tabs.active else ' '} [{_format_tab(tab)}{owner}] {_title_or_state(tab, titles.get(tab.id, ''))} — {shown_url(tab.url)}"
        for tab in browser.tabs
    ]


def _format_tab(tab: Tab) -> str:
    """Return a tab's number, and its name if it has one: `2 shop`.

    Lists print it in brackets, so that a title cannot be taken for a name.
    """
    return f"{tab.id} {tab.name}" if tab.name else str(tab.id)


def _title_or_state(tab: Tab, title: str) -> str:
    """Return a tab's title, with an open dialog or the document that it waits for; or "crashed".

    `title`: of the page.
    """
    if tab.crashed:
        return "crashed"
    if tab.is_taken:
        title = f"{title} (taken)"
    if tab.open_dialog and tab.open_dialog.tab == tab.id:
        waits = f"{tab.open_dialog.name} is open"
    else:
        waits = describe_awaited_document(tab)
    return " ".join(filter(None, [one_line(title, 100), waits and f"({waits})"]))


@command(META, examples=["tab 2", "tab docs", "tab 2 --take"], aliases=["tab-select"])
async def tab(browser: OpenContext, number: TabId, *, take: bool = False) -> str:
    """Make another tab the active one.

    take: also one that the browser had before 'connect'; 'closetab' lets it go again, and it stays open
    """
    if take and isinstance(number, int):
        taken = await tab_taking.take_tab(browser, number)
        return f"Took tab {_format_tab(taken)} — {shown_url(taken.url)}"
    found = browser.tab(number)
    browser.switch_to(found)
    return f"Switched to tab {_format_tab(found)}"


@command(
    META,
    examples=["newtab", "newtab https://example.com", "newtab --name docs ./docs.html"],
    fresh=True,
    waits=True,
    aliases=["tab-new"],
)
async def newtab(opener: PageOpener, url: Url | None = None, *, name: TabName | None = None) -> str:
    """Open a tab and make it the active one. When the URL cannot be opened, no tab is left behind.

    name: what 'tab' and 'closetab' may call it beside its number
    """
    async with opener.in_new_tab() as page:
        if name:
            opener.context.tabs.set_name(page.tab, name)
        return await _open_url(page, url) if url else f"Opened tab {_format_tab(page.tab)}"


async def _open_url(page: PageCommand, url: str) -> str:
    """Open a URL in a tab that was just opened. Return the command's reply."""
    async with page.action("url", "tab", "status") as after:
        status = await navigate.goto(page, url)
        if document := page.context.pdfs.facts_of(page.tab.url):
            after.remark(document.summary())
    shown = f"{shown_url(page.tab.url)}{f' ({status})' if status else ''}"
    return after.report(f"Opened tab {_format_tab(page.tab)} → {shown}", tells_stale=True)


@command(META, examples=["closetab", "closetab 3", "closetab docs"], aliases=["tab-close"])
async def closetab(opener: PageOpener, number: TabId | None = None) -> str:
    """Close a tab, the active one by default, even when its page hangs.

    It waits while a person has the tab in 'watch'. After the last one a blank one opens. The reply says which tab is active from then on, where that has
    changed.
    """
    found = opener.context.tab(number or opener.meant)
    await opener.wait_until_given_back(found)
    found = opener.context.tab(found.id)  # the person may have closed it
    active = opener.context.tabs.active
    closed = f"{'Let go of' if found.is_taken else 'Closed'} tab {_format_tab(found)}"
    await opener.context.tab_factory.close(found)
    return f"{closed}{opener.context.tabs.describe_active_unless(active)}"


@command(
    META, examples=["tab-each title", "tab-each console --errors", "tab-each expect text Saved"], timeout=600
)
async def tab_each(daemon: Daemon, name: CommandName, *words: CommandWord) -> str:
    """Run a command in each tab, one after the other.

    The tab's number and address stand above what it prints. The active tab stays active. A failure ends
    nothing: the other tabs have their turn, and the exit code is that of the first failure. For commands that
    read or act on one page, and for console and network.
    """
    call = [name, *words]
    _check_each(daemon, call)
    browser = daemon.browser
    open_now: list[int | None] = [tab.id for tab in browser.tabs] if browser else []
    replies = [await _run_in_tab(daemon, number, call) for number in open_now or [None]]
    if failed := next((reply for reply in replies if reply.code), None):
        raise from_reply(failed.error, failed.code, failed.message, failed.hint)
    return "\n".join(daemon.done)


def _check_each(daemon: Daemon, words: Sequence[str]) -> None:
    """Raise UsageError if `tab-each` cannot run the command `words` (name and arguments)."""
    if daemon.tab is not None:
        raise UsageError("tab-each means all tabs", "Leave out --tab, or the word tab-each")
    found, _ = resolve_call(REGISTRY, words)
    is_of_one_tab = found.requires in (Requires.PAGE, Requires.DAEMON) and not found.ends_daemon
    if not is_of_one_tab or found.name in ("chain", "tab-each"):
        raise UsageError(f"{found.name} is not about one tab: tab-each cannot run it")
    daemon.check(words)


async def _run_in_tab(daemon: Daemon, number: int | None, words: Sequence[str]) -> Reply:
    """Run the command `words` in a tab, and add its output, below a heading, to that of `tab-each`.

    Return its reply. `number`: the tab's; None if no tab is open: the command opens one.
    """
    heading = _tab_heading(daemon, number)
    try:
        reply = await daemon.run(words, tab=number)
    except asyncio.CancelledError:
        daemon.done += [heading, "was cut off"]
        raise
    failure = f"Error: {reply.message}" if reply.code else ""
    heading = _tab_heading(daemon, number) or heading
    daemon.done += [part for part in (heading, *reply.notes, reply.text, failure) if part]
    return reply


def _tab_heading(daemon: Daemon, number: int | None) -> str:
    """Return the heading for a tab's output in `tab-each`: `[2 docs] https://…`; "" for a closed tab."""
    tab = daemon.browser.tabs.get(number) if daemon.browser else None
    return f"[{_format_tab(tab)}] {shown_url(tab.url)}" if tab else ""


@command(
    META,
    examples=["frame '#editor'", "frame --name preview", "frame --url '**/embed/**'", "frame main"],
    forms="<target> | --name <text> | --url <glob> | main",
)
async def frame(
    page: PageCommand, target: Target | None = None, *, name: Text | None = None, url: UrlGlob | None = None
) -> str:
    """Make selectors, text, html and js mean a frame of the page.

    Waits up to 5 s for the frame to be there. 'frame main' ends that, and so does navigation. Snapshots show all
    frames in any case, and refs work in all of them.

    name: the frame with that name
    url: the frame whose URL matches the pattern
    """
    if sum(word is not None for word in (target, name, url)) != 1:
        raise UsageError("frame takes one of: a target, --name, --url, or main")
    if target == "main":
        frames.switch_frame(page, page.tab.page.main_frame)
        return "Switched to main frame"
    found = await frames.wait_for_frame(page, target=target, name=name, url=url)
    frames.switch_frame(page, found)
    if found.url in NO_PAGE:
        page.notes.extend(frames.describe_loading_frames(page))
    return f"Switched to frame: {shown_url(found.url or 'about:blank')}"
