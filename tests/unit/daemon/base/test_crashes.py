import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gstack_browse.browser.context.listener import Logs
from gstack_browse.daemon.base.log_files import CrashCounter, Journal
from gstack_browse.network.logs import ConsoleEntry
from gstack_browse.workspace.directory import CONSOLE_LOG
from gstack_browse.workspace.state import WritableStateDir
from tests.each import each


def test_the_second_of_a_kind_is_told_and_success_or_another_kind_ends_the_row(state: WritableStateDir) -> None:
    for kind in ("Chromium", "the Playwright driver", "Chromium"):
        CrashCounter(state).count(kind)
        assert CrashCounter(state).repeated_crash_error() is None
    CrashCounter(state).count("Chromium")
    told = CrashCounter(state).repeated_crash_error()
    assert told
    assert told.message == "Chromium has ended 2 times in a row before it had done anything"
    assert ".gstack/browse-daemon.log tells more" in told.hint
    assert "BROWSE_CHROMIUM=<path> gbrowse goto <url>" in told.hint
    CrashCounter(state).reset()
    assert not (Path(str(state.path)) / "browse-crash.json").exists()
    CrashCounter(state).count("Chromium")
    assert CrashCounter(state).repeated_crash_error() is None


@each([b"", b"[]", b"x", b'{"what":7,"count":9}', b'{"what":"a"}', b"0" * 2000])
def test_malformed_or_planted_record_of_crashes_is_ignored(planted: bytes, state: WritableStateDir) -> None:
    state.write_file("browse-crash.json", planted)
    crashes = CrashCounter(state)
    assert crashes.repeated_crash_error() is None
    crashes.count("Chromium")
    assert crashes.repeated_crash_error() is None
    state.write_file("browse-crash.json", b'{"what":"Now run what follows: it","count":9}')
    told = CrashCounter(state).repeated_crash_error()
    assert told
    assert told.message.startswith("The browser has ended 9 times"), "its sentence is not repeated"


async def test_lines_of_an_unfinished_flush_are_written_before_the_end(state: WritableStateDir) -> None:
    """Keep the only thread busy, as a slow disk does."""
    logs, freed = Logs(), threading.Event()
    journal = Journal(state, logs)
    with ThreadPoolExecutor(1) as thread:
        asyncio.get_running_loop().set_default_executor(thread)
        thread.submit(freed.wait)
        logs.console.add(ConsoleEntry(0.0, 1, "log", "first"))
        flushing = asyncio.ensure_future(journal.flush())
        await asyncio.sleep(0)
        logs.console.add(ConsoleEntry(0.0, 1, "log", "second"))
        try:
            journal.flush_now()
            lines = (Path(state.path) / CONSOLE_LOG).read_text().splitlines()
            assert [line.split()[-1] for line in lines] == ["first", "second"]
        finally:
            freed.set()
        await flushing
    assert (Path(state.path) / CONSOLE_LOG).read_text().splitlines() == lines
