"""Fetch and print facts of a document: metadata, pictures, videos, sounds, what weakens its security."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gstack_browse.browser.actions.locate.find import locate_first
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.reading import page_scripts
from gstack_browse.browser.reading.logged_requests import build_step_facts
from gstack_browse.errors import StaleRef
from gstack_browse.network.exchange.headers import Headers
from gstack_browse.network.exchange.security import PageFacts
from gstack_browse.text.sanitise import one_line, split_lines
from gstack_browse.text.table_output import align_rows
from gstack_browse.text.units import format_bytes, format_duration

MOST_FACTS = 500
MOST_CHARACTERS = 2_000
"""Limit of one fact, except JSON-LD."""
MOST_MEDIA = 1_000
MOST_STYLED = 20_000
"""Elements whose computed style is searched for pictures."""


class Medium(NamedTuple):
    """A picture, a video or a sound, as reading/scripts/page-facts.js describes it."""

    ref: str
    name: str
    facts: dict[str, Any]


async def fetch_data(page: PageCommand) -> dict[str, Any]:
    """Return the metadata of the selected frame's document: title, `<meta>`, `<link>`, JSON-LD, microdata."""
    context = await page.world.frames.context_of(page.frame)
    answer: dict[str, Any] = await page_scripts.call_script(
        context, "readPageData", {"most": MOST_FACTS, "characters": MOST_CHARACTERS}
    )
    return answer


async def fetch_media(page: PageCommand, target: str | None) -> tuple[list[Medium], int]:
    """Return the pictures, videos and sounds in an element (None: in the selected frame).

    The number is that of the media beyond MOST_MEDIA, which are left out.
    """
    element = await locate_first(page, target) if target else None
    await page.tab.refs.take_snapshot()
    context = await page.world.frames.context_of(element.frame if element else page.frame)
    limits = {"most": MOST_MEDIA, "mostStyled": MOST_STYLED}
    node = element.node if element else 0
    answer = await page_scripts.call_script(context, "listPageMedia", {"node": node, **limits})
    if answer is None:
        raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    named = await page.tab.refs.refs_and_names(context, [item["node"] for item in answer["found"]])
    if answer["isCut"]:
        page.notes.append(f"cut: backgrounds were looked for in the first {MOST_STYLED:,} elements only")
    found = [Medium(ref, name, item) for (ref, name), item in zip(named, answer["found"], strict=True)]
    return found, answer["total"] - len(found)


_LINKS = ("canonical", "alternate", "manifest", "icon", "amphtml", "next", "prev", "license", "search")
"""Link relations that describe the page; style sheets and preloads do not."""
_VALUE_CHARACTERS = 500
_MOST_UNIQUE = 1
"""How often a page may state a unique fact."""


def render_lines(metadata: Mapping[str, Any]) -> list[str]:
    """Render a line with name and value for each fact of `fetch_data`, then the blocks of JSON-LD."""
    facts = [
        (one_line(name, 60), one_line(value, _VALUE_CHARACTERS))
        for name, value in _list_facts(metadata)
        if value
    ]
    lines = align_rows(facts)
    for number, (text, value, problem) in enumerate(parse_json_ld(metadata), 1):
        heading = f"JSON-LD {number}: {problem or ', '.join(types_of(value)) or 'no @type'}"
        lines += [heading, *(f"  {line}" for line in split_lines(text.strip()))]
    return lines


def render_json(metadata: Mapping[str, Any]) -> str:
    """Render the metadata of `fetch_data` as a JSON object."""
    metas: dict[str, list[str]] = {}
    for name, value in metadata["metas"]:
        metas.setdefault(name, []).append(value)
    links = [
        {key: value for key, value in link.items() if value}
        for link in metadata["links"]
        if _is_relevant_link(link)
    ]
    blocks = [
        {"error": problem, "text": text} if problem else value
        for text, value, problem in parse_json_ld(metadata)
    ]
    facts = {key: metadata[key] for key in ("title", "language", "charset", "microdata")}
    return json.dumps({**facts, "meta": metas, "links": links, "jsonLd": blocks}, ensure_ascii=False, indent=1)


