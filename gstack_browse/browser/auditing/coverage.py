"""Record which parts of a page's scripts and style sheets are used, and sum them up."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from gstack_browse.browser import dialogs
from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.errors import ActionFailed
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.table_output import align_rows
from gstack_browse.text.units import format_bytes

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageCommand
    from gstack_browse.browser.tab.tab import Tab

MOST_FILES = 50
MOST_ORIGINALS = 10
"""Limit of original files that are printed of a script."""
Part = tuple[int, int]
"""Start and end of a range, in characters."""


@dataclass
class CoveredFile:
    """A script or style sheet, or all of one kind within a document: its length and how much was used."""

    url: str
    kind: str
    total: int = 0
    used: int = 0
    parts: list[Part] = field(default_factory=list)
    """The used ranges, if the file is a single script or sheet."""
    originals: list[tuple[str, int, int]] = field(default_factory=list)
    """Original files by the script's source map: name, characters that were made of it, and those that were used."""

    @property
    def unused(self) -> int:
        """Return the number of unused characters."""
        return self.total - self.used


@dataclass
class SourceFile:
    """A script or style sheet as Chromium reports it. Several inline ones have the document's address."""

    url: str
    kind: str
    length: int
    used: list[Part] = field(default_factory=list)

    def add_used(self, parts: Iterable[Part]) -> None:
        """Mark ranges (begin, end) of the file as used."""
        self.used = merge_parts([*self.used, *parts])


def group_by_address(sources: Iterable[SourceFile]) -> list[CoveredFile]:
    """Merge sources with the same URL and kind into one file, such as an inline script in several frames."""
    found: dict[tuple[str, str], CoveredFile] = {}
    for source in sources:
        is_first = (source.url, source.kind) not in found
        file = found.setdefault((source.url, source.kind), CoveredFile(source.url, source.kind))
        file.total += source.length
        file.used += sum(end - begin for begin, end in source.used)
        file.parts = source.used if is_first else []
    return list(found.values())


def find_used_parts(ranges: Sequence[Mapping[str, Any]]) -> list[Part]:
    """Return the ranges (begin, end) of a script that were executed. The innermost range decides.

    `ranges`: `startOffset`, `endOffset` and `count`, as the profiler reports them.
    """
    ordered = sorted(ranges, key=lambda one: (one["startOffset"], -one["endOffset"]))
    used: list[Part] = []
    stack: list[Mapping[str, Any]] = []
    at = 0

    def upto(place: int) -> None:
        nonlocal at
        if stack and stack[-1]["count"] and place > at:
            used.append((at, place))
        at = max(at, place)

    for one in ordered:
        while stack and stack[-1]["endOffset"] <= one["startOffset"]:
            upto(stack[-1]["endOffset"])
            stack.pop()
        upto(one["startOffset"])
        stack.append(one)
    while stack:
        upto(stack[-1]["endOffset"])
        stack.pop()
    return merge_parts(used)


def merge_parts(parts: Iterable[Part]) -> list[Part]:
    """Sort ranges, and merge those that overlap or touch."""
    found: list[Part] = []
    for begin, end in sorted(parts):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((begin, end))
    return found


def render_coverage(files: Sequence[CoveredFile]) -> list[str]:
    """Render a line for each file, the one with most unused characters first, then a line with the sums."""
    ordered = sorted(files, key=lambda file: (-file.unused, file.url))
    rows = [
        (
            format_bytes(file.unused),
            f"of {format_bytes(file.total)}",
            _format_percentage(file.unused, file.total),
            file.kind,
            one_line(file.url, 200),
        )
        for file in ordered[:MOST_FILES]
    ]
    lines = [
        line
        for file, row in zip(ordered, align_rows(rows), strict=False)
        for line in (row, *_render_originals(file))
    ]
    if len(files) > MOST_FILES:
        lines.append(f"… {len(files) - MOST_FILES:,} more files: coverage --out <file>")
    return [*lines, render_summary(files)]


