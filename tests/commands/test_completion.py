import asyncio
from pathlib import Path

from tests.commands.conftest import Run, Show


async def test_refs_and_tabs_for_completion(run: Run, show: Show) -> None:
    """A word, a tab and what it is: nothing that a page has chosen stands before the tab, or ends the line."""
    url = await show("<button>Go</button><button aria-label='$(x)&#9;@e9&#10;@e8'>x</button><h1>Title</h1>")
    assert await run("complete refs") == ""
    await run("snapshot -i")
    assert await run("complete refs") == "@e1\t[button] Go\n@e2\t[button] $(x) @e9 @e8"
    await run("snapshot --find Title")
    assert (await run("complete refs")).splitlines()[-1].split("\t")[0].startswith("@")
    await run("newtab about:blank")
    assert await run("complete tabs") == f"1\t{url}\n2\tabout:blank"
    assert await run("complete refs") == ""


async def test_bash_completes_refs_and_tabs(run: Run, tmp_path: Path) -> None:
    """With a program in the place of gbrowse that says what `complete` does."""
    program = tmp_path / "gbrowse"
    program.write_text(
        "#!/bin/sh\n[ $2 = refs ] && printf '@e1\\t[button] Go\\n@c2\\t$(x)\\n' || printf '7\\tabout:blank\\n'\n"
    )
    program.chmod(0o755)
    script = await run("completion bash")
    for line, offered in (
        ("gbrowse click @e", "@e1"),
        ("gbrowse --tab 2 click @", "@e1 @c2"),
        ("gbrowse tab ", "--take 7"),
        ("gbrowse --tab ", "7"),
        ("gbrowse click --dou", "--double"),
        ("gbrowse goto @", ""),
    ):
        ask = f"COMP_LINE='{line}' COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({line} ''); [[ $COMP_LINE == *' ' ]] || unset 'COMP_WORDS[-1]'"
        ask += f"; COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _gbrowse {program}; echo ${{COMPREPLY[@]}}"
        bash = await asyncio.create_subprocess_exec("bash", "--norc", "-c", f"{script}\n{ask}", stdout=-1)
        assert (await bash.communicate())[0].decode().strip() == offered, line
