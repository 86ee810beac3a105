"""Test how a step in a row of records is saved, and in which row a run acts for another value."""

import re

import pytest

from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Save, Shell
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

GO = "<button>Go</button>"
INDENT = " " * 300
STATE = "<select name=form-{row}-state><option>new<option>sold</select>"
PLACE = STATE.replace("state", "place")
PRESSED = "click '{row} button'"
ROWS = {
    # markup of a row → the step on one, and its line in the flow
    f"<li>{{name}} {GO}": (PRESSED, 'li:text-is("$item") >> role=button[name="Go"]'),
    f"<li><!-- -->{{name[0]}}<!-- -->{{rest}}<!-- --> {GO}": (PRESSED, 'li:text-is("$item") >> role=button[name="Go"]'),
    f"<tr><td>{GO}{INDENT}<td>{INDENT}{{name}}<td>{INDENT}{{other}}": (PRESSED, 'tr:has(:text-is("$item")) >> role=button[name="Go"]'),
    f"<div role=row><div role=cell>{{name}}</div><div role=cell>{{other}}</div>{GO}</div>": (
        PRESSED, '[role="row"]:has(:text-is("$item")) >> role=button[name="Go"]',
    ),
    f"<tr><td>{{name}}<td>{STATE}<td>{PLACE}<td>{{other}}": (
        "select '{row} [name$=state]' sold", 'tr:has(:text-is("$item")) >> select[name$="-state"]',
    ),
    "<tr><td>{name}<td><button><i aria-hidden=true>edit</i></button><button><i aria-hidden=true>delete</i></button>": (
        "click '{row} button >> nth=1'", 'tr:has(:text-is("$item")) >> button:has(:text-is("delete"))',
    ),
    f"<tr><td>{{name}}<td>{{other}}<td><ul><li><a href=#x>Edit</a><li>{GO}</ul>": (
        PRESSED, 'tr:has(:text-is("$item")) >> role=button[name="Go"]',
    ),
    "<tr><td><input type=checkbox aria-label='Pick {name}'><td>{name}<td>{other}": (
        "check '{row} input >> nth=0'", 'role=checkbox[name="Pick $item"]',
    ),
    "<tr tabindex=0><td>{name}<td>{other}<td>{row} kB": ("click '{row}'", 'tr:has(:text-is("$item"))'),
}  # fmt: skip
RUNS = (
    # value of the variable, and the rows on the page then
    ("Quiet Kettle", ("New", "Brisk Globe", "Quiet Kettle", "Quiet Kettle Lid")),
    ("Red Mug", ("Quiet Kettle", "Red Mug Rack", "Red Mug")),
    ("Quiet Kettle", ("Brisk Globe", "Quiet Kettle Lid")),
    ("Red Mug", ("Quiet Kettle", "Jade Drum")),
)
NOTICE = """<title>none</title><script>for (const type of ['click', 'input']) document.addEventListener(type, (event) => {
  document.title = event.target.closest('#rows > *, #rows > * > tr').dataset.name })</script>"""


def rows(markup: str, *names: str) -> str:
    """Return a page with a row for each name.

    What else a row says is another record's name, or unlike in each.
    """
    others = {"Jade Drum": "Red Mug", "Red Mug": "sold by Ann 12.50"}
    items = [
        re.sub(r"^(<\w+)", rf"\1 data-name='{name}'", markup).format(
            name=name, rest=name[1:], other=others.get(name, f"from {name[0]}. {number}"), row=number
        )
        for number, name in enumerate(names)
    ]
    tag = {"<li": "ul", "<tr": "table", "<di": "div"}[markup[:3]]
    return f"{NOTICE}<{tag} id=rows>{''.join(items)}</{tag}>"


async def test_step_in_a_row_acts_in_the_row_that_says_just_the_value(
    run: Run, web: Web, shell: Shell, save: Save
) -> None:
    """Try pages on which the row has moved, is beside another that says more, and is gone."""
    found, expected = {}, {}
    for markup, (step, line) in ROWS.items():
        web.pages["/rows"] = rows(markup, "Brisk Globe", "Quiet Kettle", "Pale Rug"), {}
        row = "#rows tr:nth-of-type(2)" if markup.startswith("<tr") else "#rows > :nth-child(2)"
        file = await save("/rows?", step.replace("{row}", row), options="--as-var 'Quiet Kettle=item'")
        text = file.read_text()
        file.write_text(re.sub(r" order=\S+", "", text))  # not known where a page was left at once
        saved = text.splitlines()[3].split(" ", 1)[1].replace("\\", "").strip('"')
        ran = []
        for value, names in RUNS:
            web.pages["/rows"] = rows(markup, *names), {}
            heal = (
                "no" if value in names else "yes"
            )  # it need not heal where the row is, and may not where none is
            reply = await shell.send(f"flow-run {file} --wait 50 --heal {heal} --var", f"item={value}")
            title = await run("title")
            ran.append(title if bool(reply.code) is (title == "none") else f"{title}: {reply.message}")
        found[markup] = saved.removesuffix('" sold'), ran
        expected[markup] = line, ["Quiet Kettle", "Red Mug", "none", "none"]
    assert found == expected


