"""Templates: text with `{{NAME}}` and `{{NAME:argument,argument}}`, and their filling. Pure.

The caller supplies the text for a placeholder, which may contain placeholders itself, six deep.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_DEPTH = 6

_PLACEHOLDER = re.compile(r"\{\{([A-Z][A-Z0-9_]*)(?::([^{}\n]*))?\}\}")
_BRACES = re.compile(r"\{\{|\}\}")


class Source(NamedTuple):
    """A text with the path of its file for error messages; "" for a computed text."""

    path: str
    text: str


class TemplateError(ValueError):
    """A malformed template: `path:line: what is wrong`."""

    def __init__(self, path: str, line: int, message: str, known: Iterable[str] = ()) -> None:
        listed = f"\nPlaceholders: {' '.join(known)}" if known else ""
        super().__init__(f"{path}:{line}: {message}{listed}")
        self.path = path
        self.line = line
        self.message = message


class BadArguments(ValueError):
    """Raised by a resolver for arguments that it cannot use."""


Resolver = Callable[..., Source]


@dataclass(frozen=True)
class Placeholder:
    """A name allowed between braces. `resolve` gets the arguments; `once`: at most one per document."""

    name: str
    grammar: str
    resolve: Resolver
    least: int = 0
    most: int = 0
    once: bool = False


@dataclass
class TemplateFiller:
    """Fills in the placeholders of one document; `used` counts them."""

    placeholders: dict[str, Placeholder]
    used: dict[str, int] = field(default_factory=dict)

    def fill(self, source: Source, depth: int = 0) -> str:
        """Return the text without placeholders. Raises TemplateError with file and line."""
        pieces, at = [], 0
        for match in _PLACEHOLDER.finditer(source.text):
            between = source.text[at : match.start()]
            self._refuse_braces(source, at, between)
            pieces += [between, self._fill_placeholder(source, match, depth)]
            at = match.end()
        self._refuse_braces(source, at, source.text[at:])
        return "".join([*pieces, source.text[at:]])

    def _fill_placeholder(self, source: Source, match: re.Match[str], depth: int) -> str:
        line = _line_number(source.text, match.start())
        if depth >= MAX_DEPTH:
            raise TemplateError(source.path, line, f"placeholders are nested more than {MAX_DEPTH} deep")
        name = match[1]
        words = [word.strip() for word in match[2].split(",")] if match[2] is not None else []
        found = self._resolve(source.path, line, name, words)
        inner = found if found.path else Source(f"{source.path}:{line}: {name}", found.text)
        return _indent(self.fill(inner, depth + 1).strip("\n"), source.text, match)

    def _resolve(self, path: str, line: int, name: str, words: list[str]) -> Source:
        placeholder = self.placeholders.get(name)
        if placeholder is None:
            raise TemplateError(path, line, f"{{{{{name}}}}} is no placeholder", self._grammars())
        self.used[name] = self.used.get(name, 0) + 1
        if placeholder.once and self.used[name] > 1:
            raise TemplateError(path, line, f"{{{{{name}}}}} stands here a second time")
        if not placeholder.least <= len(words) <= placeholder.most or "" in words:
            raise TemplateError(path, line, f"{{{{{name}}}}} is written {{{{{placeholder.grammar}}}}}")
        try:
            return placeholder.resolve(*words)
        except BadArguments as error:
            raise TemplateError(path, line, f"{{{{{name}}}}}: {error}") from None

    def _refuse_braces(self, source: Source, at: int, text: str) -> None:
        if braces := _BRACES.search(text):
            what = "{{ is never closed, or is" if braces[0] == "{{" else "}} closes"
            line = _line_number(source.text, at + braces.start())
            raise TemplateError(source.path, line, f"{what} no placeholder", self._grammars())

    def _grammars(self) -> list[str]:
        return [placeholder.grammar for placeholder in self.placeholders.values()]


def _line_number(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _indent(filled: str, text: str, match: re.Match[str]) -> str:
    """Indent all lines of a text as its placeholder is, if that stands alone on its line."""
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    return re.sub(r"\n(?=[^\n])", f"\n{before}", filled) if before and not before.strip() else filled
