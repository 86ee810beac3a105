"""Test `js` and `eval`: values, thrown errors, refs in code, files, and code that is piped in."""

import pytest

from gstack_browse.browser.cdp import tasks as patience
from gstack_browse.daemon.request import timeouts
from gstack_browse.errors import FileFailed, Refused, ScriptFailed, StaleRef, TimedOut, UnknownRef
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

VALUES = [
    ("1 + 1", "2"), ("'text'", "text"), ("'line\\nline'", "line\nline"), ("true", "true"), ("null", "null"),
    ("undefined", ""), ("({a: 1, b: [2, 'x']})", '{"a":1,"b":[2,"x"]}'), ("{a: 1}", '{"a":1}'), ("[1, 2]", "[1,2]"),
    ("[]", "[]"), ("({})", "{}"), ("0.1 + 0.2", "0.30000000000000004"), ("-0", "-0"), ("1e21", "1e+21"),
    ("NaN", "NaN"), ("-Infinity", "-Infinity"), ("10n ** 20n", "100000000000000000000"), ("1e20", "100000000000000000000"),
    ("await Promise.resolve(3)", "3"), ("Promise.resolve({x: 1})", '{"x":1}'), ("let a = 2; a * 3", "6"),
    ("const x = 1; const y = 2; x + y", "3"), ("for (let i = 0; i < 3; i++) i", "2"), ("if (true) 'yes'; else 'no'", "yes"),
    ("(() => 5)()", "5"), ("new Date(0)", "1970-01-01T00:00:00.000Z"), ("new Map([['a', 1]])", '{"a":1}'),
    ("new Set([1, 2])", "[1,2]"), ("[undefined, () => 1]", "[null,null]"), ("({a: undefined})", "{}"),
    ("/a/g", "/a/g"), ("Symbol('s')", "Symbol(s)"), ("[1n]", '["1"]'), ("document.body", "<body>"), ("'@e1'", "@e1"),
    ("await new Promise(r => setTimeout(() => r('late'), 50))", "late"), ("// await nothing\n7", "7"),
    ("async () => 1", "async () => 1"), ("'a\\u0000b'", "a␀b"), ("`${1}`", "1"), ("new Error('kept')", "Error: kept"), ("new Error(new Error('kept'))", "Error: kept"),
    ("JSON.stringify({a: [1]})", '{"a":[1]}'), ("document.querySelectorAll('p')", "[]"),
    ("const a = {name: 'loop'}; a.self = a; a", '{"name":"loop","self":"[circular]"}'), ("({w: window})", '{"w":"[window]"}'),
    ("const b = {n: 1}; [b, b]", '[{"n":1},{"n":1}]'), ("({f() {}, n: 1})", '{"n":1}'), ("({el: document.body, b: 5n})", '{"el":"<body>","b":"5"}'),
    ("return 4", "4"), ("const r = await fetch('/api'); return r.status", "200"), ("function f() { return 9 } f()", "9"),
]  # fmt: skip


async def test_values_of_expressions_are_printed(run: Run, visit: Show) -> None:
    """Join words, and keep variables for the next call. Let getters that throw, and proxies, do no harm."""
    await visit("form.html")
    assert [(code, await run("js", code)) for code, _ in VALUES] == VALUES
    assert await run("js", "1", "+", "2") == "3"
    await run("js", "let kept = 41; globalThis.other = 1; kept")
    assert await run("js", "kept + other") == "42"
    assert await run("js", "let kept = 7; kept") == "7"
    assert await run("js", "") == ""
    thrower, proxy = (
        "({get x() { throw new Error('trap') }})",
        "new Proxy({}, {ownKeys() { throw 1 }, get() { throw 2 }})",
    )
    for code in (thrower, proxy, "({toJSON() { throw new Error('no') }})"):
        await run("js", code)


NAMED_BY_THE_PAGE = "<script>const items = [1]; let total = 2; class Cart {} function add() {}</script>"
NAMES_AGAIN = [
    ("const items = 5; items", "5"), ("const { total } = { total: 3 }; total", "3"), ("class Cart { n = 4 } new Cart().n", "4"),
    ("const add = () => 6; add()", "6"), ("const items = await Promise.resolve(8); items", "8"), ("let own = 1; own", "1"),
    ("let own = 3; await own", "3"), ("const items = 9; Promise.resolve(items)", "9"), ("const items = 10; return items", "10"), ("items[0] + total", "3"),
]  # fmt: skip


