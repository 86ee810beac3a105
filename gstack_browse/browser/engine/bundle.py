"""Bundle the engine's JavaScript modules (`scripts/`) into one expression for every document.

All modules become the body of one function, so a top-level name of a module is visible in all of them: V8 looks up such a
name faster than an import.
"""

import posixpath
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import orjson

from gstack_browse.errors import UsageError

ENGINE_NAME = "gbrowse"
"""Name of the selector engine: `locator("gbrowse=17")`."""
_FOLDER = Path(__file__).with_name("scripts")
_STORAGE_READER = Path(__file__).with_name("read-storage.js")
"""Runs without the engine, so it is not part of the bundle."""
_COMMENTS = re.compile(r"\n *(?://[^\n]*|/\*\*[^*]*\*+(?:[^*/][^*]*\*+)*/ *)(?=\n)")
"""Comments that have lines of their own."""
_IMPORT = re.compile(r"\nimport \{[^}]*\} from '(\.[\w./-]+\.js)';")
"""An import gives the order of the files, and is removed from the bundle. The line break: `re` finds a fixed beginning ten times as fast
as a `^`, and the second command of a daemon waits for this."""
_RULE_NAME = re.compile(r"\bname: '([\w-]+)'")
_INDENTATION = re.compile(r"\n\s+")

IS_OWN = '(Object.hasOwn(globalThis, "__gbrowse") && __gbrowse.ownerWindow === globalThis)'
"""Whether a window has an engine of its own.

A frame that its parent's engine has walked knows that engine as `__gbrowse`, and a page may name a frame so.
"""


def load_scripts() -> dict[str, str]:
    """Read the JavaScript files in `scripts/`: path below it → source, each after those that it imports.

    Of files that import each other, the one reached first comes last.
    """
    texts = {
        path.relative_to(_FOLDER).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(_FOLDER.rglob("*.js"))
    }
    ordered: dict[str, str] = {}
    begun = set()

    def add(name: str) -> None:
        if name not in begun:
            begun.add(name)
            for other in _IMPORT.findall(f"\n{texts[name]}"):
                add(posixpath.normpath(posixpath.join(posixpath.dirname(name), other)))
            ordered[name] = texts[name]

    for name in texts:
        add(name)
    return ordered


def widget_rule_names() -> list[str]:
    """Return the names of all widget rules (they recognise widgets without ARIA roles), in their order."""
    return _RULE_NAME.findall(load_scripts()["widgets/rules.js"])


_rules_off: tuple[str, ...] = ()
"""Names of the disabled rules: see `disable_widget_rules`."""


def disable_widget_rules(names: Sequence[str]) -> None:
    """Disable the widget rules of these names in all documents that get the engine from now on."""
    global _rules_off
    if tuple(names) != _rules_off:
        _rules_off = tuple(names)
        engine_source.cache_clear()
        engine_factory_source.cache_clear()


def check_widget_rule_names(names: Sequence[str]) -> None:
    """Raise UsageError for a name, from `BROWSE_WIDGET_RULES`, that no widget rule has."""
    known = widget_rule_names() if names else []
    if unknown := next((name for name in names if name not in known), ""):
        raise UsageError(
            f"BROWSE_WIDGET_RULES names no rule: {unknown[:40]!r}", f"There are: {', '.join(known)}"
        )


@cache
def engine_source() -> str:
    """Return the engine (all `scripts/`) as a JavaScript expression: it sets `__gbrowse` if not yet set."""
    files = "".join(map(_minify, load_scripts().values()))
    without = f"exported.disableWidgetRules({orjson.dumps(_rules_off).decode()});\n" if _rules_off else ""
    return f'{IS_OWN} || (() => {{ "use strict";\n{files}{without}globalThis.__gbrowse = exported;\n}})();\n'


@cache
def storage_reader_source() -> str:
    """Return the JavaScript function of `read-storage.js` as source: it reads a document's web storage."""
    return _minify(_STORAGE_READER.read_text(encoding="utf-8")).rstrip().removesuffix(";")


@cache
def engine_factory_source() -> str:
    """Return a script for new documents: its `__gbrowseEngine()` creates the engine on demand."""
    # Parentheses around the function: V8 compiles it with the script, and would otherwise parse it again for the first call.
    # ASCII only: Chromium stores that with one byte for each character instead of two.
    keeping = f"globalThis.__gbrowseEngine = (() => {{\n{engine_source()}}});\n"
    return keeping.encode("ascii", "backslashreplace").decode()


def _minify(script: str) -> str:
    """Return a script without comments, imports and indentation, since each document must parse it all.

    Template literals lose their indentation, too; those of the engine are lists of words.
    """
    code = _IMPORT.sub("", _COMMENTS.sub("", f"\n{script}"))
    return _INDENTATION.sub("\n", code).replace("\nexport ", "\n")[1:]
