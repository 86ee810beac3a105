"""Navigate: get to a page."""

import asyncio
import re
from pathlib import Path
from typing import Annotated

from gstack_browse.browser.actions import navigate
from gstack_browse.browser.command.observer import ActionObserver
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.network import loaded_documents
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import UsageError
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import Url
from gstack_browse.registry.values.argument_type import ArgumentType, Piped, or_piped
from gstack_browse.registry.values.paths import CallerPaths, parse_file_for_page
from gstack_browse.text.sanitise import one_line


def _parse_html_file(word: str, paths: CallerPaths) -> Path:
    """Parse the path of a file for `load-html`. Raises UsageError if HTML or a URL was typed instead."""
    if word.lstrip().startswith("<"):
        raise UsageError(
            "load-html takes a file, or HTML on standard input",
            "For example: echo '<h1>Hi</h1>' | gbrowse load-html -",
        )
    if re.match(r"(?i)[a-z][a-z0-9+.-]*://|about:", word):
        raise UsageError(f"{one_line(word, 200)} is an address", f"Run 'goto {one_line(word, 200)}'")
    return parse_file_for_page(word, paths)


HtmlFile = Annotated[
    Path | Piped,
    ArgumentType(
        "file|-", "a file of HTML, or - for standard input", or_piped(_parse_html_file), hint="file", piped=True
    ),
]


@command(
    WRITE,
    examples=["goto https://example.com", "goto localhost:3000/login", "goto ./page.html"],
    fresh=True,
    waits=True,
    aliases=["open", "navigate"],
)
async def goto(page: PageCommand, url: Url) -> str:
    """Open a URL in the active tab.

    A missing scheme becomes http:// for this machine and https:// otherwise. A path (./page.html, ../a.html, /…)
    counts from where you are, and means a file of the workspace. Waits until the document is there and says what is
    still loading. Of a PDF the tab shows a page made of its text, tables, links and outline. A document that is not read in
    time is cut, and the reply says so, as it does of one that the server breaks off. An error status (404, 500) still
    navigates and is shown; of 401 the reply says who asks for a password. The reply names files that come from a cache or
    a service worker, and may be older than on the server.
    """
    async with page.action("url", "status") as after:
        await _release_held_keys(page, after)
        status = await navigate.goto(page, url)
        if document := page.context.pdfs.facts_of(page.tab.url):
            after.remark(document.summary())
    return after.report(
        f"Navigated to {shown_url(page.tab.url)}{f' ({status})' if status else ''}", tells_stale=True
    )


async def _release_held_keys(page: PageCommand, after: ActionObserver) -> None:
    """Release keys and mouse buttons that earlier commands hold down, since the page is left.

    `after`: observes the command's effects, and gets a remark on them for the reply.
    """
    if page.tab.held.lines():
        from gstack_browse.browser.actions.input import keyboard  # no part of a start

        after.remark(f"released {', '.join(await keyboard.release_all(page))}")


@command(
    WRITE,
    examples=["load-html report.html", "load-html - < page.html"],
    fresh=True,
    waits=True,
    reads_stdin=True,
)
async def load_html(page: PageCommand, file: HtmlFile, *, any_file: bool = False) -> str:
    """Show HTML in the active tab without a server: a file, or what is piped in.

    The page's address is that of the file; of what is piped in it is one in the directory where you are. Addresses in the
    page count from there, and mean files of the workspace. 'reload' reads the file anew. As on any page from a file,
    modules and fetch() reach no files: such a page needs a server, and goto.

    any_file: also a file outside of the workspace and the temporary directory
    """
    if isinstance(file, Piped) and not file.strip():
        raise UsageError("Nothing was piped in", "For example: gbrowse load-html - < page.html")
    if isinstance(file, Piped):
        size, where = len(file.encode("utf-8", "surrogatepass")), Path(page.cwd)
        url, name = page.context.loaded_html.register_text(where, file), "standard input"
    else:
        size = len((await asyncio.to_thread(loaded_documents.read_as_response, file)).body)
        url, name = page.context.loaded_html.register_file(file), one_line(file.name, 100)
    async with page.action("url") as after:
        await _release_held_keys(page, after)
        if isinstance(file, Piped):
            after.remark(f"addresses in it count from {one_line(str(where), 200)}")
        await navigate.goto(page, url)
    return after.report(f"Loaded {name} ({size}B)")


@command(WRITE, examples=["back"], waits=True, aliases=["go-back"])
async def back(page: PageCommand) -> str:
    """Go back in the tab's history."""
    async with page.action("url") as after:
        await navigate.go_in_history(page, -1)
    return after.report(f"Back → {shown_url(page.tab.url)}")


@command(WRITE, examples=["forward"], waits=True, aliases=["go-forward"])
async def forward(page: PageCommand) -> str:
    """Go forward in the tab's history."""
    async with page.action("url") as after:
        await navigate.go_in_history(page, +1)
    return after.report(f"Forward → {shown_url(page.tab.url)}")


@command(WRITE, name="reload", examples=["reload", "reload --no-cache"], waits=True)
async def reload_(page: PageCommand, *, no_cache: bool = False) -> str:
    """Load the page again. The answer to a form is asked for by sending the form again; the reply says so.

    The reply names files that come from a cache or a service worker, and may be older than on the server.

    no_cache: fetch it and all that it needs from its servers, past the HTTP cache and service workers
    """
    async with page.action("url") as after:
        await navigate.reload(page, past_cache=no_cache)
    return after.report(
        f"Reloaded {shown_url(page.tab.url)}", tells_sent=frozenset({"document"}), tells_stale=True
    )


@command(READ, examples=["url"], page_text=True)
async def url(page: PageCommand) -> str:
    """Print the URL of the active tab."""
    page.note_error_page()
    return page.tab.url
