"""Make the HTML page of a PDF document: its outline, and pages with text, tables and links. Pure."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from gstack_browse.documents.pdf.layout import Block, Cell, Line

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
    """Return the document made of rendered pages."""
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
    """Return a page as a section with the id `page=N`, and with its number as a heading."""
    blocks = [
        _render_table(block.lines, content.links)
        if block.is_table
        else f"<p>{chr(10).join(_render_line(line, content.links) for line in block.lines)}</p>"
        for block in content.blocks
    ]
    fields = [f"<li>{escape(name)}: {escape(value)}" for name, value in content.fields]
    form = f"<ul aria-label=Fields>{''.join(fields)}</ul>" if fields else ""
    heading = f"<h2>Page {number}</h2>" if has_heading else ""
    name = f" aria-label='Page {number}'" if has_heading else ""
    return f"<section id='page={number}'{name} dir=auto>{heading}{''.join(blocks)}{form}</section>"


def _render_table(rows: Sequence[Line], links: Sequence[str]) -> str:
    body = "".join(
        f"<tr>{''.join(f'<td>{_render_cell(cell, links)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table>{body}</table>"


def _render_line(line: Line, links: Sequence[str]) -> str:
    return "\t".join(_render_cell(cell, links) for cell in line)


def _render_cell(cell: Cell, links: Sequence[str]) -> str:
    """Return a cell's words as HTML; neighbouring words of one link share an `<a>`."""
    parts: list[str] = []
    at = 0
    while at < len(cell):
        end = at + 1
        while end < len(cell) and cell[end].link == cell[at].link:
            end += 1
        words = escape(" ".join(word.text for word in cell[at:end]))
        href = links[cell[at].link] if cell[at].link >= 0 else ""
        is_safe = href.startswith(("#page=", *_WEB))
        parts.append(f"<a href='{escape(href)}'>{words}</a>" if is_safe else words)
        at = end
    return " ".join(parts)
