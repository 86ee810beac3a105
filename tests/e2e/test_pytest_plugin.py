"""The plugin for pytest: what it keeps of a failed test, its option, and that every browser ends."""

import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from gstack_browse.client import pytest_plugin
from tests.e2e.daemon.harness import ROOT, until
from tests.processes import run_program, words

pytest_plugins = ["pytester"]

PAGE = "<title>Shop</title><h1>Basket</h1><button>Pay</button><script>console.error('no basket')</script>"
SHARED = """
import pytest
from gstack_browse.client.pytest_plugin import browser_in

@pytest.fixture(scope="session")
def browse(tmp_path_factory):
    with browser_in(tmp_path_factory.mktemp("browser")) as browse:
        yield browse
"""
FAILING = f"""
import pytest
from gstack_browse.client import pytest_plugin
PAGE = {PAGE!r}

def test_fails(browse):
    browse("load-html", "-", stdin=PAGE)
    browse("expect", "text", "Paid", "--timeout", 100)

def test_asks_for_nothing():
    assert not "failed"

def test_hangs(browse, monkeypatch):
    monkeypatch.setattr(pytest_plugin, "_EVIDENCE_MILLISECONDS", 1_000)
    browse("js", "setTimeout(() => {{ for (;;); }}, 0), 1")
    assert not "failed"

@pytest.mark.parametrize("what", ["../../x"])
def test_odd(browse, what):
    browse("load-html", "-", stdin=PAGE.replace("Basket", "Till"), as_="ann")
    raise OSError

def test_stops(browse):
    browse("stop")
    assert not "failed"
"""
MANY = """
import os, pytest

@pytest.mark.parametrize("number", range(2))
def test_page(browse, request, worker_id, number):
    own = [] if number else [request.getfixturevalue("gbrowse")]
    for one in (browse, *own):
        one("load-html", "-", stdin=f"<h1>{worker_id} {number}</h1>")
        assert one("text") == f"{worker_id} {number}"
    assert number

def test_killed(browse):
    browse("status")
    os.kill(os.getpid(), 9)
"""
USUAL = ["console.txt", "picture.png", "snapshot.txt"]

USUALLY = ["-q", "-p", "no:cacheprovider", "-p", "xdist", "-p", "gstack_browse.client.pytest_plugin"]
"""No other plugin is loaded: to load what is installed here takes longer than the tests."""
Run = Callable[..., str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "pytest.ini").write_text("[pytest]")
    (tmp_path / "conftest.py").write_text(SHARED)
    return tmp_path


@pytest.fixture
def run(project: Path) -> Run:
    """Run pytest in the project as one who has installed gbrowse, and return what it printed."""

    def pytest_prints(*words: str, code: int = 1) -> str:
        path = (
            f"import sys; sys.path.insert(0, {str(ROOT)!r}); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
        )
        command = [sys.executable, "-c", path, *words, *USUALLY, "--basetemp", str(project / "tmp")]
        done = run_program(command, cwd=project, timeout=200)
        assert done.returncode == code, done
        return done.stdout + done.stderr

    return pytest_prints


def wait_until_all_daemons_ended(project: Path) -> None:
    assert list(project.rglob("browse-daemon.log")), "there was a daemon"
    until(lambda: not list(project.rglob("browse.sock")))
    until(lambda: not any(str(project) in " ".join(words(one)) for one in psutil.process_iter()))


def evidence_files(project: Path) -> dict[str, list[str]]:
    """The directories of evidence, each with its files."""
    place = project / "gbrowse-failures"
    found: dict[str, list[str]] = {}
    for file in sorted(place.rglob("*/*.*")):
        if file.is_file():
            found.setdefault(str(file.parent.relative_to(place)), []).append(file.name)
    return found


def test_every_part_of_a_test_id_is_a_directory_of_its_own() -> None:
    odd = ["test_a[ä]", "test_a[a/b]", "test_a[\0\n]", ".", "..", "%2E", "x" * 300, "x" * 301, "ä" * 90]
    parts = ["test_shop.py", "test_a[x y-1]", *odd]
    names = [pytest_plugin._directory_name(part) for part in parts]
    assert names[:2] == parts[:2]
    assert len(set(names)) == len(parts)
    assert not {"", ".", ".."} & set(names)
    assert not [name for name in names if "/" in name or len(name) > 255 or not name.isascii()]


def test_evidence_is_kept_of_the_failed_tests_that_used_the_browser(project: Path, run: Run) -> None:
    (project / "test_shop.py").write_text(FAILING)
    printed = run()
    assert "5 failed" in printed
    place = "gbrowse-failures/test_shop.py/test_fails"
    assert f"{place}: picture.png, snapshot.txt, console.txt" in printed
    assert (project / place / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert '[heading] "Basket"' in (project / place / "snapshot.txt").read_text()
    assert "[error] no basket" in (project / place / "console.txt").read_text()
    assert (project / "gbrowse-failures/.gitignore").read_text() == "*\n"
    files = evidence_files(project)
    assert files.pop("test_shop.py/test_fails") == USUAL
    hanging = files.pop("test_shop.py/test_hangs")
    assert "console.txt" in hanging
    assert {"picture-failure.txt", "snapshot-failure.txt"} & set(hanging)
    assert files.pop("test_shop.py/test_stops") == ["failure.txt"]
    both = [f"{name}-{file}" for name in ("ann", "default") for file in USUAL]
    assert list(files.values()) == [both], "in one directory, whatever is in the id of the test"

    (project / "test_shop.py").write_text("def test_fails():\n    pass\n")
    run(code=0)
    assert "test_shop.py/test_fails" not in evidence_files(project), "what was kept of an earlier run is gone"
    wait_until_all_daemons_ended(project)


def test_workers_of_xdist_have_browsers_of_their_own_also_when_one_is_killed(project: Path, run: Run) -> None:
    (project / "test_many.py").write_text(MANY)
    printed = run("-n", "2")
    assert "2 failed, 1 passed" in printed
    assert "crashed while running 'test_many.py::test_killed'" in printed
    kept = [f"{one}-{name}" for one in (1, 2) for name in USUAL]
    assert evidence_files(project) == {"test_many.py/test_page[0]": kept}
    assert "gbrowse-failures/test_many.py/test_page[0]: 1-picture.png" in printed
    wait_until_all_daemons_ended(project)


OTHER = """
import pytest
def pytest_addoption(parser):
    parser.addoption("--headed", action="store_true", help="another plugin's")
"""
SEES = "import os\ndef test_sees():\n    assert os.environ.get('BROWSE_HEADED') == '1'\n"
OURS = ("-p", "gstack_browse.client.pytest_plugin")
IN_CONFTEST = "pytest_plugins = ['gstack_browse.client.pytest_plugin']\n"


@pytest.mark.parametrize(
    ("conftest", "plugins"),
    [
        ("", OURS), ("", (*OURS, "-p", "xdist", "-n", "1")), ("", ("-p", "other", *OURS)), ("", (*OURS, "-p", "other")),
        (IN_CONFTEST, ()), (IN_CONFTEST + OTHER, ()),
    ],
)  # fmt: skip
def test_headed_shows_the_window_also_beside_other_plugins_that_have_the_option(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, conftest: str, plugins: tuple[str, ...]
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]")  # else pytest takes one of a directory above
    pytester.makepyfile(other=OTHER, test_sees=SEES, conftest=conftest)
    pytester.syspathinsert()
    pytester.runpytest_inprocess("--headed", *plugins).assert_outcomes(passed=1)
    if plugins == OURS:
        pytester.runpytest_inprocess(*plugins).assert_outcomes(failed=1)
