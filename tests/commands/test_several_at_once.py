"""Test `chain`, recordings asked for twice at once, help, completion scripts, `status` and `recent`."""

import asyncio
import json
import re
import shutil
import time
from asyncio.subprocess import PIPE

import pytest

from gstack_browse import errors
from gstack_browse.daemon.request import status
from gstack_browse.errors import FileFailed, NoMatch, Refused, TimedOut, UnknownCommand, UnknownRef, UsageError
from gstack_browse.registry import REGISTRY
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.faults import fault

pytestmark = pytest.mark.same_session


CHAINS = {
    "words and comments as in a shell": (
        "# sign in\nfill '#name' \"Ann Smith\" # her name\n\n  # and where\nvalue #name", "[fill] Filled #name\n[value] Ann Smith # her name",
    ),
    "objects without quotes": (
        'fill-form {"#name": "Ann", "label=Town": "Bad #1"}\nvalue label=Town', "[fill-form] Filled 2 fields\n[value] Bad #1",
    ),
    "line breaks in quotes": (
        "fill #a \"Dear Ann,\n\n# it's\n\"\nfill #b 'one\ntwo'\nvalue #a\nvalue #b",
        "[fill] Filled #a\n[fill] Filled #b\n[value] Dear Ann,\n\n# it's\n\n[value] one\ntwo",
    ),
}  # fmt: skip
"""Lines from standard input, and what is printed. A hash begins a comment only at the start of a line."""


async def test_a_chain_of_lines_from_standard_input(run: Run, fails: Fails, show: Show) -> None:
    """Take an apostrophe in a word for no quote, whatever the lines below it have."""
    await show("<input id=name><input aria-label=Town><textarea id=a></textarea><textarea id=b></textarea>")
    for lines, printed in CHAINS.values():
        assert await run("chain", stdin=lines) == printed
    for stray in ("fill #a don't\nfill #b can't", "fill #a 'x\nfill #b 'y'", "fill #a 'x\ny' \\"):
        assert (await fails("chain", UsageError, stdin=stray)).message.startswith("Line 1: No ")
    assert "not JSON" in (await fails("chain", UsageError, stdin="fill-form {label: 1}")).message
    for nothing in ("", "  ", "#only a comment", '[["chain","x"]]', '[["url"], ["restart"]]'):
        await fails("chain", UsageError, nothing)
    assert "Usage: gbrowse chain" in (await fails("chain", UsageError)).hint


TWICE = {
    "trace-start": ("Recording a trace", "A trace is recorded already"),
    "trace-stop twice.zip": ("Trace saved", "No trace is recorded"),
    "har-start": ("Recording requests", "Recording since "),
    "har-stop twice.har": ("HAR saved", "Nothing is recorded"),
    "film-start twice.webp": ("Filming tab 1", "Filming already"),
    "film-stop": ("Film saved", "Nothing is filmed"),
}
"""How the two replies to a command begin that is sent twice at once."""


@fault("Races", "a recording is begun or ended twice at once", "one of the two is done, and the other says so")
async def test_recording_begun_or_ended_twice_at_once_is_one(shell: Shell, show: Show) -> None:
    await show("<h1>Page</h1>")
    wrong = []
    for line, beginnings in TWICE.items():
        replies = await asyncio.gather(shell.send(line), shell.send(line))
        told = [reply.text or reply.message for reply in replies]
        wrong += [(line, told) for begins in beginnings if not any(each.startswith(begins) for each in told)]
    assert not wrong
    await shell.send("har-start")
    stopped, started = await asyncio.gather(shell.send("har-stop first.har"), shell.send("har-start"))
    assert (stopped.code, started.text.split(":")[0]) == (0, "Recording requests"), (
        "what is recorded anew goes on"
    )
    assert not (await shell.send("har-stop second.har")).code
    assert not shell.service.feed, "nothing is recorded any more"


@pytest.mark.fresh_session
async def test_a_chain_with_a_tab_follows_steps_that_choose_another(shell: Shell, show: Show, web: Web) -> None:
    await show("<h1>First</h1>")
    await shell.send("newtab", web.show("<h1>Second</h1>"))
    lines = f"text h1\nnewtab {web.show('<h1>Third</h1>')}\ntext h1\ntab 2\ntext h1"
    reply = await shell.send("chain", stdin=lines, tab=1)
    assert re.findall(r"\[text\] (\w+)", reply.text) == ["First", "Third", "Second"]


