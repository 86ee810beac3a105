import ast
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.errors import UsageError
from gstack_browse.flows import file as flow_file
from gstack_browse.flows.devtools_recording import export_recorder, import_recorder
from gstack_browse.flows.flow_builder import Imported
from gstack_browse.flows.playwright_test_writer import export_playwright_test, export_pytest
from gstack_browse.flows.scripts import export_python, export_shell
from gstack_browse.flows.selenium_ide import import_selenium_ide
from gstack_browse.flows.selenium_ide_writer import export_selenium_ide
from tests.each import each_row
from tests.unit.hostile import json_values

FLOW = """# gbrowse flow 1
# var email = ann@example.com
# secret password
viewport 1280x720
goto http://localhost:3000/login
fill label=Email $email
#@ textbox "Email" tag=input id=email
fill label=Password $password --submit
press Enter
click 'role=button[name="Sign in"]'
#@ button "Sign in" tag=button in=form order=1/2
click 'testid="go"' --double
hover '#menu > li:nth-of-type(2)'
select '[name="country"]' Germany
#@ combobox "Country" tag=select
check label=Agree
expect url '**/account?**'
expect --not text Error
expect value label=Email =ann@example.com
expect count li 3
expect dialog '=Really?'
frame '#inner'
click text=Save
frame main
click 'text=Open'
#@ tab 2
tab 2
js 'document.title'
wait --networkidle
click text=Report
expect downloads report.csv
back
drag '#a' '#b'
select-text h1
newtab http://localhost:3000/help
#@ tab 3
closetab
"""

PYTEST = '''"""Made from the flow login by gbrowse flow-export."""

import os
import re
from typing import Any

from playwright.sync_api import Dialog, Page, expect

EMAIL_ = os.environ.get("FLOW_EMAIL", "ann@example.com")
PASSWORD_ = os.environ["FLOW_PASSWORD"]

def test_login(page: Page) -> None:
    dialogs: list[str] = []
    answer: dict[str, Any] = {"accept": True, "text": None}

    def on_dialog(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.accept(answer["text"]) if answer["accept"] else dialog.dismiss()

    page.on("dialog", on_dialog)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto("http://localhost:3000/login")
    page.get_by_role("textbox", name="Email", exact=True).fill(EMAIL_)
    page.get_by_label("Password").fill(PASSWORD_)
    page.get_by_label("Password").press("Enter")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_test_id("go").dblclick()
    page.locator("#menu > li:nth-of-type(2)").hover()
    page.locator("[name=\\"country\\"]").select_option("Germany")
    page.get_by_label("Agree").check()
    expect(page).to_have_url(re.compile("^(?:.*/)?account\\\\?.*$"))
    expect(page.locator("body")).not_to_contain_text("Error")
    expect(page.get_by_role("textbox", name="Email", exact=True)).to_have_value("ann@example.com")
    expect(page.locator("li")).to_have_count(3)
    while "Really?" not in dialogs:
        page.wait_for_event("dialog")
    page.locator("#inner").content_frame.get_by_text("Save").click()
    with page.expect_popup() as page2_info:
        page.get_by_text("Open").click()
    page2 = page2_info.value
    page2.bring_to_front()
    page2.evaluate("document.title")
    page2.wait_for_load_state("networkidle")
    page2.evaluate("async () => { … }")
    with page2.expect_download() as download3_info:
        page2.get_by_text("Report").click()
    download3 = download3_info.value
    assert re.compile("report\\\\.csv").search(download3.suggested_filename), "no download of report.csv"
    page2.go_back()
    page2.locator("#a").drag_to(page2.locator("#b"))
    page2.locator("h1").select_text()
    page4 = page2.context.new_page()
    page4.goto("http://localhost:3000/help")
    page4.close()
'''


def test_flow_is_written_as_a_test_for_pytest() -> None:
    exported = export_pytest(flow_file.parse(FLOW), "login")
    assert exported.losses == []
    short = re.sub(r"async \(\) => \{.*?\}\"", 'async () => { … }"', exported.text)
    assert re.sub(r"\n{2,}", "\n\n", short) == PYTEST
    ast.parse(exported.text)


