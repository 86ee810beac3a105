"""Record a browser context as a trace in Playwright's format.

A trace has commands, pictures, documents, requests and console messages. Documents are copied by the protocol: the page
runs nothing for it, and hears nothing.
"""

import asyncio
import base64
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

import orjson

from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.context.screencast import Screencast
from gstack_browse.browser.network.har_recording import Purpose
from gstack_browse.browser.reading import logged_requests
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.documents.traces.trace_writer import TraceWriter
from gstack_browse.flows.feed import CommandFeed, FeedCommand
from gstack_browse.flows.log import ACTIONS
from gstack_browse.network.logs import ConsoleEntry, format_clock
from gstack_browse.text.units import format_count

COPY_SECONDS = 2.0
MOST_NODES = 100_000
MOST_DEPTH = 200
"""Depth from which elements are no longer nested: JSON is written by recursion."""
_ELEMENT, _TEXT, _FRAGMENT = 1, 3, 11
_LEFT_OUT = frozenset({"SCRIPT", "NOSCRIPT", "BASE"})
_SHADOW = "__playwright_shadow_root_"
"""Playwright's attribute of a template that stands for a shadow root."""
_SRC = "__playwright_src__"

Node = str | list[Any]
"""A text, or `[name, attributes, *children]`."""


class TooLarge(Exception):
    """A document has more than MOST_NODES nodes."""


class FrameCopy:
    """A document: its frame's id ("" for the main one), address, document type and nodes."""

    def __init__(self, frame: str, document: dict[str, Any]) -> None:
        self.frame = frame
        self.url: str = document.get("documentURL", "")
        self.doctype = next(
            (child["nodeName"] for child in document.get("children", ()) if child["nodeType"] == 10), ""
        )
        self.frames: list[FrameCopy] = []
        self._base = document.get("baseURL") or self.url
        self._count = 0
        roots = [child for child in document.get("children", ()) if child["nodeType"] == _ELEMENT]
        self.html: Node = self._copy(roots[0]) if roots else ["HTML", {}]

    def all_frames(self) -> "Iterator[FrameCopy]":
        """Yield this document and those of its frames, outer ones first."""
        yield self
        for frame in self.frames:
            yield from frame.all_frames()

    def _copy(self, root: dict[str, Any]) -> Node:
        """Convert a node of `DOM.getDocument`, with all below it, to one of the trace format.

        Without recursion: pages may nest thousands of elements.
        """
        top: list[Any] = []
        stack: list[tuple[dict[str, Any], list[Any], int]] = [(root, top, 0)]
        while stack:
            node, parent, depth = stack.pop()
            self._count += 1
            if self._count > MOST_NODES:
                raise TooLarge
            kind, name = node["nodeType"], node["nodeName"].upper()
            if kind == _TEXT:
                parent.append(node["nodeValue"])
                continue
            if kind == _FRAGMENT:
                copied: list[Any] = ["template", {_SHADOW: node.get("shadowRootType", "open")}]
            elif kind == _ELEMENT and name not in _LEFT_OUT:
                copied = [name, self._copy_attributes(node)]
                if name == "HEAD":
                    copied.append(["BASE", {"href": self._base}])
            else:
                continue
            parent.append(copied)
            inside = copied if depth < MOST_DEPTH else parent
            stack += [(child, inside, depth + 1) for child in reversed(_inner_nodes(node))]
        return top[0] if top else ["HTML", {}]

    def _copy_attributes(self, node: dict[str, Any]) -> dict[str, str]:
        """Return a node's attributes without event handlers. If it is a frame, copy its document to `frames`.

        The `src` of a frame becomes the address of that copy in the trace.
        """
        given = node.get("attributes", [])
        attributes = {
            name: value
            for name, value in zip(given[::2], given[1::2], strict=False)
            if not name.lower().startswith("on")
        }
        if (inner := node.get("contentDocument")) and (frame := node.get("frameId")):
            self.frames.append(FrameCopy(frame, inner))
            attributes.pop("src", None)
            attributes[_SRC] = f"/snapshot/{frame}"
        return attributes


