"""Render a document's metadata as lines and as JSON. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gstack_browse.text.columns import align_rows
from gstack_browse.text.sanitise import one_line, split_lines

_LINKS = ("canonical", "alternate", "manifest", "icon", "amphtml", "next", "prev", "license", "search")
"""Link relations that describe the page; style sheets and preloads do not."""
_VALUE_CHARACTERS = 500
_MOST_UNIQUE = 1
"""How often a page may state a unique fact."""


def render_lines(told: Mapping[str, Any]) -> list[str]:
    """Render name and value of each fact, then the blocks of JSON-LD."""
    facts = [
        (one_line(name, 60), one_line(value, _VALUE_CHARACTERS)) for name, value in _list_facts(told) if value
    ]
    lines = align_rows(facts)
    for number, (text, value, problem) in enumerate(parse_json_ld(told), 1):
        heading = f"JSON-LD {number}: {problem or ', '.join(types_of(value)) or 'no @type'}"
        lines += [heading, *(f"  {line}" for line in split_lines(text.strip()))]
    return lines


def render_json(told: Mapping[str, Any]) -> str:
    """Render the metadata as a JSON object."""
    metas: dict[str, list[str]] = {}
    for name, value in told["metas"]:
        metas.setdefault(name, []).append(value)
    links = [
        {key: value for key, value in link.items() if value}
        for link in told["links"]
        if _is_relevant_link(link)
    ]
    blocks = [
        {"error": problem, "text": text} if problem else value for text, value, problem in parse_json_ld(told)
    ]
    facts = {key: told[key] for key in ("title", "language", "charset", "microdata")}
    return json.dumps({**facts, "meta": metas, "links": links, "jsonLd": blocks}, ensure_ascii=False, indent=1)


def find_problems(told: Mapping[str, Any]) -> Iterator[str]:
    """Yield what search engines would ignore or misread."""
    canonical = [link["href"] for link in told["links"] if "canonical" in link["rel"].split()]
    if len(canonical) > _MOST_UNIQUE:
        yield f"The page has {len(canonical)} canonical addresses"
    for name in ("robots", "description", "og:title", "og:url"):
        count = sum(meta == name for meta, _ in told["metas"])
        if count > _MOST_UNIQUE:
            yield f"The page says {name} {count} times"
    for number, (_, _, problem) in enumerate(parse_json_ld(told), 1):
        if problem:
            yield f"JSON-LD {number} is ignored: {problem}"


def parse_json_ld(told: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    """Return (text, value, error) of each JSON-LD block; error is "" if it is valid."""
    return [_parse_block(text) for text in told["jsonLd"]]


def _parse_block(text: str) -> tuple[str, Any, str]:
    """Parse one block: (formatted text, value, ""), or (text, None, error)."""
    try:
        value = json.loads(text)
        return json.dumps(value, ensure_ascii=False, indent=1), value, ""
    except (ValueError, RecursionError) as error:
        return text, None, one_line(f"no JSON: {error}", 200)


def types_of(value: Any) -> Sequence[str]:
    """Return the `@type`s in a block of JSON-LD."""
    items = value if isinstance(value, list) else [value]
    found: list[str] = []
    for item in items:
        if isinstance(item, dict):
            named = item.get("@type", [])
            found += [str(one) for one in (named if isinstance(named, list) else [named])]
            found += types_of(item["@graph"]) if isinstance(item.get("@graph"), list) else []
    return [one_line(name, 60) for name in found[:20]]


def _list_facts(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of each fact."""
    yield "title", told["title"]
    yield "language", told["language"]
    yield "charset", told["charset"]
    for link in told["links"]:
        if _is_relevant_link(link):
            yield (
                _link_name(link),
                " ".join(filter(None, [link["href"], link["title"] and f'"{link["title"]}"'])),
            )
    yield from told["metas"]
    for name in told["microdata"]:
        yield "microdata", name


def _is_relevant_link(link: Mapping[str, str]) -> bool:
    rels = link["rel"].split()
    return "stylesheet" not in rels and any(rel in _LINKS or rel.endswith("icon") for rel in rels)


def _link_name(link: Mapping[str, str]) -> str:
    if link["hreflang"]:
        return f"hreflang {link['hreflang']}"
    return (
        f"{link['rel']} {link['type'] or link['media']}".strip() if "alternate" in link["rel"] else link["rel"]
    )
