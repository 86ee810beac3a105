"""Options of lists in replies."""

from collections.abc import Sequence

from gstack_browse.browser.engine.answers import FoundOption, Option, ShownOption
from gstack_browse.text.sanitise import one_line


def label_of(option: FoundOption, word: str) -> str:
    """The name of an option in replies: the wanted word if that is one of the option's labels, else the shortest label."""
    folded = " ".join(word.split()).casefold()
    labels = option["labels"]
    fitting = [label for label in labels if label.casefold() == folded]
    return one_line((fitting or sorted(labels, key=len) or [word])[0], 80)


def available(options: Sequence[ShownOption | Option], total: int) -> str:
    """The options that there are, as a hint."""
    shown = [
        one_line(option["label"], 40) or f'value "{one_line(option["value"], 40)}"'
        for option in options
        if not option["disabled"]
    ]
    more = f" and {total - len(options)} more" if total > len(options) else ""
    return f"Available: {', '.join(shown)}{more}" if shown else "It has no options to select"
