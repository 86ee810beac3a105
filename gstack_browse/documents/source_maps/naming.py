"""Find what map a script names, and what people call the sources in it. Pure."""

import re
from urllib.parse import unquote, urljoin, urlsplit

from gstack_browse.documents.source_maps.decoding import OriginalPosition
from gstack_browse.text.sanitise import one_line

MOST_TAIL = 4_000
"""Characters at the end of a script in which a comment may name a map at another address."""
MOST_NAME = 150
MOST_BEFORE = 40
_NAME = b"sourceMappingURL="
_BEFORE = re.compile(rb"(?://|/\*)[#@][ \t]*\Z")
"""How a comment begins that names a map."""
_URL = re.compile(rb"[^\s'\"]+")
_BUILD_SCHEME = re.compile(r"(?:webpack|webpack-internal|turbopack|vite|ng|rollup|parcel|snowpack|rspack):/+")


def find_map_url(script: bytes, headers: dict[str, str]) -> str:
    """Return the address of a script's map as it stands there; "" without one.

    `headers` have names in lower case.
    """
    named = headers.get("sourcemap") or headers.get("x-sourcemap")
    if named:
        return named.strip()
    at = script.rfind(_NAME)
    if at < 0 or not _BEFORE.search(script[max(at - MOST_BEFORE, 0) : at]):
        return ""
    found = _URL.match(script, at + len(_NAME))
    rest = script[found.end() :].strip() if found else b""
    is_at_end = len(rest) < MOST_TAIL and not re.search(rb"[\n;]\s*[\w$(]", rest)
    return found[0].decode("utf-8", "replace") if found and is_at_end else ""


def describe_source(source: str, map_url: str) -> str:
    """Return a source's name as people know it: `src/App.tsx`.

    Builds name sources by addresses of their own (`webpack://shop/./src/App.tsx?a1b2`) or relative to the map (`../../src/main.ts`).
    """
    if scheme := _BUILD_SCHEME.match(source):
        rest = source[scheme.end() :]
        has_project = scheme.group().count("/") == 2 and not rest.startswith(".")
        rest = rest.partition("/")[2] or rest if has_project else rest
        path = rest.partition("?")[0]
    else:
        try:
            joined = urljoin(map_url if map_url.startswith("http") else "", source)
            parts, base = urlsplit(joined), urlsplit(map_url)
        except ValueError:
            return one_line(source, MOST_NAME)
        if parts.scheme in ("http", "https") and parts.netloc != base.netloc:
            return one_line(joined.partition("?")[0], MOST_NAME)
        is_absolute = source.startswith(("/", "file:")) and not map_url.startswith("http")
        path = unquote(parts.path) if is_absolute else unquote(parts.path).lstrip("/")
    steps = [step for step in path.split("/") if step not in (".", "")]
    while steps and steps[0] == "..":
        del steps[0]
    name = "/".join(steps)
    return one_line(f"/{name}" if path.startswith("/") and name else name or source, MOST_NAME)


def describe_position(original: OriginalPosition, map_url: str) -> str:
    """Return `src/App.tsx:12:5`."""
    return f"{describe_source(original.source, map_url)}:{original.line}:{original.column}"
