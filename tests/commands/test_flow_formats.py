"""Test that an exported flow passes where the flow passes, and fails where it fails.

And the notes that `flow-save` writes below a step, and what a run compares with them.
"""

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Save, Shell
from tests.commands.web import Web
from tests.each import each
from tests.exported import run_exported

pytestmark = pytest.mark.same_session

PAGE = """<title>Shop</title><form aria-label=Order onsubmit="event.preventDefault();
if (confirm('Order ' + who.value + '?')) { document.title = 'Ordered'; done.hidden = false }">
<label>Name <i aria-hidden=true>*</i><input id=who></label><label>Surname <input></label><label>Gift wrap <input></label>
<label>Key <i aria-hidden=true>*</i><input type=password name=key></label><label>Keyword <input></label><label><input type=checkbox> Gift</label>
<label>Size <select><option>Small<option>Large</select></label><button type=button>Order later</button><button>Order</button></form>
<p id=done hidden>Thank you</p><ul><li>a<li>b</ul><a href=/more target=_blank>More</a><iframe id=inner srcdoc="<button
onclick='this.textContent = 1'>Inside</button>"></iframe>"""


async def record(run: Run, web: Web, shell: Shell) -> Path:
    web.pages["/shop"], web.pages["/more"] = (PAGE, {}), ("<title>More</title><button>Last</button>", {})
    file = shell.workspace / "shop.flow"
    await run("goto about:blank")  # a flow begins with the page at which it was started
    await run("flow-start")
    await run("viewport 900x700")
    await run("goto", f"{web.url}/shop")
    await run("fill label=Name 'Ann $1 \"x\"'")
    await run("fill label=Key", "open sesame")
    await run("check label=Gift")
    await run("select label=size Large")
    await run("expect value label=size Large")
    await run("click text=order")
    await run("expect text 'Thank you'")
    await run("expect title =Ordered")
    await run("expect --not visible 'text=Nothing'")
    await run("expect count li 2")
    await run("frame '#inner'")
    await run("click text=Inside")
    await run("expect text 1")
    await run("frame main")
    opened = await run("click text=More")
    await run("tab", opened.rsplit("opened tab ")[1].split(":")[0])
    await run("click text=Last")
    await run(f"flow-stop {file}")
    return file


@pytest.mark.playwright
async def test_exported_flow_passes_on_the_same_page_and_fails_on_another(
    run: Run, web: Web, shell: Shell
) -> None:
    file = await record(run, web, shell)
    out = shell.workspace / "test_shop.py"
    reply = await shell.send(f"flow-export {file} {out}")
    assert (reply.code, reply.text.partition(" (")[0]) == (0, f"Wrote {out} for pytest"), file.read_text()
    environment = {**os.environ, "FLOW_KEY": "open sesame"}
    changed = shell.workspace / "test_changed.py"
    changed.write_text(out.read_text().replace("/shop", "/changed"))
    web.pages["/changed"] = PAGE.replace("<li>b", ""), {}
    assert "to_have_count" in run_exported(changed, environment, after=out)
    await run("goto about:blank")
    values = shell.workspace / "values.json"
    values.write_text('{"key": "open sesame"}')
    assert "steps passed" in await run(f"flow-run {file} --vars {values}")


async def test_step_that_cannot_be_exported_is_named_and_nothing_is_written(
    run: Run, fails: Fails, shell: Shell
) -> None:
    file, out = shell.workspace / "unfit.flow", shell.workspace / "unfit.py"
    file.write_text("# gbrowse flow 1\nmouse down\nclick text=x\n")
    reply = await fails(f"flow-export {file} {out}", ActionFailed)
    assert reply.message == "1 step cannot be written for pytest; nothing was written"
    assert reply.text == "step 1, mouse: no test of Playwright does this"
    assert not out.exists()
    said = await run(f"flow-export {file} {out} --leave-out")
    assert said.splitlines() == [
        f"Wrote {out} for pytest (1 step)",
        "→ left out: step 1, mouse: no test of Playwright does this",
    ]
    assert "# left out step 1, mouse" in out.read_text()
    recording, back = shell.workspace / "a.json", shell.workspace / "b.flow"
    await run(f"flow-export {file} {recording} --to recorder")
    assert await run(f"flow-import {recording} {back}") == f"Wrote {back} (2 steps)"
    assert back.read_text() == file.read_text()


