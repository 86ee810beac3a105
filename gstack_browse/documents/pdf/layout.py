"""Order a PDF page's words into paragraphs, columns and tables, and render them as HTML."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby, pairwise
from typing import NamedTuple

CELL_GAP = 1.6
"""Widths of a gap, in heights of the line, from which words are in different cells."""
NARROW_CELL_GAP = 0.5
"""The same where the other rows of a table have different cells on its sides: no more than a wide space."""
PARAGRAPH_GAP = 0.9
"""Distance between lines, in heights of a line, from which a paragraph ends."""
LEAST_COLUMN_LINES = 6
LEAST_PROSE = 22
"""Characters of an average cell from which two cells in many lines are columns of prose, and no table."""


class Word(NamedTuple):
    """A word with its box; `bottom` is less than `top`. `link`: number of its link on the page, or -1."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    link: int = -1


_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_BULLETS = str.maketrans("\uf0b7\uf0a7\uf0d8", "•▪›")
"""Signs that word processors take from fonts of symbols, at places that have no meaning elsewhere."""
_FORMS = re.compile(r"[\ufb00-\ufdff\ufe70-\ufefc]")
"""Letters that are drawn together as one, and letters as they are drawn within a word."""
Cell = list[Word]
Line = list[Cell]


class Block(NamedTuple):
    """A paragraph of lines, or the rows of a table, in which a cell may be empty."""

    lines: list[Line]
    is_table: bool


def normalise_word(word: str, *, is_left_to_right: bool) -> str:
    """Return a word in reading order, in plain letters: no ligatures, no control characters.

    `is_left_to_right`: its characters stand so on the page; those of an Arabic or Hebrew word are then reversed.
    """
    if word.isascii() and word.isprintable():
        return word  # most words: a document has a hundred thousand
    word = _CONTROLS.sub("", word).translate(_BULLETS)
    if is_left_to_right and _RIGHT_TO_LEFT.search(word):
        word = word[::-1]
    return unicodedata.normalize("NFKC", word) if _FORMS.search(word) else word


def order_page(lines: Sequence[Sequence[Word]]) -> list[Block]:
    """Group a page's words into paragraphs and tables, in reading order.

    `lines`: the words of each line, in the order in which the document draws them.
    """
    return list(_group_blocks(_order_columns([_split_cells(line) for line in _join_lines(lines)])))


def _join_lines(lines: Sequence[Sequence[Word]]) -> list[list[Word]]:
    """Join lines that stand beside each other to one: the cells of a row may be drawn one by one."""
    joined: list[list[Word]] = []
    for words in lines:
        if not words:
            continue
        if joined and _is_beside(joined[-1], words):
            joined[-1].extend(words)
        else:
            joined.append(list(words))
    return joined


def _is_beside(before: Sequence[Word], after: Sequence[Word]) -> bool:
    """Return whether line `after` stands to the right of line `before`, at the same height."""
    low, high = _vertical_extent(before)
    next_low, next_high = _vertical_extent(after)
    shared = min(high, next_high) - max(low, next_low)
    is_same_height = shared > 0.6 * max(min(high - low, next_high - next_low), 0.1)
    return is_same_height and min(word.left for word in after) >= max(word.right for word in before)


def _vertical_extent(words: Sequence[Word]) -> tuple[float, float]:
    """Return (lowest, highest) y coordinate of words."""
    return min(word.bottom for word in words), max(word.top for word in words)


def _split_cells(words: Sequence[Word]) -> Line:
    """Split the words of a line into cells at gaps that are wider than a space.

    Words may stand in either direction of writing.
    """
    low, high = _vertical_extent(words)
    cells: Line = [[words[0]]]
    for before, word in pairwise(words):
        gap = max(word.left - before.right, before.left - word.right)
        if gap > CELL_GAP * max(high - low, 1):
            cells.append([word])
        else:
            cells[-1].append(word)
    return cells


