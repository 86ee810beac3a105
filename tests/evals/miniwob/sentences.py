"""Parse instructions into steps: `Enter "Bo" into the 2nd textbox, then press Submit.` Pure.

Only sentences that name what they mean are read here; where one has to look, count or compare, a solver of its own does.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

ORDINAL = r"(?:(?P<nth>\d+)(?:st|nd|rd|th) )?"
_LABELLED = r'(?:(?:in the dialog box )?labeled )?(?:"(?P<quoted>[^"]*)"|(?P<plain>[A-Z]+\b|Tab #\d|Submit|submit|login|cancel))?'
_KIND = r"(?P<kind>button|link|radio button|checkbox)?"


@dataclass(frozen=True)
class Step:
    """A thing to do."""

    verb: str
    """`click`, `fill`, `choose`, `focus`."""
    names: tuple[str, ...] = ()
    """What it is done to, as the page calls it; empty for whatever there is."""
    value: str = ""
    kind: str = ""
    nth: int = 0
    """The place among equals, from 0."""


Make = Callable[[re.Match[str]], Iterator[Step]]


def steps(asked: str) -> list[Step]:
    """The steps of an instruction, in its order."""
    found: list[Step] = []
    position = 0
    while position < len(asked):
        for pattern, make in _PATTERNS:
            if match := re.compile(pattern).match(asked, position):
                found += make(match)
                position = match.end()
                break
        else:
            position += 1
    return found


def quoted(text: str) -> list[str]:
    """Return the parts in quotation marks."""
    return re.findall(r'"([^"]*)"', text)


def listed(names: str) -> tuple[str, ...]:
    """Return the items of a list with commas; for `nothing`, no items."""
    return () if names == "nothing" else tuple(names.split(", "))


def _fills(match: re.Match[str]) -> Iterator[Step]:
    """`the username "a" and the password "b" into the text fields`; `"a" into both text fields`."""
    change = {"lower": str.lower, "upper": str.upper}.get(match["case"] or "", str)
    values = re.findall(r'(?:the (\w+) )?"([^"]*)"', match["values"])
    if "both" in match["where"]:
        yield from (Step("fill", value=values[0][1], nth=nth) for nth in (0, 1))
        return
    for label, value in values:
        name = () if label in ("", "number", "text") else (label,)
        yield Step("fill", name, change(value), nth=_place(match))


def _date(match: re.Match[str]) -> Iterator[Step]:
    month, day, year = match["month"], match["day"], match["year"]
    yield Step("fill", value=f"{year}-{month}-{day}")


def _time(match: re.Match[str]) -> Iterator[Step]:
    hour = int(match["hour"]) % 12 + (12 if match["half"] == "PM" else 0)
    yield Step("fill", value=f"{hour:02}:{match['minute']}")


def _click(match: re.Match[str]) -> Iterator[Step]:
    kind = {"radio button": "radio"}.get(match["kind"] or "", match["kind"] or "")
    name = match["quoted"] if match["quoted"] is not None else match["plain"] or ""
    yield Step("click", (name.strip(),) if name.strip() else (), kind=kind, nth=_place(match))


def _choose(match: re.Match[str]) -> Iterator[Step]:
    yield Step("choose", listed(match["names"]))


def _focus(match: re.Match[str]) -> Iterator[Step]:
    yield Step("focus", nth=_place(match))


def _submit(_: re.Match[str]) -> Iterator[Step]:
    yield Step("click", ("Submit",), kind="button")


def _place(match: re.Match[str]) -> int:
    return int(match["nth"]) - 1 if match["nth"] else 0


_PATTERNS: tuple[tuple[str, Make], ...] = (
    (
        r'(?:[Ee]nter|[Tt]ype) (?P<values>(?:the \w+ )?"[^"]*"(?: and the \w+ "[^"]*")*)'
        r"(?: in all (?P<case>lower|upper) case letters)? (?:into|in) "
        rf"(?P<where>the|both) {ORDINAL}text ?(?:field|input|box)(?:e?s)?",
        _fills,
    ),
    (r"[Ee]nter (?P<month>\d\d)/(?P<day>\d\d)/(?P<year>\d{4}) as the date", _date),
    (r"[Ee]nter (?P<hour>\d+):(?P<minute>\d\d) (?P<half>[AP]M) as the time", _time),
    (r"[Ss]elect (?P<names>.+?)(?: from the (?:scroll )?list)?(?= and (?:click|press) )", _choose),
    (rf"[Ff]ocus into the {ORDINAL}(?:input )?textbox", _focus),
    (rf"(?:[Cc]lick(?:ing)?|[Pp]ress|[Hh]it|[Cc]heck) (?:on )?(?:the )?{ORDINAL}{_KIND} ?{_LABELLED}", _click),
    (r"and submit\b", _submit),
)
