"""A refusal: what a rule forbids, and what can be done about it."""

from typing import NamedTuple


class Refusal(NamedTuple):
    """Why something may not be reached. `why` completes "<address> …", for example "is outside the workspace"."""

    why: str
    hint: str = ""
