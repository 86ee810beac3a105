"""Find the sites of a benchmark. Pure but for the environment.

From `--site NAME=URL`, or WebArena's own variables (SHOPPING, GITLAB, …).
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tests.evals.sites.site import Site

NAMES = ("SHOPPING", "SHOPPING_ADMIN", "REDDIT", "GITLAB", "MAP", "WIKIPEDIA", "HOMEPAGE")
"""Sites of WebArena, as its files and variables call them."""


class Elsewhere(Site):
    """In the place of a site of ours: nothing of the task is served here."""


@dataclass(frozen=True)
class Places:
    """Addresses by name. A tuple, so that they can be passed to another process."""

    known: tuple[tuple[str, str], ...] = ()

    def filled_in(self, text: str) -> str:
        """The text with addresses in place of `__SHOPPING__` and its kin, as far as they are known."""
        for name, address in self.known:
            text = text.replace(f"__{name}__", address)
        return text

    def missing(self, text: str) -> list[str]:
        """Sites that the text names and of which no address is known."""
        return sorted(
            {name for name in re.findall(r"__([A-Z]+(?:_[A-Z]+)*)__", self.filled_in(text)) if name in NAMES}
        )


def places(given: Iterable[str]) -> Places:
    """Parse words such as `shopping=http://127.0.0.1:7770`. Raises ValueError.

    They come before the addresses of the environment.
    """
    known = {name: os.environ[name] for name in NAMES if os.environ.get(name, "").startswith("http")}
    for word in given:
        name, _, address = word.partition("=")
        if name.upper() not in NAMES or not re.match(r"https?://", address):
            raise ValueError(f"--site takes NAME=URL with a NAME of {', '.join(NAMES).lower()}, not {word}")
        known[name.upper()] = address
    return Places(tuple((name, address.rstrip("/")) for name, address in sorted(known.items())))
