"""The plugin for pytest: what it keeps of a failed test, its option, and that every browser ends."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from gstack_browse import pytest_plugin
from tests.e2e.daemon.harness import ROOT, until

PAGE = "<title>Shop</title><h1>Basket</h1><button>Pay</button><script>console.error('no basket')</script>"
TESTS = f"""
import pytest
PAGE = {PAGE!r}

def test_fails(gbrowse):
    gbrowse("load-html", "-", stdin=PAGE)
    gbrowse("expect", "text", "Paid", "--timeout", 100)

def test_asks_for_nothing():
    assert not "failed"

@pytest.mark.parametrize("what", ["../../x"])
def test_odd(gbrowse, what):
    gbrowse("load-html", "-", stdin=PAGE, as_="ann")
    gbrowse("load-html", "-", stdin=PAGE.replace("Basket", "Till"), as_="ben")
    raise OSError
"""
SHARED = """
import pytest
from gstack_browse.pytest_plugin import browser_in

@pytest.fixture(scope="session")
def browse(tmp_path_factory):
    with browser_in(tmp_path_factory.mktemp("browser")) as browse:
        yield browse
"""

Run = Callable[..., str]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]")
    return tmp_path


@pytest.fixture
def run(project: Path) -> Run:
    """Run pytest in the project as one who has installed gbrowse, and return what it printed."""

    def pytest_prints(*words: str, code: int = 1, plugin: str = "gstack_browse.pytest_plugin") -> str:
        done = subprocess.run(
            command(project, *words, plugin=plugin), cwd=project, capture_output=True, text=True, timeout=200
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert not list(project.rglob("browse.sock")), "every daemon has ended"
        return done.stdout + done.stderr

    return pytest_prints


def command(project: Path, *words: str, plugin: str = "gstack_browse.pytest_plugin") -> list[str]:
    named = ["-p", plugin] if plugin else []
    path = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    usual = ["-q", "--basetemp", str(project / "tmp"), "-p", "no:cacheprovider", "-p", "no:asyncio"]
    return [sys.executable, "-c", path, *usual, *named, *words]


def evidence_files(project: Path) -> dict[str, list[str]]:
    """The directories of evidence, each with its files."""
    place = project / "gbrowse-failures"
    found: dict[str, list[str]] = {}
    for file in sorted(place.rglob("*.*")):
        if file.is_file() and file.name != ".gitignore":
            found.setdefault(str(file.parent.relative_to(place)), []).append(file.name)
    return found


def test_every_part_of_a_test_id_is_a_directory_of_its_own() -> None:
    parts = [
        "test_shop.py",
        "test_a[x y-1]",
        "test_a[ä]",
        "test_a[a/b]",
        "test_a[\0\n]",
        ".",
        "..",
        "%2E",
        "x" * 300,
        "x" * 301,
        "ä" * 90,
    ]
    names = [pytest_plugin._directory_name(part) for part in parts]
    assert names[:2] == parts[:2]
    assert len(set(names)) == len(parts)
    assert not any(
        "/" in name or name in ("", ".", "..") or len(name) > 255 or not name.isascii() for name in names
    )


USUAL = ["console.txt", "picture.png", "snapshot.txt"]


def test_failed_test_keeps_picture_snapshot_and_console(project: Path, run: Run) -> None:
    (project / "test_shop.py").write_text(TESTS)
    printed = run()
    assert "3 failed" in printed
    place = "gbrowse-failures/test_shop.py/test_fails"
    assert f"{place}: picture.png, snapshot.txt, console.txt" in printed
    assert (project / place / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert '[heading] "Basket"' in (project / place / "snapshot.txt").read_text()
    assert "[error] no basket" in (project / place / "console.txt").read_text()
    assert (project / "gbrowse-failures/.gitignore").read_text() == "*\n"
    files = evidence_files(project)
    both = [f"{name}-{file}" for name in ("ann", "ben") for file in USUAL]
    assert files.pop("test_shop.py/test_fails") == USUAL
    assert list(files.values()) == [both], "in one directory, whatever is in the id of the test"

    (project / "test_shop.py").write_text(TESTS.replace('"Paid"', '"Basket"'))
    run("-k", "test_fails", code=0)
    assert "test_shop.py/test_fails" not in evidence_files(project), "what was kept of an earlier run is gone"


def test_shared_browser_is_kept_only_for_the_tests_that_used_it(project: Path, run: Run) -> None:
    (project / "conftest.py").write_text(SHARED)
    (project / "test_shared.py").write_text(
        f"def test_first(browse):\n    browse('load-html', '-', stdin={PAGE!r})\n    assert 0\n"
        "def test_beside():\n    assert 0\n"
        "def test_stopped(browse):\n    browse('title')\n    browse('stop')\n    assert 0\n"
    )
    run()
    assert evidence_files(project) == {
        "test_shared.py/test_first": USUAL,
        "test_shared.py/test_stopped": ["failure.txt"],
    }


def test_page_that_hangs_is_kept_as_far_as_it_answers(project: Path, run: Run) -> None:
    (project / "test_hangs.py").write_text(
        "def test_hangs(gbrowse):\n"
        f"    gbrowse('load-html', '-', stdin={PAGE!r})\n"
        "    gbrowse('js', 'setTimeout(() => { for (;;); }, 0), 1')\n    assert 0\n"
    )
    run()
    files = evidence_files(project)["test_hangs.py/test_hangs"]
    assert "console.txt" in files
    assert {"picture-failure.txt", "snapshot-failure.txt"} & set(files)


def test_workers_of_xdist_have_browsers_of_their_own(project: Path, run: Run) -> None:
    (project / "conftest.py").write_text(SHARED)
    (project / "test_many.py").write_text(
        "import pytest\n@pytest.mark.parametrize('number', range(2))\n"
        "def test_page(browse, gbrowse, worker_id, number):\n"
        "    for one in (browse, gbrowse):\n"
        "        one('load-html', '-', stdin=f'<h1>{worker_id} {number}</h1>')\n"
        "        assert one('text') == f'{worker_id} {number}'\n"
        "    assert number % 2\n"
    )
    printed = run("-n", "2")
    assert "1 failed, 1 passed" in printed
    kept = [f"{one}-{name}" for one in (1, 2) for name in USUAL]
    assert evidence_files(project) == {"test_many.py/test_page[0]": kept}
    assert "gbrowse-failures/test_many.py/test_page[0]: 1-picture.png" in printed


@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["alone", "worker"])
def test_browser_ends_with_a_pytest_that_is_killed(project: Path, words: tuple[str, ...]) -> None:
    (project / "test_killed.py").write_text(
        "import os\ndef test_killed(gbrowse):\n    gbrowse('status')\n    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run(command(project, *words), cwd=project, capture_output=True, timeout=100)
    assert list(project.rglob("browse-daemon.log")), "there was a daemon"
    until(lambda: not list(project.rglob("browse.sock")))
    until(lambda: not any(str(project) in " ".join(process_words(one)) for one in psutil.process_iter()))


def process_words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


OTHER = """
import pytest
def pytest_addoption(parser):
    parser.addoption("--headed", action="store_true", help="another plugin's")
"""
SEES = "import os\ndef test_sees():\n    assert os.environ.get('BROWSE_HEADED') == '1'\n"


def test_headed_shows_the_window_also_beside_other_plugins_that_have_the_option(
    project: Path, run: Run
) -> None:
    (project / "test_sees.py").write_text(SEES)
    run("--headed", code=0)
    run("--headed", "-n", "1", code=0)
    assert "1 failed" in run()
    (project / "other.py").write_text(OTHER)
    for order in (("-p", "other"), ()):
        named = [*order, "-p", "gstack_browse.pytest_plugin", "-p", "other"]
        run("--headed", *named, code=0, plugin="")
    (project / "conftest.py").write_text("pytest_plugins = ['gstack_browse.pytest_plugin']")
    run("--headed", code=0, plugin="")
    (project / "conftest.py").write_text("pytest_plugins = ['gstack_browse.pytest_plugin']" + OTHER)
    run("--headed", code=0, plugin="")