async def test_secret_of_the_vault_becomes_a_variable_of_the_environment(run: Run, shell: Shell) -> None:
    file, out = shell.workspace / "a.flow", shell.workspace / "a.py"
    file.write_text(
        "# gbrowse flow 1\n# secret shop_login\nfill label=Key $shop_login\nfill label=Password --secret=shop-login --submit\n"
        "type --into '#again' --secret shop-login\nfill '#code' --secret otp\n"
    )
    said = await run(f"flow-export {file} {out}")
    assert said.splitlines() == [
        f"Wrote {out} for pytest (4 steps)",
        "→ variable shop_login_2 stands for secret shop-login of the vault",
        "→ variable otp stands for secret otp of the vault",
    ]
    lines = out.read_text().splitlines()
    for line in (
        'SHOP_LOGIN_2_ = os.environ["FLOW_SHOP_LOGIN_2"]',
        'OTP_ = os.environ["FLOW_OTP"]',
        '    page.get_by_label("Password").fill(SHOP_LOGIN_2_)',
        '    page.get_by_label("Password").press("Enter")',
        '    page.locator("#again").press_sequentially(SHOP_LOGIN_2_)',
        '    page.locator("#code").fill(OTP_)',
    ):
        assert line in lines, out.read_text()
    await run(f"flow-export {file} {out} --to playwright-test")
    assert "const OTP_ = process.env.FLOW_OTP ?? '';" in out.read_text()
    await run(f"flow-export {file} {out} --to side --leave-out")
    assert '"${otp}"' in out.read_text()
    await run(f"flow-export {file} {out} --to python")
    assert '"--secret", "otp"' in out.read_text()


FILLERS = "".join(f"<button>b{number}</button>" for number in range(70))
"""With so many elements a page is large: not all names are read before a click, and the rest is read after it."""


class Case(NamedTuple):
    """Steps on a page, and how their lines in the flow end; the page of the run, and its title afterwards."""

    page: str
    steps: dict[str, str]
    later: str
    title: str = ""


COUNTS = """<a href="/in" onclick="document.title += 'a'; return false">Inbox ({0})</a><a href="/order/{0}">Order {0}</a>
<button id=total onclick="document.title += 'b'">{0} total</button><button>{0} left</button>"""
PUBLISH = """<h2>Publish</h2><button onclick="document.title = 'published'">Publish</button>
<div role=group aria-label=Place><label>Place <input></label></div>"""
IN_PARTS = """<main aria-label=Book><div role=feed aria-label=Cells><p>In [1]:<p role=textbox contenteditable>1</p>
<button>Run</button></div><button>Run</button><p><i>Run</i><b>Run</b></p></main><div><input><i>Run</i></div>"""
LATE_AND_LEAVING = """<p id=late hidden><a href=javascript:0><img alt=Tags width=9 height=9> Tags</a></p>
<span onclick=1><span>Tables</span></span><dialog open id=sheet><button onclick="sheet.close()">Save</button></dialog>
<script>setTimeout(() => late.hidden = false, 300)</script>"""
STARS = "".join(
    f"<div role=radio style=height:20px onclick='document.title = {number}; this.parentNode.remove()'><span role=img aria-label=star></span></div>"
    for number in range(1, 6)
)
OPENED = """<ul><li title="Report.txt, %s">{} ago<div tabindex=0 ondblclick="tab.innerHTML = '<div>Report.txt</div>'; document.title = 1">
<span>Report.txt</span></div></ul><p id=tab></p>"""
KINDS = "<select onchange='this.nextElementSibling.textContent = document.title = `goes ${this.value}`'><option>in<option>out</select><p>goes in</p>"
CAPITALS = "<button id=c7 style='text-transform: uppercase' onclick='this.remove()'>Save it</button>"
ASKS = """<main>{}<button onclick="ask.showModal()">Delete</button></main><dialog id=ask aria-label="Delete one?">
<button>Cancel</button><button onclick="document.title = 'deleted'; ask.%s()">Delete</button></dialog>"""
ASKS_PLAINLY = """<main>{}<button onclick="ask.hidden = false; this.parentNode.ariaHidden = 'true'">Delete</button></main>
<div hidden id=ask role=%s><button>Cancel</button><button onclick="document.title = 'deleted'; ask.hidden = true;
document.querySelector('main').ariaHidden = null">Delete</button></div>"""
OPENS, CONFIRMS = "click 'main > button >> nth=0'", "click '#ask button >> nth=1'"
DELETES = "click 'role=button[name=\"Delete\"]'"
NEW = "<button>New</button>"


