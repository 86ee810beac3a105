"""Names across the edges of the engine: what its files use of each other, and what Python calls."""

import re
from collections import Counter
from pathlib import Path
from posixpath import dirname, join, normpath

import gstack_browse.browser
from gstack_browse.browser.engine.bundle import load_scripts

SCRIPTS = load_scripts()
_PACKAGE = Path(gstack_browse.browser.__file__).parents[1]
_IMPORT = re.compile(r"^import \{([^}]*)\} from '([\w./-]+\.js)';$", re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:const|let|function\*?|class) (\w+)", re.MULTILINE)
_AT_TOP = re.compile(r"^(?:export )?(?:async )?(?:const|let|function\*?|class) (\w+)", re.MULTILINE)
_CALLABLE = re.compile(r"^ *exported\.(\w+) =|^ *Object\.assign\(exported, \{([^}]*)\}\);", re.MULTILINE)
_READ = re.compile(r"exported\.\w+\b(?! = )|^ +.*exported\.\w+ = ", re.MULTILINE)


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]


def _exports(script: str) -> set[str]:
    return set(_EXPORT.findall(SCRIPTS[script]))


def _imports(script: str) -> list[tuple[str, str]]:
    """Names that a script imports, each with the script that it comes from."""
    return [
        (normpath(join(dirname(script), other)), name)
        for listed, other in _IMPORT.findall(SCRIPTS[script])
        for name in _names(listed)
    ]


def test_every_exported_name_is_imported_by_another_file() -> None:
    used = {found for script in SCRIPTS for found in _imports(script)}
    exported = {(script, name) for script in SCRIPTS for name in _exports(script)}
    assert exported - used == set()


def test_no_two_files_define_the_same_name() -> None:
    """In the one function of the bundle the second definition would replace the first, or be an error."""
    counts = Counter(name for text in SCRIPTS.values() for name in _AT_TOP.findall(text))
    assert [name for name, count in counts.items() if count > 1] == []


def test_scripts_use_each_other_by_imports_alone() -> None:
    """Keep `exported` for Python's calls: what a script reads of it, no import shows."""
    comments = re.compile(r"/\*.*?\*/|^ *//.*?$", re.MULTILINE | re.DOTALL)
    reads = {name: _READ.findall(comments.sub("", text)) for name, text in SCRIPTS.items()}
    assert {name: found for name, found in reads.items() if found} == {}


def test_the_engine_offers_only_what_is_used() -> None:
    """By Python, by a script that runs beside it, or by a test."""
    browser, tests = _PACKAGE / "browser", Path(__file__).parents[3]
    paths = [*_PACKAGE.rglob("*.py"), *(browser / "reading").rglob("*.js"), *tests.rglob("*.py")]
    words = {word for path in paths for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    assert _callable_names() - words - {""} == set()


def _callable_names() -> set[str]:
    return {
        name
        for script in SCRIPTS
        for single, listed in _CALLABLE.findall(SCRIPTS[script])
        for name in (single, *_names(listed))
    }
