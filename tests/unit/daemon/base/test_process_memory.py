"""Memory that processes share is counted once; where the system tells no PSS, the measure is named."""

import os
from pathlib import Path

import psutil
import pytest

from gstack_browse.daemon.base import memory


def test_measure_is_named_where_pss_cannot_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(memory, "PROC", tmp_path)
    own = psutil.Process()
    told = memory.measure([own])
    assert (told.processes, told.by_rss) == (1, 1)
    assert told.measure_name == "RSS: shared memory is counted more than once"
    assert told.size > 1_000_000

    one = tmp_path / str(own.pid) / "smaps_rollup"
    one.parent.mkdir()
    one.write_text("00400000-7ffc ---p 00000000 00:00 0  [rollup]\nRss: 90 kB\nPss:  12 kB\nPss_Dirty: 7 kB\n")
    assert memory.measure([own]) == (12 * 1024, 1, 0)
    mixed = memory.measure([own, psutil.Process(os.getppid())])
    assert mixed.measure_name == "PSS, but RSS for 1 of 2 processes: shared memory is counted more than once"


def test_proc_of_another_pid_namespace_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(memory, "PROC", tmp_path)
    assert not memory.is_proc_foreign(), "there is none, as on macOS"
    for pid, is_foreign in ((os.getpid(), False), (os.getpid() + 1, True)):
        (tmp_path / "self").unlink(missing_ok=True)
        (tmp_path / "self").symlink_to(str(pid))
        assert memory.is_proc_foreign() == is_foreign


@pytest.mark.programs
def test_processes_that_have_ended_are_left_out() -> None:
    if (pid := os.fork()) == 0:
        os._exit(0)
    ended = psutil.Process(pid)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert ended.status() == psutil.STATUS_ZOMBIE
    assert memory.measure([ended]) == (0, 0, 0), "nobody has waited for it"
    os.waitpid(pid, 0)
    assert memory.measure([ended]) == (0, 0, 0)
