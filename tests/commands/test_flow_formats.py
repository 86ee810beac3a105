"""Test that an exported flow passes where the flow passes, and fails where it fails.

And the notes that `flow-save` writes below a step, and what a run compares with them.
"""

import os
import re
from itertools import product
from pathlib import Path

import pytest

from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Save, Shell
from tests.commands.replies import ref_of
from tests.commands.web import Web
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


SEVERAL = """<h2>Publish</h2><button onclick="document.title = 'published'">Publish</button>
<div role=group aria-label=Place><label>Place <input></label></div>{}"""
FILLERS = "".join(f"<button>b{number}</button>" for number in range(70))


async def test_step_whose_words_several_elements_have_is_saved_with_a_selector_and_a_note_of_its_own(
    run: Run, fails: Fails, web: Web, save: Save
) -> None:
    """A press takes the only one that can be pressed, `fill` the only field. Try few elements, and many."""
    for fillers in ("", FILLERS):
        web.pages["/several"] = SEVERAL.format(fillers), {}
        file = await save("/several?", "click text=Publish", "fill label=Place Rome")
        lines = file.read_text().splitlines()
        assert lines[2] == "click 'role=button[name=\"Publish\"]'", lines
        assert lines[3].startswith('#@ button "Publish" tag=button'), lines
        assert lines[5].startswith('#@ textbox "Place" tag=input'), lines
        await run(f"flow-run {file} --wait 50")
        assert await run("title") == "published"
        web.pages["/several"] = SEVERAL.replace(">Publish</b", ">Delete</b").format(fillers), {}
        assert ": changed: " in (await fails(f"flow-run {file} --wait 50", ActionFailed)).message
        assert await run("title") == ""


async def test_field_that_words_stand_beside_is_saved_with_a_selector_of_its_own(
    run: Run, web: Web, save: Save
) -> None:
    """The page's own resolution of `label=` finds nothing: the text is no label."""
    web.pages["/beside"] = "<p>Town</p><input id=town><p><b>Colour</b></p><input name=colour>", {}
    file = await save("/beside", "fill label=Town Rome", "fill label=Colour red")
    assert [line for line in file.read_text().splitlines() if line.startswith("fill")] == [
        "fill '#town' Rome",
        "fill 'input[name=\"colour\"]' red",
    ]
    assert "3 steps passed" in await run(f"flow-run {file}")


IN_PARTS = """<main aria-label=Book><div role=feed aria-label=Cells><p>In [1]:<p role=textbox contenteditable>1</p>
<button>Run</button></div><button>Run</button><p><i>Run</i><b>Run</b></p></main><div><input><i>Run</i></div>"""


async def test_element_without_a_mark_of_its_own_is_saved_by_the_named_part_of_the_page_around_it(
    run: Run, web: Web, save: Save
) -> None:
    """Save it by its role, or by its text if it has none."""
    web.pages["/parts"] = IN_PARTS, {}
    clicks = ("button >> nth=0", "i >> nth=0", "button >> nth=1")
    file = await save("/parts", "fill 'p[contenteditable] >> nth=0' 2", *(f"click '{one}'" for one in clicks))
    assert [line for line in file.read_text().splitlines() if line.startswith(("fill", "click"))] == [
        "fill 'role=feed[name=\"Cells\"] >> role=textbox' 2",
        'click \'role=feed[name="Cells"] >> role=button[name="Run"]\'',
        "click 'html > body > main > p > i'",
        "click 'html > body > main > button'",
    ]
    web.pages["/parts"] = "<input><button>Run</button>" + IN_PARTS, {}
    assert "5 steps passed" in await run(f"flow-run {file} --wait 50")


LATE_AND_LEAVING = f"""<p id=late hidden><a href=javascript:0><img alt=Tags width=9 height=9> Tags</a></p>
<span onclick=1><span>Tables</span></span><dialog open id=sheet><button onclick="sheet.close()">Save</button></dialog>{FILLERS}
<script>setTimeout(() => late.hidden = false, 300)</script>"""