def test_flow_is_written_for_playwright_test() -> None:
    text = export_playwright_test(flow_file.parse(FLOW), "login").text
    for line in (
        "import { expect, test } from '@playwright/test';",
        'const EMAIL_ = process.env.FLOW_EMAIL ?? "ann@example.com";',
        'test("login", async ({ page }) => {',
        "  await page.setViewportSize({ width: 1280, height: 720 });",
        '  await page.getByRole("button", { name: "Sign in", exact: true }).click();',
        '  await page.getByTestId("go").dblclick();',
        '  await expect(page).toHaveURL(new RegExp("^(?:.*/)?account\\\\?.*$"));',
        '  await expect(page.locator("body")).not.toContainText("Error");',
        '  await page.locator("#inner").contentFrame().getByText("Save").click();',
        "  const page2Promise = page.waitForEvent('popup');",
    ):
        assert line in text.splitlines()


@each_row(
    ("click a --at 1,2", "click with --at"),
    ("select list x", "a list that is no <select>"),
    ("scroll list bottom", "a pane is scrolled to its end"),
    ("mouse down", "no test of Playwright does this"),
    ("click @e3", "a ref, which means nothing elsewhere"),
    ("expect request **/save", "expect request"),
    ("frame 'role=iframe[name=\"x\"]'", "a frame by its role, which Playwright does not know: name it by CSS"),
    ("goto ./page.html", "a file of this machine"),
    ("tab 7", "a tab that no step has opened"),
)
def test_step_without_counterpart_is_named_and_left_out(line: str, why: str) -> None:
    flow = flow_file.parse(f"# gbrowse flow 1\n{line}\n")
    for export in (export_pytest, export_playwright_test):
        exported = export(flow, "x")
        assert exported.losses == [f"step 1, {line.split()[0]}: {why}"]
        assert "left out step 1" in exported.text


def test_shell_script_has_no_secret_and_python_takes_it_from_the_environment() -> None:
    flow = flow_file.parse(FLOW)
    shell, python = export_shell(flow, "login"), export_python(flow, "login")
    assert shell.losses == ["step 4, fill: it types a secret, which others could read on a command line"]
    assert "FLOW_EMAIL=${FLOW_EMAIL-ann@example.com}\n" in shell.text
    assert """gbrowse fill label=Email "${FLOW_EMAIL}"\n""" in shell.text
    assert 'browse("fill", "label=Password", PASSWORD_, "--submit")' in python.text
    ast.parse(python.text)


def test_no_name_in_a_flow_becomes_code_of_an_export() -> None:
    flow = flow_file.parse(
        "# gbrowse flow 1\n# var PATH = ./evil\n# secret IFS\ngoto $PATH\n$'x\\nevil' $IFS\n"
    )
    name = 'a""" + evil() + """\nevil()\r\u2028evil()\\'
    shell = export_shell(flow, name).text
    assert all(line.startswith(("#", "set -eu", "FLOW_", "gbrowse ")) for line in shell.splitlines()), shell
    for export in (export_python, export_pytest):
        called = [
            node.func for node in ast.walk(ast.parse(export(flow, name).text)) if isinstance(node, ast.Call)
        ]
        assert "evil" not in map(ast.unparse, called)
    script = export_playwright_test(flow, name).text
    assert re.split("[\n\r\u2028\u2029]", script)[1] == "import { expect, test } from '@playwright/test';"


@each_row(
    ("fill label=title: x", 'textbox "Title:" tag=input', 'get_by_role("textbox", name="Title:", exact=True)'),
    ("fill label=Title x", 'textbox "Title of the book" tag=input', 'get_by_label("Title")'),
    ("fill label=Title y", 'textbox "TITLE" tag=input', 'get_by_label("Title")'),
    ("fill 'label=\"Title\"' x", 'textbox "Title" tag=input', 'get_by_role("textbox", name="Title", exact=True)'),
    ("fill label=Key x", 'textbox "Key" tag=input type=password', r'get_by_label(re.compile("^\\s*Key[\\s*:]*$"))'),
    ("fill placeholder=find x", 'textbox "Search" tag=input hint=Find', 'get_by_placeholder("Find", exact=True)'),
    ("fill placeholder=find y", 'textbox "Find" tag=input hint="Find a book"', 'get_by_placeholder("find")'),
    ("type --into label=Name -- x", 'textbox "Name" tag=input', 'get_by_role("textbox", name="Name", exact=True)'),
    ("click text=Ann", 'cell "Ann" tag=td', 'get_by_text("Ann", exact=True)'),
    ("click text=Add", 'button "Add another" tag=button', 'get_by_text("Add")'),
    ("click alt=logo", 'img "Logo" tag=img', 'get_by_alt_text("Logo", exact=True)'),
    ('click "text=Open $who"', 'button "Open Ann" tag=button', 'get_by_role("button", name=f"Open {WHO_}", exact=True)'),
    ('click "text=$who"', 'button "Open Ann" tag=button', "get_by_text(WHO_)"),
)  # fmt: skip
def test_words_that_are_all_that_an_element_says_are_written_as_such(
    line: str, note: str, written: str
) -> None:
    """Playwright takes the words for a part otherwise, and stops where "Subtitle" is beside "Title"."""
    flow = flow_file.parse(f"# gbrowse flow 1\n# var who = Ann\n{line}\n#@ {note}\n")
    python, script = export_pytest(flow, "x").text, export_playwright_test(flow, "x").text
    assert f"    page.{written}." in python
    assert ("exact: true" in script) == ("exact=True" in written)


