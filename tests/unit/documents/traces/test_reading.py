"""Traces that others have made: old versions, and files that are meant to harm."""

import contextlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.documents.traces import rendering
from gstack_browse.documents.traces import trace_reader as archives
from gstack_browse.documents.traces.rendering import FrameDocuments
from gstack_browse.documents.traces.trace_reader import TraceReader, open_trace
from gstack_browse.errors import FileFailed
from tests.each import each_row
from tests.unit.hostile import damaged, json_values

CONTEXT = {
    "type": "context-options",
    "version": 8,
    "browserName": "chromium",
    "wallTime": 1000,
    "monotonicTime": 1,
}
BEFORE = {"type": "before", "callId": "call@1", "startTime": 2, "class": "Frame", "method": "click"}
AFTER = {"type": "after", "callId": "call@1", "endTime": 5}


def pack(files: Mapping[str, bytes], path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def events(*made: object) -> bytes:
    return b"\n".join(each if isinstance(each, bytes) else json.dumps(each).encode() for each in made)


def show(path: Path) -> dict[str, list[str]]:
    """Print everything of a trace, and the document of each action."""
    with open_trace(path) as archive:
        trace = TraceReader(archive).read()
        found = {
            "actions": rendering.render_actions(trace),
            "requests": rendering.render_requests(trace),
            "console": rendering.render_messages(trace),
        }
        for number, action in enumerate(trace.actions[:3], 1):
            found[f"document {number}"] = rendering.render_document(FrameDocuments(archive, action), action)
            if picture := rendering.find_picture(trace, action):
                archive.read(picture.file)
    return found


def test_old_version_and_steps_of_a_test_are_read(tmp_path: Path) -> None:
    old = [
        {"version": 3, "type": "context-options", "browserName": "firefox", "options": {}},
        {"type": "action", "metadata": {"id": "call@4", "startTime": 10, "endTime": 30, "apiName": "page.click",
         "params": {"selector": "#save"}, "error": {"error": {"message": "Timeout"}}, "pageId": "p"}},
        {"type": "action", "metadata": {"id": "call@5", "internal": True}},
    ]  # fmt: skip
    shown = show(pack({"trace.trace": events(*old)}, tmp_path / "old.zip"))
    head = "Trace: made by Playwright, firefox, 1 action in 0.0 s, 0 requests, 0 console messages"
    assert shown["actions"] == [head, "   1  +0.00s  20 ms  page.click #save", "      failed: Timeout"]
    steps = events(
        CONTEXT,
        {"type": "before", "callId": "hook@1", "startTime": 2, "title": "Before Hooks"},
        {**BEFORE, "callId": "pw:api@2", "parentId": "hook@1", "startTime": 3, "title": "Click the button"},
        {"type": "after", "callId": "pw:api@2", "endTime": 9},
        {"type": "stdout", "timestamp": 4, "text": "from the test"},
        {"type": "error", "message": "expected 1\nto be 2"},
    )
    calls = events({**CONTEXT, "monotonicTime": 101}, {**BEFORE, "stepId": "pw:api@2", "startTime": 103}, AFTER)
    shown = show(pack({"test.trace": steps, "0-trace.trace": calls}, tmp_path / "steps.zip"))
    assert shown["actions"][1:3] == [
        "   1  +0.00s  not ended  Before Hooks",
        "   2  +0.00s  6 ms         Click the button",
    ]
    assert shown["actions"][-1] == "Error of the test: expected 1 to be 2"
    assert shown["console"] == ["+0.00s  stdout: from the test"]


def snapshot(html: object, call: str = "call@1") -> dict[str, Any]:
    shown = {"callId": call, "frameId": "f", "isMainFrame": True, "html": html}
    return {"type": "frame-snapshot", "snapshot": shown}


def test_document_takes_parts_of_earlier_ones(tmp_path: Path) -> None:
    kept = ["P", {"onclick": "x"}, "Kept <b>"]
    first = ["HTML", {}, ["BODY", {}, ["H1", {}, "Old"], kept, ["SCRIPT", {}, "1"]]]
    second = ["HTML", {}, ["BODY", {}, ["H1", {}, "New"], [[1, 3]], [[9, 0]], [[1, 99]], [[-1, 0]], [["x"]]]]
    trace = events(CONTEXT, BEFORE, AFTER, snapshot(first, "call@0"), snapshot(second))
    assert show(pack({"trace.trace": trace}, tmp_path / "t.zip"))["document 1"][2:] == ["# New\n\nKept <b>"]


def nested(levels: int) -> Any:
    node: Any = "x"
    for _ in range(levels):
        node = ["DIV", {}, node]
    return node


@each_row(
    ({"trace.trace": b"\0" * 300_000}, "is longer than"),
    ({"trace.trace": b"\n" * 900_000}, "unpacks to more than"),
    ({"trace.trace": events(*([{}] * 500))}, "more than 400 events"),
    ({"trace.trace": events({**CONTEXT, "version": 99})}, "of version 99"),
    ({"readme.txt": b""}, "no trace of Playwright's"),
    ({f"{number}.trace": b"" for number in range(300)}, "more than 200 files"),
    ({"trace.trace": events(CONTEXT, BEFORE, snapshot(["A", {}, "x" * 50_000, *[[[0, 0]]] * 90]))}, "more than 1,000,000 characters"),
    ({"trace.trace": events(CONTEXT, BEFORE, snapshot(nested(900)))}, ""),
    ({"trace.trace": events(CONTEXT, BEFORE, b"[" * 100_000, snapshot(["DIV", {}, *["x"] * 5000]))}, "more than 3,000 nodes"),
    ({"trace.trace": events(CONTEXT, BEFORE, {"type": "screencast-frame", "sha1": "../../../etc/passwd"})}, ""),
)  # fmt: skip
def test_file_that_is_meant_to_harm_is_refused_or_read_in_part(
    files: dict[str, bytes], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MOST_LINE_BYTES", 200_000)
    monkeypatch.setattr(archives, "MOST_UNPACKED_BYTES", 800_000)
    monkeypatch.setattr(archives, "MOST_ENTRIES", 200)
    monkeypatch.setattr("gstack_browse.documents.traces.trace_reader.MOST_EVENTS", 400)
    monkeypatch.setattr(rendering, "MOST_NODES", 3000)
    monkeypatch.setattr(rendering, "MOST_CHARACTERS", 1_000_000)
    said = ""
    try:
        show(pack(files, tmp_path / "bad.zip"))
    except FileFailed as error:
        said = error.message
    assert message in said
    assert bool(message) == bool(said)


VALUES = json_values | st.just("\ud800") | st.integers(-(2**70), 2**70)
NAMES = st.sampled_from([
    "callId", "stepId", "parentId", "startTime", "endTime", "title", "class", "method", "params", "error",
    "metadata", "snapshot", "pageId", "sha1", "file", "html", "frameId", "isMainFrame", "timestamp", "time",
    "location", "text", "messageType", "version", "monotonicTime", "wallTime", "message", "log", "frameUrl",
])  # fmt: skip
TYPES = st.sampled_from([
    "before", "after", "action", "log", "console", "event", "resource-snapshot", "screencast-frame",
    "frame-snapshot", "error",
])  # fmt: skip
NODES = st.recursive(
    st.text(max_size=5) | st.lists(st.lists(st.integers(-3, 9), max_size=3), max_size=2) | VALUES,
    lambda inner: st.builds(
        lambda name, rest: [name, {}, *rest], st.sampled_from(["DIV", "A", "", "x y"]), st.lists(inner)
    ),
    max_leaves=8,
)
EVENTS = st.builds(
    lambda kind, fields: {"type": kind, **fields}, TYPES, st.dictionaries(NAMES, VALUES, max_size=6)
)
DOCUMENTS = st.builds(snapshot, NODES)


@given(made=st.lists(EVENTS | DOCUMENTS, max_size=8), noise=st.binary(max_size=40))
def test_any_events_are_printed_or_refused(
    made: list[Any], noise: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.zip"
    content = events(CONTEXT, BEFORE, *made, noise, AFTER)
    shown = show(pack({"trace.trace": content, "trace.network": content}, path))
    assert shown["actions"][0].startswith("Trace")


def _archive() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace.trace", events(CONTEXT, BEFORE, AFTER))
    return made.getvalue()


@given(content=damaged(_archive()))
def test_broken_archive_is_refused(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "broken.zip"
    path.write_bytes(content)
    with contextlib.suppress(FileFailed):
        show(path)