def _order_columns(lines: list[Line]) -> Iterator[Line]:
    """Reorder the lines of a page as they are read.

    Consecutive lines of two cells may be two columns of prose; then all left cells come before all right ones.
    """
    run: list[Line] = []
    for line in lines:
        if len(line) != 2 or (run and not _have_common_gap(run[-1], line)):
            yield from _order_two_columns(run)
            run = []
        if len(line) == 2:
            run.append(line)
        else:
            yield line
    yield from _order_two_columns(run)


def _order_two_columns(run: list[Line]) -> Iterator[Line]:
    """Yield lines of two cells unchanged; if both columns are prose, all left cells, then all right ones."""
    characters = [sum(len(word.text) + 1 for line in run for word in line[side]) for side in (0, 1)]
    # Prose has long cells in the mean, on both sides.
    if len(run) < LEAST_COLUMN_LINES or min(characters) < LEAST_PROSE * len(run):
        yield from run
        return
    for side in (0, 1):
        yield from ([line[side]] for line in run)


def _have_common_gap(one: Line, other: Line) -> bool:
    """Return whether the gaps between the two cells of each line overlap, so that their cells are columns."""
    left = max(word.right for line in (one, other) for word in line[0])
    right = min(word.left for line in (one, other) for word in line[1])
    return left < right


def _group_blocks(lines: Iterator[Line]) -> Iterator[Block]:
    """Group lines into paragraphs and tables; consecutive lines of several cells are a table."""
    block: list[Line] = []
    for line in lines:
        if block and (_ends_paragraph(block[-1], line) or (len(block[-1]) > 1) != (len(line) > 1)):
            yield _make_block(block)
            block = []
        block.append(line)
    if block:
        yield _make_block(block)


def _ends_paragraph(before: Line, after: Line) -> bool:
    """Return whether line `after` begins a paragraph or table: it is far below line `before`, or above it.

    Rows of a table may stand further apart.
    """
    low, high = _vertical_extent([word for cell in before for word in cell])
    next_low, next_high = _vertical_extent([word for cell in after for word in cell])
    height = max(min(high - low, next_high - next_low), 1)
    most = 3.0 if len(before) > 1 and len(after) > 1 else PARAGRAPH_GAP
    return low - next_high > most * height or next_low > low + height / 2


def _make_block(lines: list[Line]) -> Block:
    """Return lines as a table if there are several and they have several cells, else as a paragraph."""
    if len(lines) < 2 or len(lines[0]) < 2:
        return Block(lines, is_table=False)
    return Block(_align_columns(lines), is_table=True)


def _align_columns(rows: list[Line]) -> list[Line]:
    """Return a table's rows with exactly one cell for each column, by the cells' x coordinates.

    A cell may be empty. If a cell spans several columns, the rows are returned as they are.
    """
    gutters = _find_gutters(rows)
    rows = [_split_at_gutters(row, gutters) for row in rows]
    columns: list[tuple[float, float]] = []
    spans = sorted((_horizontal_span(cell) for row in rows for cell in row), key=lambda span: span[0])
    for left, right in spans:
        if columns and left < columns[-1][1]:
            columns[-1] = columns[-1][0], max(right, columns[-1][1])
        else:
            columns.append((left, right))
    if len(columns) < max(len(row) for row in rows):
        return rows  # a cell spans others
    aligned = []
    for row in rows:
        placed: Line = [[] for _ in columns]
        for cell in row:
            left, _ = _horizontal_span(cell)
            at = next(number for number, (_, right) in enumerate(columns) if left < right or left == right)
            placed[at].extend(cell)
        aligned.append(placed)
    return aligned


def _find_gutters(rows: list[Line]) -> list[tuple[float, float]]:
    """Return the gaps between a table's columns as x (left, right), by the rows with most cells."""
    most = max(map(len, rows))
    spans = [[_horizontal_span(cell) for cell in row] for row in rows if len(row) == most]
    pairs = ((max(row[at][1] for row in spans), min(row[at + 1][0] for row in spans)) for at in range(most - 1))
    return [(left, right) for left, right in pairs if left < right]


