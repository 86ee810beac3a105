from gstack_browse.browser.actions.input.field_settling import (
    has_same_characters,
    is_different_number,
    is_same_number,
)
from tests.each import each_row

SAME, OTHER = "may be the same", "is another one"


@each_row(
    ("12.3", SAME, ["12,3 €", "12.30", "12.3 of 50", "", "twelve"]),
    ("12.3", OTHER, ["123 €", "1,23", "12"]),
    ("1234.56", SAME, ["1.234,56 €", "$1,234.56", "1 234,56", "1’234.56"]),
    ("1234.56", OTHER, ["123.456 €"]),
    ("1.234", SAME, ["1234", "1,234"]),
    ("030.123", SAME, ["030123"]),
    ("0.125", OTHER, ["125", "125 €"]),
    ("12", SAME, ["123"]),
)
def test_number_in_another_format_may_be_the_same_or_is_another_one(
    wanted: str, which: str, held: list[str]
) -> None:
    assert {text: is_different_number(text, wanted) for text in held} == dict.fromkeys(held, which == OTHER)


@each_row(
    ("1,234.50", "1234.5", True),
    ("1.234,50 €", "1234.5", True),
    ("-3,5", "-3.5", True),
    ("1,000", "1", False),
    ("3.5", "-3.5", False),
    ("12 of 30", "12", False),
    ("", "0", False),
    ("0.500", "0.5", True),
    ("0.125", "125", False),
    ("1.234,500", "1234.5", True),
    ("1234.567", "1234567", False),
)
def test_same_number_in_another_format_is_recognised(held: str, wanted: str, is_same: bool) -> None:
    assert is_same_number(held, wanted) is is_same


@each_row(
    ("(030) 123-4567", "0301234567", True),
    ("HELLO", "hello", True),
    ("12.50 €", "12,50", True),
    ("+49 30 1234", "301234", False),
    ("1.5", "15", False),
    ("15", "1.5", False),
    ("3.5", "-3.5", False),
    ("-5", "-5 €", True),
    ("..", "--", False),
)
def test_value_in_another_format_has_its_characters(held: str, wanted: str, is_same: bool) -> None:
    assert has_same_characters(held, wanted) is is_same
