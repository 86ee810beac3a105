"""State of a dialog that an attached client has to answer."""

from enum import Enum


class DialogState(Enum):
    """Whether and how the client has answered. The value is for people."""

    OPEN = "left to the attached program"
    ACCEPTED = "accepted by the attached program"
    DISMISSED = "dismissed by the attached program"
