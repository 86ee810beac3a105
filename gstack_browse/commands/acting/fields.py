"""Fields: fill in several at once, check what can be checked, copy and paste."""

import asyncio

from gstack_browse.browser.actions import form
from gstack_browse.browser.actions.pointer import checking
from gstack_browse.browser.actions.text import selection
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.reading import evaluate
from gstack_browse.commands.session.secrets import StoredSecrets
from gstack_browse.registry import WRITE, command
from gstack_browse.registry.arguments import Fields, PageFile, PastedText, Target
from gstack_browse.text.sanitise import quote_text
from gstack_browse.text.units import format_count


@command(
    WRITE,
    examples=[
        """fill-form '{"@e2": "Ann", "label=Agree": true, "#colours": ["Red", "Blue"]}'""",
        "fill-form - < fields.json",
    ],
    secret=["fields"],
    waits=True,
    timeout=120,
    reads_stdin=True,
)
async def fill_form(page: PageCommand, fields: Fields, *, any_file: bool = False) -> str:
    """Fill in several fields in one call, in the order in which they stand.

    A JSON object of targets and values: a text or number for a field, the label or value of an option for a list ([] and
    several for one that takes several), true or false for what can be checked, {"file": "cv.pdf"} for a file field,
    {"secret": "shop"} for what secret-set keeps under that name. All targets are found before the first is touched: where
    one is stale, missing, or no field for such a value, nothing is filled. What fields hold is looked at, as by fill, and
    once more at the end; those that did not take their value are named, and the others are filled all the same.

    any_file: also a file outside of the workspace and the temporary directory
    """
    async with page.action() as after:
        for remark in await form.fill(page, fields, StoredSecrets(page)):
            after.remark(remark)
    return after.report(f"Filled {format_count(len(fields), 'field')}")


@command(WRITE, examples=["check @e7", "check label=Newsletter"], waits=True)
async def check(page: PageCommand, target: Target) -> str:
    """Check a checkbox, switch, toggle or radio button; nothing is pressed where it is checked already.

    Also by its label, and by an element that has just one of these in it. What the page makes of the press is looked at:
    a box that does not stay checked is an error.
    """
    return await _set_checked(page, target, wanted=True)


@command(WRITE, examples=["uncheck @e7", "uncheck 'role=switch[name=\"Dark mode\"]'"], waits=True)
async def uncheck(page: PageCommand, target: Target) -> str:
    """Uncheck a checkbox, switch or toggle; nothing is pressed where it is unchecked already.

    A radio button that is checked is an error: check another one of its group.
    """
    return await _set_checked(page, target, wanted=False)


async def _set_checked(page: PageCommand, target: str, *, wanted: bool) -> str:
    """Check (`wanted`) or uncheck a box, a radio button or a switch. Return the command's reply."""
    async with page.action() as after:
        was_already, remark = await checking.check(page, target, wanted=wanted)
        if remark:
            after.remark(remark)
    done = f"{'Checked' if wanted else 'Unchecked'} {target}"
    return after.report(f"{done} (it was already)" if was_already else done)


@command(WRITE, examples=["copy"], page_text=True, waits=True)
async def copy(page: PageCommand) -> str:
    """Copy what is selected, by the keys for it: the page's own handlers of that have their say.

    What is selected in a field for a secret is not copied by Chromium.
    """
    async with page.action() as after:
        text = await selection.copy(page)
    return after.report(f"Copied {quote_text(text, 80)} ({format_count(len(text), 'character')})")


@command(
    WRITE,
    examples=["paste 'Dear Ann'", "paste --html letter.html", "paste - < letter.txt", "paste"],
    secret=["text"],
    waits=True,
)
async def paste(
    page: PageCommand, text: PastedText | None = None, *, html: PageFile | None = None, any_file: bool = False
) -> str:
    """Paste into what has the focus: a text, what is piped in, or without any what was copied last.

    It presses the keys for it. The page's own handlers get real data, as editors expect it. The text is never
    echoed, and is in the clipboard only meanwhile. Each context (--as) pastes what it has copied itself.

    html: paste the markup of this file, with the text as what it says without markup
    any_file: also a file outside of the workspace and the temporary directory
    """
    markup = await asyncio.to_thread(evaluate.read_script, html) if html else ""
    async with page.action() as after:
        name, remark = await selection.paste(page, text, markup)
        if remark:
            after.remark(remark)
    what = (
        format_count(len(text), "character")
        if text is not None
        else f"{html.name}"
        if html
        else "what was copied"
    )
    return after.report(f"Pasted {what} into {name or 'the page'}")
