"""Finds the refs in JavaScript: `@e3.click()` names an element, `"@e3"` is a string. Pure."""

import re
from functools import cache

_SKIPPED = {
    "'": r"'[^'\\]*(?:\\.[^'\\]*)*(?P<single>'?)",
    '"': r'"[^"\\]*(?:\\.[^"\\]*)*(?P<double>"?)',
    "/*": r"/\*.*?(?P<comment>\*/|\Z)",
}
"""Strings and comments by how they begin. Each pattern goes on to the end of the code where nothing closes them: see `_Scanner.scan`."""
_PIECES = r"(?P<line>//[^\n]*)|(?P<tick>`)|(?P<open>\{)|(?P<close>\})|(?<![\w$@])@(?P<ref>[ec][1-9]\d*)\b"
_REF = re.compile(r"@[ec][1-9]")
_TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*", re.S)


def name_refs(code: str) -> tuple[str, list[str]]:
    """`code` with each `@e3` outside of strings and comments as `$ref_e3`, and the refs in order: `["e3"]`."""
    return _Scanner(code).scan() if _REF.search(code) else (code, [])


@cache
def _pattern(kinds: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join([*(_SKIPPED[kind] for kind in sorted(kinds)), _PIECES]), re.S)


class _Scanner:
    """Reads code from left to right; `_depths` counts the braces that are open in each `${…}` we are inside of."""

    def __init__(self, code: str) -> None:
        self._code = code
        self._at = 0
        self._out: list[str] = []
        self._refs: list[str] = []
        self._depths: list[int] = []
        self._kinds = set(_SKIPPED)
        """How strings and comments begin that something closes."""

    def scan(self) -> tuple[str, list[str]]:
        """Read the code. What nothing closes (a quote in a regular expression) is looked at once: else the time would grow with the square."""
        while match := self._piece().search(self._code, self._at):
            self._out.append(self._code[self._at : match.start()])
            kind = next((kind for kind in self._kinds if match[0].startswith(kind)), "")
            if kind and not match[match.lastgroup or 0]:
                self._kinds.discard(kind)
                self._out.append(kind)
                self._at = match.start() + len(kind)
            else:
                self._at = match.end()
                self._take(match)
        return "".join(self._out) + self._code[self._at :], self._refs

    def _piece(self) -> re.Pattern[str]:
        return _pattern(frozenset(self._kinds))

    def _take(self, match: re.Match[str]) -> None:
        if ref := match["ref"]:
            if ref not in self._refs:
                self._refs.append(ref)
            self._out.append(f"$ref_{ref}")
            return
        self._out.append(match[0])
        if match["tick"]:
            self._template()
        elif match["open"] and self._depths:
            self._depths[-1] += 1
        elif match["close"] and self._depths:
            self._depths[-1] -= 1
            if self._depths[-1] < 0:
                self._depths.pop()
                self._template()

    def _template(self) -> None:
        """Copy the text of a template up to its end, or to the next `${`."""
        text = _TEMPLATE.match(self._code, self._at)
        assert text is not None
        self._out.append(text[0])
        self._at = text.end()
        if self._code.startswith("${", self._at):
            self._out.append("${")
            self._at += 2
            self._depths.append(0)
        elif self._code.startswith("`", self._at):
            self._out.append("`")
            self._at += 1