async def test_chain_stops_at_the_first_failure_with_its_code(fails: Fails, show: Show) -> None:
    """Go on only where that is asked for. Say what was done where it is cut off."""
    url = await show("<h1>Head")
    missing = ["click", "#nope", "--timeout", "50"]
    reply = await fails("chain", NoMatch, json.dumps([["text", "h1"], missing, ["url"]]))
    assert (reply.text, reply.message) == ("[text] Head\n[click] failed", "No element matches #nope")
    reply = await fails("chain --keep-going", NoMatch, json.dumps([missing, ["js", "throw 1"], ["url"]]))
    assert reply.text == f"[click] Error: No element matches #nope\n[js] Error: 1\n[url] {url}"
    assert reply.message == "2 of 3 steps failed"
    steps = [["text", "h1"], ["wait", "#never", "20000"], ["url"]]
    reply = await fails("chain", TimedOut, json.dumps(steps), timeout=700)
    assert (reply.text, reply.message) == ("[text] Head\n[wait] was cut off", "chain did not finish in 0.7s")


async def test_wrong_words_in_a_late_step_run_nothing(fails: Fails, run: Run) -> None:
    """Check all steps before the first, also where the chain may go on."""
    wrong: list[tuple[list[str], type[errors.BrowseError], str]] = [
        (["nonsense"], UnknownCommand, "Unknown command: nonsense"),
        (["click"], UsageError, "click needs <target>"),
        (["click", "@x"], UsageError, '"@x" is not a ref'),
        (["press", "NoKey"], UsageError, 'Unknown key "NoKey"'),
        (["wait", "--timeout", "x", "p"], UsageError, '"x" is not a timeout'),
        (["stop"], UsageError, "A chain or a flow cannot contain stop"),
        (["doctor"], UsageError, "doctor runs in the client, not in the daemon"),
        (["eval", "-"], UsageError, "Nothing was piped in for '-'"),
        (["upload", "input", "/etc/passwd"], Refused, "/etc/passwd is outside the workspace and the temporary directory"),
    ]  # fmt: skip
    for number, (step, error, message) in enumerate(wrong):
        flag = "--keep-going" if number % 2 else ""
        reply = await fails(f"chain {flag}", error, json.dumps([["js", "window.ran = 1"], step]))
        assert (reply.message, reply.text) == (f"Step 2: {message}; nothing was run", "")
    assert await run("js typeof ran") == "undefined"


@pytest.mark.parametrize("line", ["version", "config max_tabs", "run x.py"])
async def test_command_of_the_client_is_refused_by_the_daemon(fails: Fails, shell: Shell, line: str) -> None:
    (shell.workspace / "x.py").write_text("print(1)")
    reply = await fails(line, UsageError)
    assert reply.message == f"{line.split()[0]} runs in the client, not in the daemon"


async def test_a_file_that_an_earlier_step_writes_is_not_missed(run: Run, show: Show) -> None:
    """Keep notes of steps. Take numbers and strings as steps."""
    url = await show("<input type=file>")
    assert await run("chain", '[["js", "alert(1); 2"]]') == '[js] alert "1": accepted\n2'
    assert await run("chain", '[["wait", 5], "url"]') == f"[wait] Waited 5ms\n[url] {url}"
    said = await run("chain --no-look", '[["js","--out","made.txt","1"],["upload","input","made.txt"]]')
    assert said.splitlines()[1:] == ["[upload] Chose made.txt (1B)"]


async def test_a_chain_that_ends_in_an_action_prints_what_changed(run: Run, fails: Fails, show: Show) -> None:
    """Print it once, where nothing else of the page was printed and no step failed. Take objects."""
    await show("<input aria-label=Name><input aria-label=City><button onclick='this.textContent = 1'>Go</button>")  # fmt: skip
    await run("snapshot -i")
    said = await run("chain", stdin="fill @e1 Ann\nclick @e3")
    assert said.splitlines()[:2] == ["[fill] Filled @e1", "[click] Clicked @e3"]
    assert ('+@e3 [button] "1" [focused]' in said, said.count("[snapshot]")) == (True, 1)
    assert "[snapshot]" in await run("chain", stdin="click @e3\nexpect text 1\nwait @e3")
    whole = [["fill-form", {"@e1": "Bob", "@e2": "Rome"}]]
    assert '+@e2 [textbox] "City" [focused]: Rome' in await run("chain", json.dumps(whole))
    for steps, option in (
        (["click @e3", "url"], ""), (["url", "click @e3"], "--no-look"), (["url", "js 1"], ""), (["expect text 1"], ""),
    ):  # fmt: skip
        assert "[snapshot]" not in await run(f"chain {option}", json.dumps(steps)), steps
    assert "[snapshot]" not in (await fails("chain", NoMatch, '["click #nope --timeout 50"]')).text


