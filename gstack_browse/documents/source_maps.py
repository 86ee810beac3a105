"""Decode source maps (ECMA-426): find positions in the files that people wrote. Pure.

A map of a large bundle has a million segments. So none are kept: each question decodes the mappings up to the last position asked for.
Maps are as hostile as the page that names them: whatever is wrong in one raises InvalidMap, and time and memory are linear in its size.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

import orjson

from gstack_browse.text.sanitise import one_line

MOST_SECTIONS = 10_000
MOST_MAPPINGS = 10_000_000
"""Limit of the characters of mappings, which take a second to decode."""
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_COMMA, _SEMICOLON, _WRONG = 64, 65, 66
_VALUES = bytearray([_WRONG] * 256)
"""Value of each character: 0 to 63 of digits, of which the sixth bit says that another follows; then the separators."""
for _value, _letter in enumerate(_LETTERS):
    _VALUES[_letter] = _value
_VALUES[ord(",")], _VALUES[ord(";")] = _COMMA, _SEMICOLON
_TABLE = bytes(_VALUES)


class InvalidMap(ValueError):
    """The text is no source map."""


Segment = tuple[int, int, int, int, int, int]
"""A mapping: generated line and column, then source, its line and column, and name. All count from 0; source and name are indexes, -1 for none."""


class OriginalPosition(NamedTuple):
    """A position in an original file as the map names it; line and column count from 1."""

    source: str
    line: int
    column: int
    name: str = ""


@dataclass(frozen=True)
class SourceMap:
    """A map without sections, or one of its sections: where it begins, its sources, names and mappings."""

    line: int
    column: int
    sources: tuple[str, ...]
    names: tuple[str, ...]
    mappings: bytes

    @property
    def size(self) -> int:
        """Return about how many bytes of memory the source map takes."""
        return len(self.mappings) + sum(map(len, self.sources)) + sum(map(len, self.names)) + 200


def parse(content: bytes) -> list[SourceMap]:
    """Parse the JSON of a source map. Return its sections in order; a plain map is one. Raises InvalidMap."""
    if content[:3] == b")]}":  # servers may put this before JSON, against pages that include it as a script
        content = content.partition(b"\n")[2]
    try:
        source_map = orjson.loads(content)
    except (orjson.JSONDecodeError, RecursionError):
        raise InvalidMap("it is no JSON") from None
    if not isinstance(source_map, dict) or "sections" not in source_map:
        return [_read_section(source_map, 0, 0)]
    sections = source_map["sections"]
    if not isinstance(sections, list):
        raise InvalidMap("its sections are no list")
    return [_read_offset_section(section) for section in sections[:MOST_SECTIONS]]


def _read_offset_section(section: Any) -> SourceMap:
    """Convert a section of an index map (JSON): a map with its offset in the script. Raises InvalidMap."""
    try:
        offset, source_map = section["offset"], section["map"]
        return _read_section(source_map, int(offset["line"]), int(offset["column"]))
    except (KeyError, TypeError, ValueError) as error:
        raise error if isinstance(error, InvalidMap) else InvalidMap("a section is malformed") from None


def _read_section(source_map: Any, line: int, column: int) -> SourceMap:
    """Convert a source map (JSON) that applies from `line` and `column` (from 0) of the script on.

    Raises InvalidMap.
    """
    if not isinstance(source_map, dict):
        raise InvalidMap("it is no object")
    mappings, sources = source_map.get("mappings"), source_map.get("sources")
    names = source_map.get("names") or []
    if not (isinstance(mappings, str) and isinstance(sources, list) and isinstance(names, list)):
        raise InvalidMap("it has no mappings")
    if len(mappings) > MOST_MAPPINGS:
        raise InvalidMap("it is too large")
    root = source_map.get("sourceRoot") if isinstance(source_map.get("sourceRoot"), str) else ""
    before = f"{root.rstrip('/')}/" if root else ""
    return SourceMap(
        line,
        column,
        tuple(before + source if isinstance(source, str) else "" for source in sources),
        tuple(name if isinstance(name, str) else "" for name in names),
        mappings.encode("ascii", "replace"),
    )


def find_originals(
    sections: Sequence[SourceMap], positions: Sequence[tuple[int, int]]
) -> list[OriginalPosition | None]:
    """Return the original position of each position (line, column, from 1) in a script; None if unknown.

    Raises InvalidMap.
    """
    found: list[OriginalPosition | None] = [None] * len(positions)
    by_section: dict[int, list[int]] = {}
    for at, (line, column) in enumerate(positions):
        beginnings = [
            number
            for number, section in enumerate(sections)
            if (section.line, section.column) <= (line - 1, max(column - 1, 0))
        ]
        if beginnings:
            by_section.setdefault(beginnings[-1], []).append(at)
    for number, indexes in by_section.items():
        section = sections[number]
        wanted = []
        for at in indexes:
            # Positions in the script count from 1, in a section from 0 and from where it begins.
            line, column = positions[at][0] - 1 - section.line, max(positions[at][1] - 1, 0)
            wanted.append(((line, column - (section.column if line == 0 else 0)), at))
        for at, (_, _, source, line, column, name) in _find_segments(section.mappings, sorted(wanted)):
            if 0 <= source < len(section.sources):
                named = section.names[name] if 0 <= name < len(section.names) else ""
                found[at] = OriginalPosition(section.sources[source], line + 1, column + 1, named)
    return found


def _find_segments(
    mappings: bytes, wanted: Sequence[tuple[tuple[int, int], int]]
) -> Iterator[tuple[int, Segment]]:
    """Find for each wanted position the last segment at or before it on its line; yield (index, segment).

    `mappings`: Base64 VLQ. `wanted`: sorted ((line, column) from 0, the caller's index). Raises InvalidMap.
    """
    at = 0
    last: Segment | None = None
    for segment in decode(mappings):
        here = segment[:2]
        while at < len(wanted) and wanted[at][0] < here:
            if last and last[0] == wanted[at][0][0]:
                yield wanted[at][1], last
            at += 1
        if at == len(wanted):
            return
        last = segment
    for (line, _), index in wanted[at:]:
        if last and last[0] == line:
            yield index, last


def decode(mappings: bytes) -> Iterator[Segment]:
    """Decode a source map's `mappings` (Base64 VLQ): yield its segments in order. Raises InvalidMap."""
    line = column = source = source_line = source_column = name = 0
    fields: list[int] = []
    value = shift = 0
    for digit in mappings.translate(_TABLE) + bytes([_SEMICOLON]):
        if digit < 32:
            value |= digit << shift
            fields.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
        elif digit < 64:
            value |= (digit & 31) << shift
            shift += 5
            if shift > 30:
                raise InvalidMap("a number in its mappings is too large")
        elif digit == _WRONG or shift:
            raise InvalidMap("its mappings are malformed")
        else:
            if fields:
                count = len(fields)
                column += fields[0]
                if count >= 4:
                    source += fields[1]
                    source_line += fields[2]
                    source_column += fields[3]
                    if count > 4:
                        name += fields[4]
                    yield line, column, source, source_line, source_column, name if count > 4 else -1
                elif count == 1:
                    yield line, column, -1, 0, 0, -1
                else:
                    raise InvalidMap("its mappings are malformed")
                del fields[:]
            if digit == _SEMICOLON:
                line += 1
                column = 0


class SourceUse(NamedTuple):
    """An original file by its map's name, with the characters generated of it, and those used."""

    source: str
    total: int
    used: int


def sum_by_source(
    sections: Sequence[SourceMap], text: str, parts: Sequence[tuple[int, int]]
) -> list[SourceUse]:
    """Return for each original file how many of the script's characters are from it, how many were used.

    `text`: the script. `parts`: used ranges (begin, end) of it, in order. What is between two mappings belongs to the
    source of the first one. Raises InvalidMap.
    """
    starts = [0]
    while (end := text.find("\n", starts[-1])) >= 0:
        starts.append(end + 1)
    beginnings = [begin for begin, _ in parts]
    used_before = [0]
    for begin, end in parts:
        used_before.append(used_before[-1] + end - begin)

    def used_until(offset: int) -> int:
        at = bisect_right(beginnings, offset)
        if at == 0:
            return 0
        begin, end = parts[at - 1]
        return used_before[at - 1] + min(offset, end) - begin

    totals: dict[str, list[int]] = {}
    last_offset, last_source = 0, ""
    for offset, source in (*_locate_mappings(sections, starts, len(text)), (len(text), "")):
        if last_source and offset > last_offset:
            sums = totals.setdefault(last_source, [0, 0])
            sums[0] += offset - last_offset
            sums[1] += used_until(offset) - used_until(last_offset)
        last_offset, last_source = max(offset, last_offset), source
    return [SourceUse(source, total, used) for source, (total, used) in totals.items()]


def _locate_mappings(
    sections: Sequence[SourceMap], starts: Sequence[int], size: int
) -> Iterator[tuple[int, str]]:
    """Yield (offset in the script's text, source file) for each mapping; the source is "" for none.

    `starts`: offsets of the lines of the text. `size`: its length.
    """
    for section in sections:
        for line, column, source, *_ in decode(section.mappings):
            whole_line = section.line + line
            if whole_line >= len(starts):
                break
            offset = starts[whole_line] + column + (section.column if line == 0 else 0)
            yield min(offset, size), section.sources[source] if 0 <= source < len(section.sources) else ""


MOST_TAIL = 4_000
"""Characters at the end of a script in which a comment may name a map at another address."""
MOST_NAME = 150
MOST_BEFORE = 40
_NAME = b"sourceMappingURL="
_BEFORE = re.compile(rb"(?://|/\*)[#@][ \t]*\Z")
"""How a comment begins that names a map."""
_URL = re.compile(rb"[^\s'\"]+")
_BUILD_SCHEME = re.compile(r"(?:webpack|webpack-internal|turbopack|vite|ng|rollup|parcel|snowpack|rspack):/+")


def find_map_url(script: bytes, headers: dict[str, str]) -> str:
    """Return the address of a script's source map, from its headers or its last comment; "" without one.

    `headers`: of the script's response, name in lower case → value.
    """
    named = headers.get("sourcemap") or headers.get("x-sourcemap")
    if named:
        return named.strip()
    at = script.rfind(_NAME)
    if at < 0 or not _BEFORE.search(script[max(at - MOST_BEFORE, 0) : at]):
        return ""
    found = _URL.match(script, at + len(_NAME))
    rest = script[found.end() :].strip() if found else b""
    is_at_end = len(rest) < MOST_TAIL and not re.search(rb"[\n;][^\S\n]*[\w$(]", rest)
    return found[0].decode("utf-8", "replace") if found and is_at_end else ""


def describe_source(source: str, map_url: str) -> str:
    """Return the path of a source file as people know it, `src/App.tsx`, from its name in a source map.

    Builds name sources by addresses of their own (`webpack://shop/./src/App.tsx?a1b2`) or relative to the map
    (`../../src/main.ts`).
    """
    if scheme := _BUILD_SCHEME.match(source):
        rest = source[scheme.end() :]
        has_project = scheme.group().count("/") == 2 and not rest.startswith(".")
        rest = rest.partition("/")[2] or rest if has_project else rest
        path = rest.partition("?")[0]
    else:
        try:
            joined = urljoin(map_url if map_url.startswith("http") else "", source)
            parts, base = urlsplit(joined), urlsplit(map_url)
        except ValueError:
            return one_line(source, MOST_NAME)
        if parts.scheme in ("http", "https") and parts.netloc != base.netloc:
            return one_line(joined.partition("?")[0], MOST_NAME)
        is_absolute = source.startswith(("/", "file:")) and not map_url.startswith("http")
        path = unquote(parts.path) if is_absolute else unquote(parts.path).lstrip("/")
    steps = [step for step in path.split("/") if step not in (".", "")]
    while steps and steps[0] == "..":
        del steps[0]
    name = "/".join(steps)
    return one_line(f"/{name}" if path.startswith("/") and name else name or source, MOST_NAME)


def describe_position(original: OriginalPosition, map_url: str) -> str:
    """Return a position in an original file as text: `src/App.tsx:12:5`. `map_url`: of the source map."""
    return f"{describe_source(original.source, map_url)}:{original.line}:{original.column}"
