"""Match answers, addresses and texts with what a task of WebArena asks for. Pure.

The rules are those of its evaluation.
"""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, urlsplit

OR = " |OR| "


def cleaned(text: str) -> str:
    """Without blanks around it, a pair of quotes, and the difference of capitals."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    return text.lower()


def is_exactly(reference: str, said: str) -> bool:
    return cleaned(reference) == cleaned(said)


def includes(reference: str, said: str, *, as_word: bool = False) -> bool:
    """Return whether the text has the reference in it.

    A single character, where asked, only as a word: `0` is not in `10`.
    """
    wanted, text = cleaned(reference), cleaned(said)
    if as_word and len(wanted) == 1:
        return wanted in re.findall(r"\w+|[^\w\s]", text)
    return wanted in text


def has_contents(required: Mapping[str, object], found: str) -> bool:
    """Return whether a text has the required contents. Raises ValueError.

    `exact_match` with a text, or `must_include` with a list in which each item may have alternatives.
    """
    if isinstance(exact := required.get("exact_match"), str):
        return is_exactly(exact, found)
    if isinstance(items := required.get("must_include"), Sequence):
        return all(any(includes(each, found) for each in str(item).split(OR)) for item in items)
    raise ValueError(f"{sorted(required)} are no contents that can be required")


def fits_url(reference: str, url: str) -> bool:
    """Return whether the address is one of the reference's.

    Host and path begin or hold it, and its query has their values.
    """
    references = [urlsplit(each.rstrip("/")) for each in reference.split(OR)]
    found = urlsplit(url.rstrip("/"))
    place = (found.netloc + found.path).rstrip("/")
    if not any((each.netloc + each.path).rstrip("/") in place for each in references):
        return False
    wanted: dict[str, set[str]] = {}
    for each in references:
        for key, values in parse_qs(each.query).items():
            wanted.setdefault(key, set()).update(values)
    query = parse_qs(found.query)
    return all(values & set(query.get(key, ())) for key, values in wanted.items())
