"""Test that a reply names each error of a script once, whoever throws it and when."""

import json
import re
from typing import Any

import pytest

from gstack_browse.browser.actions.input import prepared_input
from gstack_browse.browser.command.page import PageCommand
from tests.commands import in_page
from tests.commands.conftest import Check, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

KINDS = {
    "a type error": ("null.x", "TypeError: Cannot read properties of null (reading 'x') {}"),
    "a rejection": ("Promise.reject(new Error('no data'))", "Error: no data {}"),
    "an async function": ("(async () => { await 1; throw new RangeError('late') })()", "RangeError: late {}"),
    "a rejection with a string": ("Promise.reject('plain')", "plain {}"),
    "a timer": ("setTimeout(() => { throw new Error('soon') })", "Error: soon {}"),
    "null": ("throw null", "null {}"),
    "an object": ("throw {code: 7, list: [1]}", "{{code: 7, list: Array(1)}} {}"),
    "an object that speaks": ("throw {toString() { throw 1 }}", "{{toString: function}} {}"),
    "a DOMException": ("throw new DOMException('stopped', 'AbortError')", "AbortError: stopped {}"),
    "a syntax error": ("eval('a b')", "SyntaxError: Unexpected identifier 'b' {}"),
    "an error that is reported": ("reportError(new Error('reported'))", "Error: reported {}"),
    "lines and escapes": ("throw new Error('a\\n→ now at b\\x1b[31m\\u202e')", "Error: a → now at b␛[31m {}"),
    # Ten million characters a second are more than can be read, and all tests together say less.
    "a long message": ("throw new Error('x'.repeat(1e5))", "Error: " + "x" * 142 + "… {}"),
    "a stack of its own": (
        "const e = new Error('here'); e.stack = 'Error: lies\\n    at x (http://other/y.js:1:1)'; throw e",
        "Error: here {}",
    ),
    "a proxy": ("throw new Proxy({}, {get() { throw 1 }})", "Proxy(Object) {}"),
}
NAMES = list(KINDS)
WAYS = ("a type error", "a rejection", "an async function", "a timer", "a syntax error")
"""Kinds that Chromium tells of in different ways; what a reply makes of the others is the same wherever they are thrown."""
CODE = "const kinds = [\n" + "".join(f"() => {{ {code} }},\n" for code, _ in KINDS.values()) + "];\n"
ACT = """const act = () => kinds[globalThis.kind ?? new URLSearchParams(location.search).get('kind')]();
globalThis.kind = null;"""


def tells_error(said: str, name: str) -> bool:
    """Return whether a reply tells of that error, and of nothing else, with its place."""
    form = re.escape(KINDS[name][1].format("§")).replace("§", rf"\(dash\.js:{NAMES.index(name) + 2}:\d+\)")
    return bool(re.search(rf"\n→ 1 error: {form}\Z", said))


@pytest.fixture
def markup(web: Web) -> str:
    address = web.script("dash.js", CODE + ACT).removeprefix(web.url)
    return f"""<script src='{address}?v=1#x'></script><button onclick='act()'>Go</button>
        <input id=text oninput='act()'><input id=key onkeydown='act()'>
        <select id=list onchange='act()'><option>a<option>b</select><input id=box type=checkbox onchange='act()'>"""


async def test_error_thrown_while_a_page_loads_is_told(run: Run, web: Web, markup: str) -> None:
    url = web.show(markup + "<script>act()</script>")
    for name in WAYS[-3:]:
        assert tells_error(await run("goto", f"{url}?kind={NAMES.index(name)}"), name), name
    assert tells_error(await run("reload"), WAYS[-1])
    assert tells_error(await run("back"), WAYS[-2])
    assert tells_error(await run("newtab", f"{url}?kind=1"), NAMES[1])
    assert "error" not in await run("goto", web.show(markup))


ACTIONS = {
    "click": "click button", "fill": "fill #text x", "press": "press a", "select": "select #list b", "check": "check #box",
    "several": """fill-form '{"#text": "x"}'""", "type": "type --into '#key' x",
}  # fmt: skip


async def test_error_thrown_by_an_action_is_told(run: Run, show: Show, markup: str) -> None:
    await show(markup)
    resets = "list.selectedIndex = 0; box.checked = false; text.value = ''; key.focus(); 0"
    for number, (action, line) in enumerate(ACTIONS.items()):
        for name in NAMES if action == "click" else (WAYS[number % 5], WAYS[(number + 2) % 5]):
            await run("js", f"kind = {NAMES.index(name)}; {resets}")
            assert tells_error(await run(line), name), (action, name)


BUSY = """<button onclick='act()'>Go</button><input id=text onkeyup='act()'><script>
const act = () => {
  for (const end = performance.now() + 150; performance.now() < end;);
  setTimeout(() => { throw new Error('soon') }); Promise.reject(new Error('no data'))
}</script>"""


