"""Test chains, help, and what the daemon tells of itself."""

import asyncio
import json
import re
import shutil
import time
from asyncio.subprocess import PIPE

import pytest

from gstack_browse import errors
from gstack_browse.errors import FileFailed, NoMatch, Refused, TimedOut, UnknownCommand, UnknownRef, UsageError
from gstack_browse.registry import REGISTRY
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


async def test_a_chain_of_lines_from_standard_input(run: Run, web: Web) -> None:
    lines = f"# sign in\ngoto {web.url}/form.html\n\nfill '#name' \"Ann Smith\"   # her name\nurl\n"
    assert await run("chain", stdin=lines) == (
        f"[goto] Navigated to {web.url}/form.html (200)\n[fill] Filled #name\n[url] {web.url}/form.html"
    )


async def test_object_in_a_chain_of_lines_needs_no_quotes(run: Run, fails: Fails, show: Show) -> None:
    await show("<input aria-label='First name'><input aria-label=Town>")
    step = 'fill-form {"label=First name": "Ann", "label=Town": "Bad #1"}'
    assert await run("chain --no-look", stdin=step) == "[fill-form] Filled 2 fields"
    assert await run("value label=Town") == "Bad #1"
    assert "not JSON" in (await fails("chain", UsageError, stdin="fill-form {label: 1}")).message


@pytest.mark.fresh_session
async def test_a_chain_with_a_tab_follows_steps_that_choose_another(shell: Shell, show: Show, web: Web) -> None:
    await show("<h1>First</h1>")
    await shell.send("newtab", web.show("<h1>Second</h1>"))
    lines = f"text h1\nnewtab {web.show('<h1>Third</h1>')}\ntext h1\ntab 2\ntext h1"
    reply = await shell.send("chain", stdin=lines, tab=1)
    assert re.findall(r"\[text\] (\w+)", reply.text) == ["First", "Third", "Second"]


async def test_chain_stops_at_the_first_failure_with_its_code(fails: Fails, visit: Show, web: Web) -> None:
    """Go on only where that is asked for."""
    await visit("plain.html")
    steps = [["text", "h1"], ["click", "#nope", "--timeout", "50"], ["url"]]
    reply = await fails("chain", NoMatch, json.dumps(steps))
    assert reply.text == "[text] A plain page\n[click] failed"
    assert reply.message == "No element matches #nope"
    steps = [steps[1], ["js", "throw 1"], ["url"]]
    reply = await fails("chain --keep-going", NoMatch, json.dumps(steps))
    assert reply.text.splitlines() == [
        "[click] Error: No element matches #nope",
        "[js] Error: 1",
        f"[url] {web.url}/plain.html",
    ]
    assert reply.message == "2 of 3 steps failed"


async def test_wrong_words_in_a_late_step_run_nothing(fails: Fails, run: Run) -> None:
    """Check all steps before the first, also where the chain may go on."""
    wrong: list[tuple[list[str], type[errors.BrowseError], str]] = [
        (["nonsense"], UnknownCommand, "Unknown command: nonsense"),
        (["click"], UsageError, "click needs <target>"),
        (["click", "@x"], UsageError, '"@x" is not a ref'),
        (["press", "NoKey"], UsageError, 'Unknown key "NoKey"'),
        (["wait", "--timeout", "x", "p"], UsageError, '"x" is not a timeout'),
        (["stop"], UsageError, "A chain cannot contain stop"),
        (["doctor"], UsageError, "doctor runs in the client, not in the daemon"),
        (["eval", "-"], UsageError, "Nothing was piped in for '-'"),
        (["upload", "input", "/etc/passwd"], Refused, "/etc/passwd is outside the workspace and the temporary directory"),
    ]  # fmt: skip
    for number, (step, error, message) in enumerate(wrong):
        flag = "--keep-going" if number % 2 else ""
        reply = await fails(f"chain {flag}", error, json.dumps([["js", "window.ran = 1"], step]))
        assert (reply.message, reply.text) == (f"Step 2: {message}; nothing was run", "")
    assert await run("js typeof ran") == "undefined"


