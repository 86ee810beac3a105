"""The nearest known word to a mistyped one. Pure."""

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word most like `word` (case aside), or "" when none is near."""
    by_fold = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.casefold()[:100], by_fold, n=1, cutoff=0.6)
    return by_fold[found[0]] if found else ""
