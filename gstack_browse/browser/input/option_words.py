"""Format options of lists for replies."""

import re
from collections.abc import Sequence

from gstack_browse.browser.engine.answers import Option
from gstack_browse.browser.engine.list_answers import FoundOption, ShownOption
from gstack_browse.errors import ActionFailed
from gstack_browse.text.sanitise import one_line, quote_text, quote_unless_short

_SIGNS = re.compile(r"^[\s×✕✖✗✘⨯✓✔☑]+|[\s×✕✖✗✘⨯✓✔☑]+$")
"""Crosses and ticks beside a label that are no part of it."""
MOST_NAMED = 5
"""Most options that a reply names beside the chosen ones."""


def label_of(option: FoundOption, word: str) -> str:
    """Return an option's name in replies: the wanted word if it is one of its labels, else the shortest."""
    folded = " ".join(word.split()).casefold()
    labels = option["labels"]
    fitting = [label for label in labels if label.casefold() == folded]
    return one_line((fitting or sorted(labels, key=len) or [word])[0], 80)


def available(options: Sequence[ShownOption | Option], total: int) -> str:
    """Return a hint that lists the available options."""
    shown = [
        quote_unless_short(option["label"], 40)
        if option["label"].strip()
        else f"value {quote_text(option['value'], 40)}"
        for option in options
        if not option["disabled"]
    ]
    more = f" and {total - len(options)} more" if total > len(options) else ""
    return f"Available: {', '.join(shown)}{more}" if shown else "It has no options to select"


def staying(text: str, labels: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Return a note on the options that stay selected beside the chosen ones; [] for none.

    `text`: the list's name. `labels`: of the options that are marked as selected. If none of the chosen options
    is marked, the marks mean something else, such as the option that has the keyboard's focus.
    """
    taken = {_bare(label) for label in chosen}
    others = [quote_text(label, 40) for label in labels if _bare(label) not in taken]
    if not others or len(others) == len(labels):
        return []
    more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
    stay = "stays" if len(others) == 1 else "stay"
    return [f"{text} takes several: {', '.join(others[:MOST_NAMED])}{more} {stay} selected"]


def _bare(label: str) -> str:
    return _SIGNS.sub("", one_line(label, 80)).casefold()


def stays_open(text: str) -> str:
    """Return the note that a list could not be closed. `text`: its name."""
    return f"The list of {text} is still open: 'press Escape', or click beside it"


def waits_for_button(text: str, chosen: Sequence[str], buttons: Sequence[str]) -> ActionFailed:
    """Return the error for a choice that the list keeps only if one of its buttons is pressed."""
    labels = ", ".join(quote_text(label, 40) for label in chosen)
    names = ", ".join(quote_text(button, 40) for button in buttons[:MOST_NAMED])
    return ActionFailed(
        f"{text} did not keep {labels}: its list has buttons, and one of them takes the choice ({names})",
        "Open it with 'click', click the options and that button: 'snapshot -i' shows them",
    )


def not_kept(text: str, labels: Sequence[str]) -> ActionFailed:
    """Return the error for choices that the page took and dropped as the others were made."""
    names = ", ".join(quote_text(label, 40) for label in labels)
    return ActionFailed(f"{text} did not keep {names}", "Select each label by itself, and see what it shows")
