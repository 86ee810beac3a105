import pytest

from gstack_browse.errors import FileFailed, ScriptFailed
from tests.commands.conftest import Fails, Run, Shell, Show

FILES = {
    "one line": ("document.title\n", "Plain"),
    "one line with await": ("await Promise.resolve(41) + 1", "42"),
    "an object": ("({a: [1, 2]})", '{"a":[1,2]}'),
    "statements": ("const a = 1;\nconst b = 2;\na + b", "3"),
    "await needs return": ("const a = await Promise.resolve(1);\na + 1", ""),
    "await and return": ("const a = await Promise.resolve(1);\nreturn a + 1", "2"),
    "await in a comment": ("// await nothing\nlet a = 5;\na", "5"),
    "await in a block comment": ("/* we await\n nothing */\n'x'", "x"),
    "await in a string": ("const s = 'await';\ns", "await"),
    "return without await": ("if (true) {\n  return 'early';\n}", "early"),
    "a function that returns": ("function f() {\n  return 7;\n}\nf()", "7"),
    "with a byte order mark": ("\ufeff1 + 1", "2"),
    "nothing": ("\n", ""),
}


@pytest.mark.parametrize("kind", FILES)
async def test_eval_runs_a_file(run: Run, visit: Show, shell: Shell, kind: str) -> None:
    await visit("plain.html")
    code, value = FILES[kind]
    (shell.workspace / "script.js").write_text(code)
    assert await run("eval script.js") == value


async def test_a_file_that_throws(fails: Fails, visit: Show, shell: Shell) -> None:
    await visit("plain.html")
    (shell.workspace / "bad.js").write_text("const a = 1;\nthrow new Error('broken ' + a)")
    assert (await fails("eval bad.js", ScriptFailed)).message == "Error: broken 1"
    (shell.workspace / "bad.js").write_text("await Promise.reject(new TypeError('no'));\nreturn 1")
    assert (await fails("eval bad.js", ScriptFailed)).message == "TypeError: no"


async def test_eval_of_what_cannot_be_read(fails: Fails, shell: Shell) -> None:
    (shell.workspace / "binary.js").write_bytes(b"\xff\xfe\x00")
    for name in ("nope.js", "binary.js", "."):
        await fails(f"eval {name}", FileFailed)
