"""Puts the files of the engine together into the one expression that every document is given.

The files are modules that say what they use of each other. Here they become the body of one function, in which a name at
the top of a file is a name in all of them: V8 finds such a name faster than what one module has of another.
"""

import re
from functools import cache
from pathlib import Path

ENGINE_NAME = "gbrowse"
"""Name of the selector engine: `locator("gbrowse=17")`."""
SCRIPTS = (
    "engine-accessors.js",
    "engine-dom.js",
    "turns.js",
    "engine-table.js",
    "engine-closed.js",
    "engine-budget.js",
    "engine-explicit-roles.js",
    "engine-focusgroups.js",
    "engine-native-roles.js",
    "engine-roles.js",
    "engine-hidden.js",
    "engine-sheets.js",
    "engine-relations.js",
    "engine-contents.js",
    "engine-native-names.js",
    "engine-names.js",
    "engine-counters.js",
    "engine-states.js",
    "engine-editors.js",
    "engine-values.js",
    "engine-kinds.js",
    "engine-pointers.js",
    "engine-hovered.js",
    "engine-items.js",
    "engine-colours.js",
    "engine-cut.js",
    "engine-drawn.js",
    "engine-animated.js",
    "engine-settled.js",
    "engine-suspects.js",
    "engine-unseen.js",
    "engine-clickable.js",
    "engine-hints.js",
    "engine-classes.js",
    "engine-scrolling.js",
    "engine-flow.js",
    "engine-internals.js",
    "engine-collapsed.js",
    "engine-boxes.js",
    "engine-columns.js",
    "engine-focus.js",
    "engine-lines.js",
    "engine-modal.js",
    "engine-shapes.js",
    "engine-trees.js",
    "engine-walk.js",
    "engine-places.js",
    "own-words.js",
    "hits.js",
    "covers.js",
    "visible.js",
    "hosts.js",
    "records.js",
    "selector-syntax.js",
    "selector-text.js",
    "selectors.js",
    "matching.js",
    "fields.js",
    "layers.js",
    "options.js",
    "succession.js",
    "hovering.js",
    "motion.js",
    "actions.js",
    "spots.js",
    "around-frames.js",
    "focusing.js",
    "panes.js",
    "changes.js",
    "page.js",
    "settling.js",
    "expecting.js",
    "open-lists.js",
    "widgets.js",
    "widget-lists.js",
    "widget-choices.js",
    "widget-buttons.js",
    "plain-lists.js",
    "plain-choices.js",
    "steps.js",
    "checks.js",
    "clipboard.js",
    "table-spans.js",
    "text.js",
    "markup.js",
    "reading.js",
    "locators.js",
    "refused-fields.js",
    "dispatched.js",
    "presses.js",
    "input-heard.js",
    "left-fields.js",
    "texts-at-once.js",
    "held-presses.js",
    "at-once.js",
    "forms.js",
    "storage.js",
    "engine-heard.js",
    "engine-invoke.js",
)
"""The engine, in the order in which its files are put together inside one function."""

SCRIPTS_FOLDER = Path(__file__).with_name("scripts")
_COMMENTS = re.compile(r"^ *(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/ *)\n", re.MULTILINE | re.DOTALL)
"""Comments that have lines of their own."""
_LINKS = re.compile(r"^import \{[^}]*\} from [^;\n]*;\n|^export (?=\w)", re.MULTILINE)
"""What a file says of other files: for people, and for the type check."""
_INDENTATION = re.compile(r"^ +|^\n", re.MULTILINE)


IS_OWN = '(Object.hasOwn(globalThis, "__gbrowse") && __gbrowse.ownerWindow === globalThis)'
"""Whether a window has an engine of its own.

A frame that its parent's engine has walked knows that engine as `__gbrowse`, and a page may name a frame so.
"""


@cache
def engine_source() -> str:
    """Return the whole engine as one expression, which does nothing in a window with an engine."""
    files = "".join(_stripped((SCRIPTS_FOLDER / name).read_text(encoding="utf-8")) for name in SCRIPTS)
    return f'{IS_OWN} || (() => {{ "use strict";\n{files}}})();\n'


@cache
def kept_source() -> str:
    """Return `scripts/kept.js` as an expression, which is a function."""
    return _stripped((SCRIPTS_FOLDER / "kept.js").read_text(encoding="utf-8")).rstrip().removesuffix(";")


@cache
def engine_on_call() -> str:
    """Return a script that defines `__gbrowseEngine`, which makes the engine when it is called.

    The script is ASCII only: Chromium stores that with one byte for each character instead of two.
    """
    keeping = f"globalThis.__gbrowseEngine = () => {{\n{engine_source()}}};\n"
    return keeping.encode("ascii", "backslashreplace").decode()


def _stripped(script: str) -> str:
    """Remove comments, imports and indentation from a script: every document pays for each character.

    Template literals lose their indentation, too; those of the engine are lists of words.
    """
    return _INDENTATION.sub("", _LINKS.sub("", _COMMENTS.sub("", script)))