async def test_error_of_a_late_action_is_told(run: Run, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a busy machine: the page hears of it when it has given up listening, and of our question meanwhile."""
    after_input = prepared_input._call_after_input

    async def late(page: PageCommand, *words: Any) -> Any:
        await in_page.evaluate(page.tab.page, "new Promise((done) => setTimeout(done, 150))")
        return await after_input(page, *words)

    monkeypatch.setattr(prepared_input, "_call_after_input", late)
    await show(BUSY)
    for line in ("click button", "fill #text x"):  # which of the two errors is first nobody knows
        said = await run(line)
        assert sorted(re.findall(r"Error: [a-z ]+(?= \()", said)) == ["Error: no data", "Error: soon"]


async def test_error_of_a_frame_is_told(run: Run, web: Web, markup: str) -> None:
    inner = markup + "<script>act()</script>"
    for address, ways in ((web.show(inner), WAYS[:1]), (web.show_elsewhere(inner), WAYS)):
        assert tells_error(await run("goto", web.show(f"<iframe src='{address}?kind=0'></iframe>")), NAMES[0])
        await run("frame iframe")
        for name in ways:
            await run("js", f"kind = {NAMES.index(name)}; 0")
            assert tells_error(await run("click button"), name), name


async def test_errors_of_scripts_unreadable_or_of_another_origin_are_told(run: Run, web: Web) -> None:
    """Say more than the page knows, to which an error from another origin is only "Script error."."""
    bad = web.script("bad.js", "const a = 1;\nlet let = 2;")
    page = f"<script src='{bad}'></script><script type=module src='{bad}'></script>\n<script>\n a b</script>"
    said = await run("goto", web.show(page))
    first = "→ 3 errors: SyntaxError: let is disallowed as a lexically bound name (bad.js:2:5); "
    assert said.splitlines()[1].startswith(first)
    assert re.search(r"; SyntaxError: Unexpected identifier 'b' \(\d+\.html:3:4\)", said)
    bad = web.script("cdn.js", "\nthrow new TypeError('from there')").replace(web.url, web.other)
    said = await run("goto", web.show(f"<script src='{bad}'></script>"))
    assert said.splitlines()[1:] == ["→ 1 error: TypeError: from there (cdn.js:2:7)"]
    line = await run("console --errors")
    assert line.endswith(f"[error] Uncaught TypeError: from there ({bad}:2:7)")


async def test_an_error_in_a_worker(run: Run, check: Check, show: Show) -> None:
    """Of a thread of its own that goes on behind the action's back: in any case the log has it."""
    code = json.dumps("onmessage = () => { throw new Error('at work') }")
    await show(
        f"<button onclick='w.postMessage(0)'>Go</button><script>w = new Worker(URL.createObjectURL(new Blob([{code}])));"
        "failed = new Promise((done) => { w.onerror = done })</script>"
    )
    await check({"click button": "…", "js await failed; 0": "0", "expect console-errors": "…"})
    [line] = (await run("console --errors")).splitlines()
    place = r"\(self\.onmessage|\(onmessage \(blob:.*:1:27\)\)\Z"
    assert re.search(rf"\[error\] Uncaught Error: at work {place}", line)


async def test_several_errors_are_one_line(run: Run, check: Check, show: Show, web: Web) -> None:
    """Print little of one with a stack without end."""
    address = web.script("many.js", "const fail = (n) => { throw new Error('bad ' + n) }")
    url = await show(
        "<button id=deep onclick='(function f() { f() })()'>Deep</button>"
        f"<script src='{address}'></script><button id=same onclick='for (let i = 0; i < 3; i++) setTimeout(fail, 0, 1)'>Same</button>"
        "<button id=more onclick='for (let i = 0; i < 9; i++) setTimeout(fail, 0, i % 5)'>More</button>"
    )
    said = await run("click #deep")
    assert re.search(r"\n→ 1 error: RangeError: Maximum call stack size exceeded \(\d+\.html:1:\d+\)\Z", said)
    assert len(await run("console")) < 200 + len(url)
    some = "; ".join(f"Error: bad {number} (many.js:1:29)" for number in range(3))
    await check({
        "click #same": "Clicked #same\n→ 3 errors: Error: bad 1 (many.js:1:29)",
        "click #more": f"Clicked #more\n→ 9 errors: {some}; … see 'console --errors'",
    })  # fmt: skip


async def test_handled_and_reported_errors_are_not_told_twice(run: Run, show: Show, shell: Shell) -> None:
    """Leave out errors that are handled after all, and those that the command itself reports."""
    handled = "try { null.x } catch {} ; Promise.reject(1).catch(() => 0)"
    await show(f'<button onclick="{handled}">Handle</button><img src=/status/404>')
    assert len(shell.replies[-1].text.splitlines()) == 1
    assert "error" not in await run("click button")
    for code in ("throw new Error('of the command')", "Promise.reject(new Error('of the command'))"):
        assert (await shell.send("js", code)).notes == []
    assert "of the command" not in await run("console --errors")
    later = await shell.send("js", "setTimeout(() => { throw new Error('later') }); 1")
    assert later.notes == ["1 error: Error: later"]


async def test_the_errors_of_other_tabs_and_documents_are_theirs(run: Run, show: Show, web: Web) -> None:
    await show("<button onclick='null.x'>Open</button>")
    await run("newtab", web.show("<script>setInterval(() => { throw new Error('noise') }, 2)</script><p>x"))
    assert (await run("click button", tab=1)).count("→") == 1
    assert "error" not in await run("goto", web.show("<p>calm"))
    assert (await run("console --errors")).startswith("(no console errors on this page; ")


async def test_each_step_of_a_chain_tells_its_own(run: Run, show: Show, markup: str) -> None:
    await show(markup)
    said = await run("chain", '[["js", "kind = 0; 0"], ["click", "button"], ["text"], ["click", "button"]]')
    told = KINDS[NAMES[0]][1].format("(dash.js:2:14)")
    assert [line for line in said.splitlines() if "error" in line] == [f"→ 1 error: {told}"] * 2
