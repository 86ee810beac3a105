import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gstack_browse.browser.context.listener import Logs
from gstack_browse.daemon.base.log_files import Journal
from gstack_browse.network.logs import ConsoleEntry
from gstack_browse.workspace.directory import CONSOLE_LOG
from gstack_browse.workspace.state import WritableStateDir


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