async def test_element_that_is_hidden_before_or_after_the_action_is_noted_as_people_see_it(
    run: Run, web: Web, shell: Shell
) -> None:
    """The link comes late, and the button closes its dialog. Not all names are read before a click."""
    web.pages["/late"] = LATE_AND_LEAVING, {}
    file = shell.workspace / "late.flow"
    await run("goto", f"{web.url}/late")
    await run("click '#late a'")
    await run("click", await ref_of(run, '"Save"'))
    await run("click", await ref_of(run, '"Tables"'))
    await run(f"flow-save {file} --last 4")
    lines = file.read_text().splitlines()
    assert lines[3].startswith('#@ link "Tags Tags"'), lines
    assert lines[4] == "click 'role=dialog >> role=button[name=\"Save\"]'", lines
    assert lines[6:] == ["click 'text=\"Tables\"'", '#@ - "Tables" tag=span order=1/1'], lines
    assert "4 steps passed" in await run(f"flow-run {file}")


async def test_one_of_several_named_by_equal_pictures_is_saved_by_its_place(
    run: Run, web: Web, save: Save
) -> None:
    """A press takes them all away, so that nothing can be read after it."""
    star = "<div role=radio style=height:20px onclick='document.title = {}; this.parentNode.remove()'><span role=img aria-label=star></span></div>"
    stars = "".join(star.format(number) for number in range(1, 6))
    web.pages["/stars"] = f"<title>none</title><div>{stars}</div>{FILLERS}", {}
    file = await save("/stars", "click 'role=radio >> nth=3'")
    await run(f"flow-run {file} --wait 50")
    assert await run("title") == "4"


OPENED = f"""<ul><li title="Report.txt, 3 kB">{{0}}<div tabindex=0 ondblclick="tab.innerHTML = '<div>Report.txt</div>'">
<span>Report.txt</span></div></ul><p id=tab></p>{FILLERS}"""


async def test_element_whose_name_another_one_gets_by_the_action_was_the_only_one_of_that_name(
    run: Run, web: Web, save: Save
) -> None:
    """Let its row say something else then, such as a file's age. Not all names are read before a click."""
    web.pages["/opened"] = OPENED.format(" 3 s ago"), {}
    file = await save("/opened", "click text=Report.txt --double")
    assert await run("text '#tab'") == "Report.txt"
    web.pages["/opened"] = OPENED.replace("3 kB", "4 kB").format(" 7 s ago"), {}
    await run(f"flow-run {file} --wait 50")
    assert await run("text '#tab'") == "Report.txt"


KINDS = "<select onchange='this.nextElementSibling.textContent = `goes ${this.value}`'><option>in<option>out</select><p>goes in</p>"


async def test_text_around_a_step_s_element_is_that_of_before_the_step(
    run: Run, web: Web, shell: Shell
) -> None:
    web.pages["/kinds"] = f"<div>Kind {KINDS}</div><div>Other kind {KINDS}</div>{FILLERS}", {}
    file = shell.workspace / "kinds.flow"
    await run("goto", f"{web.url}/kinds")
    await run("select", await ref_of(run, '(near "Other kind")'), "out")
    await run(f"flow-save {file} --last 2")
    assert 'around="Other kind goes in"' in file.read_text()
    assert "2 steps passed" in await run(f"flow-run {file} --wait 50")


SIZES = "<title>.</title><label>Size <select onchange='document.title = this.value'><option value=0>None{}</select></label>"


async def test_option_chosen_by_value_or_in_other_capitals_must_have_the_label_of_then(
    run: Run, fails: Fails, web: Web, save: Save
) -> None:
    for word, before, now in (
        ("2", "<option value=2>Large", "<option value=2>Huge<option value=3>Large"),
        ("large", "<option value=2>Large", "<option value=large>Huge"),
        ("Large", "<option value=2>Large", "<option value=Large>Huge"),
    ):
        web.pages["/sizes"] = SIZES.format(before), {}
        file = await save("/sizes?", f"select label=Size {word}")
        assert "chosen=Large" in file.read_text()
        assert "2 steps passed" in await run(f"flow-run {file}")
        web.pages["/sizes"] = SIZES.format(before.replace("Large", "LARGE")), {}
        assert "2 steps passed" in await run(f"flow-run {file}")
        web.pages["/sizes"] = SIZES.format(now), {}
        message = (await fails(f"flow-run {file}", ActionFailed)).message
        assert f'changed: "{word}" chose "Huge", and chose "Large" when the flow was saved' in message