@each_row(
    ('expect value label=Name =Ann\nfill label=Name Ann\n#@ textbox "Name" tag=input',
     'expect(page.get_by_role("textbox", name="Name", exact=True)).to_have_value("Ann")'),
    ('click text=Checkout\n#@ link "Checkout" tag=a\nexpect visible text=Checkout',
     'expect(page.get_by_text("Checkout")).to_be_visible()'),
    ("scroll down 300", "page.mouse.wheel(0, 300)"),
    ("scroll bottom", 'page.evaluate("window.scrollTo(0, document.scrollingElement.scrollHeight)")'),
    ("scroll list up 40", 'page.locator("list").hover()\n    page.mouse.wheel(0, -40)'),
    ("scroll text=x", 'page.get_by_text("x").scroll_into_view_if_needed()'),
    ("dialog-accept Ann", 'answer["text"] = "Ann"'),
    ("upload text=CV f.txt", "with page.expect_file_chooser() as chooser2_info:"),
    ("upload text=CV f.txt", 'chooser2.set_files("f.txt")'),
    ("goto example.com", 'page.goto("https://example.com")'),
    ("goto about:blank", 'page.goto("about:blank")'),
)  # fmt: skip
def test_step_is_written_for_pytest(step: str, written: str) -> None:
    """Write an expectation of a field by the note of its step, and one of a text as it is."""
    assert f"    {written}\n" in export_pytest(flow_file.parse(f"# gbrowse flow 1\n{step}\n"), "x").text


def test_recording_is_read_as_the_same_steps() -> None:
    flow = flow_file.parse(FLOW)
    exported = export_recorder(flow, "login")
    imported = import_recorder(exported.text)
    assert imported.losses == []
    words, imported_words = (
        [step.text.replace('"', "") for step in one.steps] for one in (flow, imported.flow)
    )
    assert imported_words == words
    assert imported.flow.variables == flow.variables
    assert [step["type"] for step in json.loads(exported.text)["steps"]][:6] == [
        "customStep", "setViewport", "navigate", "customStep", "customStep", "keyDown",
    ]  # fmt: skip


RECORDING: dict[str, Any] = {
    "title": "Recording 1",
    "steps": [
        {"type": "setViewport", "width": 800, "height": 600, "deviceScaleFactor": 1, "isMobile": False, "hasTouch": False, "isLandscape": False},
        {"type": "navigate", "url": "https://shop.example/", "assertedEvents": [{"type": "navigation", "url": "https://shop.example/", "title": ""}]},
        {"type": "click", "target": "main", "selectors": [["aria/Add to cart[role=\"button\"]"], ["#cart"], ["xpath///*[@id=\"cart\"]"]], "offsetY": 5, "offsetX": 5},
        {"type": "change", "value": "secret 1", "selectors": [["aria/Password"], ["#password"]], "target": "main"},
        {"type": "change", "value": "ann", "selectors": [["#a", "b"], ["#name"]], "target": "main"},
        {"type": "keyDown", "target": "main", "key": "Control"},
        {"type": "keyDown", "target": "main", "key": "a"},
        {"type": "keyUp", "target": "main", "key": "a"},
        {"type": "keyUp", "target": "main", "key": "Control"},
        {"type": "click", "selectors": [["text/Next"]], "frame": [0], "offsetX": 1, "offsetY": 1},
        {"type": "click", "selectors": [["#next"]], "offsetX": 1, "offsetY": 1, "assertedEvents": [{"type": "navigation", "url": "https://shop.example/done?x=1"}]},
        {"type": "scroll", "selectors": [["#end"]]},
        {"type": "waitForExpression", "expression": "x"},
        {"type": "emulateNetworkConditions", "download": 1},
        {"type": "customStep", "name": "gbrowse", "parameters": {"line": "click 'a"}},
        {"type": "customStep", "name": "gbrowse", "parameters": {}},
    ],
}  # fmt: skip


