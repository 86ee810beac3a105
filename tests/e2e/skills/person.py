"""The person whom a skill asks: opens a board in a browser, and answers."""

import re

from tests.e2e.skills.follower import Project


def answer_board(project: Project, asked: str) -> None:
    """Open the board that `board-compare` has printed, write to its second picture and choose that."""
    address = re.search(r"http://127\.0\.0\.1:\S+", asked)
    assert address, asked
    fills = "fill 'label=Comment on B' Calmer", "check 'label=Choose B'", "click '#send'", "expect text Sent"
    steps = (f"newtab '{address[0]}'", *fills, "closetab")
    done = project.bash(" && ".join(f"$B {step}" for step in steps))
    assert done.code == 0, done.text
