"""Parse words that name an element, or alternatively a time, distance, URL or file. Pure."""

import re
from pathlib import Path

from gstack_browse.errors import Refused, UsageError
from gstack_browse.registry.measures import whole_number
from gstack_browse.registry.paths import IMAGE_SUFFIXES, CallerPaths, openable_url, out_file
from gstack_browse.registry.points import Point, distance, is_distance

_REF = r"@[ec][0-9]+\Z"
_BARE_REF = r"[ec][0-9]+\Z"
"""A ref as Playwright's own tools write it. No element of HTML is called so."""


def require_target(word: str) -> str:
    """Return a target as typed. Raises UsageError if it cannot be one."""
    found = word.strip()
    if re.match(_BARE_REF, found):
        return f"@{found}"
    if not found:
        raise UsageError(
            "The target is empty", "Give a CSS selector, text=…, role=…, label=… or a ref such as @e3"
        )
    ref, inside, selector = found.partition(">>")
    if found.startswith("@") and not (re.match(_REF, ref.strip()) and bool(inside) == bool(selector.strip())):
        raise UsageError(f'"{found}" is not a ref', "Refs look like @e3 or @c1; run 'snapshot -i' to see them")
    return found


def target(word: str, paths: CallerPaths) -> str:
    """A selector or a ref."""
    return require_target(word)


def target_or_milliseconds(word: str, paths: CallerPaths) -> str | int:
    """Parse a whole number as milliseconds, anything else as a target."""
    if re.fullmatch(r"[0-9]+", word):
        return whole_number(word, least=0, most=300_000, unit="milliseconds")
    return target(word, paths)


class Address(str):
    """A URL, where a target could stand, too."""


def target_or_distance(word: str, paths: CallerPaths) -> str | Point:
    """Parse two numbers as a distance, anything else as a target."""
    return distance(word, paths) if is_distance(word) else target(word, paths)


_ADDRESS = r"(?i)[a-z][a-z0-9+.-]*://|data:|blob:|javascript:|about:|[a-z0-9.-]+:[0-9]{1,5}/|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/"


def target_or_url(word: str, paths: CallerPaths) -> str:
    """Parse a word with a scheme, or a host with a port or path, as a URL, anything else as a target."""
    if not re.match(_ADDRESS, word.strip()):
        return target(word, paths)
    url = openable_url(word, paths)
    if not url.startswith(("http:", "https:")):
        raise Refused(f"{url.partition(':')[0]}: addresses are not downloaded", "Allowed: http and https")
    return Address(url)


_SELECTOR_START = r"[@.#\[*:]|//|\(/|[A-Za-z][\w:-]*="
_HIDDEN_DIRECTORY = r"\.[\w.-]*/"
"""A path such as `.gstack/a.png` or `../a.png`: the name of a class holds no slash."""
_SELECTOR_INSIDE = r"[#\[\]>:~+*]|\s|\w\.\w"
_OTHER_FILE = r"(?i)\.(?:gif|bmp|tiff?|svg|avif|pdf|txt|md|html?|json)\Z"
"""A file of another kind rather than a class of that name."""


STANDARD_OUTPUT = Path("-")


def shot(word: str, paths: CallerPaths) -> str | Path:
    """Parse a word of `screenshot`: a ref or selector, a path ending in an image suffix, or `-`."""
    if word == "-":
        return STANDARD_OUTPUT
    if re.match(_BARE_REF, word) or (re.match(_SELECTOR_START, word) and not re.match(_HIDDEN_DIRECTORY, word)):
        return target(word, paths)
    if word.lower().endswith(IMAGE_SUFFIXES):
        return out_file(word, paths)
    if re.search(_SELECTOR_INSIDE, word) and "/" not in word and not re.search(_OTHER_FILE, word):
        return target(word, paths)
    raise UsageError(
        f'"{word}" is neither a selector nor a path ending in {", ".join(IMAGE_SUFFIXES)}',
        f"For an element write 'css={word}', for a file '{word}.png'",
    )
