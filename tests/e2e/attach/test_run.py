import json
import os
import subprocess
import time

from tests.e2e.daemon.harness import DaemonHarness


def test_a_script_acts_on_the_active_tab_has_words_and_neighbours_and_leaves(page: DaemonHarness) -> None:
    """See its output as it is printed."""
    (page.workspace / "neighbour.py").write_text("NAME = 'Ann'\n")
    (page.workspace / "check.py").write_text(
        "import sys, neighbour\n"
        "page.get_by_role('button', name='Sign in').click()\n"
        "print(page.title(), len(context.pages), sys.argv, neighbour.NAME)\n"
        "input()\nprint('second')\nsys.exit()\n"
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
    assert page.ask("js", "document.title") == "Signed in"
    attached = page.status().partition("Attached: ")[2].partition("\n")[0]
    assert attached in ("", "nobody ('detach' ends it)")


ASYNC = """import asyncio
async def main():
    print(await page.title())
if __name__ == '__main__':
    asyncio.run(main())
"""


def test_a_script_is_sync_or_async_in_the_tab_and_context_that_are_named(page: DaemonHarness) -> None:
    page.must("newtab", "about:blank")
    told = page.run(
        "--json", "--fence", "--tab", "1", "run", "-", stdin="print(await page.title(), 'a\\x1b[31m')"
    )
    begin, text, end = json.loads(told.stdout)["text"].splitlines()
    label = begin.split()[2]
    assert (begin, text, end) == (f"--- page {label} ---", "Home a␛[31m", f"--- end {label} ---")
    page.must("--as", "ann", "goto", page.must("--tab", "1", "url"))
    page.must("--as", "ann", "js", "document.title = 'of Ann'")
    assert page.must("--as", "ann", "run", "-", stdin=ASYNC + "print(len(context.pages))") == "of Ann\n1"
    page.must("context-close", "ann")


def test_an_exception_is_told_with_the_lines_of_the_script(page: DaemonHarness) -> None:
    (page.workspace / "bad.py").write_text(
        "def check():\n    raise ValueError('no such user\\nor none')\nprint('before')\ncheck()\n"
    )
    told = json.loads(page.run("--json", "run", "bad.py").stdout)
    assert (told["code"], told["error"], told["output"]) == (1, "script-failed", "before")
    assert [told["text"].removeprefix("Error: "), *told["hint"].splitlines()] == [
        "bad.py, line 2: ValueError: no such user",
        "bad.py, line 4: check()",
        "bad.py, line 2: raise ValueError('no such user\\nor none')",
        "or none",
    ]


def test_a_script_that_does_not_parse_or_exits_with_a_code_fails(page: DaemonHarness) -> None:
    assert page.run("run", "-", stdin="print(").stderr.startswith("Error: <stdin>, line 1: SyntaxError: ")
    assert page.run("run", "-", stdin="import sys; sys.exit(3)").returncode == 1
    interrupted = page.fails(1, "run", "-", stdin="raise KeyboardInterrupt")
    assert interrupted == "Error: <stdin>, line 1: KeyboardInterrupt\n"
    assert page.fails(2, "run", "a.js").startswith("Error: Only Python scripts run: a.js is none\n")


def test_a_script_that_never_ends_is_ended_and_one_that_leaves_a_program_behind_ends(
    page: DaemonHarness,
) -> None:
    began = time.monotonic()
    done = page.run("--timeout", "2000", "run", "-", stdin="import threading; threading.Event().wait()")
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "Error: <stdin> did not end within 2 s")
    assert time.monotonic() - began < 20
    os.mkfifo(page.workspace / "fifo")
    script = "import subprocess; subprocess.Popen(['cat', 'fifo'], stderr=subprocess.DEVNULL); print(1)"
    assert page.must("run", "-", stdin=script) == "1"
    (page.workspace / "fifo").write_bytes(b"")  # the program ends


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
    assert page.run("--timeout", "2000", "run", "-", stdin="print(1)").returncode == 3
    assert page.python(IMPATIENT) == "True\n"
    assert time.monotonic() - began < 25
    chromium.resume()


def test_a_python_program_attaches_playwright(page: DaemonHarness) -> None:
    script = (
        "import asyncio\nfrom gstack_browse.client import connect, connect_async\n"
        "with connect() as browse, browse.playwright() as attached:\n    print(attached.page.title())\n"
        "async def main():\n    async with connect_async() as browse, browse.playwright() as attached:\n"
        "        print(await attached.page.title())\nasyncio.run(main())"
    )
    assert page.python(script) == "Home\nHome\n"


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