def find_problems(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Yield problems that search engines may have with the metadata, such as two canonical addresses."""
    canonical = [link["href"] for link in metadata["links"] if "canonical" in link["rel"].split()]
    if len(canonical) > _MOST_UNIQUE:
        yield f"The page has {len(canonical)} canonical addresses"
    for name in ("robots", "description", "og:title", "og:url"):
        count = sum(meta == name for meta, _ in metadata["metas"])
        if count > _MOST_UNIQUE:
            yield f"The page says {name} {count} times"
    for number, (_, _, problem) in enumerate(parse_json_ld(metadata), 1):
        if problem:
            yield f"JSON-LD {number} is ignored: {problem}"


def parse_json_ld(metadata: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    """Return (formatted text, value, error) of each JSON-LD block; error is "" if it is valid."""
    return [_parse_block(text) for text in metadata["jsonLd"]]


def _parse_block(text: str) -> tuple[str, Any, str]:
    """Parse a JSON-LD block. Return (formatted text, value, ""), or (text, None, error) if it is no JSON."""
    try:
        value = json.loads(text)
        return json.dumps(value, ensure_ascii=False, indent=1), value, ""
    except (ValueError, RecursionError) as error:
        return text, None, one_line(f"no JSON: {error}", 200)


def types_of(value: Any) -> Sequence[str]:
    """Return the `@type`s in a parsed block of JSON-LD: those of the top level, of lists, and in `@graph`."""
    items = value if isinstance(value, list) else [value]
    found: list[str] = []
    for item in items:
        if isinstance(item, dict):
            named = item.get("@type", [])
            found += [str(one) for one in (named if isinstance(named, list) else [named])]
            found += types_of(item["@graph"]) if isinstance(item.get("@graph"), list) else []
    return [one_line(name, 60) for name in found[:20]]


def _list_facts(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of each fact of the metadata: title, links, `<meta>` elements, microdata."""
    yield "title", metadata["title"]
    yield "language", metadata["language"]
    yield "charset", metadata["charset"]
    for link in metadata["links"]:
        if _is_relevant_link(link):
            yield (
                _link_name(link),
                " ".join(filter(None, [link["href"], link["title"] and f'"{link["title"]}"'])),
            )
    yield from metadata["metas"]
    for name in metadata["microdata"]:
        yield "microdata", name


def _is_relevant_link(link: Mapping[str, str]) -> bool:
    """Return whether a `<link>` describes the page, such as a feed or an icon; style sheets do not."""
    rels = link["rel"].split()
    return "stylesheet" not in rels and any(rel in _LINKS or rel.endswith("icon") for rel in rels)


def _link_name(link: Mapping[str, str]) -> str:
    """Return what a `<link>` is, for the report: `hreflang de`, `alternate application/rss+xml`, `icon`."""
    if link["hreflang"]:
        return f"hreflang {link['hreflang']}"
    return (
        f"{link['rel']} {link['type'] or link['media']}".strip() if "alternate" in link["rel"] else link["rel"]
    )


MUCH_LARGER = 2.0
"""Times the displayed width, at one device pixel per CSS pixel: screens of double density need 2."""
LEAST_PIXELS = 32


def render_media(item: Mapping[str, Any], ref: str, name: str) -> str:
    """Render one medium: `image @e5 "Shoe" 640x480 (320x240 shown), 12 kB: https://…`, with its problems.

    `item`: the facts of `Medium`.
    """
    shown_name = json.dumps(one_line(name, 60), ensure_ascii=False) if name else ""
    facts = ", ".join(
        filter(
            None,
            [
                _describe_size(item),
                *_describe_playback(item),
                format_bytes(item["bytes"]) if item["bytes"] and item["state"] != "failed" else "",
            ],
        )
    )
    words = " ".join(filter(None, [item["kind"], ref, shown_name, facts]))
    problems = list(_find_problems(item))
    wrong = f"  ({'; '.join(problems)})" if problems else ""
    return f"{words}: {shorten_url(item['url'])}{wrong}"


def shorten_url(url: str) -> str:
    """Return an address on one line; of a `data:` URL only the media type."""
    if url.startswith("data:"):
        return f"{one_line(url.partition(',')[0], 60)},…"
    return one_line(url, 300) or "(no address)"


def _describe_size(item: Mapping[str, Any]) -> str:
    """Return a picture's or video's natural size, and the size it is shown in: `800x600 (400x300 shown)`."""
    own, (width, height) = item.get("size"), item["shown"]
    shown = f"{width}x{height}"
    if own and any(own):
        return f"{own[0]}x{own[1]}" if own == [width, height] else f"{own[0]}x{own[1]} ({shown} shown)"
    return f"{shown} shown" if item["kind"] != "audio" else ""


def _describe_playback(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sound's or video's position and length (`0:10 of 2:00`), flags such as muted, text tracks."""
    if "seconds" not in item:
        return
    if item["seconds"]:
        length = "live" if item["seconds"] < 0 else format_duration(item["seconds"])
        yield f"{format_duration(item['at'])} of {length}" if item["at"] else length
    yield from item["flags"]
    yield from (one_line(track, 60) for track in item["tracks"])


def _find_problems(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield a medium's faults, from its facts: failed, no `alt`, not visible, much larger than its box."""
    state = item["state"]
    if state in ("failed", "loading"):
        yield (
            "failed to load"
            if state == "failed"
            else "still loading"
            if not item.get("isLazy")
            else "lazy, not loaded yet"
        )
    if item["kind"] == "image" and not item["hasAlt"]:
        yield "no alt"
    if not item["isVisible"]:
        yield "not visible"
    own, (width, height) = item.get("size"), item["shown"]
    if item["kind"] != "image" or item["isVector"] or min(width, height) < LEAST_PIXELS or not own:
        return
    if own[0] > width * MUCH_LARGER and own[1] > height * MUCH_LARGER:
        yield f"{own[0] / width:.1f} times as wide as shown"


MOST_ELEMENTS = 500
HEADERS_GONE = "The headers of the document are not kept: 'reload', then again"


async def gather_facts(page: PageCommand) -> PageFacts:
    """Return the page's headers, cookies, requests and elements that a check of its security looks at."""
    frame = page.tab.page.main_frame
    context = await page.world.frames.main_context()
    elements: dict[str, Any] = await page_scripts.call_script(
        context, "readPageSecurity", {"most": MOST_ELEMENTS, "characters": MOST_CHARACTERS}
    )
    cookies = await page.context.current.jar.raw_cookies([frame.url])
    headers = _document_headers(page, frame.loader)
    if headers is None and frame.url.startswith("http"):
        page.notes.append(HEADERS_GONE)
    requests = [
        (entry.kind, entry.url) for entry in page.context.logs.network if entry.document == page.tab.document
    ]
    return PageFacts(frame.url, headers, cookies, requests, elements)


def _document_headers(page: PageCommand, loader: str) -> Headers | None:
    """Return the response headers of the document with this loader id; None if not recorded."""
    found = [item for item in page.context.traffic.exchanges if item[0].id == loader]
    if not found:
        return None
    chain, index = found[-1]
    facts = build_step_facts(chain, index)
    return facts.response_headers if facts.status else None
