"""Runs tests in two processes that share one collection: `pytest -p tests.halves`.

pytest-xdist collects in each of its processes, which for tests of a millisecond takes as long as the second process gains. Here pytest
collects once and forks: the child runs half of the files and writes its reports to a file, which pytest reads at the end as if
the tests had been its own. A test sees no difference. What a fork cannot copy, such as a thread, must not run before the first test.
"""

import os
import pickle
import sys
import tempfile
import traceback
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import IO

import pytest

LIKE_TESTS = 60
"""A test by hypothesis takes about as long as this many others."""


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    ours, theirs = halves(session.items)
    if session.testsfailed or session.config.option.collectonly or not theirs:
        return (yield)
    with tempfile.TemporaryFile() as reports:
        child = _fork_with_capture_of_its_own(session)
        session.items = ours if child else theirs
        if child:
            try:
                return (yield)
            finally:
                _, status = os.waitpid(child, 0)
                _take_over(session, reports)
                if status:
                    ended = os.waitstatus_to_exitcode(status)
                    pytest.exit(f"The second process of the tests has ended with status {ended}", 3)
        _write_reports(session, reports)
        try:
            yield
        except (session.Failed, session.Interrupted):
            pass  # the reports say what has failed
        except BaseException:  # noqa: BLE001 - the child must not go on as pytest, whatever has happened
            traceback.print_exc(file=sys.__stderr__)
            os._exit(3)
        reports.flush()
        os._exit(0)


def halves(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Split tests into two lists that take about as long, each in the order of `items`.

    A file's tests are in one list.
    """
    weights: dict[object, int] = {}
    for item in items:
        is_many = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        weights[item.path] = weights.get(item.path, 0) + (LIKE_TESTS if is_many else 1)
    first: set[object] = set()
    first_weight = second_weight = 0
    for path in sorted(weights, key=lambda path: -weights[path]):
        if first_weight <= second_weight:
            first.add(path)
            first_weight += weights[path]
        else:
            second_weight += weights[path]
    return [item for item in items if item.path in first], [item for item in items if item.path not in first]


def _fork_with_capture_of_its_own(session: pytest.Session) -> int:
    """Fork. Returns the child's process id in the parent, and 0 in the child.

    Capturing pauses for the fork: two processes that write to one temporary file would cut off each other's output.
    """
    capture = session.config.pluginmanager.get_plugin("capturemanager")
    is_capturing = capture.is_globally_capturing()
    if is_capturing:
        capture.stop_global_capturing()
    sys.stdout.flush()
    child = os.fork()
    if is_capturing:
        capture.start_global_capturing()
        capture.suspend_global_capture()  # as between two tests
    return child


def _write_reports(session: pytest.Session, file: IO[bytes]) -> None:
    """Be the child process: print nothing, and write each report to `file`."""
    plugins = session.config.pluginmanager
    plugins.unregister(name="terminalreporter")
    plugins.register(_Writer(session.config, file))


class _Writer:
    def __init__(self, config: pytest.Config, file: IO[bytes]) -> None:
        self.config = config
        self.file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        pickle.dump(data, self.file)


def _take_over(session: pytest.Session, file: IO[bytes]) -> None:
    """Report what the child has written."""
    hook = session.config.hook
    file.seek(0)
    for data in _written(file):
        report = hook.pytest_report_from_serializable(config=session.config, data=data)
        if report.when == "setup":
            hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
        hook.pytest_runtest_logreport(report=report)


def _written(file: IO[bytes]) -> Iterator[dict[str, object]]:
    with suppress(EOFError, pickle.UnpicklingError):  # the end, or the place where a child has died
        while True:
            yield pickle.load(file)
