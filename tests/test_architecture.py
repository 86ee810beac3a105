"""Test rules of the package's structure that no linter knows.

Import contracts are checked by `bin/test checks`.
"""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "gstack_browse"


@pytest.mark.programs
def test_the_clients_hot_path_loads_almost_nothing() -> None:
    """Its imports are the user's waiting time: no asyncio, json, dataclasses, re, subprocess."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); before = set(sys.modules)\n"
        "import gstack_browse.client.main\nprint('\\n'.join(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    foreign = {
        name
        for name in done.stdout.split()
        if not name.startswith("gstack_browse") and not name.startswith("_")
    }
    assert foreign <= {"posix", "errno", "time", "math"}, foreign


@pytest.mark.programs
def test_the_daemon_loads_late_what_few_commands_need() -> None:
    code = "import sys, gstack_browse.daemon.process.main; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    late = {"PIL", "cryptography", "aiohttp", "secretstorage", "playwright.async_api", "playwright.sync_api"}
    assert not late & set(done.stdout.split())


@pytest.mark.programs
def test_a_first_goto_waits_for_no_other_commands_and_for_nothing_it_does_not_use() -> None:
    code = (
        "import sys; from gstack_browse.daemon.process import starter; starter._import_asyncio(); from gstack_browse.daemon.process import main;"
        "main.REGISTRY.get('goto'); print(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {"ssl", "_ssl", "hashlib", "psutil", "shutil", "playwright.async_api"} & loaded
    unused = (
        "cookies.records",
        "network.exchange.frames",
        "network.shaping.har",
        "network.shaping.replay",
        "text.secrets",
        "browser.launch.certificates",
    )
    assert all((PACKAGE / f"{name.replace('.', '/')}.py").exists() for name in unused)
    assert not {f"gstack_browse.{name}" for name in unused} & loaded
    families = {name for name in loaded if name.startswith("gstack_browse.commands.")}
    assert families == {f"gstack_browse.commands.{name}" for name in ("acting", "acting.navigation", "control")}


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def parsed(path: Path) -> ast.Module:
    """Only what a look at the text cannot rule out: all of them take a second."""
    return ast.parse(text_of(path))


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_every_module_says_what_lives_in_it() -> None:
    assert [str(path) for path in modules() if not text_of(path).startswith('"""')] == []


def test_playwright_is_imported_by_clients_that_attach_only() -> None:
    """No daemon and no command imports it: `attached.page` does, in the process of a script."""
    importing = re.compile(r"^ *(?:import|from) playwright\b", re.MULTILINE)
    importers = [path for path in modules() if importing.search(text_of(path))]
    assert [path.relative_to(PACKAGE).as_posix() for path in importers] == ["client/attached/page.py"]


FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}


def test_no_module_is_called_after_nothing() -> None:
    assert not {path.stem for path in modules()} & FORBIDDEN_NAMES


MOST_LINES_OF_FILE, MOST_LINES_OF_FUNCTION = 900, 90


def test_no_file_is_longer_than_its_limit() -> None:
    sources = [path for kind in ("*.py", "*.js", "*.c") for path in PACKAGE.rglob(kind)]
    written_here = [path for path in sources if "libraries" not in path.parts]
    assert {
        path.name: lines for path in written_here if (lines := text_of(path).count("\n")) > MOST_LINES_OF_FILE
    } == {}


def test_no_function_is_longer_than_its_limit() -> None:
    lengths = {
        f"{path.name}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in modules()
        if text_of(path).count("\n") > MOST_LINES_OF_FUNCTION
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES_OF_FUNCTION} == {}


WAITS_FOR_TIME = {
    "commands/conftest.py": "the pause of `until`",
    "e2e/client/scripted_daemon.py": "a daemon that is told to be silent",
}


def test_tests_wait_for_conditions_and_not_for_time() -> None:
    tests = ROOT / "tests"
    sleeping = {
        str(path.relative_to(tests))
        for path in tests.rglob("*.py")
        if "bench" not in path.parts and "sleep(" in text_of(path)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("sleep")
        and ast.unparse(node.args[0]) != "0"
    }
    assert sleeping == set(WAITS_FOR_TIME)


def test_no_time_span_is_measured_by_a_clock_that_can_be_set() -> None:
    """Subtract monotonic times only.

    `time.time()` tells when something was, not how long it took.
    """
    spans = [
        f"{path}:{node.lineno}"
        for path in modules()
        if path.relative_to(PACKAGE).parts[0] in ("browser", "daemon", "client")
        and "time.time()" in text_of(path)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and "time.time()" in ast.unparse(node)
    ]
    assert spans == []