async def test_option_of_another_value_of_a_variable_may_have_any_label(
    run: Run, fails: Fails, web: Web, save: Save
) -> None:
    web.pages["/sizes"] = SIZES.format("<option value=2>Large<option value=3>Small"), {}
    file = await save("/sizes?", "select label=Size Large", options="--as-var Large=size")
    for value, chosen in (("Small", "3"), ("3", "3"), ("2", "2")):
        await run(f"flow-run {file} --var size={value}")
        assert await run("title") == chosen
    message = (await fails(f"flow-run {file} --var size=Lar", ActionFailed)).message
    assert re.search('no option is called "Lar" any more: "Large" is selected now', message)


async def test_options_of_a_form_are_chosen_by_what_was_typed(run: Run, web: Web, save: Save) -> None:
    """`fill-form` does not print the labels that it chose, so their notes have none."""
    web.pages["/sizes"] = SIZES.format("<option value=2>Large"), {}
    file = await save("/sizes?", """fill-form '{"label=Size": "2"}'""")
    assert "chosen=" not in file.read_text()
    assert "2 steps passed" in await run(f"flow-run {file}")


CONFIRMED = """<title>none</title><main><button onclick="{0}">Delete</button>{{}}</main>
<{1} id=ask aria-label="Delete one?"><button onclick="document.title='left';{2}">Cancel</button>
<button onclick="document.title='deleted';{2}">Delete</button></{3}>"""
MODALS = [
    # how it is opened, its start tag, how it is closed, its end tag
    ("ask.showModal()", "dialog", "ask.close()", "dialog"),
    ("ask.showModal()", "dialog", "ask.remove()", "dialog"),
    (
        "ask.hidden = false; document.querySelector('main').ariaHidden = 'true'",
        "div hidden role=alertdialog aria-modal=true",
        "ask.hidden = true; document.querySelector('main').ariaHidden = null",
        "div",
    ),
    (
        "ask.hidden = false; document.querySelector('main').ariaHidden = 'true'",
        "div hidden role=dialog",
        "ask.hidden = true; document.querySelector('main').ariaHidden = null",
        "div",
    ),
]


async def test_buttons_that_open_and_confirm_in_a_modal_dialog_are_saved_by_the_words_of_both(
    run: Run, web: Web, save: Save
) -> None:
    """On a large page elements are described in full after the press, when the dialog has come or gone."""
    for fillers, modal in product(("", FILLERS), MODALS):
        page = CONFIRMED.format(*modal).format(fillers)
        web.pages["/modal"] = page, {}
        file = await save("/modal?", "click 'main button >> nth=0'", "click '#ask button >> nth=1'")
        clicks = re.findall("^click .*", file.read_text(), re.MULTILINE)
        assert clicks[0] == "click 'role=button[name=\"Delete\"]'", modal
        assert clicks[1].endswith('role=button[name="Delete"]\''), modal
        web.pages["/modal"] = page.replace("<main>", "<main><button>New</button>"), {}
        await run(f"flow-run {file} --wait 50")
        assert await run("title") == "deleted"


async def test_button_in_capitals_by_style_is_saved_by_the_words_of_the_markup(
    run: Run, web: Web, save: Save
) -> None:
    """Playwright knows no others. Ids such as c7 are given anew with each load."""
    button = "<button id=c7 style='text-transform: uppercase' onclick='this.remove()'>Save it</button>"
    for fillers in ("", FILLERS):
        web.pages["/capitals"] = f"<ul><li>Ann {button}<li>Bob {button}</ul>{button}{fillers}", {}
        file = await save("/capitals", "click 'li:nth-of-type(2) button'", "click 'body > button >> nth=0'")
        clicks = re.findall("^click .*", file.read_text(), re.MULTILINE)
        assert clicks[0] == 'click \'li:text-is("Bob") >> role=button[name="Save it"]\'', fillers
        assert "3 steps passed" in await run(f"flow-run {file} --wait 50")
    web.pages["/capitals"] = f"{button}<div role=dialog>{button}</div>", {}
    file = await save("/capitals", "click 'div button >> nth=0'", "click button")
    clicks = re.findall("^click .*", file.read_text(), re.MULTILINE)
    assert clicks == ["click 'role=dialog >> role=button[name=\"Save it\"]'", "click button"]