async def test_box_that_cards_are_dropped_on_is_known_by_its_id_whatever_is_in_it(
    run: Run, fails: Fails, web: Web, save: Save
) -> None:
    page = """<title>none</title><div id=todo><p draggable=true>Oak</p><p draggable=true>Ash</p></div><div id=%s>%s</div><script>
        ondragover = (event) => event.preventDefault(); ondragstart = ({ target }) => dragged = target
        ondrop = ({ target }) => { target.closest('div').append(dragged); document.title = target.closest('div').innerText }</script>"""
    web.pages["/board"] = page % ("done", "Elm"), {}
    file = await save("/board", "drag text=Oak '#done'", options="--as-var Oak=card")
    for content, said in (("Elm", "Elm Ash"), ("Yew<p>Fir", "Yew Fir Ash")):
        web.pages["/board"] = page % ("done", content), {}
        await run(f"flow-run {file} --wait 50 --var card=Ash")
        assert await run("title") == said
    file.write_text(file.read_text().replace("'#done'", "'#todo ~ div'"))
    web.pages["/board"] = page % ("late", "Yew"), {}
    assert (
        "changed: #todo ~ div is another element"
        in (await fails(f"flow-run {file} --wait 50", ActionFailed)).message
    )


async def test_dialog_is_the_same_form_if_its_name_is_cut_within_the_value(
    run: Run, fails: Fails, web: Web, save: Save
) -> None:
    page = """<title>none</title><ul>%s</ul><dialog><button onclick="document.title = of">Yes</button></dialog><script>
        onclick = ({ target }) => { if (target.matches('li')) { const box = document.querySelector('dialog'); of = target.textContent
        box.ariaLabel = `%s ${of}?`; box.showModal() } }</script>"""
    names = ("quarterly-report.txt", "a.txt", "the-last-one-of-all-of-them.txt")
    files = "".join(f"<li role=button>{name}" for name in names)
    question = "Are you sure that you want to move to the trash:"
    web.pages["/ask"] = page % (files, question), {}
    file = await save("/ask", f"click text={names[0]}", "click text=Yes", options=f"--as-var {names[0]}=file")
    assert 'trash: quarterly-r\\"' in file.read_text()
    for name in names:
        await run(f"flow-run {file} --wait 50 --var file={name}")
        assert await run("title") == name
    web.pages["/ask"] = page % (files, "Are you sure that you want to delete for ever, at once:"), {}
    assert "in dialog" in (await fails(f"flow-run {file} --wait 50", ActionFailed)).message


LINKS = "".join(f"<a href=/{number}>Page {number}</a>" for number in range(70))
LEFT = {
    # markup of a record, and the line of a step in it that leaves a large page
    "<tr><td>In stock at Leipzig<td>{name}<td><a href='/gone?{name}'>Remove</a>": (
        "tr:nth-of-type(2)", "tr:has(:text-is(\"Quiet Kettle\")) >> role=link[name=\"Remove\"]",
    ),
    "<tr><td>Sold out on {name[0]}day<td><a href='/gone?{name}'>{name}</a><td><a>Remove</a>": (
        "tr:nth-of-type(2)", "role=link[name=\"Quiet Kettle\"]",
    ),
    "<tr><td>{state}<td>{name}<td><a href='/gone?{name}'>Remove</a>": (
        "tr:nth-of-type(2)", "tr:has(:text-is(\"Quiet Kettle\")) >> role=link[name=\"Remove\"]",
    ),
    "<div><p>{name}</p><a href='/gone?{name}'>Remove</a></div>": (
        "main > div:nth-of-type(2)", "html > body > main > div:nth-of-type(2) > a",
    ),
    "<tr><td><input type=checkbox onclick='location.href = `/gone?{name}`'><td>{name}<td><a>Remove</a>": (
        "tr:nth-of-type(2)", "tr:has(:text-is(\"Quiet Kettle\")) >> role=checkbox",
    ),
    "<div title={word[0]}><p>{name}</p><a href='/gone?{name}' title='{name}'> Remove</a></div>": (
        "main > div:nth-of-type(2)", "html > body > main > div:nth-of-type(2) > a",
    ),
    # its own press hides it
    "<tr><td>{word}<td><button onclick='location.hash = `{name}`; this.closest(`tr`).hidden = true'>Remove</button>": (
        "tr:nth-of-type(2)", "tr:has(:text-is(\"QuietKettle\")) >> role=button[name=\"Remove\"]",
    ),
}  # fmt: skip


async def test_step_that_leaves_a_large_page_acts_in_the_same_record_or_stops(
    run: Run, web: Web, shell: Shell
) -> None:
    """Save it by words of this record alone. Run it where the record is elsewhere, and where it is gone."""

    def page(markup: str, *names: str) -> str:
        records = "".join(
            markup.format(
                name=name,
                word=name.replace(" ", ""),
                state="Sold out" if name == names[1 % len(names)] else "In stock",
            )
            for name in names
        )
        tag = "table" if markup.startswith("<tr") else "main"
        return f"{LINKS}<{tag}>{records}</{tag}>"

    file = shell.workspace / "stock.flow"
    web.pages["/gone"] = "Gone", {}
    found, expected = {}, {}
    for markup, (record, selector) in LEFT.items():
        web.pages["/stock"] = page(markup, "Oak Desk", "Quiet Kettle", "Quiet Kettle Lid"), {}
        await run("goto", f"{web.url}/stock?")
        await run("click", re.findall(r"@e\d+", await run(f"snapshot -i -s '{record}'"))[0])
        await run(f"flow-save {file} --last 2")
        click = re.search(r"^click '(.*)'", file.read_text(), re.MULTILINE)
        ran = []
        for names in (
            ("Oak Desk", "Quiet Kettle Lid", "Quiet Kettle"),
            ("Oak Desk", "Red Mug"),
            ("Red Mug", "Quiet Kettle Lid"),
        ):
            web.pages["/stock"] = page(markup, *names), {}
            await shell.send(f"flow-run {file} --wait 50 --heal yes")
            ran.append((await run("url")).removeprefix(web.url).replace("/stock?#", "/gone?"))
        found[markup] = click and click[1], ran
        expected[markup] = selector, ["/gone?Quiet%20Kettle", "/stock?", "/stock?"]
    assert found == expected
