"""Run tests in several processes that share one collection: `pytest -p tests.forks --processes 6`.

pytest-xdist collects in each of its processes, and where nothing is compiled yet each of them compiles all tests. Here pytest collects once
and forks. Each process takes one file after the other from a queue, and sends its reports to pytest, which tells them as if the
tests had been its own. A test sees no difference. What a fork cannot copy, such as a thread, must not run before the first test.

`--both-browsers CHROMIUM` has one more process run the tests marked `both_browsers` with that Chromium.
"""

import os
import signal
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, NoReturn

import pytest

INDEX_BYTES = 2


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=2, help="how many processes run tests")
    parser.addoption("--both-browsers", metavar="CHROMIUM", help="run marked tests with this one, too")


@dataclass
class Process:
    pid: int
    reports: Connection
    running: str = "none yet"
    """The id of the test that was begun last."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    option = session.config.option
    files: dict[Path, list[pytest.Item]] = {}
    for item in session.items:
        files.setdefault(item.path, []).append(item)
    if session.testsfailed or option.collectonly or (len(files) < 2 and not option.both_browsers):
        return None  # pytest's own loop does it
    queue = _queue_of(len(files))
    parts = [_taken_from(queue, list(files.values()))] * min(option.processes, len(files))
    chromiums = [""] * len(parts)
    if option.both_browsers:
        marked = [
            [item for item in file if item.get_closest_marker("both_browsers")] for file in files.values()
        ]
        session.testscollected += sum(map(len, marked))
        parts.append(marked)
        chromiums.append(option.both_browsers)
    if terminal := session.config.pluginmanager.get_plugin("terminalreporter"):
        terminal.showfspath = False  # reports of different files come in turn
    # Who ends pytest has all processes put their things away, as after Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    processes = _start_all(session, parts, chromiums)
    try:
        _report_all(session, processes)
    except BaseException:
        for process in processes:
            os.kill(process.pid, signal.SIGTERM)
        for process in processes:
            with suppress(EOFError, OSError):
                while True:  # a process whose report nobody reads does not end
                    process.reports.recv_bytes()
            os.waitpid(process.pid, 0)
        raise
    for process in processes:
        if status := os.waitstatus_to_exitcode(os.waitpid(process.pid, 0)[1]):
            pytest.exit(
                f"A process of the tests has ended with status {status}; begun last: {process.running}", 3
            )
    return True


def _queue_of(count: int) -> int:
    """Return a pipe from which each process reads the number of its next file."""
    read, write = os.pipe()
    os.write(write, b"".join(number.to_bytes(INDEX_BYTES, "big") for number in range(count)))
    os.close(write)
    return read


def _taken_from(queue: int, files: list[list[pytest.Item]]) -> Iterator[list[pytest.Item]]:
    while number := os.read(queue, INDEX_BYTES):
        yield files[int.from_bytes(number, "big")]


def _start_all(
    session: pytest.Session, parts: list[Iterable[list[pytest.Item]]], chromiums: list[str]
) -> list[Process]:
    """Fork all processes.

    Capturing pauses meanwhile: processes that write to one temporary file would cut off each other's output.
    """
    capture = session.config.pluginmanager.get_plugin("capturemanager")
    is_capturing = capture.is_globally_capturing()
    if is_capturing:
        capture.stop_global_capturing()
    sys.stdout.flush()
    place = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined] # there is no public way
    processes = []
    for number, (files, chromium) in enumerate(zip(parts, chromiums, strict=True)):
        reports, sent = Pipe(duplex=False)
        if not (pid := os.fork()):
            if is_capturing:
                _resume(capture)
            session.config._tmp_path_factory._basetemp = place / str(number)  # type: ignore[attr-defined]
            (place / str(number)).mkdir(mode=0o700)
            _be_process(session, files, sent, chromium)
        sent.close()  # before the next fork: the end of this process is seen by the end of the pipe
        processes.append(Process(pid, reports))
    if is_capturing:
        _resume(capture)
    return processes


def _resume(capture: Any) -> None:
    capture.start_global_capturing()
    capture.suspend_global_capture()  # as between two tests


def _be_process(
    session: pytest.Session, files: Iterable[list[pytest.Item]], sent: Connection, chromium: str
) -> NoReturn:
    """Run tests and end: print nothing, and send what happens to pytest."""
    os.environ.pop("GBROWSE_TEST_FAILURES", None)  # pytest itself adds the name
    if chromium:
        os.environ["BROWSE_CHROMIUM"] = chromium
    plugins = session.config.pluginmanager
    plugins.unregister(name="terminalreporter")
    plugins.register(_Sender(session.config, sent, f" on {chromium}" if chromium else ""))
    status = 0
    try:
        with suppress(session.Failed, session.Interrupted):
            for file in files:
                _run_file(session, file)
    except KeyboardInterrupt:
        status = 2
    except BaseException:  # noqa: BLE001 - it must not go on as pytest, whatever has happened
        traceback.print_exc(file=sys.__stderr__)
        status = 3
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.SIG_IGN)
    try:
        session._setupstate.teardown_exact(None)
    except BaseException:  # noqa: BLE001 - as above
        traceback.print_exc(file=sys.__stderr__)
        status = 3
    os._exit(status)


def _run_file(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Run tests as pytest's own loop does.

    At the end only the session's fixtures stay: the next file is not known yet.
    """
    for item, following in pairwise([*items, session]):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)


class _Sender:
    """Sends what happens to a test: the name and the words of the hook that pytest is to call."""

    def __init__(self, config: pytest.Config, sent: Connection, suffix: str) -> None:
        self.config = config
        self.sent = sent
        self.suffix = suffix

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self.sent.send(("pytest_runtest_logstart", {"nodeid": nodeid + self.suffix, "location": location}))

    def pytest_runtest_logfinish(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self.sent.send(("pytest_runtest_logfinish", {"nodeid": nodeid + self.suffix, "location": location}))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        report.nodeid += self.suffix
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.sent.send(("pytest_runtest_logreport", {"report": data}))


def _report_all(session: pytest.Session, processes: list[Process]) -> None:
    """Report what the processes send, until all have ended or the run stops early."""
    config = session.config
    running = {process.reports: process for process in processes}
    while running:
        for reports in wait(list(running)):
            process = running[reports]  # type: ignore[index]
            try:
                hook, words = process.reports.recv()
            except EOFError:
                del running[process.reports]
                continue
            if hook == "pytest_runtest_logstart":
                process.running = words["nodeid"]
            if hook == "pytest_runtest_logreport":
                words = {
                    "report": config.hook.pytest_report_from_serializable(config=config, data=words["report"])
                }
            getattr(config.hook, hook)(**words)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
