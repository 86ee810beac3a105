"""Texts without the names that are printed elsewhere: of the line itself, and of other controls."""

import re
from collections.abc import Iterable

_SEPARATORS = " |·,;:/–-"
_TWO_SEPARATORS = re.compile(r"([|·,;/–-])\s+(?=\1)")


def without_own(text: str, name: str) -> str:
    """Return the text without the name that it begins or ends with."""
    if not text or not name or text == name:
        return "" if name else text
    if name in text:
        text = text.removesuffix(f" {name}").removeprefix(f"{name} ").removeprefix(f"{name}:")
    return text.strip(_SEPARATORS)


def without(text: str, names: Iterable[str]) -> str:
    """Return the text without words that are controls of their own, and without separators between them."""
    for name in names:
        if name in text and name:
            text = _TWO_SEPARATORS.sub("", _without_word(text, name).strip(_SEPARATORS))
    return text


def _without_word(text: str, word: str) -> str:
    """Return the text without the first occurrence of `word` as a whole word."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not _is_word_character(text[:at][-1:]) and not _is_word_character(text[end : end + 1]):
            return text[:at] + text[end:]
        at = text.find(word, at + 1)
    return text


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_"
