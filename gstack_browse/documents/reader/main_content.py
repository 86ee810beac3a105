"""Find the main content of an HTML document, its title, author and date, and its links.

A short version of Mozilla's Readability: paragraphs give points to the elements around them, and the element with the
most points is the content. Left out are hidden elements, and those whose id or class names a menu, an advertisement and
the like.
"""

import re
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from gstack_browse.documents.reader.articles import ArticleHead
from gstack_browse.documents.reader.markup_tree import RAW, Element

LEAST_CHARACTERS = 250
"""Text outside of links below which an element is no article."""
MOST_NAMES = 200
"""Characters of an element's class and id that are looked at."""
MOST_SCORED = 1_000
"""Characters of a paragraph that give points."""
_DROPPED = RAW | {
    "noscript", "template", "svg", "canvas", "object", "embed", "form", "button", "select", "input", "label", "dialog",
    "nav", "aside", "footer",
}  # fmt: skip
_UNLIKELY = re.compile(
    r"(?i)(?:^|[-_ ])(?:ad-?break|ads?|advert\w*|agegate|banner|breadcrumbs?|combx|comments?|cookie\w*|disqus|extra|footer|gdpr|legends|menu|modal|nav\w*|"
    r"newsletter|pager|pagination|popup|promo\w*|recommend\w*|related|remark|replies|rss|shar(?:e|ing)\w*|shoutbox|sidebar|skyscraper|social\w*|"
    r"sponsor\w*|subscribe\w*|supplemental|toolbar|widget|yom-remote)(?:$|[-_ ])"
)
_LIKELY = re.compile(
    r"(?i)article|body|column|content|main|mathjax|post|story|text|page|entry|(?:^| )section(?: |$)"
)
_HIDDEN = re.compile(r"(?i)display\s*:\s*none|visibility\s*:\s*hidden")
_KEPT_ANYWAY = frozenset(
    {"html", "body", "main", "article", "a", "table", "tr", "td", "th", "code", "pre", "p"}
)
_SCORED = frozenset({"p", "pre", "td", "blockquote", "section", "h2", "h3", "h4", "li"})
_PERMALINKS = frozenset({"", "#", "¶", "§", "🔗"})
_TITLE_ENDS = re.compile(r"\s[|\-–—\\/>»·]\s")


def read_head(root: Element) -> ArticleHead:
    """Return an article's title, author, date and site, as its `<meta>` and `<title>` name them."""
    metas: dict[str, str] = {}
    for meta in root.elements():
        if meta.tag == "meta" and (name := meta.attributes.get("property") or meta.attributes.get("name")):
            metas.setdefault(name.lower(), " ".join(meta.attributes.get("content", "").split())[:500])
    author = next((metas[name] for name in ("author", "article:author", "dc.creator") if metas.get(name)), "")
    date = next((metas[name] for name in ("article:published_time", "date", "dc.date") if metas.get(name)), "")
    if not date and (time := root.find("time")):
        date = time.attributes.get("datetime", "")[:50]
    author = "" if author.startswith(("http:", "https:")) else author
    return ArticleHead(_find_title(root, metas), author, date, metas.get("og:site_name", ""))


def _find_title(root: Element, metas: dict[str, str]) -> str:
    """Return a document's title, without the site's name at its end. `metas`: `<meta>` name → content."""
    if named := metas.get("og:title"):
        return named
    element = root.find("title")
    title = (
        " ".join("".join(child for child in element.children if isinstance(child, str)).split())
        if element
        else ""
    )
    parts = _TITLE_ENDS.split(title)
    shorter = title[: title.rfind(parts[-1])].rstrip(" |-–—\\/>»·") if len(parts) > 1 else title
    return (shorter if len(shorter.split()) > 4 else title)[:500]


def base_url(root: Element, url: str) -> str:
    """Return the address for resolving a document's relative links: that of `<base href>`, else `url`."""
    base = root.find("base")
    return _join_url(url, base.attributes.get("href", "")) if base else url


def find_links(root: Element, url: str) -> Iterator[tuple[str, str]]:
    """Yield (text, absolute address) of each link of the document at `url`."""
    base = base_url(root, url)
    for element in root.elements():
        if element.tag in ("a", "area") and "href" in element.attributes:
            yield _link_text(element), _join_url(base, element.attributes["href"].strip())


def _link_text(link: Element) -> str:
    """Return a link's text, else its label, else that of its picture; "" for none."""
    picture = link.find("img")
    named = (link.text(), *(link.attributes.get(name, "") for name in ("aria-label", "alt", "title")))
    return next(filter(None, named), picture.attributes.get("alt", "") if picture else "")


