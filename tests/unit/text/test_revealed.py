import json
from base64 import b64encode
from html import escape
from urllib.parse import quote, quote_plus

import pytest

from gstack_browse.text.revealed import RevealedSecrets

VALUE = 'p&ss "w<rd>/ü 1'


@pytest.mark.parametrize(
    "written",
    [
        VALUE,
        json.dumps(VALUE),
        escape(VALUE),
        quote(VALUE, safe=""),
        quote_plus(VALUE),
        b64encode(VALUE.encode()).decode(),
    ],
)
def test_a_secret_is_hidden_in_every_form_that_pages_write(written: str) -> None:
    revealed = RevealedSecrets()
    revealed.add(VALUE)
    assert revealed.hide(f"before {written} after").replace('"', "") == "before [redacted] after"


def test_value_not_revealed_or_short_is_not_hidden() -> None:
    revealed = RevealedSecrets()
    assert revealed.hide("correct horse") == "correct horse"
    revealed.add("a")
    assert (bool(revealed), revealed.hide("a cat")) == (False, "a cat")


def test_a_code_is_hidden_for_a_while_and_no_value_of_the_session() -> None:
    revealed = RevealedSecrets()
    revealed.add("123456", seconds=60)
    revealed.add("654321", seconds=-1)
    assert revealed.hide("123456 654321") == "[redacted] 654321"
    assert revealed.values == []


def test_of_two_secrets_the_longer_one_goes_first() -> None:
    revealed = RevealedSecrets()
    revealed.add("horse")
    revealed.add("horse battery")
    assert revealed.hide("horse battery, horse") == "[redacted], [redacted]"
