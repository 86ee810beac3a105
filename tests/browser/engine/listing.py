"""Read what `snapshot -i` lists: of a page, or of many cases of one rule that stand on one page."""

import re
from collections.abc import Mapping

from gstack_browse.snapshot.render import render
from gstack_browse.snapshot.tree import Options
from tests.browser.conftest import Opened, Show

BEGINS = "Case: "
Lines = dict[str, list[str]]


async def listed(tab: Opened) -> list[str]:
    """The lines of `snapshot -i` without numbers."""
    text = render(await tab.tree(), Options(interactive=True, max_chars=None))
    return [re.sub(r"@([ec])\d+ ", r"\1 ", line.strip()) for line in text.split("\n")]


def on_one_page(cases: Mapping[str, str]) -> str:
    """Return a page with the markup of each case in a box of its own, behind a button with its name."""
    return "".join(
        f'<div><button>{BEGINS}{name}</button></div><div class="case">{markup}</div>'
        for name, markup in cases.items()
    )


async def listed_by_case(tab: Opened) -> dict[str, list[str]]:
    """Return the lines of each case of such a page by its name."""
    found: dict[str, list[str]] = {}
    for line in await listed(tab):
        if BEGINS in line:
            lines = found[line.split(BEGINS)[1].removesuffix('"')] = []
        else:
            lines.append(line)
    return found


async def listed_each(show: Show, cases: Mapping[str, str], before: str = "", after: str = "") -> Lines:
    """Show the cases on one page, between what is for all of them, and return the lines of each."""
    return await listed_by_case(await show(before + on_one_page(cases) + after))


async def listed_one_by_one(show: Show, cases: Mapping[str, tuple[str, list[str]]]) -> dict[str, list[str]]:
    """Put the markup of each case alone into one page, and run the script behind it.

    Returns the lines of each case.
    """
    tab, found = await show("<p>Empty"), {}
    for name, (case, _) in cases.items():
        markup, _, script = case.partition("<script>")
        await tab.put_markup(markup)
        if script:
            await tab.page.call(f"() => {{ {script.partition('</script>')[0]} }}")
        found[name] = await listed(tab)
    return found