def test_recording_of_the_devtools_is_read_and_losses_are_told() -> None:
    imported = import_recorder(json.dumps(RECORDING))
    assert [step.text for step in imported.flow.steps] == [
        "viewport 800x600",
        "goto https://shop.example/",
        "click 'role=button[name=\"Add to cart\"]'",
        "fill '#password' $password",
        "fill '#name' ann",
        "press Control+a",
        "click '#next'",
        "expect url '**/done?**'",
        "scroll '#end'",
    ]
    assert imported.losses == [
        "step 10 (click): it is in a frame, which recordings name by number only",
        "step 13 (waitForExpression): gbrowse has no such step",
        "step 14 (emulateNetworkConditions): gbrowse has no such step",
        "step 15 (customStep): column 7: the quotation has no end",
        "step 16 (customStep): it has no line",
    ]


def side(*commands: tuple[str, str, str]) -> str:
    listed = [{"command": name, "target": target, "value": value} for name, target, value in commands]
    return json.dumps(
        {"name": "p", "url": "https://shop.example", "tests": [{"name": "one", "commands": listed}]}
    )


def test_project_of_the_selenium_ide_is_read_and_losses_are_told() -> None:
    imported = import_selenium_ide(
        side(
            ("open", "/login", ""),
            ("setWindowSize", "1200x800", ""),
            ("store", "ann", "who"),
            ("type", "id=name", "${who}!"),
            ("type", "name=password", "secret 1"),
            ("sendKeys", "css=#name", "x${KEY_ENTER}"),
            ("//click", "id=never", ""),
            ("click", "linkText=Sign in", ""),
            ("select", "id=country", "label=Germany"),
            ("assertText", "css=h1", "Welcome"),
            ("verifyElementNotPresent", "xpath=//p[1]", ""),
            ("if", "${x}", ""),
            ("executeScript", "return 1", "x"),
            ("click", "identifier=x", ""),
            ("storeWindowHandle", "root", ""),
        )
    )
    assert [step.text for step in imported.flow.steps] == [
        "goto https://shop.example/login",
        "viewport 1200x800",
        "fill '#name' \"$who!\"",
        "fill '[name=\"password\"]' $password",
        "type --into 'css=#name' -- x",
        "press Enter",
        "click 'role=link[name=\"Sign in\"]'",
        "select '#country' Germany",
        "expect text =Welcome --in css=h1",
        "expect hidden 'xpath=//p[1]'",
    ]
    assert imported.losses == [
        "command 12 (if): a flow has no loops, conditions, calls or results of scripts",
        "command 13 (executeScript): a flow has no loops, conditions, calls or results of scripts",
        "command 14 (click): a locator by identifier",
        "command 15 (storeWindowHandle): gbrowse has no such command",
    ]


STEP_TYPES = "navigate click change keyDown keyUp setViewport scroll waitForElement customStep hover"
STEPS = st.fixed_dictionaries(
    {"type": st.sampled_from(STEP_TYPES.split()) | json_values},
    optional={
        "url": st.text(max_size=20) | st.just("https://a.example/x?token=abcdefgh"),
        "selectors": json_values | st.lists(st.lists(st.text(max_size=12), max_size=2), max_size=3),
        "name": st.just("gbrowse") | json_values,
        "parameters": json_values
        | st.fixed_dictionaries({"line": st.text(max_size=20), "notes": json_values, "tab": json_values}),
        **dict.fromkeys(["value", "key"], st.text(max_size=12) | json_values),
        **dict.fromkeys(["width", "height", "x", "assertedEvents", "count", "operator"], json_values),
    },
)
COMMANDS = "open click type sendKeys select assertText store runScript selectFrame pause"
SIDE_COMMANDS = st.fixed_dictionaries(
    {
        "command": st.sampled_from(COMMANDS.split()) | json_values,
        "target": st.sampled_from(["id=a", "css=#b", "name=password", "index=0", "index=x", "/p"])
        | st.text(max_size=15)
        | json_values,
        "value": st.sampled_from(["${KEY_ENTER}", "${x}", "label=a"]) | st.text(max_size=15) | json_values,
    }
)


def text_of_json(files: st.SearchStrategy[object]) -> st.SearchStrategy[str]:
    return st.text(max_size=60) | (json_values | files).map(json.dumps)


