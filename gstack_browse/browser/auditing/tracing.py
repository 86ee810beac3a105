"""Record Chromium's work for a page as a trace, for Perfetto, and name the longest tasks in the reply."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson

from gstack_browse.browser import dialogs
from gstack_browse.browser.actions import navigate, waiting
from gstack_browse.browser.cdp.session import ProtocolError, Session, read_stream
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import ActionFailed, TimedOut
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_bytes, format_count
from gstack_browse.workspace.files import write_whole

MOST_TASKS = 10
LEAST_MILLISECONDS = 1.0
_MOST_PARTS = 3
_MAIN_THREAD = "CrRendererMain"
_SHOWN_CATEGORIES = ("devtools.timeline", "blink.user_timing")
_RECORDING = "CpuProfiler::StartProfiling"
"""The cost of recording itself: without recording a page has no such task."""
_PROMISES = "RunMicrotasks"
_TASKS = ("RunTask", "ThreadControllerImpl::RunTask")
Thread = tuple[Any, Any]
"""Process ID and thread ID."""


@dataclass
class Span:
    """An interval of a thread's work, in microseconds."""

    name: str
    begin: float
    duration: float
    inner: float = 0
    """How much of it was spent in nested spans."""

    @property
    def end(self) -> float:
        """Return the time at which the span ends, in the unit of `begin`."""
        return self.begin + self.duration


@dataclass
class Task(Span):
    """A task of a thread's event loop, and its time by what it was spent on."""

    is_recording: bool = False
    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))


def render_longest_tasks(trace: bytes) -> list[str]:
    """Render the ten longest tasks of the main thread: duration, start, and what took the time.

    `trace`: a trace file of Chromium, as JSON.
    """
    events = _parse_events(trace)
    threads = {_thread_key(event) for event in events if _names_main_thread(event)}
    spans: dict[Thread, list[tuple[float, float, Mapping[str, Any]]]] = defaultdict(list)
    for event in events:
        if (
            event.get("ph") == "X"
            and _thread_key(event) in threads
            and _is_number(event.get("dur"), event.get("ts"))
        ):
            spans[_thread_key(event)].append((event["ts"], -event["dur"], event))
    first = min((times[0][0] for times in map(sort_spans, spans.values()) if times), default=0)
    found = (task for times in spans.values() for task in _build_tasks(sort_spans(times)))
    tasks = [task for task in found if not task.is_recording]
    tasks.sort(key=lambda task: -task.duration)
    shown = [task for task in tasks[:MOST_TASKS] if task.duration >= LEAST_MILLISECONDS * 1000]
    total = sum(task.duration for task in tasks)
    if not shown:
        return ["No task of the main thread took a millisecond"]
    return [
        f"{format_count(len(tasks), 'task')} of the main thread took {_format_ms(total)}; the longest:",
        *(
            f"  {_format_ms(task.duration)} at {_format_ms(task.begin - first)}: {_describe_parts(task)}"
            for task in shown
        ),
    ]


def sort_spans(spans: Sequence[tuple[float, float, Any]]) -> list[tuple[float, float, Any]]:
    """Sort (start, negative duration, event) by start, then longest first: outer spans before inner ones."""
    return sorted(spans, key=lambda span: span[:2])


def _parse_events(trace: bytes) -> list[Mapping[str, Any]]:
    """Return the events of a trace file of Chromium; [] if it is not JSON."""
    try:
        parsed = orjson.loads(trace)
    except orjson.JSONDecodeError:
        return []
    found = parsed.get("traceEvents", []) if isinstance(parsed, dict) else parsed
    return [event for event in found if isinstance(event, dict)]


def _names_main_thread(event: Mapping[str, Any]) -> bool:
    """Return whether a trace event is the metadata that marks its thread as a renderer's main thread."""
    return event.get("name") == "thread_name" and _get_nested(event, "args", "name") == _MAIN_THREAD


