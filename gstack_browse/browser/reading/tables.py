"""Read the rows of a table: those shown, those that scrolling adds, and those of its next pages."""

import asyncio
from typing import NamedTuple

from gstack_browse.browser.actions.locate.find import Element, locate_first
from gstack_browse.browser.actions.pointer import pointer
from gstack_browse.browser.actions.pointer.pointer import PANE_FRAME_SECONDS, PART
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.engine.answer_types import Pane, ShownTable, TableRows
from gstack_browse.browser.reading import read
from gstack_browse.errors import NoMatch, StaleRef, UsageError
from gstack_browse.text.sanitise import one_line, quote_text
from gstack_browse.text.table_output import TableRow, merge_rows
from gstack_browse.text.units import format_count

MOST_ROWS = 100_000
MOST_LISTED = 8
"""Tables that an error names."""
MOST_DRAWN = 0.8
"""Where the rows that are drawn take this part of what can be scrolled, the page draws all that it has."""
DRAWN_SECONDS = 1.0
"""How long a list may take to draw, or to load, the rows of where it was scrolled to."""
TURNED_SECONDS = 5.0
"""How long the rows of the next page may take."""
_LOOK_SECONDS = 0.05
_OUT_OF_TIME = "The time was too short for all rows: gbrowse --timeout <ms> table …"


class TableContent(NamedTuple):
    """A table, and its rows that the page has drawn. `height`: of these rows together, in pixels."""

    element: Element
    rows: list[TableRow]
    height: float


async def read_rows(page: PageCommand, target: str) -> TableContent:
    """Return the rows in the DOM of the table, grid or list that a target is, contains or is inside.

    Raises UsageError if there is none, NoMatch without an element; either lists the visible tables.
    """
    try:
        element = await locate_first(page, target)
    except NoMatch as error:
        raise NoMatch(error.message, await _list_tables(page) or error.hint) from None
    table: TableRows | None = await element.ask("readTableRows")
    if table is None:
        raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    if not table["id"]:
        raise UsageError(
            f"{one_line(target, 200)} is no table, grid or list, and has none in it", await _list_tables(page)
        )
    rows = [TableRow(number, is_head, tuple(cells)) for number, is_head, cells in table["rows"]]
    return TableContent(element.with_node(table["id"]), rows, table["height"])


async def _list_tables(page: PageCommand) -> str:
    """Return a hint with the frame's tables: ref, name, column heads, number of rows; "" without tables."""
    found: list[ShownTable] = await page.world.call("listVisibleTables", frame=page.frame)
    shown = found[:MOST_LISTED]
    refs = await page.tab.refs.refs_of(page.frame, [table["id"] for table in shown])
    lines = []
    for ref, table in zip(refs, shown, strict=True):
        name = f" {quote_text(table['name'], 60)}" if table["name"] else ""
        heads = f" {one_line(', '.join(table['heads']), 100)};" if table["heads"] else ""
        lines.append(f"  {ref}{name}{heads} {format_count(table['rows'], 'row')}")
    if len(found) > len(shown):
        lines.append(f"  … and {len(found) - len(shown)} more")
    return "\n".join(["Tables here:", *lines]) if lines else ""


async def read_scrolled(page: PageCommand, target: str) -> list[TableRow]:
    """Return all rows of a table that adds rows as it scrolls: scroll its container from top to end."""
    table, rows, _ = await read_rows(page, target)
    before: Pane | None = await table.ask("findPane", False)
    if before is None:
        return rows
    pane = table.with_node(before["id"])
    if before["top"]:
        await pane.ask("scrollPane", 0, -before["maxTop"])
        rows = await _wait_for_rows(page, target, rows, DRAWN_SECONDS)
    known = rows
    while len(known) < MOST_ROWS:
        now: Pane | None = await pane.ask("describePane")
        if now is None:
            raise StaleRef(f"What {target} is in disappeared while it was scrolled")
        is_end = now["top"] >= now["maxTop"] - 1
        if not is_end:
            drawn = (await read_rows(page, target)).height
            is_all_drawn = drawn >= MOST_DRAWN * (
                now["maxTop"] + now["visibleHeight"]
            )  # none is drawn only once it is in view
            step = now["maxTop"] if is_all_drawn else max(round(now["visibleHeight"] * PART), 1)
            await pane.ask("scrollPane", 0, step)
            await page.world.wait_next_frame(PANE_FRAME_SECONDS)
        rows = await _wait_for_rows(page, target, rows, DRAWN_SECONDS)
        merged = merge_rows(known, rows)
        if is_end and len(merged) == len(known):
            break
        known = merged
        if page.remaining() < 2 * DRAWN_SECONDS:
            page.notes.append(_OUT_OF_TIME)
            break
    return known


async def read_pages(page: PageCommand, target: str, pages: int, next_control: str | None) -> list[TableRow]:
    """Return the rows of at most `pages` pages of a table, by clicking its control for the next page.

    `next_control`: target of that control; None: find one that is named as usual ("Next").
    """
    table, rows, _ = await read_rows(page, target)
    known = rows
    for number in range(2, pages + 1):
        control = await _find_control(page, table, next_control, number)
        if not control or len(known) >= MOST_ROWS:
            break
        async with page.action():
            await pointer.click(page, control)
        before, rows = rows, await _wait_for_rows(page, target, rows, page.wait_seconds(TURNED_SECONDS))
        if rows == before:
            page.notes.append(f"The rows did not change as page {number} was turned to")
            break
        known = known + [row for row in rows if not row.is_head]
        table = (await read_rows(page, target)).element
        if page.remaining() < TURNED_SECONDS:
            page.notes.append(_OUT_OF_TIME)
            break
    return known


async def _find_control(page: PageCommand, table: Element, next_control: str | None, number: int) -> str:
    """Return a target for the control that leads to the next page of a table; "" at the last page.

    `number`: of the next page. Raises NoMatch if the first page has no `next_control`.
    """
    if next_control is not None:
        try:
            return "" if await read.fetch_state(page, "disabled", next_control) else next_control
        except NoMatch:
            if number == 2:
                raise
            return ""
    if node := await table.ask("findNextPageControl"):
        (ref,) = await page.tab.refs.refs_of(table.frame, [node])
        return ref
    if number == 2:
        page.notes.append("Nothing that can be pressed is called Next near it: name it with --next <target>")
    return ""


async def _wait_for_rows(
    page: PageCommand, target: str, before: list[TableRow], seconds: float
) -> list[TableRow]:
    """Return a table's rows once they differ from `before`, and are the same in two readings.

    After `seconds` return the present ones.
    """
    budget, last = PollBudget(page, page.give_up_time(seconds)), before
    while True:
        try:
            rows = (await read_rows(page, target)).rows
        except NoMatch:  # while the page draws itself anew
            rows = before
        if (rows not in (before, []) and rows == last) or budget.is_exhausted():
            return rows
        last = rows
        await asyncio.sleep(_LOOK_SECONDS)