def assert_is_a_flow_or_a_usage_error(import_file: Callable[[str], Imported], text: str) -> None:
    try:
        imported = import_file(text)
    except UsageError:
        return
    if imported.flow.steps:
        read = flow_file.parse(flow_file.render(imported.flow))
        assert [step.words for step in read.steps] == [step.words for step in imported.flow.steps]


@given(text_of_json(st.fixed_dictionaries({"steps": st.lists(STEPS, max_size=5)})))
def test_any_recording_is_a_flow_or_a_usage_error(text: str) -> None:
    assert_is_a_flow_or_a_usage_error(import_recorder, text)


@given(text_of_json(st.lists(SIDE_COMMANDS, max_size=5).map(
    lambda commands: {"url": "https://a.example", "tests": [{"name": "t", "commands": commands}]}
)))  # fmt: skip
def test_any_project_is_a_flow_or_a_usage_error(text: str) -> None:
    assert_is_a_flow_or_a_usage_error(import_selenium_ide, text)


def test_project_with_several_tests_needs_a_name() -> None:
    text = json.dumps({"tests": [{"name": "a", "commands": []}, {"name": "b", "commands": []}]})
    with pytest.raises(UsageError) as refused:
        import_selenium_ide(text)
    assert (refused.value.message, refused.value.hint) == (
        "The project has several tests",
        "Name one by --test: a, b",
    )


SIDE_FLOW = """# gbrowse flow 1
# var email = ann@example.com
# secret pw
viewport 1280x720
goto http://localhost:3000/login
fill '#email' $email
fill '[name="key"]' $pw
focus '#email'
press Enter
click 'role=link[name="Sign in"]'
click 'css=main button' --double
hover 'xpath=//nav'
select '#country' Germany
check '#agree'
drag '#one' '#two'
wait 200
frame 'iframe >> nth=2'
frame main
js -- 'document.title = "a"'
type --into '#note' -- 'on $5 and more'
expect visible '#done'
expect hidden '#busy'
expect checked '#agree'
expect --not checked '#other'
expect text 'Welcome, $email'
expect --not text Error
expect text '=All of it' --in css=h1
expect title =Start
expect value '#email' =ann@example.com
dialog-dismiss
dialog-accept 'my words'
expect dialog '=Really?'
closetab
"""


def test_flow_comes_back_from_a_project_of_the_selenium_ide() -> None:
    flow = flow_file.parse(SIDE_FLOW.replace("'Welcome, $email'", '"Welcome, $email"'))
    exported = export_selenium_ide(flow, "login")
    assert exported.losses == []
    project = json.loads(exported.text)
    assert project["url"] == "http://localhost:3000"
    assert project["suites"][0]["tests"] == [project["tests"][0]["id"]]
    imported = import_selenium_ide(exported.text)
    assert imported.losses == []
    assert flow_file.render(imported.flow) == flow_file.render(flow)


def test_element_by_role_is_located_by_its_note_and_the_rest_is_refused_by_name() -> None:
    exported = export_selenium_ide(flow_file.parse(FLOW), "login")
    commands = [(each["command"], each["target"]) for each in json.loads(exported.text)["tests"][0]["commands"]]
    assert ("type", "id=email") in commands
    assert ("doubleClick", 'css=[data-testid="go"]') in commands
    assert exported.losses[:3] == [
        "step 4, fill: a selector by label, and its note has no id or name of a field",
        "step 5, press: a selector by label, and its note has no id or name of a field",
        "step 6, click: a selector by role, and its note has no id or name of a field",
    ]
    assert "step 11, expect: the IDE has no check of url" in exported.losses
    assert import_selenium_ide(exported.text).losses == []


@each_row(
    ('#@ link "Export" tag=a order=1/1', "linkText=Export"),
    ('#@ link "Export" tag=a order=1/2', None),
    ('#@ button "Export" tag=button testid=row id=export shared=testid order=1/1', "id=export"),
    ('#@ button "Export" tag=button testid=row shared=testid order=1/2', None),
    ('#@ textbox "Export" tag=input name=export shared=name', None),
)
def test_mark_that_other_elements_have_locates_none_for_the_selenium_ide(
    note: str, locator: str | None
) -> None:
    exported = export_selenium_ide(flow_file.parse(f"# gbrowse flow 1\nclick text=Export\n{note}\n"), "export")
    commands = json.loads(exported.text)["tests"][0]["commands"]
    assert [each["target"] for each in commands if each["command"] == "click"] == ([locator] if locator else [])
    assert bool(exported.losses) == (locator is None)
