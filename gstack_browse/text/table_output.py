"""Render a page's table with tabs, as CSV and as JSON, and rows of our own in columns. Pure."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Literal, NamedTuple

Format = Literal["text", "csv", "json"]


class TableRow(NamedTuple):
    """A row. `number`: its number as the page tells it, "" for none."""

    number: str
    is_head: bool
    cells: tuple[str, ...]


def merge_rows(known: Sequence[TableRow], shown: Sequence[TableRow]) -> list[TableRow]:
    """Add rows of a virtual list that are shown now to those seen at earlier scroll positions.

    Rows with numbers are merged and sorted by them. Of others, those that repeat the end of `known` are dropped.
    """
    if not known:
        return list(shown)
    if all(row.number or row.is_head for row in (*known, *shown)):
        by_number = {row.number or f"head {row.cells}": row for row in (*known, *shown)}
        heads = [row for row in by_number.values() if row.is_head]
        return heads + sorted(
            (row for row in by_number.values() if not row.is_head), key=lambda row: int(row.number)
        )
    heads = [row for row in known if row.is_head]
    old, new = ([row for row in rows if not row.is_head] for rows in (known, shown))
    if new[: len(old)] == old:
        return [*heads, *new]
    overlap = next((size for size in range(min(len(old), len(new)), 0, -1) if old[-size:] == new[:size]), 0)
    return [*heads, *old, *new[overlap:]]


def render_rows(rows: Sequence[TableRow], output_format: Format) -> str:
    """Render rows as text with tabs, as CSV or as JSON. A heading that is repeated is printed once.

    JSON is a list of objects by the heading's names, or of lists if no row is a heading.
    """
    heads = [row.cells for row in rows if row.is_head]
    body = [row.cells for row in rows if not row.is_head]
    if output_format == "json":
        named = [
            dict(zip(_cell_names(heads[-1], cells), cells, strict=False)) if heads else cells for cells in body
        ]
        return "[" + ",\n ".join(json.dumps(row, ensure_ascii=False) for row in named) + "]"
    lines = [*heads[:1], *body] if len(set(heads)) <= 1 else [*dict.fromkeys(heads), *body]
    if output_format == "text":
        return "\n".join("\t".join(cells) for cells in lines)
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(lines)
    return written.getvalue().removesuffix("\n")


def _cell_names(head: Sequence[str], cells: Sequence[str]) -> list[str]:
    """Return a unique name for each cell of a row: its column's, as "Price", "Price (2)" or "column 3".

    `head`: the texts of the heading row.
    """
    names: list[str] = []
    for place in range(len(cells)):
        name = (head[place] if place < len(head) else "") or f"column {place + 1}"
        names.append(name if name not in names else f"{name} ({place + 1})")
    return names


def align_columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows with equally many cells as one text, with columns aligned two spaces apart."""
    return "\n".join(align_rows(rows))


def align_rows(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows with equally many cells as one line each, with columns aligned two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
