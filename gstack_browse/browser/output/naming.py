"""Find the refs in JavaScript: `@e3.click()` names an element, `"@e3"` is a string. Pure."""

import re
from functools import cache

_SKIPPED = {
    "'": r"'[^'\\]*(?:\\.[^'\\]*)*(?P<single>'?)",
    '"': r'"[^"\\]*(?:\\.[^"\\]*)*(?P<double>"?)',
    "/*": r"/\*.*?(?P<comment>\*/|\Z)",
}
"""Opening sign → pattern of a string or comment. If nothing closes it, the pattern matches up to the end of the code with an empty group."""
_PIECES = r"(?P<line>//[^\n]*)|(?P<tick>`)|(?P<open>\{)|(?P<close>\})|(?<![\w$@])@(?P<ref>[ec][1-9]\d*)\b"
_REF = re.compile(r"@[ec][1-9]")
_TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*", re.S)


def name_refs(code: str) -> tuple[str, list[str]]:
    """Replace `@e3` by `$ref_e3`, except in strings and comments. Return code and refs: `["e3"]`."""
    return _Scanner(code).scan() if _REF.search(code) else (code, [])


@cache
def _compile_pattern(openers: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join([*(_SKIPPED[opener] for opener in sorted(openers)), _PIECES]), re.S)


class _Scanner:
    """Reads code from left to right. `_depths` counts the open braces in each surrounding `${…}`."""

    def __init__(self, code: str) -> None:
        self._code = code
        self._at = 0
        self._out: list[str] = []
        self._refs: list[str] = []
        self._depths: list[int] = []
        self._openers = set(_SKIPPED)
        """Opening signs that are closed somewhere below, as far as we know."""

    def scan(self) -> tuple[str, list[str]]:
        """Return the code with replaced refs, and the refs.

        An opening sign that is never closed (a quote in a regular expression) is skipped, and not tried again: each try reads all the rest,
        which would make the time quadratic.
        """
        while match := _compile_pattern(frozenset(self._openers)).search(self._code, self._at):
            self._out.append(self._code[self._at : match.start()])
            opener = next((opener for opener in self._openers if match[0].startswith(opener)), "")
            if opener and not match[match.lastgroup or 0]:
                self._openers.discard(opener)
                self._out.append(opener)
                self._at = match.start() + len(opener)
            else:
                self._at = match.end()
                self._copy_piece(match)
        return "".join(self._out) + self._code[self._at :], self._refs

    def _copy_piece(self, match: re.Match[str]) -> None:
        """Copy a piece of code, with a ref replaced, and track braces and templates."""
        if ref := match["ref"]:
            if ref not in self._refs:
                self._refs.append(ref)
            self._out.append(f"$ref_{ref}")
            return
        self._out.append(match[0])
        if match["tick"]:
            self._copy_template()
        elif match["open"] and self._depths:
            self._depths[-1] += 1
        elif match["close"] and self._depths:
            self._depths[-1] -= 1
            if self._depths[-1] < 0:
                self._depths.pop()
                self._copy_template()

    def _copy_template(self) -> None:
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
