"""How much of each script and style sheet was used, from what Chromium counts. Pure.

Sizes are characters of source, as in the coverage panel of Chromium's tools: with letters beyond ASCII a file has more bytes.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.text.columns import aligned_lines, size
from gstack_browse.text.sanitise import one_line

MOST_FILES = 50
Part = tuple[int, int]
"""Beginning and end, in characters."""


@dataclass
class CoveredFile:
    """A script or a style sheet, or all of one kind inside a document: its length and what of it was used."""

    url: str
    kind: str
    total: int = 0
    used: int = 0
    parts: list[Part] = field(default_factory=list)
    """What was used, where the file is one script or sheet."""

    @property
    def unused(self) -> int:
        return self.total - self.used


@dataclass
class SourceFile:
    """One script or style sheet as Chromium knows it. Several may have one address: those inside of a document."""

    url: str
    kind: str
    length: int
    used: list[Part] = field(default_factory=list)

    def use(self, parts: Iterable[Part]) -> None:
        """These parts were used, too."""
        self.used = merged([*self.used, *parts])


def by_address(sources: Iterable[SourceFile]) -> list[CoveredFile]:
    """The same with one for each address and kind."""
    found: dict[tuple[str, str], CoveredFile] = {}
    for source in sources:
        is_first = (source.url, source.kind) not in found
        file = found.setdefault((source.url, source.kind), CoveredFile(source.url, source.kind))
        file.total += source.length
        file.used += sum(end - begin for begin, end in source.used)
        file.parts = source.used if is_first else []
    return list(found.values())


def used_parts(ranges: Sequence[Mapping[str, Any]]) -> list[Part]:
    """What ran of a script, where of nested ranges the innermost counts."""
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
    return merged(used)


def merged(parts: Iterable[Part]) -> list[Part]:
    """The same characters as parts that do not touch."""
    found: list[Part] = []
    for begin, end in sorted(parts):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((begin, end))
    return found


def as_lines(files: Sequence[CoveredFile]) -> list[str]:
    """A line for each file, the one with most that is unused first, and the sums."""
    ordered = sorted(files, key=lambda file: (-file.unused, file.url))
    rows = [
        (
            size(file.unused),
            f"of {size(file.total)}",
            _share(file.unused, file.total),
            file.kind,
            one_line(file.url, 200),
        )
        for file in ordered[:MOST_FILES]
    ]
    lines = aligned_lines(rows)
    if len(files) > MOST_FILES:
        lines.append(f"… {len(files) - MOST_FILES:,} more files: coverage --out <file>")
    return [*lines, summary(files)]


def summary(files: Sequence[CoveredFile]) -> str:
    """How much is unused in all, and of each kind."""
    if not files:
        return "No script or style sheet with an address was loaded since 'coverage-start'"
    kinds = [_sum([file for file in files if file.kind == kind], kind) for kind in ("js", "css")]
    return f"Unused: {', '.join(filter(None, kinds))}"


def _sum(files: Sequence[CoveredFile], kind: str) -> str:
    total, unused = sum(file.total for file in files), sum(file.unused for file in files)
    return f"{size(unused)} of {size(total)} {kind} ({_share(unused, total)})" if files else ""


def _share(unused: int, total: int) -> str:
    return f"{100 * unused / total:.0f} %" if total else "–"


def as_json(files: Sequence[CoveredFile]) -> str:
    """All files, with the parts that were used."""
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