def modal(page: str) -> Case:
    return Case(
        page.format(""),
        {OPENS: DELETES, CONFIRMS: DELETES.partition(" '")[2]},
        page.format(NEW),
        "deleted",
    )


CASES = {
    "a press takes the only one that can be pressed, `fill` the only field": Case(
        PUBLISH, {"click text=Publish": "click 'role=button[name=\"Publish\"]'", "fill label=Place Rome": "fill 'role=textbox[name=\"Place\"]' Rome"}, PUBLISH, "published",
    ),
    "text beside a field is no label for the page": Case(
        "<p>Town</p><input id=town><p><b>Colour</b></p><input name=colour>",
        {"fill label=Town Rome": "fill '#town' Rome", "fill label=Colour red": "fill 'input[name=\"colour\"]' red"}, "<p><input id=town><input name=colour>",
    ),
    "without a mark of its own it is known by the named part around it, by its role or its text": Case(
        IN_PARTS,
        {
            "fill 'p[contenteditable] >> nth=0' 2": "fill 'role=feed[name=\"Cells\"] >> role=textbox' 2",
            "click 'button >> nth=0'": 'click \'role=feed[name="Cells"] >> role=button[name="Run"]\'',
            "click 'i >> nth=0'": "click 'html > body > main > p > i'", "click 'button >> nth=1'": "click 'html > body > main > button'",
        },
        "<input><button>Run</button>" + IN_PARTS,
    ),
    "it comes late, closes its dialog, or says what it is by a picture": Case(
        LATE_AND_LEAVING,
        {
            "click '#late a'": "click '#late a'", "click 'dialog button >> nth=0'": "role=button[name=\"Save\"]'",
            "click 'span >> nth=1'": "click 'text=\"Tables\"'",
        },
        LATE_AND_LEAVING,
    ),
    "equal pictures name all of them, and the press takes them away": Case(
        f"<div>{STARS}</div>", {"click 'role=radio >> nth=3'": "click 'role=radio >> nth=3'"}, f"<div>{STARS}</div>", "4",
    ),
    "the action gives its name to another one; its row says something else then": Case(
        OPENED.replace("%s", "3 kB").format("3 s"), {"click text=Report.txt --double": "click text=Report.txt --double"},
        OPENED.replace("%s", "4 kB").format("7 s"), "1",
    ),
    "the text around it is that of before the step": Case(
        f"<div>Kind {KINDS}</div><div>Other kind {KINDS}</div>",
        {"select 'select >> nth=1' out": " out"},
        f"<div>Kind {KINDS}</div><div>Other kind {KINDS}</div>", "goes out",
    ),
    "capitals by style are not in its name, and ids are given anew with each load": Case(
        f"<ul><li>Ann {CAPITALS}<li>Bob {CAPITALS}</ul>{CAPITALS}",
        {
            "click 'li:nth-of-type(2) button'": 'click \'li:text-is("Bob") >> role=button[name="Save it"]\'',
            "click 'body > button >> nth=0'": "'",
        },
        f"<ul><li>Cid {CAPITALS}<li>Ann {CAPITALS}<li>Bob {CAPITALS}</ul>{CAPITALS}",
    ),
    "a count is in its name": Case(
        COUNTS.format(3), {"click 'a >> nth=0'": "click 'a[href=\"/in\"]'", "click 'button >> nth=0'": "click '#total'"}, COUNTS.format(4), "ab",
    ),
    "a modal dialog closes": modal(ASKS % "close"),
    "a modal dialog is removed": modal(ASKS % "remove"),
    "a drawn dialog is modal": modal(ASKS_PLAINLY % "alertdialog aria-modal=true"),
    "a drawn dialog hides the page": modal(ASKS_PLAINLY % "dialog"),
}  # fmt: skip