def _thread_key(event: Mapping[str, Any]) -> Thread:
    """Return the process id and thread id of a trace event."""
    return event.get("pid"), event.get("tid")


def _is_number(*values: Any) -> bool:
    """Return whether all values are numbers."""
    return all(isinstance(value, int | float) for value in values)


def _build_tasks(spans: Iterable[tuple[float, float, Mapping[str, Any]]]) -> Iterator[Task]:
    """Yield the outermost spans of a thread as tasks, each with the time that was spent in spans inside.

    Only inner spans of a kind that DevTools shows count.

    spans: (start, negative duration, event) in microseconds, from `sort_spans`
    """
    stack: list[Span] = []
    for begin, negative, event in spans:
        while stack and stack[-1].end <= begin:
            yield from _close_span(stack)
        name = _span_name(event)
        if not stack:
            if event.get("name") in _TASKS:
                stack.append(Task(name, begin, -negative))
        elif event.get("name") == _RECORDING and isinstance(stack[0], Task):
            stack[0].is_recording = True
        elif event.get("name") == _PROMISES or any(
            category in str(event.get("cat")) for category in _SHOWN_CATEGORIES
        ):
            stack.append(Span(name, begin, -negative))
    while stack:
        yield from _close_span(stack)


def _close_span(stack: list[Span]) -> Iterator[Task]:
    """Remove the innermost span from `stack`, and add its own time, without inner spans, to its task.

    `stack`: open spans, the task first. Yield the task if that was the last.
    """
    span = stack.pop()
    if stack:
        stack[-1].inner += span.duration
    task = stack[0] if stack else span
    assert isinstance(task, Task)
    if not (span is task or span.name in _TASKS):
        task.spent[span.name] += max(span.duration - span.inner, 0)
    if span is task:
        yield task


def _span_name(event: Mapping[str, Any]) -> str:
    """Return kind, function and script of a trace event: `FunctionCall render app.js:12`."""
    data = _get_nested(event, "args", "data")
    data = data if isinstance(data, dict) else {}
    if event.get("name") == _PROMISES:
        return "promises"
    if str(event.get("name")).startswith(("V8.GC", "MinorGC", "MajorGC")):
        return "garbage collection"
    url, line = (
        str(data.get("url") or _get_nested(event, "args", "beginData", "url") or ""),
        data.get("lineNumber"),
    )
    function = one_line(str(data.get("functionName") or ""), 60)
    where = f"{_file_name(url)}{f':{line}' if isinstance(line, int) and line > 0 else ''}" if url else ""
    return " ".join(filter(None, [one_line(str(event.get("name", "")), 60), function, where]))


def _get_nested(event: Any, *keys: str) -> Any:
    """Return a value in nested dicts by its keys; None if one is missing."""
    for key in keys:
        event = event.get(key) if isinstance(event, dict) else None
    return event


def _file_name(url: str) -> str:
    """Return the last part of a URL's path, else its host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return one_line(url, 100)
    return one_line(parts.path.rpartition("/")[2] or parts.netloc or url, 100)


def _describe_parts(task: Task) -> str:
    """Describe what took most of a task's time: `FunctionCall app.js:12 30 ms, Layout 8 ms`.

    What no inner span explains is shown as "of the browser itself".
    """
    spent = {**task.spent, "of the browser itself": task.duration - sum(task.spent.values())}
    largest = sorted(spent.items(), key=lambda item: -item[1])[:_MOST_PARTS]
    return ", ".join(f"{name} {_format_ms(part)}" for name, part in largest if part >= 100)


def _format_ms(microseconds: float) -> str:
    """Format microseconds in milliseconds: `12 ms`, `3.4 ms`."""
    milliseconds = microseconds / 1000
    return f"{milliseconds:,.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


MOST_BYTES = 200_000_000
MOST_SUMMARISED = 80_000_000
"""Largest trace (bytes) that is summarised: as objects it takes ten times as much."""
SETTLE_SECONDS = 5.0
"""How long a loaded page may continue to make requests."""
_ENDING_SECONDS = 10.0
"""Reserved of the command's time, to read the trace."""
_BUFFER_KILOBYTES = 150_000
_CATEGORIES = (
    "toplevel",
    "loading",
    "latencyInfo",
    "v8",
    "v8.execute",
    "blink.console",
    "blink.user_timing",
    "devtools.timeline",
    "devtools.timeline.async",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "disabled-by-default-devtools.timeline.stack",
    "disabled-by-default-v8.cpu_profiler",
)
"""Categories that Chromium's Performance panel records."""


