"""Build a tree of HTML in one pass over its text, whatever is wrong with it.

A much simpler parser than a browser's: enough for what documents say. Its time is linear in the text, as servers are hostile.
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

MOST_DEPTH = 60
"""Depth from which elements are no longer nested: whoever reads the tree may do so by recursion."""
MOST_ELEMENTS = 100_000
"""Limit of elements that are read of a document."""
MOST_CHARACTERS = 100_000_000
"""More than any document has."""
VOID = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
))  # fmt: skip
RAW = frozenset(["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"])
"""Elements whose content is text until their end tag."""
_CLOSED_BY = {
    "p": {
        "address", "article", "aside", "blockquote", "div", "dl", "fieldset", "figure", "footer", "form", "h1", "h2", "h3",
        "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul",
    },
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "tr": {"tr", "tbody", "tfoot"},
    "td": {"td", "th", "tr", "tbody", "tfoot"},
    "th": {"td", "th", "tr", "tbody", "tfoot"},
    "option": {"option"},
}  # fmt: skip
"""Elements whose end tag may be left out, and the start tags that end them."""
_SCOPES = frozenset({"table", "ul", "ol", "dl", "td", "th", "body", "html"})
"""Elements that an end tag, or a start tag that ends another element, does not reach across."""
_ATTRIBUTE = r"""([^\s=>/"'][^\s=>/]*|["'])(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?"""
_TAG = re.compile(
    rf"""<(/?)([a-zA-Z][^\s/>]*+)((?>[\s/=]+|{_ATTRIBUTE.replace("(", "(?:").replace("(?:?:", "(?:")})*+)>"""
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_LONG_NUMBER = re.compile("&#[0-9]{20,};?")
"""Python raises ValueError for a number of thousands of digits."""
MOST_ATTRIBUTES = 50


class Element:
    """An element with its children: elements and texts."""

    __slots__ = ("attributes", "children", "parent", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], parent: "Element | None") -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children: list[Element | str] = []

    def elements(self) -> "Iterator[Element]":
        """Yield every descendant element, in the order of the document."""
        waiting = [child for child in reversed(self.children) if isinstance(child, Element)]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(child for child in reversed(element.children) if isinstance(child, Element))

    def text(self, most: int = MOST_CHARACTERS) -> str:
        """Return the element's text with single spaces; reading stops after about `most` characters."""
        parts: list[str] = []
        waiting: list[Element | str] = [self]
        while waiting and most > 0:
            node = waiting.pop()
            if isinstance(node, str):
                parts.append(node)
                most -= len(node)
            elif node.tag not in RAW:
                waiting.extend(reversed(node.children))
        return " ".join("".join(parts).split())

    def find(self, *tags: str) -> "Element | None":
        """Return the first descendant with one of these tags; None for none."""
        return next((element for element in self.elements() if element.tag in tags), None)

    def prune(self, is_dropped: "Callable[[Element], bool]") -> None:
        """Remove every descendant that `is_dropped` selects, with its content."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            element.children = [
                child for child in element.children if isinstance(child, str) or not is_dropped(child)
            ]
            waiting.extend(child for child in element.children if isinstance(child, Element))


class _Tag(NamedTuple):
    name: str
    is_end: bool
    attributes: str


def parse(text: str) -> Element:
    """Parse HTML, and return the root of its tree: an element without a tag.

    The root has the attribute `cut` if the document was too large to be parsed whole.
    """
    root = Element("", {}, None)
    open_elements, count = [root], 0
    for token in _split_tokens(text):
        if isinstance(token, str):
            open_elements[-1].children.append(token)
        elif token.is_end:
            _close_element(open_elements, token.name)
        elif count < MOST_ELEMENTS:
            _open_element(open_elements, token)
            count += 1
        else:
            root.attributes["cut"] = "elements"
            break
    return root


def _open_element(open_elements: list[Element], token: _Tag) -> None:
    """Add a start tag's element to the tree, after closing those that it ends, such as an open `<li>`.

    `open_elements`: the stack of open elements, the root first; the new one is pushed.
    """
    for depth in range(len(open_elements) - 1, 0, -1):
        tag = open_elements[depth].tag
        if token.name in _CLOSED_BY.get(tag, ()):
            del open_elements[depth:]
            break
        if tag in _SCOPES:
            break
    parent = open_elements[-1]
    element = Element(token.name, _parse_attributes(token.attributes), parent)
    parent.children.append(element)
    if token.name not in VOID and len(open_elements) < MOST_DEPTH:
        open_elements.append(element)


def _close_element(open_elements: list[Element], name: str) -> None:
    """Close the innermost open element of that name for an end tag, if no table or the like is in between.

    `open_elements`: the stack of open elements, the root first; the element and all inside it are popped.
    """
    for depth in range(len(open_elements) - 1, 0, -1):
        if open_elements[depth].tag == name:
            del open_elements[depth:]
            return
        if open_elements[depth].tag in _SCOPES and name not in _SCOPES:
            return


def unescape(text: str) -> str:
    """Replace the character references in a text of HTML; those of 20 digits or more by U+FFFD."""
    return html.unescape(_LONG_NUMBER.sub("\ufffd", text))


def _parse_attributes(text: str) -> dict[str, str]:
    """Return name → value of the first MOST_ATTRIBUTES attributes in the text of a start tag."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTES.finditer(text):
        if len(found) == MOST_ATTRIBUTES:
            break
        value = match[2] or match[3] or match[4] or ""
        found.setdefault(match[1].lower(), unescape(value))
    return found


def _split_tokens(text: str) -> Iterator[str | _Tag]:
    """Yield the texts and tags of HTML in order. A tag or a comment that is not closed ends the document."""
    at, size = 0, len(text)
    while at < size:
        start = text.find("<", at)
        if start < 0:
            yield unescape(text[at:])
            return
        if start > at:
            yield unescape(text[at:start])
        following = text[start + 1 : start + 2]
        if text.startswith("<!--", start):
            end = text.find("-->", start + 4)
            at = end + 3 if end >= 0 else size
        elif following in ("!", "?"):
            end = text.find(">", start)
            at = end + 1 if end >= 0 else size
        elif (following == "/" and text[start + 2 : start + 3].isalpha()) or following.isalpha():
            match = _TAG.match(text, start)
            if match is None:
                return
            tag = _Tag(match[2].lower(), match[1] == "/", match[3])
            yield tag
            at = match.end()
            if tag.name in RAW and not tag.is_end:
                end_tag = re.compile(rf"</{tag.name}(?=[\s/>])", re.IGNORECASE).search(text, at)
                if end_tag is None:
                    return
                yield (
                    unescape(text[at : end_tag.start()]) if tag.name == "title" else text[at : end_tag.start()]
                )
                at = end_tag.start()
        else:
            yield "<"
            at = start + 1
