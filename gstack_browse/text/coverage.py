"""Coverage of scripts and style sheets: the part of each that was used. Pure.

Sizes are characters of source, as in the coverage panel of Chromium's DevTools; with letters beyond ASCII a file has
more bytes.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.text.columns import align_rows, format_bytes
from gstack_browse.text.sanitise import one_line

MOST_FILES = 50
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

    @property
    def unused(self) -> int:
        return self.total - self.used


@dataclass
class SourceFile:
    """A script or style sheet as Chromium reports it. Several inline ones have the document's address."""

    url: str
    kind: str
    length: int
    used: list[Part] = field(default_factory=list)

    def add_used(self, parts: Iterable[Part]) -> None:
        """Mark these ranges as used."""
        self.used = merge_parts([*self.used, *parts])


def group_by_address(sources: Iterable[SourceFile]) -> list[CoveredFile]:
    """Sum up sources by address and kind."""
    found: dict[tuple[str, str], CoveredFile] = {}
    for source in sources:
        is_first = (source.url, source.kind) not in found
        file = found.setdefault((source.url, source.kind), CoveredFile(source.url, source.kind))
        file.total += source.length
        file.used += sum(end - begin for begin, end in source.used)
        file.parts = source.used if is_first else []
    return list(found.values())


def find_used_parts(ranges: Sequence[Mapping[str, Any]]) -> list[Part]:
    """Return the executed ranges of a script. Of nested ranges the innermost decides.

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
    """Merge ranges that overlap or touch."""
    found: list[Part] = []
    for begin, end in sorted(parts):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((begin, end))
    return found


def render_coverage(files: Sequence[CoveredFile]) -> list[str]:
    """Render a line for each file, the one with most unused characters first, and the sums."""
    ordered = sorted(files, key=lambda file: (-file.unused, file.url))
    rows = [
        (
            format_bytes(file.unused),
            f"of {format_bytes(file.total)}",
            _percentage(file.unused, file.total),
            file.kind,
            one_line(file.url, 200),
        )
        for file in ordered[:MOST_FILES]
    ]
    lines = align_rows(rows)
    if len(files) > MOST_FILES:
        lines.append(f"… {len(files) - MOST_FILES:,} more files: coverage --out <file>")
    return [*lines, render_summary(files)]


def render_summary(files: Sequence[CoveredFile]) -> str:
    """Render how much is unused of each kind."""
    if not files:
        return "No script or style sheet with an address was loaded since 'coverage-start'"
    kinds = [_summarise_kind([file for file in files if file.kind == kind], kind) for kind in ("js", "css")]
    return f"Unused: {', '.join(filter(None, kinds))}"


def _summarise_kind(files: Sequence[CoveredFile], kind: str) -> str:
    """Return the unused part of all files of one kind; "" without files."""
    total, unused = sum(file.total for file in files), sum(file.unused for file in files)
    return (
        f"{format_bytes(unused)} of {format_bytes(total)} {kind} ({_percentage(unused, total)})"
        if files
        else ""
    )


def _percentage(unused: int, total: int) -> str:
    return f"{100 * unused / total:.0f} %" if total else "–"


def render_json(files: Sequence[CoveredFile]) -> str:
    """Render all files with their used ranges as JSON."""
    told = [
        {
            "url": file.url,
            "type": file.kind,
            "total": file.total,
            "unused": file.unused,
            "used": [{"start": begin, "end": end} for begin, end in file.parts],
        }
        for file in sorted(files, key=lambda file: (-file.unused, file.url))
    ]
    return json.dumps(told, ensure_ascii=False, indent=1)