@each(("", FILLERS))
async def test_step_is_saved_by_words_that_find_its_element_in_another_run(
    fillers: str, run: Run, web: Web, shell: Shell, save: Save
) -> None:
    found, expected = {}, {}
    for name, case in CASES.items():
        web.pages["/case"] = f"<title></title>{case.page}{fillers}", {}
        file = await save("/case?", *case.steps)
        lines = [line for line in file.read_text().splitlines() if line[0] != "#"][1:]
        ends = [
            end if line.endswith(end) else line for line, end in zip(lines, case.steps.values(), strict=True)
        ]
        web.pages["/case"] = f"<title></title>{case.later}{fillers}", {}
        ran = await shell.send(f"flow-run {file}")
        found[name] = ends, ran.message, await run("title")
        expected[name] = list(case.steps.values()), "", case.title
    assert found == expected


SIZES = "<title>.</title><label>Size <select onchange='document.title = this.value'><option value=0>None{}</select></label>"
LARGE = "<option value=2>Large"


async def test_option_must_have_the_label_of_then_however_it_was_chosen(
    run: Run, fails: Fails, web: Web, save: Save
) -> None:
    """By its value, in other capitals, or by a part of its label, which is saved as the whole one."""
    for word, now, message in (
        ("2", "<option value=2>Huge<option value=3>Large", '"2" chose "Huge", and chose "Large" when the flow was saved'),
        ("large", "<option value=large>Huge", '"large" chose "Huge", and chose "Large" when the flow was saved'),
        ("Large", "<option value=Large>Huge", '"Large" chose "Huge", and chose "Large" when the flow was saved'),
        ("lar", "<option>Large no more", 'no option is called "Large" any more: "Large no more" is selected'),
    ):  # fmt: skip
        web.pages["/sizes"] = SIZES.format(LARGE), {}
        file = await save("/sizes?", f"select label=Size {word}")
        web.pages["/sizes"] = SIZES.format(LARGE.upper()), {}
        assert "2 steps passed" in await run(f"flow-run {file}")
        web.pages["/sizes"] = SIZES.format(now), {}
        assert f"changed: {message}" in (await fails(f"flow-run {file}", ActionFailed)).message


async def test_option_of_another_value_of_a_variable_or_of_a_form_may_have_any_label(
    run: Run, fails: Fails, web: Web, save: Save
) -> None:
    """`fill-form` does not print the labels that it chose, so their notes have none."""
    web.pages["/sizes"] = SIZES.format(f"{LARGE}<option value=3>Small"), {}
    file = await save("/sizes?", "select label=Size Large", options="--as-var Large=size")
    for value, chosen in (("Small", "3"), ("3", "3"), ("2", "2")):
        await run(f"flow-run {file} --var size={value}")
        assert await run("title") == chosen
    message = (await fails(f"flow-run {file} --var size=Lar", ActionFailed)).message
    assert 'no option is called "Lar" any more: "Large" is selected now' in message
    file = await save("/sizes", """fill-form '{"label=Size": "2"}'""")
    assert "chosen=" not in file.read_text()
    assert "2 steps passed" in await run(f"flow-run {file}")
