"""The options of a snapshot: what it should show. Decides nothing."""

from dataclasses import dataclass

DEFAULT_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Options:
    """The flags of `snapshot`. None of them changes a number; each may only hide lines."""

    interactive: bool = False
    compact: bool = False
    depth: int | None = None
    max_chars: int | None = DEFAULT_CHARS
    """Fold runs of similar siblings above this size; None never folds."""
    rows: range | None = None
    """Only these items (counted from 1) of the longest run of the scope."""
    find: str = ""
    """Only lines with this text, or with this ref, with what they belong to."""
    role: str = ""
    """Only elements of this role."""

    @property
    def bare(self) -> bool:
        """True when lines are printed without what is around them."""
        return self.interactive or bool(self.role and not self.find)