async def test_names_of_the_page_are_free(run: Run, fails: Fails, show: Show, web: Web) -> None:
    await show(f'{NAMED_BY_THE_PAGE}<iframe srcdoc="{NAMED_BY_THE_PAGE}"></iframe>')
    assert [(code, await run("js", code)) for code, _ in NAMES_AGAIN] == NAMES_AGAIN
    await run("frame", "iframe")
    assert [(code, await run("js", code)) for code, _ in NAMES_AGAIN] == NAMES_AGAIN
    twice = await fails("js", ScriptFailed, "globalThis.ran = 1; let twice = 1; let twice = 2")
    assert twice.message == "SyntaxError: Identifier 'twice' has already been declared"
    assert await run("js", "typeof ran") == "undefined"


@each(
    [
        ("nope.x", "ReferenceError: nope is not defined"),
        ("throw new Error('boom')", "Error: boom"), ("throw 'text'", "text"), ("throw {code: 7}", '{"code":7}'), ("throw null", "null"),
        ("await Promise.reject(new TypeError('no'))", "TypeError: no"), ("Promise.reject('plain')", "plain"),
        ("1 +", "SyntaxError: Unexpected end of input"), ("let let = 1", "SyntaxError: let is disallowed as a lexically bound name"),
        ("throw new Error('line one\\nline two')", "Error: line one line two"), ("throw undefined", "undefined"),
        ("throw new Error(new TypeError('inner'))", "Error: TypeError: inner"), ("await (async () => { throw Error(Error(Error('deep'))) })()", "Error: deep"),
        ("throw new DOMException('stopped', 'AbortError')", "AbortError: stopped"), ("throw 'Error: Error: as it is'", "Error: Error: as it is"),
    ],
)  # fmt: skip
async def test_thrown_value_is_the_error_message(case: tuple[str, str], fails: Fails) -> None:
    code, message = case
    assert (await fails("js", ScriptFailed, code)).message == message


async def test_a_ref_stands_for_its_element(run: Run, show: Show, fails: Fails, web: Web) -> None:
    """Run in the frame of the element, and leave no names in the page."""
    inner = web.show_elsewhere("<button id=deep>In</button>")
    await show(f"<button id=a>Go</button><a href=/plain.html id=b>Link</a><iframe src='{inner}'></iframe>")
    await run("snapshot -i")
    names = "Object.getOwnPropertyNames(window).length"
    before = await run("js", names)
    values = {
        "@e1.id + @e2.id": "ab",
        "const x = @e1; x.textContent": "Go",
        "await Promise.resolve(@e2.href.endsWith('plain.html'))": "true",
        "@e1": "<button#a>",
        "'@e9 in a string ' + @e1.id": "@e9 in a string a",
        "`@e1 is ${@e1.id}`": "@e1 is a",
        "@e3.id + location.hostname": "deeplocalhost",
        names: before,
    }
    assert {code: await run("js", code) for code in values} == values
    await fails("js", UnknownRef, "@e77.id")
    await run("js", "@e1.remove()")
    await fails("js", StaleRef, "@e1.id")


async def test_code_that_navigates(run: Run, visit: Show) -> None:
    await visit("form.html")
    await run("js", "location.href = '/plain.html'")
    assert await run("text h1") == "A plain page"
    await run("js", "location.reload(); await new Promise(() => {})")
    assert await run("text h1") == "A plain page"


