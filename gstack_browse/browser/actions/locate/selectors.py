"""Take targets apart as far as more than one document is needed to resolve them. Pure.

The rest of a selector is parsed and resolved in the page: `engine/scripts/selectors/syntax.js` and `selectors.js`.
"""

import re
from typing import Any

from gstack_browse.errors import UsageError

BY_WORDS = ("label=", "placeholder=", "alt=", "title=")
"""Ways to name what a person can see or hear."""
_REFUSALS = {
    "Not a selector: ": "Targets are CSS selectors, text=…, role=… or refs (@e3)",
    "There are no words in ": "Is a variable of the shell empty?",
}
"""How the page's errors about a selector begin, each with a hint."""
_CHAINED = re.compile(r"""\A"[^"]*"\s*>>|\A'[^']*'\s*>>|\A[^"'].*>>""", re.DOTALL)
"""Words of a label behind which another part of a selector follows."""


def within_ref(target: str) -> tuple[str, str]:
    """Split a target into its ref and the selector inside of that element.

    "" as selector for a ref alone, "" as ref for a target without one.
    """
    if not target.startswith("@"):
        return "", target
    ref, _, inner = target.partition(">>")
    return ref.strip(), inner.strip()


def parse_label(selector: str) -> dict[str, Any] | None:
    """Return what a plain `label=` selector asks for: {label, exact}; None for any other selector."""
    words = selector.strip().removeprefix("label=").strip()
    if not selector.strip().startswith("label=") or not words or _CHAINED.match(words):
        return None
    exact = len(words) > 1 and words[0] == words[-1] and words[0] in "\"'"
    text = words[1:-1] if exact else words
    return {"label": text, "exact": exact} if text else None


def parse_refusal(message: str) -> UsageError | None:
    """Return the error for a selector that the engine refuses; None for another message of the engine."""
    for beginning, hint in _REFUSALS.items():
        if message.startswith(beginning):
            return UsageError(message, hint)
    return None
