"""Try the tables of the documentation that say what a run does where a page has changed."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.commands.conftest import Run, Shell
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

DOCS = Path(__file__).parents[2] / "docs"
ACTED = """<title>none</title><script>for (const type of ['click', 'input']) document.addEventListener(type, (event) => {
  document.title = event.target.closest('[data-meant]') ? 'meant' : 'another';
  if (event.target.closest('a')) event.preventDefault();
})</script>"""


class Case(NamedTuple):
    """A step, the page that it was saved on, and the page of its run.

    `data-meant` marks the element that is meant on both.
    """

    step: str
    before: str
    after: str


def row(name: str, more: str = "", of: str = "<button{}>Remove</button>") -> str:
    """Return a row of a table with a button."""
    return f"<tr><td>{name}<td>{of.format(more)}</tr>"


def table(*rows: str) -> str:
    return f"<table>{''.join(rows)}</table>"


MEANT = " data-meant"
SAVE = "<button id={} data-meant>{}</button><button>Help</button>"
TITLE = "<label>{} <input id={} name={} data-meant></label><label>Pages <input id=pages name=pages></label>"
KETTLE = 'click \'tr:has-text("Quiet Kettle") >> role=button[name="Remove"]\''
EDITED = "<button{{}}>Remove</button> <button{}</button>"
KETTLE_ROWS = table(row("Red Mug"), row("Quiet Kettle draft", MEANT))
BOOK = table(row("Book 07", MEANT), row("Book 09"))
BOOK_STEP = "click 'tr:nth-of-type(1) button'"
CARDS = "<p>{} <button>Buy</button></p><p>{} <button{}>Buy</button></p>"
TICKS = CARDS.replace("button", "label").replace(
    "Buy",
    "<input type=checkbox style='opacity: 0; width: 0; height: 0; margin: 0; position: absolute; overflow: hidden'>Buy",
)
RADIOS = (
    "<form>"
    + "".join(
        f"<label><input type=radio name=way value={way}{{}}>{{}}</label>" for way in ("slow", "fast", "shop")
    )
    + "</form>"
)
GROUPS = """<form><div role=group aria-label={}><label>Street <input name=home></label></div>
<div role=group aria-label={}><label>Street <input name=send data-meant></label></div></form>"""
ASKS = "<dialog open><p>{}</p><div><button data-testid=ok data-meant>OK</button><button>Cancel</button></div></dialog>"
TICK = "<label><input type=checkbox name=terms value=yes data-meant>{}</label>"
LINK = '<a href="{}" data-meant>{}</a> <a href=/help>Help</a>'
CASES: dict[str, tuple[str, Case]] = {
    "other classes, boxes and order": (
        "acts",
        Case("click 'role=button[name=\"Save\"]'", SAVE.format("a", "Save"), f"<button>Help</button><div class=x><p>{SAVE.format('b', 'Save')}</p></div>"),
    ),
    "the label `Title` of `label=Title` is `Title:` or `TITLE *`": (
        "acts", Case("fill label=Title x", TITLE.format("Title", "a", "title"), TITLE.format("TITLE *", "b", "book-title"))
    ),
    "the row stands elsewhere": ("acts", Case(KETTLE, KETTLE_ROWS, table(row("New"), row("Quiet Kettle draft", MEANT), row("Red Mug")))),
    "the row says `sold` in the place of `draft`": (
        "acts", Case(KETTLE, KETTLE_ROWS, table(row("Red Mug"), row("Quiet Kettle sold", MEANT)))
    ),
    "the step is on the row itself, in which other numbers stand": (
        "acts",
        Case("click 'tr:nth-of-type(1)'", table(f"<tr{MEANT}><td>Quiet Kettle<td>3 left", row("Red Mug")), table(row("Red Mug"), f"<tr{MEANT}><td>Quiet Kettle<td>12 left")),
    ),
    "`Ann`, in a box of its own, is in a row with another number": (
        "acts",
        Case("click text=Ann", f"<ul><li title='8 B'><b{MEANT}><b><b>Ann</b></b></b></li></ul>", f"<ul><li title='9 kB'><b{MEANT}><b><b>Ann</b></b></b></li></ul>"),
    ),
    "the other button of its row is called by a picture": (
        "acts",
        Case(KETTLE, table(row("Red Mug"), row("Quiet Kettle", MEANT, EDITED.format(">Edit"))), table(row("Red Mug"), row("Quiet Kettle", MEANT, EDITED.format(" aria-label=Edit>✎")))),
    ),
    "`OK` in a dialog without a name that asks the same in other words": (
        "acts", Case("click text=OK", ASKS.format("Save the changes?"), ASKS.format("Save all changes now?"))
    ),
    "the link has another address": (
        "acts", Case("click 'role=link[name=\"Blue Lamp\"]'", LINK.format("/product/13/", "Blue Lamp"), LINK.format("/product/21/", "Blue Lamp"))
    ),
    '`Title` of `role=textbox[name="Title"]` is `TITLE *`': (
        "heals", Case("fill 'role=textbox[name=\"Title\"]' x", TITLE.format("Title", "title", "title"), TITLE.format("TITLE *", "title", "title"))
    ),
    "`#save` has another id": ("heals", Case("click '#save'", SAVE.format("save", "Save"), SAVE.format("store", "Save"))),
    "`Cart (3)` is `Cart (4)`": (
        "heals", Case("click 'role=button[name=\"Cart (3)\"]'", SAVE.format("cart", "Cart (3)"), SAVE.format("cart", "Cart (4)"))
    ),
    "the link `Inbox 3` is `Inbox 4`": (
        "heals", Case("click 'role=link[name=\"Inbox 3\"]'", LINK.format("/inbox", "Inbox 3"), LINK.format("/inbox", "Inbox 4"))
    ),
    "the field `Title` is `Headline`": ("heals", Case("fill label=Title x", TITLE.format("Title", "title", "title"), TITLE.format("Headline", "title", "title"))),
    "the radio button `Express` is `Courier`": (
        "heals",
        Case("check label=Express", RADIOS.format("", "Standard", MEANT, "Express", "", "Pick up"), RADIOS.format("", "Standard", MEANT, "Courier", "", "Pick up")),
    ),
    "the link `Home` is `Start`": ("heals", Case("click 'role=link[name=\"Home\"]'", LINK.format("/", "Home"), LINK.format("/", "Start"))),
    "the button `Save` is `Store`, with its test id": (
        "heals",
        Case("click 'role=button[name=\"Save\"]'", "<button data-testid=save data-meant>Save</button>", "<button data-testid=save data-meant>Store</button>"),
    ),
    "a second `Save`, the first has its id": (
        "heals",
        Case("click 'role=button[name=\"Save\"]'", SAVE.format("a", "Save"), SAVE.format("a", "Save") + "<button>Save</button>"),
    ),
    "the button `Save` is `Delete all`, with its id": ("stops", Case("click '#save'", SAVE.format("save", "Save"), SAVE.format("save", "Delete all"))),
    "the button is a link of its name": (
        "stops", Case("click text=Remove", "<button data-meant>Remove</button>", "<a href=/remove/3 data-meant>Remove</a>")
    ),
    "a second `Save`, the first has another id": ("stops", Case("click 'role=button[name=\"Save\"]'", SAVE.format("a", "Save"), SAVE.format("b", "Save") + "<button>Save</button>")),
    "`Save` in another form": (
        "stops",
        Case("click text=Save", "<form aria-label=Profile onsubmit='return false'><button data-meant>Save</button></form>", "<form aria-label=News onsubmit='return false'><button>Save</button></form>"),
    ),
    "two buttons have exchanged their names": (
        "stops",
        Case(
            "click 'role=button[name=\"Save\"]'",
            "<button data-testid=save data-meant>Save</button><button data-testid=delete>Delete</button>",
            "<button data-testid=save>Delete</button><button data-testid=delete>Save</button>",
        ),
    ),
    "two fields have exchanged their labels": (
        "stops",
        Case("fill label=Title x", TITLE.format("Title", "title", "title"), TITLE.replace("Pages", "Title").format("Pages", "title", "title")),
    ),
    "radio buttons of one group have exchanged their labels": (
        "stops",
        Case("check label=Express", RADIOS.format("", "Standard", MEANT, "Express", "", "Pick up"), RADIOS.format("", "Express", MEANT, "Pick up", "", "Standard")),
    ),
    "two groups of fields have exchanged their names": (
        "stops",
        Case("fill '[aria-label=Shipping] >> label=Street' x", GROUPS.format("Billing", "Shipping"), GROUPS.format("Shipping", "Billing")),
    ),
    "the checkbox `I agree` is `I do not agree`, with its name and value": (
        "stops", Case("check 'label=I agree'", TICK.format("I agree"), TICK.format("I do not agree"))
    ),
    "`OK` in a dialog without a name that asks something else": (
        "stops", Case("click text=OK", ASKS.format("Save the changes?"), ASKS.format("Delete everything?"))
    ),
    "`Title` is the label of a field named `isbn`": (
        "stops", Case("fill label=Title x", TITLE.format("Title", "a", "title"), TITLE.format("Title", "b", "isbn").replace(MEANT, ""))
    ),
    "the field shows what is typed": (
        "stops",
        Case("fill label=Title x", "<label>Title <input type=password data-meant></label>", "<label>Title <input></label>"),
    ),
    "the row is gone, another one mentions its name": (
        "stops",
        Case(KETTLE, table(row("Red Mug 4.00 3 left"), row("Quiet Kettle 29.00 7 left", MEANT)), table(row("Red Mug 4.00 3 left"), row("Jade Drum (fits Quiet Kettle) 80.00 2 left"))),
    ),
    "the row is gone, others are like it": ("stops", Case(KETTLE, KETTLE_ROWS, table(row("Red Mug"), row("Loud Kettle draft")))),
    "the row `Quiet Kettle` is gone, `Quiet Kettle Lid` is there": (
        "stops",
        Case(
            "click 'tr:nth-of-type(2) button'",
            table(row("Red Mug"), row("Quiet Kettle", MEANT)),
            table(row("Red Mug"), row("Quiet Kettle Lid")),
        ),
    ),
    "the card at its place says `Quiet Kettle Lid`, not `Quiet Kettle`": (
        "stops", Case("click 'p:nth-of-type(2) button'", CARDS.format("Red Mug", "Quiet Kettle", MEANT), CARDS.format("Red Mug", "Quiet Kettle Lid", ""))
    ),
    "the card with the id of then is another one's, but for words of all": (
        "stops", Case("click '#c2'", CARDS.format("Red Mug, sold out in Leipzig", "Quiet Kettle, sold out in Leipzig", " id=c2 data-meant"), CARDS.format("Red Mug, sold out in Leipzig", "Loud Kettle, sold out in Leipzig", " id=c2"))
    ),
    "the card at its place is another, with a checkbox that its label draws": (
        "stops", Case("check 'p:nth-of-type(2) input'", TICKS.format("Red Mug", "Quiet Kettle", MEANT), TICKS.format("Red Mug", "Jade Drum", ""))
    ),
    "the same row says `sold`, and the selector has `draft`": (
        "stops",
        Case(KETTLE.replace("Quiet Kettle", "Quiet Kettle draft"), KETTLE_ROWS, table(row("Red Mug"), row("Quiet Kettle sold"))),
    ),
    "`Book 08` in the place of `Book 07`": ("stops", Case(BOOK_STEP, BOOK, table(row("Book 08"), row("Book 09")))),
    "`Order 12` is in a row with other words": (
        "stops",
        Case("click 'role=link[name=\"Order 12\"]'", f"<ul><li>Cleo sent {LINK.format('/12', 'Order 12')}</ul>",
             f"<ul><li>Ida new {LINK.format('/12', 'Order 12')}<li>Cleo sent {LINK.format('/15', 'Order 15')}</ul>"),
    ),
    "`Order 12` is `Order 13`": (
        "stops", Case("click text='Order 12'", "<button data-meant>Order 12</button>", "<button>Order 13</button>")
    ),
    "`3` beside `Shares`, not `Likes`": (
        "stops", Case("click 'role=button[name=\"3\"]'", "<p>Likes <button data-meant>3</button></p>", "<p>Shares <button>3</button></p>")
    ),
}  # fmt: skip


def documented(page: str) -> dict[str, str]:
    """Return the table of a page of the documentation: situation → what a run does."""
    table = re.search(r"\| on the page now \|.*\n\|[-|]+\n((?:\|.*\n)+)", (DOCS / page).read_text("utf-8"))
    assert table
    rows = [line.strip("|").split("|") for line in table[1].splitlines()]
    return {cells[0].strip(): cells[1].strip() for cells in rows}


def test_table_of_the_documentation_has_what_is_tried() -> None:
    """The page for readers shows a part of it."""
    tried = {name: outcome for name, (outcome, _) in CASES.items()}
    assert documented("decisions/0018-refs-identify-nodes.md") == tried
    assert len(documented("flows.md")) > 12
    assert documented("flows.md").items() <= tried.items()


async def test_run_acts_heals_or_stops_as_the_table_says(run: Run, web: Web, shell: Shell) -> None:
    file, values = shell.workspace / "case.flow", shell.workspace / "values.json"
    values.write_text('{"title": "x"}')  # of the field for a password
    found = {}
    for name, (_, case) in CASES.items():
        web.pages["/case"] = ACTED + case.before, {}
        await run("goto", f"{web.url}/case?")
        await run(case.step)
        assert await run("title") == "meant", name
        await run(f"flow-save {file} --last 2")
        web.pages["/case"] = ACTED + case.after, {}
        found[name] = "stops"
        for heal in ("no", "yes"):
            reply = await shell.send(f"flow-run {file} --vars {values} --wait 50 --heal {heal}")
            title = await run("title")
            assert title == ("none" if reply.code else "meant"), (name, reply.text, reply.message)
            if not reply.code:
                found[name] = "acts" if heal == "no" else "heals"
                break
    assert found == {name: outcome for name, (outcome, _) in CASES.items()}
