import pytest

from gstack_browse.errors import FileFailed, Refused, ScriptFailed
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.each import each

pytestmark = pytest.mark.same_session

FILES = {
    "one line": ("document.title\n", "Plain"),
    "one line with await": ("await Promise.resolve(41) + 1", "42"),
    "an object": ("({a: [1, 2]})", '{"a":[1,2]}'),
    "statements": ("const a = 1;\nconst b = 2;\na + b", "3"),
    "await without return": ("const a = await Promise.resolve(1);\na + 1", "2"),
    "an async function that is called": ("(async () => {\n  const a = await 1;\n  return a + 1;\n})()", "2"),
    "the same, with comments and a semicolon": ("// await it\n(async function () {\n  // return\n  return await 3;\n})();\n", "3"),
    "the same, awaited": ("await (async () => {\n  return await 4;\n})()", "4"),
    "an async function that is declared and called": ("async function main() {\n  return 'main';\n}\nmain();", "main"),
    "a function, and a return at the top": ("const f = () => {\n  return 1;\n};\nreturn await f() + 1", "2"),
    "an await in a loop": ("let n = 0;\nfor await (const x of [1, 2])\n  n += x;\nn", "3"),
    "a promise": ("Promise.all([\n  1,\n  Promise.resolve(2),\n])", "[1,2]"),
    "an object of several lines": ("{\n  a: await 1,\n  b: [2],\n}", '{"a":1,"b":[2]}'),
    "an await in a string of two lines": ("`\nawait`.trim()", "await"),
    "await and return": ("const a = await Promise.resolve(1);\nreturn a + 1", "2"),
    "await in a comment": ("// await nothing\nlet a = 5;\na", "5"),
    "await in a block comment": ("/* we await\n nothing */\n'x'", "x"),
    "await in a string": ("const s = 'await';\ns", "await"),
    "return without await": ("if (true) {\n  return 'early';\n}", "early"),
    "a function that returns": ("function f() {\n  return 7;\n}\nf()", "7"),
    "with a byte order mark": ("\ufeff1 + 1", "2"),
    "nothing": ("\n", ""),
}  # fmt: skip


@each(FILES)
async def test_eval_runs_a_file(kind: str, run: Run, visit: Show, shell: Shell) -> None:
    if kind == "one line":
        await visit("plain.html")
    code, value = FILES[kind]
    (shell.workspace / "script.js").write_text(code)
    assert await run("eval script.js") == value


async def test_eval_runs_what_is_piped_in(run: Run, fails: Fails, visit: Show) -> None:
    await visit("plain.html")
    assert await run("eval -", stdin="\ufeffconst a = await Promise.resolve(1);\nreturn a + 1") == "2"
    assert (await fails("eval -", ScriptFailed, stdin="throw new Error('no')")).message == "Error: no"


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


async def test_file_that_throws_or_cannot_be_read_fails(fails: Fails, visit: Show, shell: Shell) -> None:
    await visit("plain.html")
    script = shell.workspace / "bad.js"
    script.write_text("await Promise.reject(new TypeError('no'));\nreturn 1")
    assert (await fails("eval bad.js", ScriptFailed)).message == "TypeError: no"
    script.write_bytes(b"\xff\xfe\x00")
    for name in ("nope.js", "bad.js", "."):
        await fails(f"eval {name}", FileFailed)


HINT = "undefined; use 'return <value>', or end with an expression"


@each(
    [
        ("const a = await Promise.resolve(1);\nconst b = a;", [HINT]),
        ("async function main() {\n  return 1;\n}", [HINT]),
        ("(async () => {\n  await 1;\n})()", [HINT]),
        ("if (false) return 1;", [HINT]),
        ("globalThis.there?.is.none // a\n;", ["undefined"]),
        ("async () => {\n  return 1;\n}", ["the value is a function, which was not called"]),
        ("''", []),
        ("null", []),
    ]
)
async def test_script_without_a_value_gets_a_hint(case: tuple[str, list[str]], run: Run, shell: Shell) -> None:
    code, notes = case
    (shell.workspace / "script.js").write_text(code)
    for line, words in (("eval script.js", ()), ("js", ("--", code))):
        await run(line, *words)
        assert shell.replies[-1].notes == notes
