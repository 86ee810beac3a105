"""Print a trace: its actions, requests and messages, and the document of an action. Pure."""

from collections.abc import Iterator

from gstack_browse.documents.reader import main_content, markdown, markup_tree
from gstack_browse.documents.traces.documents import FrameDocuments
from gstack_browse.documents.traces.trace_reader import Action, Picture, Trace
from gstack_browse.text.columns import align_rows, format_bytes, format_count
from gstack_browse.text.sanitise import one_line

MOST_TITLE = 200
MOST_ERROR = 500
_MOST_DEPTH = 10


def render_actions(trace: Trace) -> list[str]:
    """Return a line for each action, below a line about the trace: number, start, length, title."""
    depths = _depths(trace.actions)
    rows = [
        [
            f"{number:>4}",
            _format_start(action.start - trace.start),
            _format_length(action),
            "  " * depths[action.key] + _action_title(action),
        ]
        for number, action in enumerate(trace.actions, 1)
    ]
    lines = [_headline(trace)]
    for action, line in zip(trace.actions, align_rows(rows), strict=True):
        lines.append(line)
        if action.error:
            lines.append(f"      failed: {one_line(action.error, MOST_ERROR)}")
    return lines + [f"Error of the test: {one_line(error, MOST_ERROR)}" for error in trace.errors]


def render_requests(trace: Trace) -> list[str]:
    """Return a line for each request: start, method, status, kind, size, length, address."""
    rows = [
        [
            _format_start(request.start - trace.start),
            one_line(request.method, 10),
            str(request.status) if request.status > 0 else "failed",
            one_line(request.kind.partition(";")[0], 40),
            format_bytes(request.size) if request.size >= 0 else "",
            _format_ms(request.milliseconds) if request.milliseconds >= 0 else "",
            one_line(request.url, 500),
        ]
        for request in trace.requests
    ]
    return align_rows(rows) if rows else ["(no requests)"]


def render_messages(trace: Trace) -> list[str]:
    """Return a line for each console message: when, level, text and place."""
    lines = [
        f"{_format_start(message.at - trace.start)}  {one_line(message.level, 20)}: {one_line(message.text, 2000)}"
        + (f" ({one_line(message.place, 300)})" if message.place else "")
        for message in trace.messages
    ]
    return lines or ["(no console messages)"]


def render_document(documents: FrameDocuments, action: Action) -> list[str]:
    """Return the text of the page after an action, as Markdown."""
    found = documents.render()
    if not found:
        return [f"The trace has no document of {_action_title(action)}"]
    root = markup_tree.parse(found)
    main_content.resolve_links(root, documents.url)
    text = markdown.write_markdown(root.find("body") or root)
    return [f"Page: {one_line(documents.url, 500)}", "", text or "(no text)"]


def find_picture(trace: Trace, action: Action) -> Picture | None:
    """Return the last picture of an action's page before what follows it.

    Without one, return the first of the page; None for none. Of an action that names no page, pictures of all pages.
    """
    end = action.end if action.end is not None else action.start
    until = min(
        (other.start for other in trace.actions if other.start >= end and other is not action), default=None
    )
    pictures = [each for each in trace.pictures if action.page in ("", each.page)]
    before = [picture for picture in pictures if until is None or picture.at <= until]
    return before[-1] if before else next(iter(pictures), None)


def _headline(trace: Trace) -> str:
    """Return the first line: who made the trace, how long it is, what it has."""
    maker = one_line(trace.maker, 60)
    seconds = max(((action.end or action.start) - trace.start for action in trace.actions), default=0.0) / 1000
    facts = [
        f"made by {maker if 'gbrowse' in maker else f'Playwright {maker}'.strip()}",
        one_line(trace.browser, 40),
        format_count(len(trace.actions), "action") + f" in {seconds:.1f} s",
        format_count(len(trace.requests), "request"),
        format_count(len(trace.messages), "console message"),
    ]
    skipped = f" ({format_count(trace.skipped, 'line')} not understood)" if trace.skipped else ""
    return f"Trace {one_line(trace.title, 100)}".rstrip() + ": " + ", ".join(filter(None, facts)) + skipped


def _action_title(action: Action) -> str:
    """Return an action's title in one line."""
    return one_line(action.title, MOST_TITLE)


def _depths(actions: list[Action]) -> dict[str, int]:
    """Return how deep each action is within others."""
    parents = {action.key: action.parent for action in actions}
    return {key: sum(1 for _ in _ancestors(key, parents)) for key in parents}


def _ancestors(key: str, parents: dict[str, str]) -> Iterator[str]:
    """Yield the keys of the actions around an action, innermost first."""
    for _ in range(_MOST_DEPTH):
        key = parents.get(key, "")
        if key not in parents:
            return
        yield key


def _format_start(milliseconds: float) -> str:
    """Return a time since the first action as `+1.25s`."""
    return f"{milliseconds / 1000:+.2f}s"


def _format_length(action: Action) -> str:
    """Return an action's duration, or that it has not ended."""
    return "not ended" if action.end is None else _format_ms(action.end - action.start)


def _format_ms(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{max(milliseconds, 0):.0f} ms"
