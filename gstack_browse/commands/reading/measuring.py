"""Measure: the memory that a page takes, and how much of its code is used."""

import asyncio

from gstack_browse.browser.auditing import coverage as recording
from gstack_browse.browser.auditing import page_memory
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import OutFile
from gstack_browse.text.units import format_count
from gstack_browse.workspace.files import write_whole


@command(READ, examples=["memory", "memory --gc"], page_text=True)
async def memory(page: PageCommand, *, gc: bool = False, json: bool = False) -> str:
    """Print what the page's process holds: JavaScript's heap, DOM nodes, listeners, detached nodes.

    Detached nodes are in no document any more. Detached nodes that stay after --gc are kept alive by the page's
    own variables, closures or listeners: look whether they grow when something is opened and closed again.
    Other tabs of the same site may share the process, and count; frames of other sites have their own.

    gc: collect garbage before, so that only what is in use counts
    json: an object, in bytes
    """
    used = await page_memory.measure_memory(page, collect=gc)
    if used.detached and not gc:
        page.notes.append("Some of the detached nodes may be garbage that is not collected yet: memory --gc")
    return page_memory.render_json(used) if json else "\n".join(page_memory.render_lines(used))


@command(WRITE, examples=["coverage-start"])
async def coverage_start(page: PageCommand) -> str:
    """Begin to count which parts of scripts and style sheets the tab uses.

    'coverage' prints them. The page is slower meanwhile.
    """
    await recording.start(page)
    return "Coverage is recorded in this tab: 'reload' and use the page, then 'coverage'"


@command(
    READ, examples=["coverage", "coverage --out coverage.json --keep"], kinds={"out": WRITE}, page_text=True
)
async def coverage(page: PageCommand, *, out: OutFile | None = None, keep: bool = False) -> str:
    """Print how much of each script and style sheet is unused since 'coverage-start'; end recording.

    Files are those of the document that the tab shows, and of its frames in the same
    process: all of the same site, others where Chromium keeps them there. Of each it prints how much nothing
    has run or matched. What was loaded before the recording began counts as unused until it runs again. Sizes
    are characters of source. Below a script with a source map are the original files that it was made of, the
    least used first.

    out: write all files with the parts that were used to this file, as JSON
    keep: go on recording
    """
    files = await recording.list_files(page)
    if not keep:
        await recording.stop(page)
    if out is None:
        return "\n".join(recording.render_coverage(files))
    content = recording.render_json(files).encode("utf-8", "replace")
    await asyncio.to_thread(write_whole, str(out), content)
    return f"Coverage saved: {out} ({format_count(len(files), 'file')})\n{recording.render_summary(files)}"
