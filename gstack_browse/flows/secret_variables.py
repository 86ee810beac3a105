"""Find the secrets in the words of flows, and replace them by variables."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice

from gstack_browse.flows.words import Part, Variable, Word, literal
from gstack_browse.text.redact import REDACTED
from gstack_browse.text.secrets import find_secret_values, is_secret_name

SHORTEST_PART = 4
"""Shorter secrets, such as a card's CVC, are replaced only in their own step: they occur in ordinary text."""
SHORTEST_DECLARED = 8
"""The same for values that are secret only by what a command declares: `storage-set theme dark`."""
MOST_LIKELY = 200
"""Likely secrets in a text above which it is masked as a whole: a page may fill its address with them."""
_URL_PARAMETER = re.compile(r"[?&#;]([^=&#;?\s]{1,80})=([^&#;\s]+)")
_URL_PASSWORD = re.compile(r"://[^\s/:@?#]*:([^\s/@?#]+)@")


class SecretVariables:
    """The secrets of one session's flows: value → variable. The values never leave the daemon's memory."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._spread: set[str] = set()
        """The values that are replaced wherever they occur."""

    @property
    def names(self) -> set[str]:
        """Return the names of all variables."""
        return set(self._names.values())

    @property
    def values(self) -> list[str]:
        """Return the secrets that are replaced wherever they occur."""
        return list(self._spread)

    def assign_variable(self, value: str, proposal: str, *, shortest: int = SHORTEST_PART) -> Variable:
        """Return the variable that stands for a secret value; a new one gets a name made of `proposal`.

        shortest: the length from which the value is replaced wherever it occurs
        """
        if len(value) >= shortest:
            self._spread.add(value)
        if value not in self._names:
            self._names[value] = unused_name(proposal, self.names)
        return Variable(self._names[value])

    def replace_secrets(self, text: str, step_secrets: Sequence[str] = ()) -> Word:
        """Make a word of a text, with variables in place of known secrets and of what looks like a secret.

        step_secrets: secrets of the word's step_secrets step, replaced only if they are the whole text
        """
        likely = list(islice(find_likely_secrets(text), MOST_LIKELY + 1))
        if len(likely) > MOST_LIKELY:
            return literal(REDACTED)
        for name, value in likely:
            self.assign_variable(value, name)
        return self.replace_known_secrets(text, step_secrets)

    def replace_known_secrets(self, text: str, step_secrets: Sequence[str] = ()) -> Word:
        """Make a word of a text, with variables in place of all known secrets.

        step_secrets: secrets of the word's step_secrets step, replaced only if they are the whole text
        """
        if text in self._spread or text in step_secrets:
            return Word((Variable(self._names[text]),)) if text in self._names else Word((text,))
        return replace_values(text, {value: self._names[value] for value in self._spread})

    def mask(self, text: str) -> str:
        """Return a text with the known secrets masked, unless they are very short."""
        for value in sorted(self._spread, key=len, reverse=True):
            text = text.replace(value, REDACTED)
        return text

    def scrub(self, text: str) -> str:
        """Return a text with the known secrets masked, and what looks like one. For texts of a page."""
        for _, value in find_likely_secrets(text):
            text = text.replace(value, REDACTED)
        return self.mask(text)


def replace_values(text: str, names: Mapping[str, str]) -> Word:
    """Make a word of a text, with variables in place of values, the longest first.

    `names`: value → variable.
    """
    parts: list[Part] = [text] if text else []
    for value in sorted(filter(None, names), key=len, reverse=True):
        parts = [piece for part in parts for piece in split_at_value(part, value, names[value])]
    return Word(tuple(parts))


def split_at_value(part: Part, value: str, name: str) -> Iterator[Part]:
    """Split a part of a word at each `value`; yield the pieces, with the variable `name` between them."""
    if isinstance(part, Variable):
        yield part
    else:
        yield from place_between(part.split(value), name)


def place_between(texts: Sequence[str], name: str) -> Iterator[Part]:
    """Yield the texts, without empty ones, and the variable `name` between each two of them."""
    for index, text in enumerate(texts):
        if index:
            yield Variable(name)
        if text:
            yield text


def find_likely_secrets(text: str) -> Iterator[tuple[str, str]]:
    """Yield (variable name, value) of everything in a text that looks like a secret, such as `?token=…`."""
    for match in _URL_PASSWORD.finditer(text):
        yield "password", match[1]
    for match in _URL_PARAMETER.finditer(text):
        if is_secret_name(match[1]):
            yield match[1], match[2]
    for value in find_secret_values(text):
        yield "token", value


def unused_name(proposal: str, used: Sequence[str] | set[str]) -> str:
    """Return a variable's name that is not used yet, made of the words of `proposal`."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", proposal)
    name = re.sub(r"[^A-Za-z0-9]+", "_", spaced).strip("_").lower()[:30]
    if not name or name[0].isdigit():
        name = f"value_{name}".rstrip("_")
    numbered = (f"{name}_{number}" for number in count(2))
    return name if name not in used else next(each for each in numbered if each not in used)