async def test_the_time_that_code_is_given_is_all_that_it_gets(
    run: Run, fails: Fails, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stop a script that never ends, and wait for no promise that never comes."""
    monkeypatch.setattr(timeouts, "_STUCK_SECONDS", 0.05)  # no page here would answer later
    monkeypatch.setattr(patience, "ANSWERS", 30)
    await show("<h1>Here</h1>")
    (shell.workspace / "never.js").write_text("await new Promise(() => {})")
    stuck = "the page is stuck in a script, which was stopped"
    for line, message in {
        "js --timeout 400 'new Promise(() => {})'": "js did not finish in 0.4s",
        "eval never.js --timeout 400": "eval did not finish in 0.4s",
        "js --timeout 200 'while (true);'": f"js did not finish in 0.2s: {stuck}",
        "wait --timeout 600 --js 'new Promise(() => {})'": "The expression was not true after 0.6s",
        "wait --timeout 300 --js 'while (true);'": f"wait did not finish in 0.3s: {stuck}",
    }.items():
        reply = await fails(line, TimedOut)
        assert reply.message == message
        if line.startswith("wait") and "Promise" in line:
            assert reply.hint.startswith("Its value did not come: it is a promise, or the page is busy")
        assert await run("text") == "Here"


FILES = [
    ("await Promise.resolve(41) + 1", "42"), ("const a = await Promise.resolve(1);\na + 1", "2"),
    ("// await it\n(async function () {\n  // return\n  return await 3;\n})();\n", "3"), ("await (async () => {\n  return await 4;\n})()", "4"),
    ("async function main() {\n  return 'main';\n}\nmain();", "main"), ("const f = () => {\n  return 1;\n};\nreturn await f() + 1", "2"),
    ("let n = 0;\nfor await (const x of [1, 2])\n  n += x;\nn", "3"), ("{\n  a: await 1,\n  b: [2],\n}", '{"a":1,"b":[2]}'),
    ("`\nawait`.trim()", "await"), ("// await nothing\nlet a = 5;\na", "5"), ("/* we await\n nothing */\n'x'", "x"),
    ("const s = 'await';\ns", "await"), ("if (true) {\n  return 'early';\n}", "early"), ("function f() {\n  return 7;\n}\nf()", "7"),
    ("\ufeff1 + 1", "2"), ("\n", ""),
]  # fmt: skip
"""Content of a file, and what running it prints."""


async def test_eval_runs_a_file_or_what_is_piped_in(run: Run, fails: Fails, visit: Show, shell: Shell) -> None:
    await visit("plain.html")
    script, values = shell.workspace / "script.js", []
    for code, _ in FILES:
        script.write_text(code)
        values.append((code, await run("eval script.js")))
    assert values == FILES
    assert await run("eval -", stdin="\ufeffconst a = await Promise.resolve(1);\nreturn a + 1") == "2"
    assert (await fails("eval -", ScriptFailed, stdin="throw new Error('no')")).message == "Error: no"
    script.write_text("await Promise.reject(new TypeError('no'));\nreturn 1")
    assert (await fails("eval script.js", ScriptFailed)).message == "TypeError: no"
    script.write_bytes(b"\xff\xfe\x00")
    for name in ("nope.js", "script.js", "."):
        await fails(f"eval {name}", FileFailed)


async def test_value_is_saved_whole_for_its_owner_only(
    run: Run, fails: Fails, visit: Show, shell: Shell
) -> None:
    await visit("plain.html")
    out = shell.workspace / "value.txt"
    code = "'a\\u0007b'.repeat(50000)"
    assert await run("js --out value.txt", code) == f"Value saved: {out} (150000B)"
    assert out.read_text() == "a\x07b" * 50000
    assert out.stat().st_mode & 0o777 == 0o600
    assert await run("eval --out value.txt -", stdin="[{a: 1}]") == f"Value saved: {out} (9B)"
    assert out.read_text() == '[{"a":1}]'
    (shell.workspace / "link.txt").symlink_to(out)
    await fails("js 1 --out link.txt", Refused)
    await fails("js --out value.txt", ScriptFailed, "throw new Error('no')")
    assert out.read_text() == '[{"a":1}]', "what failed writes nothing"


HINT = "undefined; use 'return <value>', or end with an expression"


@each(
    [
        ("const a = await Promise.resolve(1);\nconst b = a;", [HINT]), ("(async () => {\n  await 1;\n})()", [HINT]),
        ("if (false) return 1;", [HINT]), ("globalThis.there?.is.none // a\n;", ["undefined"]),
        ("async () => {\n  return 1;\n}", ["the value is a function, which was not called"]), ("''", []), ("null", []),
    ]
)  # fmt: skip
async def test_script_without_a_value_gets_a_hint(case: tuple[str, list[str]], run: Run, shell: Shell) -> None:
    code, notes = case
    (shell.workspace / "script.js").write_text(code)
    for line, words in (("eval script.js", ()), ("js", ("--", code))):
        await run(line, *words)
        assert shell.replies[-1].notes == notes
