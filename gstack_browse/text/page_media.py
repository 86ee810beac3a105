"""Render images, videos and audio of a page as lines. Pure."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from gstack_browse.text.columns import format_bytes, format_duration
from gstack_browse.text.sanitise import one_line

MUCH_LARGER = 2.0
"""Times the displayed width, at one device pixel per CSS pixel: screens of double density need 2."""
LEAST_PIXELS = 32


def render_media(item: Mapping[str, Any], ref: str, name: str) -> str:
    """Render one item: `image @e5 "Shoe" 640x480 (320x240 shown), 12 kB: https://…`, with its problems."""
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
    own, (width, height) = item.get("size"), item["shown"]
    shown = f"{width}x{height}"
    if own and any(own):
        return f"{own[0]}x{own[1]}" if own == [width, height] else f"{own[0]}x{own[1]} ({shown} shown)"
    return f"{shown} shown" if item["kind"] != "audio" else ""


def _describe_playback(item: Mapping[str, Any]) -> Iterator[str]:
    if "seconds" not in item:
        return
    if item["seconds"]:
        length = "live" if item["seconds"] < 0 else format_duration(item["seconds"])
        yield f"{format_duration(item['at'])} of {length}" if item["at"] else length
    yield from item["flags"]
    yield from (one_line(track, 60) for track in item["tracks"])


def _find_problems(item: Mapping[str, Any]) -> Iterator[str]:
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