async def test_a_file_that_an_earlier_step_writes_is_not_missed(run: Run, show: Show) -> None:
    """Keep notes of steps. Take numbers and strings as steps."""
    url = await show("<input type=file>")
    assert await run("chain", '[["js", "alert(1); 2"]]') == '[js] alert "1": accepted\n2'
    assert await run("chain", '[["wait", 5], "url"]') == f"[wait] Waited 5ms\n[url] {url}"
    said = await run("chain --no-look", '[["js","--out","made.txt","1"],["upload","input","made.txt"]]')
    assert said.splitlines()[1:] == ["[upload] Chose made.txt (1B)"]


async def test_a_chain_that_ends_in_an_action_prints_what_changed(run: Run, fails: Fails, show: Show) -> None:
    """Print it once, where nothing else of the page was printed and no step failed. Take objects."""
    await show(
        "<input aria-label=Name><input aria-label=City><button onclick='this.textContent = 1'>Go</button>"
    )
    await run("snapshot -i")
    said = await run("chain", stdin="fill @e1 Ann\nclick @e3")
    assert said.splitlines()[:2] == ["[fill] Filled @e1", "[click] Clicked @e3"]
    assert '+@e3 [button] "1" [focused]' in said
    assert said.count("[snapshot]") == 1
    assert "[snapshot]" in await run("chain", stdin="click @e3\nexpect text 1\nwait @e3")
    whole = [["fill-form", {"@e1": "Bob", "@e2": "Rome"}]]
    assert '+@e2 [textbox] "City" [focused]: Rome' in await run("chain", json.dumps(whole))
    for steps, option in (
        (["click @e3", "url"], ""),
        (["url", "click @e3"], "--no-look"),
        (["url", "js 1"], ""),
        (["expect text 1"], ""),
    ):
        assert "[snapshot]" not in await run(f"chain {option}", json.dumps(steps)), steps
    assert "[snapshot]" not in (await fails("chain", NoMatch, '["click #nope --timeout 50"]')).text


async def test_hash_begins_a_comment_only_at_the_start_of_a_line(run: Run, show: Show) -> None:
    await show("<p>Around</p><p id=one>One</p>")
    said = await run("chain", stdin="# what stands in it\n  # and where\ntext #one\nbox #one")
    assert said.startswith("[text] One\n[box] ")


async def test_text_in_quotes_of_a_chain_may_have_line_breaks(run: Run, show: Show, fails: Fails) -> None:
    """Take an apostrophe in a word for no quote, whatever the lines below it have."""
    await show("<textarea id=a></textarea><textarea id=b></textarea>")
    lines = "fill #a \"Dear Ann,\n\n# it's\n\"\nfill #b 'one\ntwo'  # as a comment\nvalue #a\nvalue #b"
    assert await run("chain", stdin=lines.replace("  # as a comment", "")) == (
        "[fill] Filled #a\n[fill] Filled #b\n[value] Dear Ann,\n\n# it's\n\n[value] one\ntwo"
    )
    for stray in ("fill #a don't\nfill #b can't", "fill #a 'x\nfill #b 'y'", "fill #a 'x\ny' \\"):
        assert (await fails("chain", UsageError, stdin=stray)).message.startswith("Line 1: No ")


async def test_malformed_chain_is_a_usage_error(fails: Fails) -> None:
    """Say how it is written, and let it stop no daemon."""
    for steps in (
        "", "  ", "[]", "[[]]", "[1]", '[{"a":1}]', "[[", '["goto", ["x"], [{}]]', "'unclosed", "#only a comment", '[["chain","x"]]',
        "[null]", '[["url"], ["restart"]]',
    ):  # fmt: skip
        await fails("chain", UsageError, steps)
    assert "Usage: gbrowse chain" in (await fails("chain", UsageError)).hint


