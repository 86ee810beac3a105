"""Solve tasks where the thing to click has to be found first.

Behind tabs, in folders, in menus, on later pages.
"""

import re
from itertools import pairwise

from tests.evals.miniwob.general import CLICKABLE, field, look_and_submit, submit
from tests.evals.miniwob.sentences import quoted
from tests.evals.miniwob.solvers import found, solves
from tests.evals.tools.browser import Browser, Line, LostError

MOST_PAGES = 20


def exactly(page: Browser, name: str, roles: str = CLICKABLE) -> list[Line]:
    """Return the lines with this name and nothing more."""
    return [line for line in page.all(roles, name) if line.name == name]


@solves(
    *("click-tab-2", "click-tab-2-easy", "click-tab-2-medium", "click-tab-2-hard"),
    *("click-collapsible-2", "click-collapsible-2-nodelay"),
)
def behind_tabs(page: Browser, asked: str) -> None:
    """Open one part after the other until there is something of that name, and click it.

    For some seeds the link of `click-tab-2-medium` is in no tab: its page takes it out of the second, and has that opened.
    """
    name = quoted(asked)[0]
    page.look()
    for tab in [*page.all("tab"), None]:
        if found := exactly(page, name, "generic|link"):
            page.click(found[0])
            return
        if tab is None:
            return
        page.click(tab)
        # A part unfolds in half a second.
        page.run("wait", "--stable", "#area")
        page.look()


@solves("click-collapsible", "click-collapsible-nodelay")
def in_a_section(page: Browser, asked: str) -> None:
    page.look()
    page.click(page.find("tab"))
    page.expect_role("button", "Submit")
    look_and_submit(page)


@solves("click-menu")
def through_menus(page: Browser, asked: str) -> None:
    """A menu opens under the pointer."""
    *menus, item = asked.partition("Select ")[2].split(">")
    page.look()
    for menu, following in pairwise([*menus, item]):
        page.hover(exactly(page, menu, "menuitem")[0])
        page.expect_role("menuitem", following)
        page.look()
    page.click(exactly(page, item, "menuitem")[0])


@solves("navigate-tree")
def in_folders(page: Browser, asked: str) -> None:
    wanted = quoted(asked)[0]
    opened: set[str] = set()
    page.look()
    for _ in range(MOST_PAGES):
        if found := exactly(page, wanted, "generic|listitem"):
            page.click(found[-1])
            return
        folder = next(line for line in page.all("generic") if line.name and line.name not in opened)
        opened.add(folder.name)
        page.click(folder)
        page.look()
    raise LostError(f"nothing is called “{wanted}”")


@solves("phone-book")
def in_a_book(page: Browser, asked: str) -> None:
    wanted = found(r"Find (\w+) .* their (phone|email|address)", asked)
    for _ in range(MOST_PAGES):
        said = page.text("#contact")
        page.look()
        if wanted[1] in said:
            rows = [line for line in said.splitlines() if line.strip()]
            value = next(row for row in rows if row.lower().startswith(wanted[2])).partition(": ")[2]
            page.click(page.find("link", value.strip()))
            return
        page.click(page.find("link", ">"))
    raise LostError(f"nobody is called {wanted[1]}")


@solves("search-engine")
def among_results(page: Browser, asked: str) -> None:
    wanted = found(r"(\d+)\w\w search result", asked)
    page.look()
    page.fill(field(page), quoted(asked)[0])
    page.click_button("Search")
    left = int(wanted[1])
    for _ in range(MOST_PAGES):
        page.look()
        lines = page.all("link|generic")
        results = [line for line in lines if line.name and not re.fullmatch(r"[<>\d]+", line.name)]
        if left <= len(results):
            page.click(results[left - 1])
            return
        left -= len(results)
        page.click(page.find("link", ">"))


@solves("use-autocomplete", "use-autocomplete-nodelay")
def among_suggestions(page: Browser, asked: str) -> None:
    start, end = (*quoted(asked), "")[:2]
    page.look()
    page.click(field(page))
    page.type(start)
    page.run("wait", ".ui-autocomplete .ui-menu-item")
    page.look()
    offered = [line.name for line in page.all("option|menuitem|generic|listitem")]
    chosen = next(name for name in offered if name.startswith(start) and name.endswith(end))
    page.click(exactly(page, chosen, "option|menuitem|generic|listitem")[0])
    submit(page)


@solves("click-widget")
def of_a_kind(page: Browser, asked: str) -> None:
    kind = quoted(asked)[0]
    css = {"text": "#area input:not([type=checkbox]):not([type=radio])", "textarea": "#area textarea"}
    page.look()
    if kind in css:
        page.run("click", f"{css[kind]} >> nth=0")
    else:
        page.click(page.find(kind))


@solves("click-menu-2")
def in_a_menu(page: Browser, asked: str) -> None:
    """By its name, or by its icon, which the sentence shows: what an icon is only its class says."""
    icon = re.search(r"ui-icon-[\w-]+", page.run("html", "#query"))
    item = f"[role=menuitem]:has(.{icon[0]})" if icon else f'[role=menuitem]:text-is("{quoted(asked)[-1]}")'
    page.look()
    page.click_button("Menu")
    page.expect_role("menuitem", "Playback")
    if "true" not in page.run("is", "visible", item):
        page.look()
        page.hover(page.find("menuitem", "Playback"))
        page.run("wait", item)
    page.run("click", item)
