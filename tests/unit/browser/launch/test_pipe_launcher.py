"""Test what the driver starts in Chromium's place.

A program of the test's stands in for Chromium.
"""

import asyncio
import os
import stat
from functools import partial
from pathlib import Path

import psutil
import pytest

from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.launch import scratch
from gstack_browse.browser.launch.pipe_launcher import PipeLauncher
from gstack_browse.errors import SetupFailed

ECHO = "#!/bin/sh\nprintf '%s\\0' \"$*\" >&4\ncat <&3 >&4\n"
"""Says its arguments at descriptor 4, then repeats there what comes at 3."""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    path = folder / "chro\udce9mium"
    path.write_text(ECHO)
    path.chmod(0o700)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "own"
    path.mkdir(mode=0o700)
    return path


@pytest.mark.programs
async def test_the_program_gets_its_words_and_the_daemon_both_ends(program: Path, folder: Path) -> None:
    from_driver, driver_writes = os.pipe()
    driver_reads, to_driver = os.pipe()
    async with PipeLauncher(folder, program) as launcher:
        assert stat.S_IMODE(launcher.program.stat().st_mode) == 0o700
        start = partial(
            os.posix_spawn,
            launcher.program,
            [str(launcher.program), "--one", "two words", '$HOME "`'],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, from_driver, 3),
                (os.POSIX_SPAWN_DUP2, to_driver, 4),
            ],
        )
        pid = await asyncio.to_thread(start)
        os.close(from_driver)
        os.close(to_driver)
        pipe = await launcher._connection
        os.write(driver_writes, b"{}\0")
        heard = b""
        while heard.count(b"\0") < 2:
            heard += await asyncio.to_thread(os.read, driver_reads, 100)
    assert heard == b'--one two words $HOME "`\0{}\0'
    assert not launcher.program.exists()
    os.close(driver_writes)
    assert await asyncio.to_thread(os.read, driver_reads, 1) == b"", "the program has ended with its driver"
    assert (await asyncio.to_thread(os.waitpid, pid, 0))[1] == 0
    os.close(driver_reads)
    pipe.close()


async def test_a_start_that_fails_leaves_nothing_behind(program: Path, folder: Path) -> None:
    with pytest.raises(RuntimeError):
        async with PipeLauncher(folder, program):
            raise RuntimeError
    assert os.listdir(folder) == []


def test_launcher_is_put_into_the_cache_where_its_folder_forbids_programs(
    program: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "cache"
    elsewhere.mkdir()
    monkeypatch.setattr(scratch, "cache_folder", lambda name: str(elsewhere))
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(folder) not in str(path) and allowed(path, mode))
    launcher = PipeLauncher(folder, program)
    assert launcher.program.parent == elsewhere
    assert list(folder.glob("chromium-*")) == []


def test_launcher_with_no_folder_for_programs_fails_to_set_up(
    program: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "cache_folder", lambda name: "")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(SetupFailed, match="No program can be run in"):
        PipeLauncher(folder, program)


@pytest.mark.programs
async def test_launcher_for_a_running_chromium_is_a_shell_until_the_pipe_closes(folder: Path) -> None:
    from_driver, driver_writes = os.pipe()
    driver_reads, to_driver = os.pipe()
    browser_reads, to_browser = os.pipe()
    from_browser, browser_writes = os.pipe()
    running = PipeConnection(Pipe(to_browser, from_browser))
    async with PipeLauncher(folder, Path("/not/started"), running) as launcher:
        words = [str(launcher.program), "--one", "two words"]
        standard = [(os.POSIX_SPAWN_DUP2, from_driver, 3), (os.POSIX_SPAWN_DUP2, to_driver, 4)]
        pid = await asyncio.to_thread(
            os.posix_spawn, launcher.program, words, os.environ, file_actions=standard
        )
        os.close(from_driver)
        os.close(to_driver)
        assert await launcher._connection is running
        assert launcher.arguments == ["--one", "two words"]
    os.write(driver_writes, b'{"id":1}\0')
    assert await asyncio.to_thread(os.read, browser_reads, 100) == b'{"id":1}\0'
    assert psutil.Process(pid).status() != psutil.STATUS_ZOMBIE, (
        "it lives as long as Chromium does, as far as we know"
    )
    os.close(browser_writes)  # Chromium has ended
    assert await asyncio.to_thread(os.read, driver_reads, 100) == b""
    await asyncio.to_thread(os.waitpid, pid, 0)
    for end in (driver_writes, driver_reads, browser_reads):
        os.close(end)
