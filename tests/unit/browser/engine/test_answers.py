"""Test that answers of the engine have the same fields in JavaScript and in Python."""

import re

from gstack_browse.browser.engine import answer_types
from gstack_browse.browser.engine.bundle import load_scripts
from gstack_browse.snapshot import walked
from tests.each import each

_TYPEDEF = re.compile(r"@typedef \{object\} (\w+)((?:(?!\*/).)*)\*/", re.DOTALL)
_PROPERTY = re.compile(r"@property \{.*?\} (\[?)(\w+)")
_IN_PYTHON = {
    name: kind
    for module in (answer_types, walked)
    for name, kind in vars(module).items()
    if hasattr(kind, "__required_keys__")
}


def _in_scripts() -> dict[str, str]:
    texts = load_scripts().values()
    return {name: fields for text in texts for name, fields in _TYPEDEF.findall(text)}


def test_every_type_is_known_on_both_sides() -> None:
    assert sorted(_in_scripts()) == sorted(_IN_PYTHON)


@each(_IN_PYTHON)
def test_the_fields_are_the_same(name: str) -> None:
    kind = _IN_PYTHON[name]
    fields = _PROPERTY.findall(_in_scripts()[name])
    assert {field for optional, field in fields if not optional} == kind.__required_keys__
    assert {field for optional, field in fields if optional} == kind.__optional_keys__
