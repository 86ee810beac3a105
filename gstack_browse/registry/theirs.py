"""Calls as other tools have them, in our words, where they can mean only one thing here. Pure.

Names with the same arguments are aliases in our declarations; here is what has other words or options. What could also be meant
as it stands is left alone: `eval <code>`, which is a file here, fails and says what to type.
"""

import re
from collections.abc import Sequence

_PHRASES = {
    "dblclick": "click --double",
    "double-click": "click --double",
    "get text": "text",
    "get html": "html",
    "get value": "value",
    "get title": "title",
    "get url": "url",
    "get count": "count",
    "get box": "box",
    "get styles": "css",
    "keyboard type": "type",
    "tab new": "newtab",
    "tab list": "tabs",
    "tab close": "closetab",
    "dialog accept": "dialog-accept",
    "dialog dismiss": "dialog-dismiss",
    "clipboard copy": "copy",
    "clipboard paste": "paste",
    "network requests": "network",
    "network request": "request",
    "network har start": "har-start",
    "network har stop": "har-stop",
    "network route": "route",
    "network unroute": "unroute",
    "route-list": "routes",
    "errors": "console --errors",
    "vitals": "perf --vitals",
    "screenshot --full": "screenshot",
    "screenshot --full-page": "screenshot",
    "screenshot --annotate": "snapshot -a",
    "cookies set": "cookie-set",
    "cookies clear": "cookies-clear",
    "storage local": "storage",
    "storage local set": "storage-set",
    "storage local clear": "storage-clear",
    "localstorage-list": "storage",
    "localstorage-set": "storage-set",
    "localstorage-delete": "storage-delete",
    "localstorage-clear": "storage-clear",
    "sessionstorage-set": "storage-set --session",
    "sessionstorage-delete": "storage-delete --session",
    "sessionstorage-clear": "storage-clear --session",
    "state save": "state-save",
    "state load": "state-load",
    "mousedown": "mouse down",
    "mouseup": "mouse up",
    "wait --load load": "wait --load",
    "wait --load domcontentloaded": "wait --domcontentloaded",
    "wait --load networkidle": "wait --networkidle",
}
"""Theirs, as far as it differs, and ours."""
_WORDS = {tuple(theirs.split()): ours.split() for theirs, ours in _PHRASES.items()}
_REF = r"@[ec][0-9]+\Z"
_NUMBER = r"[0-9]{1,5}\Z"


def in_our_words(words: Sequence[str]) -> Sequence[str]:
    """Translate another tool's call to ours; other words stay as they are."""
    if words[0] not in _FIRST:
        return words
    words = list(words)
    words = list(words)
    for length in (3, 2, 1):
        if ours := _WORDS.get(tuple(words[:length])):
            return [*ours, *words[length:]]
    rule = _RULES.get(words[0])
    return rule(words) if rule else words


def _into(words: Sequence[str]) -> Sequence[str]:
    """Translate `type @e3 hello` to `type --into @e3 hello`: nobody types a ref into a page.

    Options after the ref are options: `type @e3 --secret shop`.
    """
    is_theirs = len(words) > 2 and re.match(_REF, words[1])
    return ["type", "--into", words[1], *words[2:]] if is_theirs else words


def _viewport(words: Sequence[str]) -> Sequence[str]:
    """`resize 800 600`, and the same behind `set viewport`."""
    sizes = words[2:] if words[:2] == ["set", "viewport"] else words[1:] if words[0] == "resize" else []
    if len(sizes) not in (2, 3) or not all(re.match(_NUMBER, size) for size in sizes):
        return words
    return ["viewport", f"{sizes[0]}x{sizes[1]}", *(["--scale", sizes[2]] if sizes[2:] else [])]


def _mouse(words: Sequence[str]) -> Sequence[str]:
    """`mouse move 120 340`, and the same as one word."""
    given = words[2:] if words[0] == "mouse" else words[1:]
    if words[:2] not in (["mouse", "move"], ["mousemove", *words[1:2]]) or len(given) != 2:
        return words
    return ["mouse", "move", ",".join(given)] if all(re.match(_NUMBER, each) for each in given) else words


def _steps(words: Sequence[str]) -> Sequence[str]:
    """`batch "open localhost" "snapshot -i"`, which goes on after a failure unless `--bail` says no."""
    steps = [word for word in words[1:] if word != "--bail"]
    if any(step.startswith("-") for step in steps):
        return words
    return ["chain", *([] if "--bail" in words else ["--keep-going"]), *(["\n".join(steps)] if steps else [])]


def _file(words: Sequence[str]) -> Sequence[str]:
    """`screenshot --filename=a.png`."""
    typed = " ".join(words[1:2])
    if typed.startswith("--filename="):
        return [words[0], typed.removeprefix("--filename="), *words[2:]]
    return [words[0], *words[2:]] if typed == "--filename" else words


_RULES = {
    "mouse": _mouse,
    "mousemove": _mouse,
    "batch": _steps,
    "type": _into,
    "resize": _viewport,
    "set": _viewport,
    "screenshot": _file,
    "pdf": _file,
}
_FIRST = {words[0] for words in _WORDS} | _RULES.keys()
