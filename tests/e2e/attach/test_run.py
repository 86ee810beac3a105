"""`gbrowse run`: a Playwright script in the live browser."""

import json
import subprocess
import sys
import time

import pytest

from tests.e2e.daemon.harness import ROOT, DaemonHarness


def test_a_script_acts_on_the_active_tab_and_leaves(page: DaemonHarness) -> None:
    script = "page.get_by_role('button', name='Sign in').click()\nprint(page.title(), len(context.pages))"
    assert page.must("run", "-", stdin=script) == "Signed in 1"
    assert page.must("js", "document.title") == "Signed in"
    assert "Attached" not in page.must("status")


@pytest.mark.parametrize(
    "script",
    [
        "print(await page.title())",
        "import asyncio\nasync def main():\n    print(await page.title())\nasyncio.run(main())",
        "import asyncio\nasync def main():\n    print(await page.title())\nif __name__ == '__main__':\n    asyncio.run(main())",
        "def main():\n    print(page.title())\nif __name__ == '__main__':\n    main()",
    ],
)
def test_a_script_is_sync_or_async(page: DaemonHarness, script: str) -> None:
    assert page.must("run", "-", stdin=script) == "Home"


def test_a_script_has_its_words_and_its_neighbours(page: DaemonHarness) -> None:
    (page.workspace / "neighbour.py").write_text("NAME = 'Ann'\n")
    (page.workspace / "check.py").write_text("import sys, neighbour\nprint(sys.argv, neighbour.NAME)\n")
    assert page.must("run", "check.py", "staging") == "['check.py', 'staging'] Ann"


def test_an_exception_is_told_with_the_lines_of_the_script(page: DaemonHarness) -> None:
    (page.workspace / "bad.py").write_text(
        "def check():\n    raise ValueError('no such user\\nor none')\nprint('before')\ncheck()\n"
    )
    done = page.run("run", "bad.py")
    assert (done.returncode, done.stdout) == (1, "before\n")
    assert done.stderr.splitlines() == [
        "Error: bad.py, line 2: ValueError: no such user",
        "bad.py, line 4: check()",
        "bad.py, line 2: raise ValueError('no such user\\nor none')",
        "or none",
    ]
    told = json.loads(page.run("--json", "run", "bad.py").stdout)
    assert (told["code"], told["error"], told["output"]) == (1, "script-failed", "before")


def test_a_script_that_does_not_parse_or_exits_with_a_code_fails(page: DaemonHarness) -> None:
    assert page.run("run", "-", stdin="print(").stderr.startswith("Error: <stdin>, line 1: SyntaxError: ")
    assert page.run("run", "-", stdin="import sys; sys.exit(3)").returncode == 1
    assert page.run("run", "-", stdin="import sys; sys.exit()").returncode == 0


def test_output_comes_as_it_is_printed(page: DaemonHarness) -> None:
    (page.workspace / "slow.py").write_text("print('first')\ninput()\nprint('second')\n")
    with page.start("run", "slow.py", stdin=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == "first\n"
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.read() == "second\n"
    assert process.returncode == 0


def test_output_is_sanitised_and_fenced_on_request(page: DaemonHarness) -> None:
    script = "print('a\\x1b[31m' + page.title())"
    assert page.must("run", "-", stdin=script) == "a␛[31mHome"
    begin, text, end = page.must("--fence", "run", "-", stdin=script).splitlines()
    label = begin.split()[3]
    assert begin == f"--- page text {label} from <stdin> ---"
    assert (text, end) == ("a␛[31mHome", f"--- end of page text {label} ---")
    told = json.loads(page.run("--json", "--fence", "run", "-", stdin=script).stdout)["text"]
    assert told.splitlines()[1] == "a␛[31mHome"
    assert "end of page text" in told


def test_a_script_runs_in_the_tab_and_context_that_are_named(page: DaemonHarness) -> None:
    page.must("newtab", "about:blank")
    assert page.must("--tab", "1", "run", "-", stdin="print(page.title())") == "Home"
    page.must("--as", "ann", "goto", page.must("--tab", "1", "url"))
    script = "page.evaluate(\"document.title = 'of Ann'\"); print(len(context.pages))"
    assert page.must("--as", "ann", "run", "-", stdin=script) == "1"
    assert page.must("--as", "ann", "js", "document.title") == "of Ann"
    page.must("context-close", "ann")


def test_a_script_that_never_ends_is_ended(page: DaemonHarness) -> None:
    began = time.monotonic()
    done = page.run("--timeout", "2000", "run", "-", stdin="while True: pass")
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "Error: <stdin> did not end within 2 s")
    assert time.monotonic() - began < 20
    assert page.must("js", "1") == "1"


def test_only_python_runs(page: DaemonHarness) -> None:
    done = page.run("run", "a.js")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "Error: Only Python scripts run: a.js is none")


def test_a_python_program_attaches_playwright(page: DaemonHarness) -> None:
    script = (
        "import asyncio\nfrom gstack_browse.client import connect, connect_async\n"
        "with connect() as browse, browse.playwright() as attached:\n    print(attached.page.title())\n"
        "async def main():\n    async with connect_async() as browse, browse.playwright() as attached:\n"
        "        print(await attached.page.title())\nasyncio.run(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=page.workspace,
        env={**page.env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("Home\nHome\n", "")
