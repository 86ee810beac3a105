"""Test what shells complete: refs, tabs and contexts, and the scripts that ask for them."""

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.commands.conftest import Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


async def test_refs_tabs_and_contexts_for_completion(run: Run, show: Show, shell: Shell, web: Web) -> None:
    """Print a word, a tab and a description; of refs and tabs those of the context that asks.

    Nothing that a page has chosen stands before the tab, or ends the line.
    """
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


async def test_bash_completes_refs_tabs_and_contexts(run: Run, program: Path) -> None:
    script = await run("completion bash")
    for line, offered in (
        ("gbrowse click @e", "@e1"),
        ("gbrowse --tab 2 click @", "@e1 @c2 @tab=2-"),
        ("gbrowse --as ann --timeout 9 click @", "@e1 @c2 @as=ann-"),
        ("gbrowse --as ann --tab 3 click @", "@e1 @c2 @as=ann-tab=3-"),
        ("gbrowse tab ", "--take 7 8"),
        ("gbrowse --tab ", "7 8"),
        ("gbrowse --as ann --tab 8", "8as=ann-"),
        ("gbrowse --as ", "ann bob"),
        ("gbrowse --share b", "bob"),
        ("gbrowse context-close a", "ann"),
        ("gbrowse click --dou", "--double"),
        ("gbrowse goto @", ""),
    ):
        ask = f"COMP_LINE='{line}' COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({line} ''); [[ $COMP_LINE == *' ' ]] || unset 'COMP_WORDS[-1]'"
        ask += f"; COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _gbrowse {program}; echo ${{COMPREPLY[@]}}"
        assert await output_of("bash", "--norc", "-c", f"{script}\n{ask}") == offered, line


@pytest.mark.skipif(not shutil.which("fish"), reason="there is no fish")
async def test_fish_completes_refs_tabs_and_contexts(run: Run, program: Path) -> None:
    script = await run("completion fish")
    found = f"set -x PATH {program.parent} $PATH\n{script}"
    for line, offered in (
        ("gbrowse click @e", {"@e1"}),
        ("gbrowse --as ann click @", {"@e1", "@c2", "@as=ann-"}),
        ("gbrowse --as ", {"ann", "bob"}),
    ):
        told = await output_of("fish", "--no-config", "-c", f"{found}\ncomplete -C '{line}'")
        assert offered <= {row.partition("\t")[0] for row in told.splitlines()}, line


async def output_of(*words: str) -> str:
    process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    return (await process.communicate())[0].decode().strip()