def resolve_links(root: Element, base: str) -> None:
    """Make the addresses of links and pictures in a tree absolute; empty those that lead to no other page.

    Permalinks beside headings ("#", "¶") are removed.
    """
    root.prune(
        lambda element: (
            element.tag == "a"
            and element.attributes.get("href", "").startswith("#")
            and element.text() in _PERMALINKS
        )
    )
    for element in root.elements():
        if element.attributes.get("href", "").startswith("#"):
            element.attributes["href"] = ""
        for name in ("href", "src"):
            if element.attributes.get(name):
                address = _join_url(base, element.attributes[name].strip())
                element.attributes[name] = address if address.startswith(("http:", "https:", "mailto:")) else ""


def _join_url(base: str, address: str) -> str:
    """Resolve an address against a base URL; "" if that makes no valid URL."""
    try:
        joined = urljoin(base, address)
        urlsplit(joined)
    except ValueError:
        return ""
    return joined


def find_content(root: Element) -> Element:
    """Return the element with a document's main content; remove menus and the like from the tree."""
    body = root.find("body") or root
    _drop_hidden(body)
    named = [each for each in body.elements() if each.tag == "main" or each.attributes.get("role") == "main"]
    content = named[0] if len(named) == 1 else body
    _drop_unlikely(content)
    if content is not body or _unlinked_characters(body) < LEAST_CHARACTERS:
        return content
    return _find_best(body)


def _drop_hidden(body: Element) -> None:
    """Remove from `body` elements that markup hides, and those such as `<nav>` that are no content."""

    def is_dropped(element: Element) -> bool:
        attributes = element.attributes
        return (
            element.tag in _DROPPED
            or "hidden" in attributes
            or attributes.get("aria-hidden") == "true"
            or _HIDDEN.search(attributes.get("style", "")) is not None
        )

    body.prune(is_dropped)


def _drop_unlikely(content: Element) -> None:
    """Remove elements with a class or id such as "sidebar", unless they have most of the text."""
    most = 0.5 * len(content.text())

    def is_dropped(element: Element) -> bool:
        if element.tag in _KEPT_ANYWAY:
            return False
        names = f"{element.attributes.get('class', '')[:MOST_NAMES]} {element.attributes.get('id', '')[:MOST_NAMES]}"
        is_unlikely = bool(_UNLIKELY.search(names)) and not _LIKELY.search(names)
        if element.tag == "header" and not element.find("h1"):
            is_unlikely |= _compute_link_share(element) > 0.3  # a menu
        return is_unlikely and len(element.text()) < most

    content.prune(is_dropped)


def _find_best(body: Element) -> Element:
    """Return the element that is most likely the main content: paragraphs give their ancestors points."""
    points: dict[int, float] = {}
    elements: dict[int, Element] = {}
    for element in body.elements():
        if element.tag not in _SCORED:
            continue
        text = element.text(MOST_SCORED)
        if len(text) < 25:
            continue
        score = 1 + text.count(",") + min(len(text) // 100, 3)
        ancestor, level = element.parent, 0
        while ancestor is not None and level < 5:
            divider = (1, 2, 6, 9, 12)[level]
            points[id(ancestor)] = points.get(id(ancestor), 0.0) + score / divider
            elements[id(ancestor)] = ancestor
            if ancestor is body:
                break
            ancestor, level = ancestor.parent, level + 1
    if not points:
        return body
    ranked = {key: value * (1 - _compute_link_share(elements[key])) for key, value in points.items()}
    return _widen_content(elements[max(ranked, key=lambda key: ranked[key])], body)


def _widen_content(best: Element, body: Element) -> Element:
    """Return the outermost element around `best` with clearly more text and hardly more links.

    That is `best` itself if there is none.
    """
    most = max(0.1, 1.5 * _compute_link_share(best))
    around = best.parent
    while around is not None and around is not body and around.tag:
        if (
            _unlinked_characters(around) > 1.2 * _unlinked_characters(best)
            and _compute_link_share(around) <= most
        ):
            best = around
        around = around.parent
    return best


def _unlinked_characters(element: Element) -> int:
    """Return the number of an element's characters outside of links."""
    return len(element.text()) - _linked_characters(element)


def _linked_characters(element: Element) -> int:
    """Return the number of an element's characters in links."""
    return sum(len(link.text()) for link in element.elements() if link.tag == "a")


def _compute_link_share(element: Element) -> float:
    """Return the share of an element's characters that are in links, from 0 to 1."""
    return _linked_characters(element) / max(len(element.text()), 1)