def _split_at_gutters(row: Line, gutters: list[tuple[float, float]]) -> Line:
    """Split the cells of a row that reach over a gap between columns, as in a head whose words are close.

    `gutters`: the gaps, as (left, right) in points.
    """
    cells: Line = []
    for cell in row:
        low, high = _vertical_extent(cell)
        cells.append([cell[0]])
        for before, word in pairwise(cell):
            is_wide = word.left - before.right > NARROW_CELL_GAP * max(high - low, 1)
            if is_wide and any(before.right <= right and left <= word.left for left, right in gutters):
                cells.append([word])
            else:
                cells[-1].append(word)
    return cells


def _horizontal_span(cell: Cell) -> tuple[float, float]:
    """Return the x coordinates of a cell's (left, right) edge."""
    return min(word.left for word in cell), max(word.right for word in cell)


_STYLE = "body{max-width:50em;margin:auto;font:16px sans-serif}p,td{white-space:pre-wrap}section{border-top:1px solid}"
_WEB = ("http://", "https://", "mailto:")


class OutlineEntry(NamedTuple):
    """A heading of the outline: how deep, its title, and its page from 1, or 0."""

    level: int
    title: str
    page: int


class PageContent(NamedTuple):
    """The content of a page. `links`: addresses, or `#page=N`; `fields`: names and values of a form."""

    blocks: Sequence[Block]
    links: Sequence[str]
    fields: Sequence[tuple[str, str]]


def render_document(title: str, outline: Sequence[OutlineEntry], pages: Sequence[str]) -> str:
    """Render a PDF as an HTML document. `pages`: HTML of each page, made by `render_page`."""
    nav = _render_outline(outline)
    head = f"<!doctype html><html><meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>"
    return f"{head}<body>{nav}<main>{''.join(pages)}</main></body></html>"


def _render_outline(outline: Sequence[OutlineEntry]) -> str:
    """Render a PDF's outline as nested HTML lists with links to its pages."""
    if not outline:
        return ""
    parts, level = ["<nav aria-label=Outline>"], 0
    for entry in outline:
        depth = min(entry.level, level + 1)
        parts += ["<ul>"] * (depth - level) + ["</ul>"] * (level - depth)
        level = depth
        title = escape(entry.title)
        parts.append(f"<li><a href='#page={entry.page}'>{title}</a>" if entry.page else f"<li>{title}")
    return "".join([*parts, "</ul>" * level, "</nav>"])


def render_page(number: int, content: PageContent, *, has_heading: bool) -> str:
    """Render a PDF's page as an HTML section with the id `page=N`. `has_heading`: with a heading `Page N`."""
    blocks = [_render_block(block, content.links) for block in content.blocks]
    fields = [f"<li>{escape(name)}: {escape(value)}" for name, value in content.fields]
    form = f"<ul aria-label=Fields>{''.join(fields)}</ul>" if fields else ""
    heading = f"<h2>Page {number}</h2>" if has_heading else ""
    name = f" aria-label='Page {number}'" if has_heading else ""
    return f"<section id='page={number}'{name} dir=auto>{heading}{''.join(blocks)}{form}</section>"


def _render_block(block: Block, links: Sequence[str]) -> str:
    """Render a table, or a paragraph with tabs between cells, as HTML. `links`: as of `_render_cell`."""
    lines = [[_render_cell(cell, links) for cell in line] for line in block.lines]
    if not block.is_table:
        text = "\n".join("\t".join(cells) for cells in lines)
        return f"<p>{text}</p>"
    rows = (f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in lines)
    return f"<table>{''.join(rows)}</table>"


def _render_cell(cell: Cell, links: Sequence[str]) -> str:
    """Render a cell's words as HTML; neighbouring words of one link share an `<a>`.

    `links`: addresses of the page's links, by the numbers that words have.
    """
    parts: list[str] = []
    for link, neighbours in groupby(cell, key=lambda word: word.link):
        words = escape(" ".join(word.text for word in neighbours))
        href = links[link] if link >= 0 else ""
        is_safe = href.startswith(("#page=", *_WEB))
        parts.append(f"<a href='{escape(href)}'>{words}</a>" if is_safe else words)
    return " ".join(parts)
