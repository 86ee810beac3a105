"""Tables: their rows as data."""

import asyncio

from gstack_browse.browser.command.page import PageCommand
from gstack_browse.errors import UsageError
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import Count, OutFile, Target
from gstack_browse.text.table_output import Format, render_rows
from gstack_browse.text.units import format_count
from gstack_browse.workspace.files import write_whole


@command(
    READ,
    examples=["table '#prices'", "table '#prices' prices.csv", "table '#prices' --pages 10 --json"],
    kinds={"pages": WRITE, "scroll": WRITE},
    page_text=True,
    timeout=300,
    forms="<target> [<path>] [--csv|--json] [--pages <n> [--next <target>]|--scroll]",
)
async def table(
    page: PageCommand,
    target: Target,
    path: OutFile | None = None,
    *,
    csv: bool = False,
    json: bool = False,
    pages: Count | None = None,
    next: Target | None = None,
    scroll: bool = False,
) -> str:
    """Print the rows of a table, a grid by ARIA or a list, with tabs between the cells; or save them.

    Each row is a line. The target is the table, has it in it, or is in it. Of a list each line of an item is a
    cell. Without a table the error lists those that can be seen. Fields count by what they hold, boxes and radio buttons as [x] or [ ]. A grid that draws only a part of its rows has the others where
    --scroll is said; what it numbers is put into order.

    csv: as CSV; a path that ends in .csv means that, too
    json: a list of objects by the names of the columns; a path that ends in .json means that, too
    pages: turn so many pages, by what is called Next near the table, and stop at the last one
    next: what turns the page, where nothing is called so
    scroll: scroll what it is in from the top to the end
    """
    from gstack_browse.browser.reading import tables  # late: no other command needs it

    if (csv and json) or (scroll and pages is not None) or (next is not None and pages is None):
        raise UsageError("Of --csv and --json one, of --pages and --scroll one; --next goes with --pages")
    if scroll:
        rows = await tables.read_scrolled(page, target)
    elif pages is not None:
        rows = await tables.read_pages(page, target, pages, next)
    else:
        rows = (await tables.read_rows(page, target)).rows
    suffix = path.suffix.lower().removeprefix(".") if path else ""
    form: Format = (
        "json" if json or (suffix == "json" and not csv) else "csv" if csv or suffix == "csv" else "text"
    )
    text = render_rows(rows, form)
    count = format_count(sum(not row.is_head for row in rows), "row")
    if path is None:
        return text or "(no rows)"
    await asyncio.to_thread(write_whole, str(path), f"{text}\n".encode())
    return f"Saved: {path} ({count})"