def _render_originals(file: CoveredFile) -> list[str]:
    """Render a line for each original file of a bundled script, the one with most unused characters first.

    After MOST_ORIGINALS a line gives the number of the others. Without a source map there are none.
    """
    ordered = sorted(file.originals, key=lambda one: (one[2] - one[1], one[0]))
    rows = [
        (format_bytes(total - used), f"of {format_bytes(total)}", _format_percentage(total - used, total), name)
        for name, total, used in ordered[:MOST_ORIGINALS]
    ]
    more = len(ordered) - MOST_ORIGINALS
    return [
        f"    {line}"
        for line in (*align_rows(rows), *([f"… {more:,} more original files: --out"] if more > 0 else []))
    ]


def render_summary(files: Sequence[CoveredFile]) -> str:
    """Return one line: how much is unused of all scripts, and of all style sheets."""
    if not files:
        return "No script or style sheet with an address was loaded since 'coverage-start'"
    kinds = [_summarise_kind([file for file in files if file.kind == kind], kind) for kind in ("js", "css")]
    return f"Unused: {', '.join(filter(None, kinds))}"


def _summarise_kind(files: Sequence[CoveredFile], kind: str) -> str:
    """Return the unused part of all files of one kind: `2 kB of 4 kB js (50 %)`; "" without files."""
    total, unused = sum(file.total for file in files), sum(file.unused for file in files)
    return (
        f"{format_bytes(unused)} of {format_bytes(total)} {kind} ({_format_percentage(unused, total)})"
        if files
        else ""
    )


def _format_percentage(unused: int, total: int) -> str:
    """Return the unused share as `40 %`; a dash for an empty file."""
    return f"{100 * unused / total:.0f} %" if total else "–"


def render_json(files: Sequence[CoveredFile]) -> str:
    """Render all files with their used ranges as JSON."""
    records = [
        {
            "url": file.url,
            "type": file.kind,
            "total": file.total,
            "unused": file.unused,
            "used": [{"start": begin, "end": end} for begin, end in file.parts],
            **(
                {
                    "sources": [
                        {"name": name, "total": total, "unused": total - used}
                        for name, total, used in file.originals
                    ]
                }
                if file.originals
                else {}
            ),
        }
        for file in sorted(files, key=lambda file: (-file.unused, file.url))
    ]
    return json.dumps(records, ensure_ascii=False, indent=1)


MOST_MAPPED = 50
"""Limit of scripts whose source maps are read."""
MOST_SOURCES = 10_000
"""Limit of a page's scripts, and of its style sheets."""


