"""Puts the files of the engine together into the one expression that every document is given.

The files are modules that say what they use of each other. Here they become the body of one function, in which a name at
the top of a file is a name in all of them: V8 finds such a name faster than what one module has of another.
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
_KEPT = Path(__file__).with_name("kept.js")
"""Runs without the engine, so it is not part of the bundle."""
_COMMENTS = re.compile(r"\n *(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/ *)(?=\n)", re.DOTALL)
"""Comments that have lines of their own."""
_IMPORT = re.compile(r"^import \{[^}]*\} from '(\.[\w./-]+\.js)';", re.MULTILINE)
"""An import gives the order of the files, and is removed from the bundle."""
_INDENTATION = re.compile(r"\n\s+")

IS_OWN = '(Object.hasOwn(globalThis, "__gbrowse") && __gbrowse.ownerWindow === globalThis)'
"""Whether a window has an engine of its own.

A frame that its parent's engine has walked knows that engine as `__gbrowse`, and a page may name a frame so.
"""


def scripts() -> dict[str, str]:
    """Return path in `scripts/` → text of the engine's files, each after the files that it imports.

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
            for other in _IMPORT.findall(texts[name]):
                add(posixpath.normpath(posixpath.join(posixpath.dirname(name), other)))
            ordered[name] = texts[name]

    for name in texts:
        add(name)
    return ordered


def widget_rule_names() -> list[str]:
    """Return the names of the rules for widgets without roles: one file each."""
    return sorted(path.stem for path in (_FOLDER / "widgets/rules").glob("*.js"))


_rules_off: tuple[str, ...] = ()
"""Names of rules that this process leaves out: see `switch_rules_off`."""


def switch_rules_off(names: Sequence[str]) -> None:
    """Leave these rules out of engines that are made from now on."""
    global _rules_off
    if tuple(names) != _rules_off:
        _rules_off = tuple(names)
        engine_source.cache_clear()
        engine_on_call.cache_clear()


def require_rule_names(names: Sequence[str]) -> None:
    """Raise UsageError for a name that no widget rule has: it must not be ignored."""
    known = widget_rule_names() if names else []
    if unknown := next((name for name in names if name not in known), ""):
        raise UsageError(
            f"BROWSE_WIDGET_RULES names no rule: {unknown[:40]!r}", f"There are: {', '.join(known)}"
        )


@cache
def engine_source() -> str:
    """Return the whole engine as one expression, which does nothing in a window with an engine."""
    files = "".join(map(_stripped, scripts().values()))
    without = f"exported.switchRulesOff({orjson.dumps(_rules_off).decode()});\n" if _rules_off else ""
    return f'{IS_OWN} || (() => {{ "use strict";\n{files}{without}globalThis.__gbrowse = exported;\n}})();\n'


@cache
def kept_state_source() -> str:
    """Return the function of `kept.js`, which reads a page's state that is kept, as an expression."""
    return _stripped(_KEPT.read_text(encoding="utf-8")).rstrip().removesuffix(";")


@cache
def engine_on_call() -> str:
    """Return a script that defines `__gbrowseEngine`, which makes the engine when it is called.

    The script is ASCII only: Chromium stores that with one byte for each character instead of two. The function stands in
    parentheses: V8 compiles such a one together with the script, and would otherwise parse it once more for the first call.
    """
    keeping = f"globalThis.__gbrowseEngine = (() => {{\n{engine_source()}}});\n"
    return keeping.encode("ascii", "backslashreplace").decode()


def _stripped(script: str) -> str:
    """Remove comments, imports and indentation from a script: every document pays for each character.

    Template literals lose their indentation, too; those of the engine are lists of words.
    """
    code = _IMPORT.sub("", _COMMENTS.sub("", f"\n{script}"))
    return _INDENTATION.sub("\n", code).replace("\nexport ", "\n")[1:]
