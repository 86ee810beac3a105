"""Print the text of modal dialogs in snapshots that list only controls. Pure."""

from collections.abc import Iterable, Iterator

from gstack_browse.snapshot.tree import OPERABLE, Tree

DIALOGS = frozenset({"dialog", "alertdialog"})
_MOST = 150
"""Characters of the text that are printed."""
_NAMED_BY_CONTENT = frozenset({"text", "heading"})


def is_modal(tree: Tree, line: int) -> bool:
    """Return whether a line is a modal dialog."""
    return tree.roles[line] in DIALOGS and "modal" in tree.states.get(line, "").split(", ")


def dialog_texts(tree: Tree, lines: Iterable[int]) -> dict[int, str]:
    """Return what to print behind the lines of modal dialogs and alerts: ": Really delete it?".

    Dialogs that have a description or no text are left out.
    """
    endings: dict[int, str] = {}
    roles = tree.roles
    for line in [line for line in lines if roles[line] in DIALOGS]:
        if roles[line] != "alertdialog" and not is_modal(tree, line):
            continue
        if line in tree.values or 'description="' in tree.states.get(line, ""):
            continue
        if text := _join_texts(_static_texts(tree, line)):
            endings[line] = f": {text}"
    return endings


def _static_texts(tree: Tree, dialog: int) -> Iterator[str]:
    """Yield the texts in a dialog, without its name and what is in its controls."""
    line = dialog + 1
    while line < tree.ends[dialog]:
        if tree.roles[line] in OPERABLE or tree.nodes[line] < 0:
            line = tree.ends[line]
            continue
        text = tree.names[line] if tree.roles[line] in _NAMED_BY_CONTENT else tree.values.get(line, "")
        if text and text != tree.names[dialog]:
            yield text
        line += 1


def _join_texts(texts: Iterable[str]) -> str:
    """Return texts in one line, cut at the limit."""
    joined = ""
    for text in texts:
        joined = f"{joined} {text}".strip()
        if len(joined) > _MOST:
            return f"{joined[: _MOST - 1]}…"
    return joined
