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


def test_only_revealed_values_of_some_length_are_hidden_the_longer_first() -> None:
    revealed = RevealedSecrets()
    assert revealed.hide("correct horse") == "correct horse"
    revealed.add("a")
    assert (bool(revealed), revealed.hide("a cat")) == (False, "a cat")
    revealed = RevealedSecrets()
    revealed.add("123456", seconds=60)
    revealed.add("654321", seconds=-1)
    assert revealed.hide("123456 654321") == "[redacted] 654321"
    assert revealed.values == []
    revealed = RevealedSecrets()
    revealed.add("horse")
    revealed.add("horse battery")
    assert revealed.hide("horse battery, horse") == "[redacted], [redacted]"