async def record_trace(page: PageCommand, path: Path, milliseconds: int | None) -> str:
    """Record a trace of Chromium while the page reloads, or for some milliseconds, and save it to `path`.

    Return the reply, which names the longest tasks.
    """
    session = await dialogs.open_further_session(page.context.running, page.world.frames.target)
    done: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    session.on("Tracing.tracingComplete", done.set_result)
    try:
        await _start(session)
        what = await _wait_while_recording(page, milliseconds)
        await session.send("Tracing.end")
        ended = await done
        content = await _read_trace(session, ended["stream"])
    finally:
        session.leave()
    await asyncio.to_thread(write_whole, str(path), content)
    if ended.get("dataLossOccurred"):
        page.notes.append("Chromium's buffer was full: the end is missing")
    lines = [f"Trace saved: {path} ({format_bytes(len(content))}) of {what}", *await _summarise(page, content)]
    return "\n".join(lines)


async def _start(session: Session) -> None:
    """Start a performance trace of the browser. Raises ActionFailed while another one runs."""
    config = {
        "recordMode": "recordUntilFull",
        "traceBufferSizeInKb": _BUFFER_KILOBYTES,
        "includedCategories": list(_CATEGORIES),
        "excludedCategories": ["*"],
    }
    try:
        await session.send("Tracing.start", {"transferMode": "ReturnAsStream", "traceConfig": config})
    except ProtocolError as error:
        if "already been started" in error.message:
            raise ActionFailed("Another trace is being recorded", "Try again when it is done") from None
        raise


async def _wait_while_recording(page: PageCommand, milliseconds: int | None) -> str:
    """Wait `milliseconds`; if that is None, reload the page and wait for it. Return what was recorded."""
    if milliseconds is not None:
        await asyncio.sleep(min(milliseconds / 1000, max(page.remaining() - _ENDING_SECONDS, 0)))
        return shown_url(page.tab.url)
    async with page.action("url"):
        await navigate.reload(page)
    with suppress(TimedOut):
        async with asyncio.timeout(max(page.remaining() - _ENDING_SECONDS, 0.1)):
            await waiting.for_state(page, "load")
    with suppress(TimeoutError, TimedOut):
        async with asyncio.timeout(min(SETTLE_SECONDS, max(page.remaining() - _ENDING_SECONDS, 0.1))):
            await waiting.for_quiet_network(page)
    return f"the loading of {shown_url(page.tab.url)}"


async def _read_trace(session: Session, stream: str) -> bytes:
    """Read the trace from a CDP stream (`stream`: its handle). Raises ActionFailed if it is too large."""
    read = bytearray()
    async for piece in read_stream(session, stream):
        read += piece
        if len(read) > MOST_BYTES:
            raise ActionFailed(
                f"The trace is larger than {format_bytes(MOST_BYTES)}", "Record less: --record <ms>"
            )
    return bytes(read)


async def _summarise(page: PageCommand, content: bytes) -> list[str]:
    """Return lines about the longest tasks of a trace; [] for a very large one, with a note to the caller."""
    if len(content) > MOST_SUMMARISED:
        page.notes.append(f"A trace of more than {format_bytes(MOST_SUMMARISED)} is not summarised")
        return []
    return await asyncio.to_thread(render_longest_tasks, content)