def _inner_nodes(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is inside of a DOM node: the page's own shadow roots, then the children."""
    own = [root for root in node.get("shadowRoots", ()) if root.get("shadowRootType") != "user-agent"]
    return [*own, *node.get("children", ())]


async def copy_document(session: Session) -> FrameCopy:
    """Copy the DOM of a page and of its frames in the same process.

    Raises ProtocolError if the page has closed, TimeoutError after COPY_SECONDS, TooLarge.
    """
    async with asyncio.timeout(COPY_SECONDS):
        result = await session.send("DOM.getDocument", {"depth": -1, "pierce": True})
    session.notify("DOM.disable")  # else Chromium reports every change
    return await asyncio.to_thread(FrameCopy, "", result["root"])


FRAME_SECONDS = 0.2
"""Shortest time between two pictures of a tab."""
SETTLE_SECONDS = 5.0
"""How long the last pictures are waited for: a tab that Chromium does not draw has none."""
MOST_TABS = 10
MOST_LOG_LINES = 50
_OWN = ("trace-start", "trace-stop")
_LEVELS = {"warn": "warning", "exception": "error", "assert": "error", "lost": "error"}
"""Our names of levels that the format calls otherwise."""


class TabRecorder:
    """Records the pictures of one tab."""

    def __init__(self, tab: Tab, writer: TraceWriter) -> None:
        self.tab = tab
        self.screencast = Screencast(self.write_frame, interval=FRAME_SECONDS)
        self.count = 0
        self._writer = writer

    @property
    def page_id(self) -> str:
        """Return the tab's `pageId` in the trace."""
        return f"page@{self.tab.id}"

    def write_frame(self) -> None:
        """Write the newest screencast picture of the tab to the trace, unless it is written already."""
        if (picture := self.screencast.take_newest()) is None:
            return
        if name := self._writer.add_blob(picture.decode(), "jpeg"):
            self.count += 1
            self._writer.add_event(
                {
                    "type": "screencast-frame",
                    "pageId": self.page_id,
                    "sha1": name,
                    "width": round(picture.width),
                    "height": round(picture.height),
                    "timestamp": time.monotonic() * 1000,
                }
            )


class TraceRecorder:
    """Records a browser context as a trace for Playwright's trace viewer, until `finish`.

    `feed`: events of commands; `hide`: removes secrets from a text.
    """

    def __init__(self, browser: OpenContext, feed: CommandFeed, hide: Callable[[str], str]) -> None:
        self._browser = browser
        self._feed = feed
        self._hide = hide
        self._writer = TraceWriter()
        self._tabs: dict[int, TabRecorder] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()
        self._parent = ""
        """The command of a client that runs, of which others may be steps."""
        self._content: bytes | None = None
        self._messages = self._requests = 0
        self._first_message = browser.logs.console.total
        self._wall = time.time() * 1000
        self._monotonic = time.monotonic() * 1000
        self._actions = 0
        self._documents = 0
        self._documented: set[str] = set()
        """The running commands of which there is a document."""

    async def start(self) -> None:
        """Begin to record commands, pictures, requests and console messages of the context."""
        size = self._browser.appearance.screen.size
        self._writer.begin(
            wall=self._wall,
            monotonic=self._monotonic,
            browser=self._browser.running.version,
            title=self._browser.shown_name,
            viewport=(size.width, size.height),
        )
        await self._browser.recording.begin(self._browser.tabs, Purpose.TRACE)
        await self._start_tab_recorders()
        self._feed.subscribe(self._on_command)
        self._feed.page_work.append(self._copy_documents)
        self._browser.on_close.append(self._on_close)

    async def discard(self) -> None:
        """Undo what `start` did before it failed."""
        for recorder in self._tabs.values():
            await recorder.screencast.stop()
        await self._browser.recording.end(self._browser.tabs, Purpose.TRACE)
        self._writer.close()

    async def finish(self) -> bytes:
        """End the recording, and return the trace as a ZIP file; later calls return the same. Raises OSError."""
        if self._content is None:
            self._stop_listening()
            if self._tasks:
                await asyncio.wait(self._tasks)
            await asyncio.gather(
                *(each.screencast.wait_for_picture(SETTLE_SECONDS) for each in self._tabs.values())
            )
            for recorder in self._tabs.values():
                recorder.write_frame()
                await recorder.screencast.stop()
            self._messages = self._write_console()
            self._requests = await self._write_requests()
            await self._browser.recording.end(self._browser.tabs, Purpose.TRACE)
            self._content = await asyncio.to_thread(self._writer.pack)
            self._writer.close()
        return self._content

    def _on_close(self) -> None:
        """Drop the trace: its context is closed, so no command can save it."""
        self._stop_listening()
        recorders.pop(self._browser, None)

    def _stop_listening(self) -> None:
        """Stop recording commands: the trace is complete, or its context is closed."""
        if self._on_close in self._browser.on_close:
            self._browser.on_close.remove(self._on_close)
            self._feed.unsubscribe(self._on_command)
            self._feed.page_work.remove(self._copy_documents)

    def describe(self) -> str:
        """Describe what was recorded: `3 commands, 12 pictures, …`."""
        counts = (
            (self._actions, "command"),
            (sum(recorder.count for recorder in self._tabs.values()), "picture"),
            (self._documents, "document"),
            (self._requests, "request"),
            (self._messages, "console message"),
        )
        return ", ".join(format_count(count, name) for count, name in counts)

    def describe_progress(self) -> str:
        """Describe what is recorded so far: `3 commands since 14:02:11`."""
        return f"{format_count(self._actions, 'command')} since {format_clock(self._wall / 1000)}"

    @property
    def dropped(self) -> int:
        """Return the number of events and files that exceeded the trace's size limit."""
        return self._writer.dropped

    # commands

    def _on_command(self, command: FeedCommand) -> None:
        """Handle the begin or end of a command: write its event, and pause the screencast while it runs."""
        if command.context != self._browser.name or command.name in _OWN:
            return
        if command.has_ended:
            self._end_action(command)
        else:
            self._begin_action(command)
        if command.depth == 0 and (recorder := self._recorder_of(command)):
            if command.has_ended:
                recorder.screencast.resume_soon()
            else:
                recorder.screencast.pause(acts=command.name in ACTIONS)

    def _begin_action(self, command: FeedCommand) -> None:
        """Write a command's `before` event. A command within another one, such as a step, gets that as parent."""
        call = f"call@{command.number}"
        event: dict[str, Any] = {
            "type": "before",
            "callId": call,
            "stepId": call,
            "startTime": command.began * 1000,
            "title": command.line,
            "class": "gbrowse",
            "method": command.name,
            "params": {},
        }
        if recorder := self._recorder_of(command):
            event["pageId"] = recorder.page_id
        if command.depth == 0:
            self._parent = call
        elif self._parent:
            event["parentId"] = self._parent
        self._writer.add_event(event)
        self._actions += 1

    def _end_action(self, command: FeedCommand) -> None:
        """Write a command's reply as log lines, the newest picture, and its `after` event."""
        call, ended = f"call@{command.number}", time.monotonic() * 1000
        lines = [line for line in command.reply.split("\n") if line][:MOST_LOG_LINES]
        for line in lines:
            self._writer.add_event({"type": "log", "callId": call, "time": ended, "message": line})
        event: dict[str, Any] = {"type": "after", "callId": call, "endTime": ended}
        if tab := command.tab or self._browser.tabs.active:
            event["pageId"] = f"page@{tab}"  # not that of the beginning, if it has opened a tab
        if command.code:
            event["error"] = {"name": f"exit {command.code}", "message": "\n".join(lines)}
        elif lines:
            event["result"] = {"reply": command.reply}
        recorder = self._recorder_of(command)
        if recorder:
            recorder.write_frame()
        if call in self._documented:
            self._documented.discard(call)
            event["afterSnapshot"] = f"after@{call}"
        self._writer.add_event(event)
        self._start_task(self._start_tab_recorders())

    def _recorder_of(self, command: FeedCommand) -> TabRecorder | None:
        """Return the recorder of the command's tab (by default the active tab); None if it is not recorded."""
        return self._tabs.get(command.tab or self._browser.tabs.active)

    def _start_task(self, work: Any) -> None:
        """Run a coroutine as a task that `finish` waits for."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # pages

    async def _start_tab_recorders(self) -> None:
        """Start the screencast of each tab that has none yet, or whose page was replaced by another."""
        async with self._starting:
            for tab in list(self._browser.tabs)[:MOST_TABS]:
                recorder = self._tabs.get(tab.id)
                if recorder is None:
                    recorder = self._tabs[tab.id] = TabRecorder(tab, self._writer)
                if not (tab.gone_error() or recorder.screencast.is_showing(tab.page.target)):
                    with suppress(ProtocolError, TimeoutError):  # it has just closed
                        await recorder.screencast.start(self._browser.running, tab.page.target)

    async def _copy_documents(self, command: FeedCommand) -> None:
        """Write a copy of the page's DOM at the end of a command that acts, before the next one changes it."""
        recorder = self._recorder_of(command)
        session, began = recorder.screencast.session if recorder else None, time.monotonic()
        if command.context != self._browser.name or command.name not in ACTIONS or not (recorder and session):
            return
        try:
            copied = await copy_document(session)
        except (ProtocolError, TimeoutError, TooLarge):
            return
        call = f"call@{command.number}"
        for frame in copied.all_frames():
            self._write_document(recorder, call, frame, began)
        self._documented.add(call)
        self._documents += 1

    def _write_document(self, recorder: TabRecorder, call: str, copy: FrameCopy, began: float) -> None:
        """Write the copied DOM of one frame as a `frame-snapshot` event, without secrets.

        Args:
            call: id of the command in the trace
            began: when copying began, in seconds of the monotonic clock
        """
        made = orjson.dumps(
            {
                "type": "frame-snapshot",
                "snapshot": {
                    "callId": call,
                    "snapshotName": f"after@{call}",
                    "pageId": recorder.page_id,
                    "frameId": copy.frame or recorder.page_id,
                    "frameUrl": copy.url,
                    "doctype": copy.doctype,
                    "html": copy.html,
                    "viewport": {
                        "width": round(recorder.screencast.width),
                        "height": round(recorder.screencast.height),
                    },
                    "timestamp": time.monotonic() * 1000,
                    "wallTime": time.time() * 1000,
                    "collectionTime": (time.monotonic() - began) * 1000,
                    "resourceOverrides": [],
                    "isMainFrame": not copy.frame,
                },
            }
        )
        self._writer.add_line(self._hide(made.decode()).encode())

    # console and requests

    def _write_console(self) -> int:
        """Write the console messages since the trace began. Return their number."""
        entries = self._browser.logs.console.entries_since(self._first_message)
        for entry in entries:
            self._write_message(entry)
        return len(entries)

    def _write_message(self, entry: ConsoleEntry) -> None:
        """Write a console message as a `console` event, without secrets."""
        url, line, column = entry.place or ("", 0, 0)
        self._writer.add_event(
            {
                "type": "console",
                "time": entry.received_at * 1000,
                "pageId": f"page@{entry.tab}",
                "messageType": _LEVELS.get(entry.level, entry.level),
                "text": self._hide(entry.text),
                "args": [],
                "location": {"url": url, "lineNumber": max(line - 1, 0), "columnNumber": max(column - 1, 0)},
            }
        )

    async def _write_requests(self) -> int:
        """Write the requests since the trace began, with bodies and without secrets. Return their number."""
        made = await logged_requests.build_archive(self._browser, Purpose.TRACE, bodies=True, secrets=False)
        entries = orjson.loads(made.content)["log"]["entries"]
        for entry in entries:
            started = datetime.fromisoformat(entry["startedDateTime"]).timestamp() * 1000
            entry["_monotonicTime"] = started - self._wall + self._monotonic
            content = entry["response"]["content"]
            body = self._decode_body(content)
            if body is not None and (name := self._writer.add_blob(body, "dat")):
                content["_sha1"] = name
            self._writer.add_request(orjson.loads(self._hide(orjson.dumps(entry).decode())))
        return len(entries)

    def _decode_body(self, content: dict[str, Any]) -> bytes | None:
        """Remove the body from the `content` of a HAR entry's response, and return it; None if it has none."""
        text, encoding = content.pop("text", None), content.pop("encoding", "")
        if text is None:
            return None
        return base64.b64decode(text) if encoding == "base64" else self._hide(text).encode()


recorders: WeakKeyDictionary[OpenContext, TraceRecorder] = WeakKeyDictionary()
"""The traces that are recorded, or not yet saved."""
