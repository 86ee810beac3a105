import ctypes
import gc
import re
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from gstack_browse.daemon.base import memory
from gstack_browse.daemon.base.memory import MemoryReleaser

ROOT = Path(__file__).parents[4]
MORE_THAN_THERE_IS = 1 << 60


class Cycle:
    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def nothing_collects_by_itself() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def is_garbage_left(releaser: MemoryReleaser, *, is_idle: bool) -> bool:
    """Return whether an unreachable cycle survives a `release_if_grown`."""
    cycle = weakref.ref(Cycle())
    releaser.release_if_grown(is_idle=is_idle)
    return cycle() is not None


def test_garbage_is_collected_once_when_idle_and_in_use_only_after_much_growth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "GROWTH", MORE_THAN_THERE_IS)
    monkeypatch.setattr(memory, "MOST_GROWTH", MORE_THAN_THERE_IS)
    monkeypatch.setattr(memory, "SHARE", 1e-9)
    releaser = MemoryReleaser()
    assert is_garbage_left(releaser, is_idle=True), "the process has not grown"
    monkeypatch.setattr(memory, "GROWTH", -MORE_THAN_THERE_IS)
    assert is_garbage_left(releaser, is_idle=False)
    monkeypatch.setattr(memory, "MOST_GROWTH", -MORE_THAN_THERE_IS)
    assert not is_garbage_left(releaser, is_idle=False)
    releaser = MemoryReleaser()
    assert not is_garbage_left(releaser, is_idle=True)
    assert is_garbage_left(releaser, is_idle=True), "the daemon rests"


ALLOCATIONS = """
import ctypes, sys, threading
from gstack_browse.daemon.base.memory import MemoryReleaser

MemoryReleaser().release_if_grown(is_idle=True)
c, together = ctypes.CDLL(None), threading.Barrier(6)
c.malloc.restype = c.fopen.restype = ctypes.c_void_p

def take():
    together.wait()
    assert c.malloc(50_000)
    together.wait()

threads = [threading.Thread(target=take) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
c.free(ctypes.c_void_p(c.malloc(20_000_000)))
large = [c.malloc(2_000_000) for _ in range(3)]
told = ctypes.c_void_p(c.fopen(sys.argv[1].encode(), b"w"))
assert told and c.malloc_info(0, told) == 0 and c.fclose(told) == 0
"""


@pytest.mark.programs
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="the C library is not glibc")
def test_threads_share_a_heap_and_what_is_large_lies_in_none(tmp_path: Path) -> None:
    file = tmp_path / "heaps.xml"
    subprocess.run([sys.executable, "-c", ALLOCATIONS, file], cwd=ROOT, check=True)
    told = file.read_text()
    assert told.count("<heap nr=") == 1
    assert int(re.findall(r'<total type="mmap" count="(\d+)"', told)[0]) >= 3
