"""Translate selectors as typed into the form that Playwright's engines take. Pure.

`label=`, `placeholder=`, `testid=`, `alt=` and `title=` find what Playwright's `get_by_…` find: by a part of
the words, in either case; in quotes by exactly these words. A test id is always matched whole.
"""

import re
from typing import Any
from urllib.parse import quote

from gstack_browse.browser.cdp import playwright_internals
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.errors import UsageError

BY_WORDS = ("label=", "placeholder=", "alt=", "title=")
"""Ways to name what a person can see or hear."""
_WORDS = re.compile(r"(label|placeholder|testid|alt|title)=(.*)", re.DOTALL)

_NAMED = re.compile(
    r"""(role=[^\["']+(?:\[(?!\s*name\b)[^\]"']*\])*)\[\s*name\s*=\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\]"'/\s]+)\s*s?\s*\](.*)""",
    re.DOTALL,
)
"""A role with an exact name: the text before the name, the name as typed, the text behind it."""
_ROLE_ALONE = re.compile(r"role=[a-z-]+")
_NO_WORDS = re.compile(
    r"""(?:text=)?(?:""|'')\Z|text=(?://)?\Z|.*:(?:has-text|text|text-is)\(\s*(?:""|'')\s*\)""", re.DOTALL
)
"""A part of a selector that means every element: the text in its quotes is empty."""


def parts(selector: str) -> list[str]:
    """Split a selector at each `>>` outside of quotes."""
    found, quote, start = [], "", 0
    for at, letter in enumerate(selector):
        if quote:
            quote = "" if letter == quote and selector[at - 1] != "\\" else quote
        elif letter in "\"'`" and (at == start or selector[at - 1] in "=[( "):
            quote = letter
        elif selector.startswith(">>", at) and at >= start:
            found.append(selector[start:at].strip())
            start = at + 2
    return [*found, selector[start:].strip()]


def within_ref(target: str) -> tuple[str, str]:
    """Split a target into its ref and the selector inside of that element.

    "" as selector for a ref alone, "" as ref for a target without one.
    """
    if not target.startswith("@"):
        return "", target
    ref, _, inner = target.partition(">>")
    return ref.strip(), inner.strip()


def for_playwright(selector: str) -> str:
    """Return the selector with Playwright's names for ours; unchanged if it has none of ours.

    Raises UsageError for a text without words, which Playwright would take for any text.
    """
    typed = parts(selector)
    if any(_NO_WORDS.match(part) for part in typed):
        raise UsageError(f"There are no words in {selector}", "Is a variable of the shell empty?")
    meant = [_for_playwright(part) for part in typed]
    return selector if meant == typed else " >> ".join(meant)


def as_printed(selector: str) -> list[str]:
    """Return selectors for names and texts as snapshots print them, to be tried one after the other.

    [] for a selector without names or texts. Snapshots print the letters that `text-transform` makes, a blank
    for a line break, the browser's own words on a button, and the areas of an image map. Playwright's engines
    compare the letters of the markup, and take such areas for hidden.
    """
    typed = parts(selector)
    meant = [_as_printed(part) for part in typed]
    plain = [_for_playwright(part) for part in typed]
    found = [] if meant == plain else [" >> ".join(meant)]
    if unmarked := _without_markup(typed[-1]):
        found.append(" >> ".join([*meant[:-1], unmarked]))
    return found


_UNWRITTEN = "css=input:is([type=submit], [type=reset]):not([value])"
"""Buttons whose words are the browser's own."""


def _without_markup(part: str) -> str:
    """Return a selector for a name or text that is in no markup, or has no box; "" for none.

    Such are the browser's own words on buttons, and the areas of image maps.
    """
    if part.startswith("role=link") and (match := _NAMED.fullmatch(part)) and match[1] == "role=link":
        return f"css=area[href] >> {_just('isNamed', _name_in(match))}{match[3]}"
    if not part.startswith(("text=", '"', "'")):
        return ""
    words, exact = _unquote(part.removeprefix("text=").strip())
    if words.startswith("/"):
        return ""
    return f"{_UNWRITTEN} >> {_just('isNamed' if exact else 'isNamedWith', words)}"


def _as_printed(part: str) -> str:
    if match := _NAMED.fullmatch(part):
        return f"{_of_role(match[1] + match[3])} >> {_just('isNamed', _name_in(match))}"
    if part.startswith("role="):
        return _of_role(part)
    if not part.startswith(("text=", "label=", '"', "'")):
        return _for_playwright(part)
    how, _, typed = part.partition("=") if part.startswith(("text=", "label=")) else ("text", "", part)
    words, exact = _unquote(typed.strip())
    if not words or (how == "text" and words.startswith("/")):
        return _for_playwright(part)
    if how == "text":
        return _just("textIs" if exact else "textHas", words)
    if not exact:
        return _for_playwright(part)
    return f"{playwright_internals.by_label(words, exact=False)} >> {_just('isNamed', words)}"


def _of_role(part: str) -> str:
    """Return a selector for a role alone in our engine's form: it also knows roles in ElementInternals."""
    return f"{ENGINE_NAME}={part.replace('=', ':')}" if _ROLE_ALONE.fullmatch(part) else part


def _name_in(match: re.Match[str]) -> str:
    """Return the name in a match of `_NAMED`, without backslashes."""
    return re.sub(r"\\(.)", r"\1", _unquote(match[2])[0])


def _just(how: str, words: str) -> str:
    """Return the part of a selector that keeps only elements printed with exactly those words."""
    return f"{ENGINE_NAME}={how}:{quote(' '.join(words.split()), safe='')}"


def _for_playwright(part: str) -> str:
    match = _WORDS.match(part)
    if not match:
        return part
    how = match[1]
    text, exact = _unquote(match[2].strip())
    if how == "label":
        return playwright_internals.by_label(text, exact=exact)
    if how == "testid":
        return f"css=[data-testid={_quoted(text)}]"
    operator, case = ("=", "") if exact else ("*=", " i")
    return f"css=[{how}{operator}{_quoted(text)}{case}]"


def label(selector: str) -> dict[str, Any] | None:
    """Return what a plain `label=` selector asks for: {label, exact}; None for any other selector."""
    typed = parts(selector)
    if len(typed) > 1 or not typed[0].startswith("label="):
        return None
    text, exact = _unquote(typed[0].removeprefix("label=").strip())
    return {"label": text, "exact": exact} if text else None


def _unquote(typed: str) -> tuple[str, bool]:
    """Return the words without quotes, and whether they were quoted, which makes them exact."""
    exact = len(typed) > 1 and typed[0] == typed[-1] and typed[0] in "\"'"
    return (typed[1:-1] if exact else typed), exact


def _quoted(text: str) -> str:
    """Return a CSS string: https://www.w3.org/TR/cssom-1/#serialize-a-string"""
    escaped = re.sub(r'["\\]', r"\\\g<0>", text)
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\{ord(match[0]):x} ", escaped) + '"'
