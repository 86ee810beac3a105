"""Mark every test by the folder it lies in: unit, browser (also `commands/`) or e2e.

In which order files run: `tests/order.py`.

A test in the place of a unit test that starts a program is marked `programs` by hand, and is none: see `pytest_runtest_protocol`.
Slow tests, and slow rows of the fault matrix (`tests/faults`), run with `--slow` only.
"""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.faults import Seen, row_of
from tests.foreign import foreign
from tests.order import mixed

FOLDERS = {"browser": "browser", "commands": "browser", "e2e": "e2e", "faults": "e2e", "machines": "e2e"}
KINDS = ("e2e", "browser", "programs", "unit")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--over",
        choices=("pipe", "websocket", "apart"),
        default="pipe",
        help="what leads to the browser of these tests",
    )
    parser.addoption("--slow", action="store_true", help="run slow tests, too")


@pytest.fixture(scope="session", autouse=True)
def compiled_code_of_programs() -> None:
    """Keep compiled code of started programs in its usual place.

    In the cache of `bin/test` that of each run would pile up.
    """
    os.environ.pop("PYTHONPYCACHEPREFIX", None)


@pytest.fixture(scope="session", autouse=True)
def over(request: pytest.FixtureRequest) -> Iterator[None]:
    """With `--over websocket` the browser of all tests is one that we have not started: docs/remote.md.

    With `apart` it has another disk.
    """
    way = request.config.getoption("--over")
    if way == "pipe":
        yield
        return
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("BROWSE_REMOTE", stack.enter_context(foreign(is_apart=way == "apart")).url)
        yield


@pytest.fixture
def seen(record_property: Callable[[str, object], None]) -> Seen:
    """Say what was seen, for the line that `python -m tests.faults` prints."""
    return partial(record_property, "seen")


def left_out(config: pytest.Config) -> dict[str, str]:
    """Mark of tests whose premise does not hold in the browser of this run → why."""
    over = config.getoption("--over")
    marks = {}
    if over != "pipe":
        marks["own_browser"] = "we have not started the browser"
    if over == "apart":
        marks["same_disk"] = "the browser sees no file of ours"
    if find_spec("playwright") is None:
        marks["playwright"] = "the package is not installed"
    return marks


def pytest_report_header(config: pytest.Config) -> list[str]:
    return [f"not collected: tests marked {mark}, for {why}" for mark, why in left_out(config).items()]


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collect without the garbage collector, and keep it from what was collected.

    Thousands of tests stay to the end.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Add a file that cannot be read, too."""
    pytest_runtest_logreport(report)


def pytest_runtest_logreport(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Add a test that has failed to the file from which bin/test tells the names at its end."""
    named = os.environ.get("GBROWSE_TEST_FAILURES")
    if report.failed and named:
        with Path(named).open("a", encoding="utf-8") as failures:
            failures.write(f"{report.nodeid}\n")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        items[:] = [item for item in items if not is_slow(item)]
    for mark in left_out(config):
        items[:] = [item for item in items if not item.get_closest_marker(mark)]
    here = Path(__file__).parent
    for item in items:
        if is_slow(item):
            item.add_marker("slow")
        if here in item.path.parents:
            folder = item.path.relative_to(here).parts[0]
            kind = FOLDERS.get(folder, "unit")
            if kind != "unit" or not item.get_closest_marker("programs"):
                item.add_marker(kind)
    items[:] = _in_order(items)


def is_slow(item: pytest.Item) -> bool:
    """Whether a test takes minutes: it is marked so, or its row of the fault matrix is."""
    return bool(item.get_closest_marker("slow") or ((row := row_of(item)) and row.slow))


def _in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Sort the tests: files of end-to-end and of browser tests mixed, then programs, then unit tests.

    The last are thousands that take milliseconds.
    """
    here = Path(__file__).parent
    kinds = {item: next((kind for kind in KINDS if item.get_closest_marker(kind)), "e2e") for item in items}
    names = {item: item.path.relative_to(here).as_posix() for item in items if here in item.path.parents}
    begins = mixed(dict.fromkeys((name, kinds[item]) for item, name in names.items()))
    ranks = {"programs": 1, "unit": 2}
    return sorted(items, key=lambda item: ranks.get(kinds[item]) or begins[names[item], kinds[item]])


STARTS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.fork", "os.system"})
"""What Python tells its auditors when it starts a program."""
_unit_test: list[pytest.Item] = []
"""The unit test that runs, if one does."""


def _refuse_programs(event: str, _: object) -> None:
    if _unit_test and event in STARTS:
        raise AssertionError(f"{_unit_test[0].nodeid} is a unit test and starts a program: mark it 'programs'")


sys.addaudithook(_refuse_programs)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Let no unit test start a program: they are thousands, and run in seconds."""
    if item.get_closest_marker("unit"):
        _unit_test.append(item)
    try:
        return (yield)
    finally:
        _unit_test.clear()
