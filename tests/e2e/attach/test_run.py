import json
import os
import signal
import subprocess
import time

import psutil
import pytest

from tests.e2e.daemon.harness import DaemonHarness, until
from tests.faults import fault


def test_a_script_acts_on_the_active_tab_has_words_and_neighbours_and_leaves(page: DaemonHarness) -> None:
    """See its output as it is printed, and its end although a program that it has started goes on."""
    (page.workspace / "neighbour.py").write_text("NAME = 'Ann'\n")
    os.mkfifo(page.workspace / "fifo")
    (page.workspace / "check.py").write_text(
        "import subprocess, sys, neighbour\n"
        "page.get_by_role('button', name='Sign in').click()\n"
        "print(page.title(), len(context.pages), sys.argv, neighbour.NAME)\n"
        "input()\nprint('second')\n"
        "subprocess.Popen(['cat', 'fifo'], stderr=subprocess.DEVNULL)\nsys.exit()\n"
    )
    with page.start("--fence", "run", "check.py", "staging", stdin=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        label = process.stdout.readline().split()[2]
        assert len(label) == 16
        assert process.stdout.readline() == "Signed in 1 ['check.py', 'staging'] Ann\n"
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.read() == f"second\n--- end {label} ---\n"
    assert process.returncode == 0
    (page.workspace / "fifo").write_bytes(b"")  # the program ends
    assert page.ask("js", "document.title") == "Signed in"
    attached = page.status().partition("Attached: ")[2].partition("\n")[0]
    assert attached in ("", "nobody ('detach' ends it)")


ASYNC = """import asyncio
async def main():
    print(await page.title())
if __name__ == '__main__':
    asyncio.run(main())
"""


def test_a_script_is_sync_or_async_in_the_tab_and_context_that_are_named_and_its_failure_is_told(
    page: DaemonHarness,
) -> None:
    """Tell an exception with the lines of the script, and an exit with a code."""
    page.must("newtab", "about:blank")
    (page.workspace / "bad.py").write_text(
        "def check():\n    raise ValueError('no such user\\nor none')\nprint(await page.title(), 'a\\x1b[31m')\ncheck()\n"
    )
    told = json.loads(page.run("--json", "--tab", "1", "run", "bad.py").stdout)
    assert (told["code"], told["error"], told["output"]) == (1, "script-failed", "Home a␛[31m")
    assert [told["text"].removeprefix("Error: "), *told["hint"].splitlines()] == [
        "bad.py, line 2: ValueError: no such user",
        "bad.py, line 4: check()",
        "bad.py, line 2: raise ValueError('no such user\\nor none')",
        "or none",
    ]
    page.must("--as", "ann", "goto", page.must("--tab", "1", "url"))
    page.must("--as", "ann", "js", "document.title = 'of Ann'")
    script = ASYNC + "print(len(context.pages))\nimport sys; sys.exit(3)"
    done = page.run("--as", "ann", "run", "-", stdin=script)
    assert (done.returncode, done.stdout) == (1, "of Ann\n1\n")
    page.must("context-close", "ann")
    assert page.run("run", "-", stdin="print(").stderr.startswith("Error: <stdin>, line 1: SyntaxError: ")
    assert page.fails(2, "run", "a.js").startswith("Error: Only Python scripts run: a.js is none\n")


@pytest.mark.parametrize("words", ["--timeout 2000 run -", "run - --timeout 2000"])
def test_a_script_that_never_ends_is_ended(page: DaemonHarness, words: str) -> None:
    began = time.monotonic()
    done = page.run(*words.split(), stdin="import threading; threading.Event().wait()")
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "Error: <stdin> did not end within 2 s")
    assert time.monotonic() - began < 20


@fault(
    "Kills",
    "'gbrowse run' is killed while its script drives the browser",
    "the script ends with it, and leaves the browser",
)
def test_a_script_ends_with_its_killed_command(page: DaemonHarness) -> None:
    endless = "import os, threading\nprint(os.getpid(), flush=True)\nthreading.Event().wait()"
    (page.workspace / "endless.py").write_text(endless)
    for kill in (signal.SIGTERM, signal.SIGKILL):
        with page.start("run", "endless.py") as process:
            assert process.stdout
            script = psutil.Process(int(process.stdout.readline()))
            process.send_signal(kill)
        script.wait(15)
    until(lambda: "Attached: process" not in page.status())


IMPATIENT = """
from gstack_browse.client import connect
with connect(timeout=2000) as browse:
    try:
        with browse.playwright():
            pass
    except Exception as error:
        print("Timeout" in type(error).__name__)
"""


def test_the_deadline_holds_while_the_browser_does_not_answer(page: DaemonHarness) -> None:
    chromium = page.processes()["chromium"]
    chromium.suspend()
    began = time.monotonic()
    assert page.python(IMPATIENT) == "True\n"
    assert time.monotonic() - began < 25
    chromium.resume()


def test_an_async_program_attaches_playwright(page: DaemonHarness) -> None:
    """Use the async interface: docs/attach.md has the other one as an example."""
    script = (
        "import asyncio\nfrom gstack_browse.client import connect_async\n"
        "async def main():\n    async with connect_async() as browse, browse.playwright() as attached:\n"
        "        print(await attached.page.title())\nasyncio.run(main())"
    )
    assert page.python(script) == "Home\n"


CLICKS = """
page.evaluate("document.body.insertAdjacentHTML('beforeend', `<button onclick='window.open()'>Popup</button>`)")
popups = []
for _ in range(3):
    with page.expect_popup() as popup:
        page.get_by_text("Popup").click()
    popups.append(popup.value)
    with page.expect_download() as begun:
        page.click("#file")
    print(begun.value.failure())
for popup in popups:
    popup.evaluate("close()")
"""


def test_each_click_of_a_script_opens_a_window_and_begins_a_download(page: DaemonHarness) -> None:
    assert page.must("run", "-", stdin=CLICKS) == "None\nNone\nNone"
    page.run("downloads")
