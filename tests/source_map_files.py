"""Write source maps."""

import json
from collections.abc import Sequence
from itertools import groupby

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
Mapping = tuple[int, int, int, int, int]
"""Generated line and column, number of the source, original line and column; from 0."""


def digits(number: int) -> str:
    """A number in base64 VLQ."""
    rest, said = abs(number) << 1 | (number < 0), ""
    while True:
        rest, digit = rest >> 5, rest & 31
        said += LETTERS[digit | (32 if rest else 0)]
        if not rest:
            return said


def encode(mappings: Sequence[Mapping]) -> str:
    """The mappings of a map."""
    lines: dict[int, list[str]] = {}
    before = [0, 0, 0]
    for line, group in groupby(sorted(mappings), key=lambda mapping: mapping[0]):
        column = 0
        for _, at, *original in group:
            fields = [at - column, *(now - then for now, then in zip(original, before, strict=True))]
            lines.setdefault(line, []).append("".join(map(digits, fields)))
            column, before = at, list(original)
    return ";".join(",".join(lines.get(line, [])) for line in range(max(lines, default=0) + 1))


def source_map(sources: Sequence[str], mappings: Sequence[Mapping], **more: object) -> str:
    """A map as JSON."""
    return json.dumps(
        {"version": 3, "sources": list(sources), "names": [], "mappings": encode(mappings), **more}
    )
