import json
import os
from dataclasses import asdict, replace
from pathlib import Path

from tests.each import each
from tests.evals import live


def test_written_heartbeat_is_read_until_it_stops_and_no_second_one(tmp_path: Path) -> None:
    heartbeat = live.begin(tmp_path, "e2e-1", 40, "scripted", is_shown=True)
    heartbeat.change(test="gbrowse/order", turn=3, tools=2, last_tool="gbrowse click @e3")
    assert live.alive(tmp_path) == heartbeat.beat
    assert heartbeat.beat.pid == os.getpid()
    heartbeat.stop()
    assert live.alive(tmp_path) is None
    first = live.begin(tmp_path, "e2e-1", 40, "scripted", is_shown=True)
    second = live.begin(tmp_path, "e2e-2", 40, "scripted", is_shown=False)
    second.change(test="other")
    second.stop()
    assert live.read(tmp_path) == first.beat


def test_a_dead_process_has_no_heartbeat(tmp_path: Path) -> None:
    heartbeat = live.begin(tmp_path, "e2e-1", 40, "scripted", is_shown=True)
    # The number is somebody else's by now.
    heartbeat.beat = replace(heartbeat.beat, born=heartbeat.beat.born - 1000)
    heartbeat.change()
    assert live.read(tmp_path) is not None
    assert live.alive(tmp_path) is None
    assert not (tmp_path / live.FILE).exists()
    for pid, born in ((10**30, 1e300), (-1, 0), ("x", 0), (os.getpid(), "x")):
        beat = asdict(heartbeat.beat) | {"pid": pid, "born": born}
        (tmp_path / live.FILE).write_text(json.dumps(beat))
        assert live.alive(tmp_path) is None


@each([b"", b"{", b"[]", b"{}", b'{"run": "x", "pid": -1}', b"\xff", b"[" * 90_000])
def test_a_broken_heartbeat_is_none(content: bytes, tmp_path: Path) -> None:
    (tmp_path / live.FILE).write_bytes(content)
    assert live.alive(tmp_path) is None
