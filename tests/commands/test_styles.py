"""`styles`: the rules that apply to an element, and which of their declarations win."""

import re

import pytest

from gstack_browse.errors import NoMatch
from tests.commands.conftest import Fails, Run, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

SHEET = """@layer base, theme;
@layer base { .btn { color: black !important; padding: 1px } }
@layer theme { .btn { color: green !important; padding: 2px } }
body { color: navy; margin: 0; --gap: 3px; letter-spacing: 2px }
@media (min-width: 10px) {
  .btn { background: #112233; border: 1px solid red }
}
.card { & .btn { border-color: blue; colr: x } }
.btn::before { content: "x"; color: rgb(1, 2, 3) }
button.btn, .other { margin: 4px }
"""
PAGE = """<!doctype html><link rel=stylesheet href='{sheet}'><title>Styles</title>
<style>
  .btn {{ background-color: #445566 }}
</style><body><div class='card wide' style='letter-spacing: 1px; margin: 9px'>
<button class=btn style='width: 50px; /* height: 3px; */ color: pink'>Go</button><table width=100></table></div>"""
EXPECTED = """element.style
  width: 50px
  color: pink  (overridden)
.card & .btn  (SHEET:8)
  border-color: blue
  colr: x  (invalid)
button.btn, .other  (SHEET:10)
  margin: 4px
.btn  (PAGE:3)
  background-color: #445566
.btn  (SHEET:6, @media (min-width: 10px))
  background: #112233
  border: 1px solid red
.btn  (SHEET:3, @layer theme)
  color: green !important  (overridden)
  padding: 2px
.btn  (SHEET:2, @layer base)
  color: black !important
  padding: 1px  (overridden)
Inherited from div.card.wide:
element.style
  letter-spacing: 1px  (overridden)
Inherited from body:
body  (SHEET:4)
  color: navy  (overridden)
  --gap: 3px
  letter-spacing: 2px  (overridden)
::before:
.btn::before  (SHEET:9)
  content: "x"
  color: rgb(1, 2, 3)"""


async def shown(run: Run, line: str, **places: str) -> str:
    text = await run(line)
    for name, place in places.items():
        text = text.replace(place, name)
    return text


async def test_they_are_what_an_inspector_shows(run: Run, fails: Fails, show: Show, web: Web) -> None:
    sheet = web.url + "/styles/main.css"
    web.pages["/styles/main.css"] = SHEET, {}
    page = (await show(PAGE.format(sheet=sheet))).removeprefix(web.url)
    assert await shown(run, "styles button", PAGE=page, SHEET="/styles/main.css") == EXPECTED
    truth = "border-top-color padding-top color margin-top background-color width letter-spacing"
    assert re.findall(r": (.*)", await run(f"css button {truth}")) == [
        "rgb(0, 0, 255)", "2px", "rgb(0, 0, 0)", "4px", "rgb(68, 85, 102)", "50px", "normal"
    ]  # fmt: skip
    assert "buttontext  (overridden)" in await run("styles button color --all")
    nested, medium = ".card & .btn  (SHEET:8)", ".btn  (SHEET:6, @media (min-width: 10px))"
    told = await shown(run, "styles button border-left-color", SHEET="/styles/main.css")
    assert told.splitlines() == [nested, "  border-color: blue", medium, "  border: 1px solid red"]
    assert await run("styles table width") == "attributes\n  width: 100px"
    await fails("styles nothing", NoMatch)


async def test_frames_and_shadow_trees_have_rules_of_their_own(run: Run, show: Show, web: Web) -> None:
    web.pages["/styles/frame.css"] = "b { color: red }", {}
    inner = web.show("<link rel=stylesheet href=/styles/frame.css><b id=in>In</b>").replace(web.url, web.other)
    closed = (
        "<x-card style='color: teal'></x-card><script>document.querySelector('x-card').attachShadow({ mode: 'closed' })"
        ".innerHTML = '<style>button { margin: 3px }</style><p><button>Closed</button></p>'</script>"
    )
    page = await show(f"{closed}<iframe src='{inner}'></iframe>")
    refs = re.findall(r"(@e\d+).*(?:Closed|In)\b", await run("snapshot"))
    told = (await shown(run, f"styles {refs[0]}", PAGE=page.removeprefix(web.url))).splitlines()
    inherited = ["Inherited from x-card:", "element.style", "  color: teal  (overridden)"]
    assert told == ["button  (PAGE:1)", "  margin: 3px", *inherited]
    await run("frame iframe")
    assert await run("styles '#in' color") == "b  (/styles/frame.css:1)\n  color: red"


VARIABLES = """<!doctype html><style>:root { --c: red; --b: 2px solid blue; --p: 5px 6px; --f: italic 20px/2 serif; --a: unset; --w: 3px }
.a { background: var(--c); border: var(--b); padding: var(--p); font: var(--f); margin: var(--p) !important; inset: calc(var(--w) * 2) }
.b { background-color: rgb(0, 0, 1); border-top-color: green; padding-left: 7px; margin-left: 1px }
#x { background: var(--c) }
i { outline: 1px solid; quotes: none; all: var(--a); tab-size: 3 } u { quotes: none; all: unset; tab-size: 3 }
</style><div class=b style='font: var(--f)'><button id=x class='b a' style='border-width: var(--w)'>Go</button><i>I</i><u>U</u></div>"""
WINNERS = {
    "background-color": "#x: background: var(--c)", "border-top-color": ".b: border-top-color: green", "border-left-color": ".a: border: var(--b)",
    "border-left-width": "element.style: border-width: var(--w)", "padding-left": ".b: padding-left: 7px", "padding-right": ".a: padding: var(--p)",
    "line-height": ".a: font: var(--f)", "margin-left": ".a: margin: var(--p) !important", "top": ".a: inset: calc(var(--w) * 2)",
}  # fmt: skip


async def winner(run: Run, target: str, name: str) -> str:
    """The rule and the declaration that set a property."""
    rule = ""
    for line in (await run(f"styles {target} {name}")).splitlines():
        if not line.startswith("  "):
            rule = line.partition("  (")[0]
        elif "  (" not in line:
            return f"{rule}: {line.strip()}"
    return ""


async def test_shorthands_of_variables_set_what_they_stand_for(run: Run, show: Show) -> None:
    await show(VARIABLES)
    assert {name: await winner(run, "button", name) for name in WINNERS} == WINNERS
    told = await run("styles button")
    assert "background-color: rgb(0, 0, 1)  (overridden)" in told
    assert "margin-left: 1px  (overridden)" in told
    assert "outline: 1px solid  (overridden)" in await run("styles i outline-style")
    for styled in ("i", "u"):
        assert "quotes: none  (overridden)" in await run(f"styles {styled} quotes")
        assert re.search(r"tab-size: 3$", await run(f"styles {styled} tab-size"), re.MULTILINE)
    assert "font: var(--f)  (overridden)" in told.partition("Inherited from div.b:")[2]
