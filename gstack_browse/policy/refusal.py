"""A refusal: what a rule forbids, with a hint what to do."""

from typing import NamedTuple


class Refusal(NamedTuple):
    """Why something may not be reached. `why` completes "<address> …", for example "is outside the workspace"."""

    why: str
    hint: str = ""