async def test_help_lists_every_command_by_family(run: Run, fails: Fails) -> None:
    first = await run("help")
    assert len(first) <= 3000
    names = {name for line in first.splitlines() for name in line.partition(": ")[2].split()}
    assert names >= set(REGISTRY.commands)
    listing = await run("help --all")
    for command in REGISTRY.commands.values():
        assert f"\n  {command.name} " in listing
    assert "Interact: act on elements" in listing
    family = await run("help interact")
    assert family.startswith("Interact: act on elements")
    assert re.findall(r"^  ([a-z]+) +[rwm]", family, re.M) == [
        "click",
        "fill",
        "select",
        "hover",
        "type",
        "press",
        "scroll",
        "viewport",
        "upload",
    ]
    assert (await run("help 'design pictures'")).startswith("Design pictures: ")
    assert (await run("help snapshot")).startswith("Usage: "), "the command, where a family is called so, too"
    for typed in ("Flow runs", "'flow runs'", "flow-runs", "FLOW RUNS", "flow_runs"):
        assert (await run(f"help {typed}")).startswith("Flow runs: "), typed
    for typed in ("flow", "flows", "Flow"):
        asked = await run(f"help {typed}")
        assert all(f"\n{title}: " in f"\n{asked}" for title in ("Flows", "Flow runs", "Flow formats")), typed
    assert (await run("help flow run")).startswith("Usage: gbrowse flow-run "), "a command, with a blank"
    assert (await run("help design-pictures")).startswith("Design pictures: ")
    await fails("help click --all", UsageError)
    assert (await fails("help no such thing", UnknownCommand)).message == "Unknown command: no such thing"
    text = await run("help click")
    assert text.startswith("Usage: gbrowse click <target> [--double]")
    assert "--modifiers <keys>" in text
    assert "gbrowse click @e3" in text
    assert await run("click --help") == text
    assert (await fails("help clck", UnknownCommand)).hint.startswith("Did you mean 'click'?")


async def test_completion_scripts_are_valid(run: Run) -> None:
    for shell_name in ("bash", "zsh", "fish"):
        script = await run("completion", shell_name)
        assert "screenshot" in script
        if program := shutil.which(shell_name):
            check = await asyncio.create_subprocess_exec(program, "-n", stdin=PIPE, stderr=PIPE)
            _, complaints = await check.communicate(script.encode())
            assert (check.returncode, complaints) == (0, b"")


async def test_status_tells_what_is_open(
    run: Run, visit: Show, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tell no other uptime when the clock is set back."""
    await visit("plain.html")
    facts = dict(line.split(": ", 1) for line in (await run("status")).splitlines())
    assert facts["URL"] == f"{web.url}/plain.html"
    assert facts["Tabs"] == "1"
    assert "Chromium" in facts["Browser"]
    assert {"Mode", "Version", "PID", "Uptime", "Memory"} <= set(facts)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    facts = dict(line.split(": ", 1) for line in (await run("status")).splitlines())
    assert re.fullmatch(r"\d+s|\d+m \d+s", facts["Uptime"])


async def test_three_failures_in_a_row_mention_handoff(fails: Fails, run: Run, show: Show) -> None:
    await show("<p>x")
    for _ in range(2):
        assert "handoff" not in (await fails("click '#nope' --timeout 10", NoMatch)).hint
    assert "'handoff' shows the page to a person" in (await fails("click '#nope' --timeout 10", NoMatch)).hint
    for line in ("har-stop nowhere/x.har", "board-compare nowhere.png", "route '**/x' --body @nowhere"):
        hint = (await fails(line, FileFailed)).hint
        assert "handoff" not in hint, "a person at the browser helps with no file"
    for line, error in (("goto file:///etc/passwd", Refused), ("click @e99999", UnknownRef)):
        assert "handoff" not in (await fails(line, error)).hint, (
            "a policy and a wrong ref hold in a window, too"
        )
    await run("url")
    assert "handoff" not in (await fails("click '#nope' --timeout 10", NoMatch)).hint


async def test_a_chain_that_is_cut_off_shows_what_it_did(fails: Fails, visit: Show) -> None:
    await visit("plain.html")
    steps = [["text", "h1"], ["wait", "#never", "20000"], ["url"]]
    reply = await fails("chain", TimedOut, json.dumps(steps), timeout=2000)
    assert reply.text == "[text] A plain page\n[wait] was cut off"
    assert reply.message == "chain did not finish in 2s"


async def test_the_last_commands_are_told_without_what_was_typed_into_them(
    run: Run, fails: Fails, show: Show
) -> None:
    await show("<input id=password>")
    await run("fill #password hunter2")
    await fails("click @e99", UnknownRef)
    assert (await run("recent")).splitlines()[-2:] == ["fill <target> <value…> → exit 0", "click @e99 → exit 5"]
