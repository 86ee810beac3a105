"""Test that answers of the engine have the same fields in JavaScript and in Python."""

import re

from gstack_browse.browser.engine import answer_types
from gstack_browse.browser.engine.bundle import load_scripts
from gstack_browse.snapshot import walked
from tests.each import each

_TYPEDEF = re.compile(r"@typedef \{\{([^@]*?)\}\} (\w+)")
_FIELD = re.compile(r"(?:^|, )(\w+)(\??):")
_IN_PYTHON = {
    name: kind
    for module in (answer_types, walked)
    for name, kind in vars(module).items()
    if hasattr(kind, "__required_keys__")
}
_OF_SCRIPTS_ALONE = {
    "Complex", "Compound", "ElementIdentity", "Facts", "NameBudget", "NameOptions", "Part", "PressPoint", "RoleAttribute", "TextCriterion", "Traits", "WidgetRule",
}  # fmt: skip


def _in_scripts() -> dict[str, str]:
    """Return name → fields, in one line and without those of types in them, of each type in a script."""
    found = (typedef for text in load_scripts().values() for typedef in _TYPEDEF.findall(text))
    return {name: re.sub(r"\{.*?\}|\s+\*\s+|\s+", " ", fields).strip() for fields, name in found}


def test_every_type_is_known_on_both_sides() -> None:
    assert _in_scripts().keys() - _OF_SCRIPTS_ALONE == _IN_PYTHON.keys()


@each(_IN_PYTHON)
def test_the_fields_are_the_same(name: str) -> None:
    kind = _IN_PYTHON[name]
    fields = _FIELD.findall(_in_scripts()[name])
    assert {field for field, optional in fields if not optional} == kind.__required_keys__
    assert {field for field, optional in fields if optional} == kind.__optional_keys__
