import asyncio
import os
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from gstack_browse.daemon.succession import upgrader
from gstack_browse.daemon.succession.upgrader import CodeWatch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no inotify")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that is older than this process: files made by a test are not."""
    monkeypatch.setattr(upgrader, "_start_time", lambda: time.time() + 60)
    monkeypatch.setattr(upgrader, "REST_SECONDS", 0.0)
    package = tmp_path / "package"
    (package / "inner/__pycache__").mkdir(parents=True)
    for name in ("__init__.py", "inner/__init__.py", "inner/page.js", "inner/notes.txt"):
        (package / name).write_text(name)
    return package


@pytest.fixture
async def watch(package: Path) -> AsyncIterator[CodeWatch]:
    watch = CodeWatch(package)
    await watch.start()
    assert not watch.may_have_changed
    yield watch
    watch.close()


async def is_noticed(watch: CodeWatch) -> bool:
    """Return whether a change is noticed in the turn of the event loop in which a command would come."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return watch.may_have_changed


CHANGES: dict[str, Callable[[Path], object]] = {
    "a file is written": lambda package: (package / "inner/page.js").write_text("1"),
    "a file is replaced": lambda package: (package / "inner/notes.txt").rename(package / "inner/__init__.py"),
    "a file is removed": lambda package: (package / "inner/page.js").unlink(),
    "a folder is added": lambda package: shutil.copytree(package / "inner", package / "other"),
    "the package is replaced": lambda package: package.rename(package.with_name("old")),
}
OTHER: dict[str, Callable[[Path], object]] = {
    "compiled": lambda package: (package / "inner/__pycache__/a.py").write_text("1"),
    "a folder for what is compiled": lambda package: (package / "__pycache__").mkdir(),
    "an editor's": lambda package: (package / "inner/.page.js.swp").write_text("1"),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_change_is_noticed_at_once(watch: CodeWatch, package: Path, change: str) -> None:
    CHANGES[change](package)
    assert await is_noticed(watch)
    if "package" in change:
        assert (await watch.wait_until_unchanged(0), watch.may_have_changed) == (0, True), (
            "an installer is at work"
        )
        shutil.copytree(package.with_name("old"), package)
        (package / "inner/page.js").write_text("1")
    stamp = await watch.wait_until_unchanged(60)
    assert stamp
    assert watch.has_stamp(stamp)
    (package / "inner/more.py").touch()
    assert not watch.has_stamp(stamp)
    watch.ignore_stamp(stamp)
    assert await is_noticed(watch), "what cannot be loaded has changed meanwhile"
    watch.ignore_stamp(await watch.wait_until_unchanged(60))
    assert not await is_noticed(watch)
    (package / "inner/more.py").write_text("1")
    assert await is_noticed(watch), "a directory that is new is watched, too"


async def test_other_files_are_no_code(watch: CodeWatch, package: Path) -> None:
    for what, change in OTHER.items():
        change(package)
        assert not await is_noticed(watch), what
    await watch.check()
    assert not watch.may_have_changed


async def test_a_change_while_the_process_started_is_noticed(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Find it by the time of the newest file, also where the kernel tells nothing."""
    set_back = CodeWatch(package)
    monkeypatch.setattr(upgrader, "_start_time", lambda: time.time() - 60)
    watch = CodeWatch(package)
    await watch.start()
    assert watch.may_have_changed
    assert await watch.wait_until_unchanged(60)
    # After a clock was set back, files that are older than the process seem to come from the future.
    monkeypatch.setattr(upgrader, "_start_time", lambda: time.time() - 3 * 3600)
    await set_back.start()
    assert not set_back.may_have_changed
    set_back.close()
    monkeypatch.setattr(upgrader.sys, "platform", "darwin")
    monkeypatch.setattr(upgrader, "_start_time", lambda: time.time() + 60)
    silent = CodeWatch(package)
    await silent.start()
    (package / "inner/more.py").touch()
    assert not await is_noticed(silent)
    await silent.check()
    assert silent.may_have_changed
    watch.close()


@pytest.mark.parametrize("is_worktree", [False, True])
async def test_code_is_not_at_rest_while_git_writes_it(
    watch: CodeWatch, package: Path, is_worktree: bool
) -> None:
    git = package.parent / ".git"
    if is_worktree:
        git.write_text("gitdir: ../elsewhere/worktrees/one\n")
        git = package.parent / "../elsewhere/worktrees/one"
    git.mkdir(parents=True)
    (git / "index.lock").touch()
    (package / "inner/page.js").write_text("1")
    assert await is_noticed(watch)
    assert await watch.wait_until_unchanged(0) == 0
    old = time.time() - 2 * upgrader.LOCK_SECONDS
    os.utime(git / "index.lock", (old, old))
    assert await watch.wait_until_unchanged(60), "that git has crashed"