class CoverageRecording:
    """Records the coverage of one tab's document, in a session of its own, until that is detached.

    Enabled in the common session, DOM and CSS would slow the load of a page of 1,000 rows by half.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._scripts: dict[str, SourceFile] = {}
        self._sheets: dict[str, SourceFile] = {}
        session.on("Debugger.scriptParsed", self._on_script)
        session.on("Page.frameNavigated", self._on_navigation)
        session.on("CSS.styleSheetAdded", self._on_style_sheet)
        session.on("CSS.styleSheetRemoved", lambda event: self._sheets.pop(event["styleSheetId"], None))

    async def start(self) -> None:
        """Start to record which parts are used. Raises ProtocolError."""
        for method in ("Page.enable", "Debugger.enable", "Profiler.enable", "DOM.enable", "CSS.enable"):
            await self.session.send(method)
            if method == "Debugger.enable":
                await self.session.send("Debugger.setSkipAllPauses", {"skip": True})
        await self.session.send("Profiler.startPreciseCoverage", {"callCount": False, "detailed": True})
        await self.session.send("CSS.startRuleUsageTracking")

    async def list_files(self) -> list[CoveredFile]:
        """Return the document's scripts and style sheets, with the parts used so far. Raises ProtocolError."""
        scripts = await self.session.send("Profiler.takePreciseCoverage")
        for script in scripts["result"]:  # functions that have run since the last call
            if found := self._scripts.get(script["scriptId"]):
                found.add_used(
                    find_used_parts([one for function in script["functions"] for one in function["ranges"]])
                )
        for rule in (await self.session.send("CSS.takeCoverageDelta"))["coverage"]:
            if rule["used"] and (found := self._sheets.get(rule["styleSheetId"])):
                found.add_used([(int(rule["startOffset"]), int(rule["endOffset"]))])
        return group_by_address([*self._scripts.values(), *self._sheets.values()])

    def _on_script(self, event: dict[str, Any]) -> None:
        """Handle `Debugger.scriptParsed`: add a script that the page itself loaded from a URL (not by `eval`)."""
        is_own = event.get("executionContextAuxData", {}).get("isDefault", True)
        if event["url"] and is_own and len(self._scripts) < MOST_SOURCES:
            self._scripts[event["scriptId"]] = SourceFile(event["url"], "js", int(event["length"]))

    def _on_navigation(self, event: dict[str, Any]) -> None:
        """Handle `Page.frameNavigated`: forget all files when the main frame's document is replaced."""
        if "parentId" not in event["frame"]:
            self._scripts.clear()
            self._sheets.clear()

    def _on_style_sheet(self, event: dict[str, Any]) -> None:
        """Handle `CSS.styleSheetAdded`: add the style sheet if it is the page's, not the browser's own."""
        header = event["header"]
        if len(self._sheets) < MOST_SOURCES and header["origin"] == "regular":
            url = header["sourceURL"] or "(made by scripts)"
            self._sheets[header["styleSheetId"]] = SourceFile(url, "css", int(header["length"]))


_recordings: "WeakKeyDictionary[Tab, CoverageRecording]" = WeakKeyDictionary()


def is_recorded(tab: "Tab") -> bool:
    """Return whether the code coverage of a tab is being recorded."""
    return tab in _recordings


async def start(page: "PageCommand") -> None:
    """Start to record which code of the command's tab is used; if that is recorded already, begin anew."""
    await stop(page)
    session = await dialogs.open_further_session(page.context.running, page.world.frames.target)
    recording = CoverageRecording(session)
    try:
        await recording.start()
    except BaseException:
        session.leave()  # else it would go on slowing the page down
        raise
    _recordings[page.tab] = recording
    session.on("close", lambda _: _forget(page.tab, recording))


def _forget(tab: "Tab", recording: CoverageRecording) -> None:
    """Drop a tab's recording, whose page has closed, unless the tab has a newer recording."""
    if _recordings.get(tab) is recording:
        del _recordings[tab]


async def list_files(page: "PageCommand") -> list[CoveredFile]:
    """Return the tab's files with the parts used so far. Raises ActionFailed if coverage is not recorded."""
    recording = _recordings.get(page.tab)
    try:
        if recording:
            return await _add_originals(page, await recording.list_files())
    except ProtocolError:
        _recordings.pop(page.tab, None)  # the page that was recorded is gone
    raise ActionFailed(
        "Coverage is not recorded in this tab", "Run 'coverage-start', then 'reload', then use the page"
    )


async def _add_originals(page: "PageCommand", files: list[CoveredFile]) -> list[CoveredFile]:
    """Set `originals` of the 50 largest scripts among `files`, by their source maps. Return `files`.

    That is how much of each original file is used; [] for a script without a source map that can be read.
    """
    scripts = sorted((file for file in files if file.kind == "js"), key=lambda file: -file.total)
    for file in scripts[:MOST_MAPPED]:
        uses = await page.context.source_maps.sum_by_source(page.tab, file.url, file.parts)
        file.originals = [(use.source, use.total, use.used) for use in uses]
    return files


async def stop(page: "PageCommand") -> None:
    """Stop recording the code coverage of the command's tab, if it is recorded."""
    if recording := _recordings.pop(page.tab, None):
        recording.session.leave()