HELP = {
    "help interact": "Interact: act on elements…", "help 'design pictures'": "Design pictures: …", "help snapshot": "Usage: …",
    "help Flow runs": "Flow runs: …", "help 'flow runs'": "Flow runs: …", "help flow-runs": "Flow runs: …", "help FLOW RUNS": "Flow runs: …",
    "help flow_runs": "Flow runs: …", "help flow run": "Usage: gbrowse flow-run …", "help design-pictures": "Design pictures: …",
    "help click --all": UsageError, "help no such thing": (UnknownCommand, "Unknown command: no such thing"),
    "help click": "Usage: gbrowse click <target> [--double]…--modifiers <keys>…gbrowse click @e3…",
    "help clck": (UnknownCommand, "…\nDid you mean 'click'?…"),
}  # fmt: skip
"""A command is meant before a family of its name, also with a blank in it."""


async def test_help_lists_every_command_by_family(run: Run, check: Check) -> None:
    first = await run("help")
    assert len(first) <= 3000
    names = {name for line in first.splitlines() for name in line.partition(": ")[2].split()}
    assert names >= set(REGISTRY.commands)
    listing = await run("help --all")
    assert [command for command in REGISTRY.commands if f"\n  {command} " not in listing] == []
    assert "Interact: act on elements" in listing
    family = re.findall(r"^  ([a-z]+) +[rwm]", await run("help interact"), re.M)
    assert family == ["click", "fill", "select", "hover", "type", "press", "scroll", "viewport", "upload"]
    for typed in ("flow", "flows", "Flow"):
        asked = await run(f"help {typed}")
        assert all(f"\n{title}: " in f"\n{asked}" for title in ("Flows", "Flow runs", "Flow formats")), typed
    await check(HELP)
    assert await run("click --help") == await run("help click")


async def test_completion_scripts_are_valid(run: Run) -> None:
    for shell_name in ("bash", "zsh", "fish"):
        script = await run("completion", shell_name)
        assert "screenshot" in script
        if program := shutil.which(shell_name):
            check = await asyncio.create_subprocess_exec(program, "-n", stdin=PIPE, stderr=PIPE)
            _, complaints = await check.communicate(script.encode())
            assert (check.returncode, complaints) == (0, b"")


async def test_status_tells_open_tabs(run: Run, visit: Show, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tell no other uptime when the clock is set back."""
    await visit("plain.html")
    for clock in (time.time, lambda: 0.0):
        monkeypatch.setattr(time, "time", clock)
        facts = dict(line.split(": ", 1) for line in (await run("status")).splitlines())
        assert (facts["URL"], facts["Tabs"]) == (f"{web.url}/plain.html", "1")
        assert "Chromium" in facts["Browser"]
        assert {"Mode", "Version", "PID", "Uptime", "Memory"} <= set(facts)
        assert re.fullmatch(r"\d+s|\d+m \d+s", facts["Uptime"])
    monkeypatch.setattr(status, "_MEASURE_SECONDS", 0.0)
    assert re.search(r"; \d+ processes not measured: the machine is busy\)", await run("status"))


async def test_three_failures_in_a_row_mention_handoff(fails: Fails, run: Run, show: Show) -> None:
    """Not where a person at the browser helps with nothing: of a file, a policy or a wrong ref."""
    await show("<p>x")
    missing = ("click '#nope' --timeout 10", NoMatch, False)
    for line, error, is_handed in (
        missing, missing, (*missing[:2], True), ("har-stop nowhere/x.har", FileFailed, False),
        ("board-compare nowhere.png", FileFailed, False), ("route '**/x' --body @nowhere", FileFailed, False),
        ("goto file:///etc/passwd", Refused, False), ("click @e99999", UnknownRef, False),
    ):  # fmt: skip
        assert ("'handoff' shows the page to a person" in (await fails(line, error)).hint) == is_handed, line
    await run("url")
    assert "handoff" not in (await fails(*missing[:2])).hint


async def test_last_commands_are_told_without_what_was_typed(run: Run, fails: Fails, show: Show) -> None:
    await show("<input id=password>")
    await run("fill #password hunter2")
    await fails("click @e99", UnknownRef)
    assert (await run("recent")).splitlines()[-2:] == ["fill <target> <value…> → exit 0", "click @e99 → exit 5"]
