"""Tidies Playwright's ARIA snapshot: no references, no wrappers without meaning, no secrets. Pure."""

import json
import re
from collections.abc import Collection, Iterator

from gstack_browse.text.redact import REDACTED, redact

_MARKS = re.compile(r" \[(?:ref=[a-z0-9]+|cursor=pointer|active|box=[^\]]*)\]")
_WRAPPERS = ("generic", "generic:", "document", "document:")
_LINE = re.compile(r"(?P<indent> *)- (?P<rest>.*)\Z")
_FIELD = re.compile(r"(?P<head>(?:textbox|searchbox|combobox|spinbutton)\b.*?): (?P<value>.+)\Z")
_NAMED = re.compile(r'[a-z]+ "(?:[^"\\]|\\.)*"')


def tidy(snapshot: str, secrets: Collection[str] = ()) -> str:
    """The YAML of `snapshot` with its `generic` wrappers taken away and what fields hold of `secrets` masked."""
    folded = {" ".join(secret.split()) for secret in secrets}
    lines = [_masked(line, folded) for line in _unwrapped(snapshot.splitlines())]
    return redact("\n".join(lines), secrets)


def _unwrapped(lines: list[str]) -> Iterator[str]:
    """Lines without references; the children of an unnamed `generic` move to its level."""
    dropped: list[int] = []
    for line in lines:
        match = _LINE.match(line)
        if not match:
            yield line
            continue
        indent = len(match["indent"])
        while dropped and dropped[-1] >= indent:
            dropped.pop()
        rest = _without_marks(match["rest"])
        if rest in _WRAPPERS:
            dropped.append(indent)
            continue
        shown = "text" + rest.removeprefix("generic") if rest.startswith("generic: ") else rest
        yield f"{' ' * (indent - 2 * len(dropped))}- {shown}"


def _without_marks(rest: str) -> str:
    """Without Playwright's marks, but never touching what stands inside a quoted name or after it."""
    named = _NAMED.match(rest)
    start = named.end() if named else 0
    end = rest.find(": ", start)
    head, tail = (rest[start:], "") if end < 0 else (rest[start:end], rest[end:])
    return rest[:start] + _MARKS.sub("", head) + tail


def _masked(line: str, secrets: Collection[str]) -> str:
    match = _FIELD.search(line) if secrets else None
    if not match or _plain(match["value"]) not in secrets:
        return line
    return f"{line[: match.start()]}{match['head']}: {json.dumps(REDACTED)}"


def _plain(value: str) -> str:
    if value.startswith('"'):
        try:
            value = str(json.loads(value))
        except ValueError:
            value = value.strip('"')
    elif value.startswith("'"):
        value = value.strip("'").replace("''", "'")
    return " ".join(value.split())
