"""Downloads: files that pages offer. They are kept in .gstack/downloads."""

import asyncio

from gstack_browse.browser.actions import downloading
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.downloads import shorten_path
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import UsageError
from gstack_browse.registry import META, READ, WRITE, command
from gstack_browse.registry.arguments import Count, OutFile, TargetOrUrl
from gstack_browse.registry.values.targets import Address
from gstack_browse.text.table_output import align_rows
from gstack_browse.text.units import format_count


@command(
    WRITE,
    examples=["download @e4", "download https://example.com/report.pdf report.pdf"],
    waits=True,
    timeout=310,
)
async def download(page: PageCommand, what: TargetOrUrl, path: OutFile | None = None) -> str:
    """Download a file with the cookies of the session, and wait until it is whole.

    At most 300 s; 30 s by default. Of a picture or video its own file, of a link what it leads to, of anything
    else what a click on it begins. What the browser would show, such as a PDF or a page, is saved, too. Without
    a path the file is kept in .gstack/downloads; a file at the path is replaced.
    """
    async with page.action() as after:
        if isinstance(what, Address):
            found = await downloading.download_url(page, what, path)
        else:
            found = await downloading.download_target(page, what, path)
    return after.report(f"Downloaded: {found.describe_file(page.cwd)}")


@command(
    READ,
    kinds={"clear": META, "cancel": META},
    examples=["downloads", "downloads --clear"],
    page_text=True,
    recalls=True,
)
async def downloads(daemon: Daemon, *, clear: bool = False, cancel: Count | None = None) -> str:
    """Print the downloads of all tabs: number, name, size, state, and the file or the reason for no file.

    A page may begin one download when it is opened, and one for each command that acts; --any-download before a command
    lets all through until the next one. A page gets 20 files of 1 GB together; 200 files of 4 GB are kept in all. BROWSE_PAGE_DOWNLOADS, BROWSE_PAGE_DOWNLOADS_MB, BROWSE_DOWNLOADS and BROWSE_DOWNLOADS_MB
    change that. What is refused is counted.

    clear: remove the files in .gstack/downloads, and forget what is over
    cancel: end the running download with this number; nothing of it is kept
    """
    if clear and cancel is not None:
        raise UsageError("Either --clear or --cancel: they do not go together")
    listed = daemon.downloads
    if cancel is not None:
        cancelled = listed.cancel(cancel)
        return f"Cancelled download {cancel}: {cancelled.shown_name} ({cancelled.amount})"
    if clear:
        return f"Cleared {await asyncio.to_thread(listed.clear)}"
    known = {item.path for item in listed}
    kept = await asyncio.to_thread(listed.folder.list_files)
    unknown = [file for file in kept if f"{listed.folder.path}/{file.name}" not in known]
    rows = [item.table_row(daemon.cwd) for item in listed]
    rows += [
        (
            "-",
            file.name,
            f"{file.size}B",
            "done",
            shorten_path(f"{listed.folder.path}/{file.name}", daemon.cwd),
            "of an earlier daemon",
        )
        for file in unknown
    ]
    lines = align_rows(rows)
    lines += [f"refused {format_count(count, 'download')}: {why}" for why, count in listed.refused.items()]
    return "\n".join(lines) or "(no downloads)"
