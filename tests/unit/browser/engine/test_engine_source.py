"""Test how the files of the engine are bundled.

They stand inside one function: a name at the top of one is a name in all of them.
"""

import re

import pytest

from gstack_browse.browser.engine.bundle import (
    check_widget_rule_names,
    engine_factory_source,
    engine_source,
    load_scripts,
)
from gstack_browse.errors import UsageError

_READ_BY_PEOPLE = re.compile(r"^ */\*\*.*?\*/$|^import .*?;$|^export ", re.MULTILINE | re.DOTALL)
_TEMPLATES = re.compile(r"`[^`]*`")


def _files() -> list[str]:
    return list(load_scripts().values())


def test_bundled_engine_is_its_files_without_comments_and_indentation() -> None:
    lines = engine_source().split("\n")
    assert [line for line in lines if line.startswith((" ", "//", "/*", "*/"))] == []
    code = [
        line
        for text in _files()
        for line in _READ_BY_PEOPLE.sub("", text).split("\n")
        if line.strip() and not line.strip().startswith("//")
    ]
    assert engine_source().split("\n")[1:-3] == [line.lstrip() for line in code]
    several = [text for script in _files() for text in _TEMPLATES.findall(script) if "\n" in text]
    assert [text for text in several if not re.fullmatch(r"`[\w\s-]+`", text)] == []


def test_kept_engine_is_ascii_with_other_lines_unchanged() -> None:
    kept = engine_factory_source()
    assert kept.isascii()
    assert engine_source().isascii() is False, "else nothing needs to be written otherwise"
    assert max(engine_source()) < "\U00010000", "JavaScript has no escape of eight digits"
    assert [line for line in engine_source().split("\n") if line.isascii() and line not in kept] == []


def test_selectors_and_comparisons_ignore_the_case_of_roles() -> None:
    """Compare `explicitRoleOf` or `roleAttributeOf`, never the attribute itself."""
    minds_case = re.compile(r"\[role[*^$]?=[^ \]]+\]|attr\(\w+, 'role'\) [!=]== '|\.has\(attr\(\w+, 'role'\)")
    assert [found for text in _files() for found in minds_case.findall(text)] == []


def test_whoever_waits_for_a_turn_asks_first_whether_there_is_one() -> None:
    """Keep waits in scripts/dom/turns.js: where no script may run, no turn comes."""
    waits = re.compile(r"requestAnimationFrame|requestIdleCallback|await new Promise")
    found = {name for name, text in load_scripts().items() if waits.search(text)}
    assert found == {"dom/turns.js"}
    for name, text in load_scripts().items():
        assert "setTimeout(" not in text or "runsScripts" in text, name


def test_name_that_no_widget_rule_has_is_refused() -> None:
    check_widget_rule_names(["select2", "dropdown"])
    with pytest.raises(UsageError, match="BROWSE_WIDGET_RULES names no rule: 'select3'"):
        check_widget_rule_names(["select2", "select3"])
