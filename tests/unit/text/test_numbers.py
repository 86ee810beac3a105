from gstack_browse.text.columns import is_different_number, is_same_number
from tests.each import each_row


@each_row(
    ("12,3 €", "12.3"),
    ("12.30", "12.3"),
    ("1.234,56 €", "1234.56"),
    ("$1,234.56", "1234.56"),
    ("1 234,56", "1234.56"),
    ("1’234.56", "1234.56"),
    ("1234", "1.234"),
    ("1,234", "1.234"),
    ("030123", "030.123"),
    ("12.3 of 50", "12.3"),
    ("", "12.3"),
    ("twelve", "12.3"),
    ("31.12.2026", "31.12.2026"),
    ("123", "12"),
)
def test_number_in_another_format_may_be_the_same(held: str, wanted: str) -> None:
    assert not is_different_number(held, wanted)


@each_row(
    ("123 €", "12.3"),
    ("123.456 €", "1234.56"),
    ("1,23", "12.3"),
    ("12", "12.3"),
)
def test_different_number_in_another_format_is_another(held: str, wanted: str) -> None:
    assert is_different_number(held, wanted)


@each_row(
    ("1,234.50", "1234.5", True),
    ("1.234,50 €", "1234.5", True),
    ("$1,000", "1000", True),
    ("-3,5", "-3.5", True),
    ("1,000", "1", False),
    ("3.5", "-3.5", False),
    ("12 of 30", "12", False),
    ("", "0", False),
)
def test_the_same_number_is_known_in_another_format(held: str, wanted: str, is_same: bool) -> None:
    assert is_same_number(held, wanted) is is_same
