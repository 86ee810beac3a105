"""Render an HTML element as Markdown. Pure."""

import re
from collections.abc import Iterator

from gstack_browse.documents.reader.markup_tree import RAW, Element

BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "header", "hgroup", "hr", "html", "legend", "main", "menu", "nav", "ol", "p", "pre",
    "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "li", "h1", "h2", "h3", "h4", "h5", "h6",
))  # fmt: skip
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "del": "~~", "s": "~~"}
_SPECIAL = re.compile(r"([\\*`\[\]]|(?<![^\W_])_|_(?![^\W_]))")
"""Characters that would be marks; a line within a name, as in `with_capacity`, is none."""


def write_markdown(element: Element) -> str:
    """Return an HTML element's content as Markdown."""
    blocks = list(_render_blocks(element))
    text = "\n\n".join(block for block in blocks if block.strip())
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _render_blocks(element: Element) -> Iterator[str]:
    """Yield an element's content as blocks of Markdown; text between block elements is a block, too."""
    inline: list[Element | str] = []
    for child in element.children:
        if isinstance(child, str) or not _is_block(child):
            inline.append(child)
            continue
        if words := _render_inline_nodes(inline):
            yield words
        inline = []
        yield from _render_block(child)
    if words := _render_inline_nodes(inline):
        yield words


def _is_block(element: Element) -> bool:
    """Return whether an element is a block element, or an inline one that contains block elements."""
    return element.tag in BLOCKS or (
        element.tag not in RAW and any(inner.tag in BLOCKS for inner in element.elements())
    )


def _render_block(element: Element) -> Iterator[str]:
    """Yield a block element (heading, list, table …) as blocks of Markdown."""
    tag = element.tag
    if re.fullmatch(r"h[1-6]", tag):
        if words := _render_inline_nodes(element.children).strip(" \u200b"):  # links to headings show nothing
            yield f"{'#' * int(tag[1])} {words}"
    elif tag in ("ul", "ol", "menu"):
        yield _render_list(element)
    elif tag == "pre":
        yield _render_code(element)
    elif tag == "blockquote":
        quoted = "\n\n".join(_render_blocks(element))
        yield "\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))
    elif tag == "hr":
        yield "---"
    elif tag == "table" and _is_data_table(element):
        yield _render_table(element)
    elif tag == "dt":
        if words := _render_inline_nodes(element.children):
            yield f"**{words}**"
    else:
        yield from _render_blocks(element)


def _render_list(element: Element) -> str:
    """Render a list as Markdown; further lines of an item are indented by the width of its mark."""
    items = []
    children = (child for child in element.children if isinstance(child, Element))
    for number, child in enumerate(children, 1):
        mark = f"{number}. " if element.tag == "ol" else "- "
        render = _render_block if child.tag in ("ul", "ol") else _render_blocks
        blocks = list(filter(None, render(child)))
        are_short = all("\n" not in block or block.lstrip()[:2] in ("- ", "1.") for block in blocks)
        if content := ("\n" if are_short else "\n\n").join(blocks):
            items.append(mark + content.replace("\n", "\n" + " " * len(mark)))
    return "\n".join(items)


def _render_code(element: Element) -> str:
    """Render a `<pre>` as fenced code, with the language that its class names."""
    code = _raw_text(element).strip("\n")
    named = " ".join(each.attributes.get("class", "") for each in (element, *element.elements()))
    language = re.search(r"(?:^|\s)(?:language|lang)-([\w+#-]{1,30})", named)
    fence = "`" * max(3, max((len(run) for run in re.findall(r"`+", code)), default=0) + 1)
    return f"{fence}{language[1] if language else ''}\n{code}\n{fence}"


def _raw_text(element: Element) -> str:
    """Return an element's text with all its white space, and `<br>` as a line break."""
    if element.tag == "br" or element.tag in RAW:
        return "\n" if element.tag == "br" else ""
    return "".join(child if isinstance(child, str) else _raw_text(child) for child in element.children)


def _is_data_table(table: Element) -> bool:
    """Return whether a table holds data (several cells in a row, simple content), and is no page layout."""
    has_blocks = any(inner.tag in ("table", "pre", "h1", "h2", "h3") for inner in table.elements())
    return not has_blocks and any(len(cells) > 1 for cells in _list_rows(table))


def _list_rows(table: Element) -> Iterator[list[Element]]:
    """Yield the cells of each row of a table."""
    for row in table.elements():
        if row.tag == "tr":
            yield [cell for cell in row.children if isinstance(cell, Element) and cell.tag in ("td", "th")]


def _render_table(table: Element) -> str:
    """Render a table as Markdown; its first row is the head."""
    rows = [list(map(_render_cell, cells)) for cells in _list_rows(table)]
    rows = [row for row in rows if any(row)]
    width = max(map(len, rows), default=0)
    if not width:
        return ""
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    lines.insert(1, f"|{' --- |' * width}")
    caption = table.find("caption")
    return "\n".join([*([caption.text(), ""] if caption else []), *lines])


def _render_cell(cell: Element) -> str:
    """Render the content of a table cell as Markdown in one line."""
    return " ".join(" ".join(_render_blocks(cell)).split()).replace("|", "\\|")


def _render_inline_nodes(nodes: list[Element | str]) -> str:
    """Render text and inline elements as one paragraph of Markdown, with `<br>` as a line break."""
    text = "".join(_render_inline(node) for node in nodes)
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(lines).strip()


def _render_inline(node: Element | str) -> str:
    """Render a text, or an inline element such as a link, as Markdown."""
    if isinstance(node, str):
        return _SPECIAL.sub(r"\\\1", re.sub(r"\s+", " ", node))
    tag = node.tag
    if tag in RAW:
        return ""
    if tag == "br":
        return "\n"
    if tag == "img":
        alt = " ".join(node.attributes.get("alt", "").split())
        source = node.attributes.get("src", "")
        return f"![{alt}]({_escape_address(source)})" if alt and source else ""
    if tag in ("code", "kbd", "samp"):
        code = " ".join(_raw_text(node).split())
        return f"`{code}`" if code and "`" not in code else code
    words = "".join(_render_inline(child) for child in node.children)
    text = words.strip()
    if tag == "a":
        href = node.attributes.get("href", "")
        marked = f"[{text}]({_escape_address(href)})" if href else ""
    else:
        mark = _MARKS.get(tag, "")
        marked = f"{mark}{text}{mark}" if mark and not text.startswith(mark) else ""
    if not (text and marked):
        return words
    return f"{' ' * words[0].isspace()}{marked}{' ' * words[-1].isspace()}"  # marks enclose no outer space


def _escape_address(address: str) -> str:
    """Escape the characters of an address that would end it in a Markdown link: blanks and parentheses."""
    return address.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
