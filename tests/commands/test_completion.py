"""Test what shells complete: refs, tabs and contexts, and the scripts that ask for them."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.commands.conftest import Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


async def test_refs_tabs_and_contexts_for_completion(run: Run, show: Show, shell: Shell, web: Web) -> None:
    """Print what belongs to the context that asks; nothing that a page has chosen ends a line or its first word."""
    url = await show("<button>Go</button><button aria-label='$(x)&#9;@e9&#10;@e8'>x</button><h1>Title</h1>")
    assert await run("complete refs") == ""
    await run("snapshot -i")
    assert await run("complete refs") == '@e1\t[button] Go\n@e2\t[button] "$(x) @e9 @e8"'
    await run("snapshot --find Title")
    assert (await run("complete refs")).splitlines()[-1].split("\t")[0].startswith("@")
    await run("newtab about:blank")
    assert await run("complete tabs") == f"1\t{url}\n2\tabout:blank"
    assert await run("complete refs") == ""
    assert (await shell.send(f"goto {web.show('<a href=#>Link</a>')}", as_="ann")).code == 0
    await shell.send("snapshot -i", as_="ann")
    await shell.send("newtab", as_="ann")
    assert await run("complete contexts") == "default\t2 tabs\nann\t2 tabs"
    assert (await run("complete refs", tab=1)).startswith("@e1\t[button] Go")
    asked = await shell.send("complete refs", as_="ann", tab=3)
    assert asked.text == "@e1\t[link] Link"


SAYS = """#!/bin/sh
who=; while [ "${1#--}" != "$1" ]; do who="$who${1#--}=$2-"; shift 2; done
case $2 in
  refs) printf '@e1\\t[button] Go\\n@c2\\t$(x)\\n%s\\tx\\n' "@$who" ;;
  tabs) printf '7\\tabout:blank\\n%s\\tx\\n' "8$who" ;;
  contexts) printf 'ann\\t1 tab\\nbob\\t2 tabs\\n' ;;
esac
"""
"""A program in the place of gbrowse, that says what `complete` does: and for whom it was asked."""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    found = tmp_path / "gbrowse"
    found.write_text(SAYS)
    found.chmod(0o755)
    return found


LINES = (
    ("gbrowse click @e", "@e1"),
    ("gbrowse --tab 2 click @", "@e1 @c2 @tab=2-"),
    ("gbrowse --as ann --timeout 9 click @", "@e1 @c2 @as=ann-"),
    ("gbrowse --as ann --tab 3 click @", "@e1 @c2 @as=ann-tab=3-"),
    ("gbrowse generate-locator @e", "@e1"),
    ("gbrowse tab ", "--take 7 8"),
    ("gbrowse tab-select 7", "7"),
    ("gbrowse --tab ", "7 8"),
    ("gbrowse --as ann --tab 8", "8as=ann-"),
    ("gbrowse --as ", "ann bob"),
    ("gbrowse --share b", "bob"),
    ("gbrowse context-close a", "ann"),
    ("gbrowse click --dou", "--double"),
    ("gbrowse goto @", ""),
    ("gbrowse --no", "--no-fence"),
    ("gbrowse help eur", "eureka"),
)
"""What is typed → what is offered for its last word, apart from options for none."""


@pytest.fixture(params=["bash", "zsh", "fish"])
def shell_name(request: pytest.FixtureRequest) -> str:
    if not shutil.which(request.param):
        pytest.skip(f"not installed: {request.param}")
    return str(request.param)


async def test_shell_completes_what_is_typed(run: Run, program: Path, shell_name: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(await run(f"completion {shell_name}"))
    ask = {"bash": ask_bash, "zsh": ask_zsh, "fish": ask_fish}[shell_name]
    answers = await ask(script, program)
    for (line, offered), answer in zip(LINES, answers, strict=True):
        expected = set(offered.split())
        if shell_name == "fish" and " -" not in line[line.rindex(" ") :]:  # it offers options for a dash only
            expected = {word for word in expected if not word.startswith("-")}
        assert set(answer.split()) == expected, line


async def ask_bash(script: Path, program: Path) -> list[str]:
    """Set what bash sets for a completion, call the function, and return what it offers for each line."""
    asks = [f"source {script}"]
    for line, _ in LINES:
        words = line.split(" ")
        asks += [
            f"COMP_LINE='{line}' COMP_POINT={len(line)} COMP_CWORD={len(words) - 1}",
            f"COMP_WORDS=({' '.join(word or repr('') for word in words)})",
            f"_gbrowse {program}; echo ${{COMPREPLY[@]}}",
        ]
    return (await output_of("bash", "--norc", "-c", "\n".join(asks))).split("\n")


async def ask_fish(script: Path, program: Path) -> list[str]:
    asks = [f"set -x PATH {program.parent} $PATH", f"source {script}"]
    asks += [f"echo (complete -C '{line}' | string split -f1 \\t)" for line, _ in LINES]
    return (await output_of("fish", "--no-config", "-c", "\n".join(asks))).split("\n")


ZSHRC = """
unsetopt monitor
autoload -Uz compinit && compinit -D -u
source $SCRIPT
compadd() {
  local -a matches
  if [[ " ${@[1,(i)--]} " == *' -'(O|A|D)' '* ]]; then builtin compadd "$@"; return; fi
  builtin compadd -O matches "$@"
  print -rn -- "$matches " >>$OFFERED
}
zle-line-init() {
  local line
  for line in "${(@f)LINES_TYPED}"; do
    BUFFER=$line CURSOR=$#line
    zle list-choices
    print >>$OFFERED
  done
  exit
}
zle -N zle-line-init
"""
"""Writes down what is offered in place of showing it. Completion works on a terminal only, where a line is edited."""


async def ask_zsh(script: Path, program: Path) -> list[str]:
    folder = program.parent
    (folder / ".zshrc").write_text(ZSHRC)
    offered = folder / "offered"
    environment = os.environ | {
        "ZDOTDIR": str(folder), "LINES_TYPED": "\n".join(line for line, _ in LINES), "OFFERED": str(offered),
        "SCRIPT": str(script), "PATH": f"{folder}:{os.environ['PATH']}", "TERM": "xterm",
    }  # fmt: skip
    ours, its = os.openpty()
    try:
        process = await asyncio.create_subprocess_exec(
            "zsh", "--no-globalrcs", "-i", stdin=its, stdout=its, stderr=its, env=environment,
            start_new_session=True,
        )  # fmt: skip
        async with asyncio.timeout(120):
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
        os.close(ours)
        os.close(its)
    return offered.read_text().removesuffix("\n").split("\n")


async def output_of(*words: str) -> str:
    process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    return (await process.communicate())[0].decode().strip()
