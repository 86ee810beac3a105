"""A refusal: why something is forbidden, with a hint."""

from typing import NamedTuple


class Refusal(NamedTuple):
    """The reason for a refusal. `why` completes "<address> …", for example "is outside the workspace"."""

    why: str
    hint: str = ""
