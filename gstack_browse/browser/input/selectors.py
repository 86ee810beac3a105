"""Selectors as typed, in the form that Playwright's engines take. Pure.

`label=`, `placeholder=`, `testid=`, `alt=` and `title=` find what Playwright's `get_by_…` find: by a part of the words, in letters of
either case; in quotes by just these words. A test id is always meant whole.
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
"""A role with an exact name: what stands before it, the name as typed, and what stands behind it."""
_ROLE_ALONE = re.compile(r"role=[a-z-]+")
_NO_WORDS = re.compile(
    r"""(?:text=)?(?:""|'')\Z|text=(?://)?\Z|.*:(?:has-text|text|text-is)\(\s*(?:""|'')\s*\)""", re.DOTALL
)
"""A part of a selector that means every element: what was to be between the quotes is missing."""


def parts(selector: str) -> list[str]:
    """What stands between the `>>` of a selector, outside of quotes."""
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
    """The ref of a target and the selector for what is inside of that element: "" for a ref alone; ("", target) without a ref."""
    if not target.startswith("@"):
        return "", target
    ref, _, inner = target.partition(">>")
    return ref.strip(), inner.strip()


def for_playwright(selector: str) -> str:
    """The selector with Playwright's own names in place of ours; as it is where it has none of ours.

    Raises UsageError for a text without words, which Playwright takes for any text.
    """
    typed = parts(selector)
    if any(_NO_WORDS.match(part) for part in typed):
        raise UsageError(f"There are no words in {selector}", "Is a variable of the shell empty?")
    meant = [_for_playwright(part) for part in typed]
    return selector if meant == typed else " >> ".join(meant)


def as_printed(selector: str) -> list[str]:
    """The same for the names and texts that snapshots print, each to be tried where the one before finds nothing; [] where the selector asks for none.

    Snapshots print the letters that `text-transform` makes, a blank for a line break, the words that the browser puts on a button, and the areas
    of an image map. Playwright's engines compare the letters of the markup, and take such areas for hidden.
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
    """What a name or a text may mean that is in no markup, or has no box of its own; "" for nothing."""
    if part.startswith("role=link") and (match := _NAMED.fullmatch(part)) and match[1] == "role=link":
        return f"css=area[href] >> {_just('isNamed', _name_in(match))}{match[3]}"
    if not part.startswith(("text=", '"', "'")):
        return ""
    words, exact = _words(part.removeprefix("text=").strip())
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
    words, exact = _words(typed.strip())
    if not words or (how == "text" and words.startswith("/")):
        return _for_playwright(part)
    if how == "text":
        return _just("textIs" if exact else "textHas", words)
    if not exact:
        return _for_playwright(part)
    return f"{playwright_internals.by_label(words, exact=False)} >> {_just('isNamed', words)}"


def _of_role(part: str) -> str:
    """Return a selector for a role alone in words of our engine, which knows roles in ElementInternals, too."""
    return f"{ENGINE_NAME}={part.replace('=', ':')}" if _ROLE_ALONE.fullmatch(part) else part


def _name_in(match: re.Match[str]) -> str:
    """The name that a match of `_NAMED` has, without backslashes."""
    return re.sub(r"\\(.)", r"\1", _words(match[2])[0])


def _just(how: str, words: str) -> str:
    """The part of a selector that keeps what is printed with those words, and no others."""
    return f"{ENGINE_NAME}={how}:{quote(' '.join(words.split()), safe='')}"


def _for_playwright(part: str) -> str:
    match = _WORDS.match(part)
    if not match:
        return part
    how = match[1]
    text, exact = _words(match[2].strip())
    if how == "label":
        return playwright_internals.by_label(text, exact=exact)
    if how == "testid":
        return f"css=[data-testid={_quoted(text)}]"
    operator, case = ("=", "") if exact else ("*=", " i")
    return f"css=[{how}{operator}{_quoted(text)}{case}]"


def label(selector: str) -> dict[str, Any] | None:
    """What a selector that is nothing but a `label=` asks for: {label, exact}; None for any other."""
    typed = parts(selector)
    if len(typed) > 1 or not typed[0].startswith("label="):
        return None
    text, exact = _words(typed[0].removeprefix("label=").strip())
    return {"label": text, "exact": exact} if text else None


def _words(typed: str) -> tuple[str, bool]:
    """Words, and whether they are exact: in quotes."""
    exact = len(typed) > 1 and typed[0] == typed[-1] and typed[0] in "\"'"
    return (typed[1:-1] if exact else typed), exact


def _quoted(text: str) -> str:
    """A string of CSS: https://www.w3.org/TR/cssom-1/#serialize-a-string"""
    escaped = re.sub(r'["\\]', r"\\\g<0>", text)
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\{ord(match[0]):x} ", escaped) + '"'
