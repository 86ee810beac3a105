"""Sum up how much of a generated file is of each original one, and how much of that was used. Pure."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gstack_browse.documents.source_maps.decoding import SourceMap, decode


class SourceUse(NamedTuple):
    """An original file as the map names it.

    It counts characters that were generated of it, and those that were used.
    """

    source: str
    total: int
    used: int


def sum_by_source(
    sections: Sequence[SourceMap], text: str, parts: Sequence[tuple[int, int]]
) -> list[SourceUse]:
    """Return the use of each source.

    `parts`: used ranges of the generated text, in order. Raises InvalidMap. What is between two mappings
    belongs to the source of the first one.
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
    for offset, source in (*_offsets(sections, starts, len(text)), (len(text), "")):
        if last_source and offset > last_offset:
            sums = totals.setdefault(last_source, [0, 0])
            sums[0] += offset - last_offset
            sums[1] += used_until(offset) - used_until(last_offset)
        last_offset, last_source = max(offset, last_offset), source
    return [SourceUse(source, total, used) for source, (total, used) in totals.items()]


def _offsets(sections: Sequence[SourceMap], starts: Sequence[int], size: int) -> Iterator[tuple[int, str]]:
    """Yield where mappings begin in the generated text, with their source; "" for none."""
    for section in sections:
        for line, column, source, *_ in decode(section.mappings):
            whole_line = section.line + line
            if whole_line >= len(starts):
                break
            offset = starts[whole_line] + column + (section.column if line == 0 else 0)
            yield min(offset, size), section.sources[source] if 0 <= source < len(section.sources) else ""
