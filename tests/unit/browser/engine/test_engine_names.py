"""Names across the edges of the engine: what its files use of each other, and what Python calls."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import gstack_browse.browser
from gstack_browse.browser.engine.bundle import scripts
from tests.each import each

SCRIPTS = scripts()
_PACKAGE = Path(gstack_browse.browser.__file__).parents[1]
_IMPORT = re.compile(r"^import \{([^}]*)\} from '\./([\w-]+\.js)';$", re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:const|let|function\*?|class) (\w+)", re.MULTILINE)
_CALLABLE = re.compile(r"^ *exported\.(\w+) =|^ *Object\.assign\(exported, \{([^}]*)\}\);", re.MULTILINE)
_TAKEN = re.compile(r"^  const \{([^}]*)\} =\s+exported(?:\.(\w+))?;", re.MULTILINE)
_GIVEN = re.compile(r"Object\.assign\(exported(?:\.(\w+))?, \{([^}]*)\}|exported\.(\w+) = (?:\{([^}]*)\};)?")
_BY_NAME = re.compile(r"__gbrowse\.(\w+)\(")


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]


def _exports(script: str) -> set[str]:
    return set(_EXPORT.findall(SCRIPTS[script]))


@each(SCRIPTS)
def test_imported_name_is_exported_by_the_file_it_comes_from(script: str) -> None:
    missing = [
        f"{name} of {other}"
        for listed, other in _IMPORT.findall(SCRIPTS[script])
        for name in _names(listed)
        if name not in _exports(other)
    ]
    assert missing == []


def test_every_exported_name_is_imported_by_another_file() -> None:
    used = {
        (other, name)
        for script in SCRIPTS
        for listed, other in _IMPORT.findall(SCRIPTS[script])
        for name in _names(listed)
    }
    unused = [
        f"{name} of {script}" for script in SCRIPTS for name in _exports(script) if (script, name) not in used
    ]
    assert unused == []


def test_names_read_while_a_file_loads_are_defined_before_it() -> None:
    given: set[tuple[str, str]] = set()
    missing = []
    for script, text in SCRIPTS.items():
        for names, group in _TAKEN.findall(text):
            missing += [f"{name} in {script}" for name in _names(names) if (group, name) not in given]
        for group, names, single, its_names in _GIVEN.findall(text):
            given.add(("", single))
            given |= {(group or single, name.partition(":")[0]) for name in _names(names + its_names)}
    assert missing == []


def test_python_calls_only_what_the_engine_has() -> None:
    callable_names = {
        name
        for script in SCRIPTS
        for single, listed in _CALLABLE.findall(SCRIPTS[script])
        for name in (single, *_names(listed))
    }
    called = dict(call for path in _PACKAGE.rglob("*.py") for call in _calls(path))
    assert {"take", "probe", "nodeFor", "rolesAndNames"} <= called.keys()
    assert {name: where for name, where in called.items() if name not in callable_names} == {}


def _calls(path: Path) -> Iterator[tuple[str, str]]:
    """Names that a module asks the engine for, with the place."""
    if path.is_relative_to(_PACKAGE / "cookies"):
        return  # calls of the keyring have names, too
    text = path.read_text(encoding="utf-8")
    if not any(form in text for form in ("__gbrowse", ".call(", ".ask(", "call_in(")):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((name, f"{path.name}:{node.lineno}") for name in _BY_NAME.findall(node.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            place = {"call": 0, "ask": 0, "call_in": 1}.get(called)
            if (
                place is not None
                and len(node.args) > place
                and isinstance(said := node.args[place], ast.Constant)
            ):
                yield said.value, f"{path.name}:{node.lineno}"
