from dataclasses import dataclass

import orjson
import pytest

from gstack_browse.text.json_bytes import decode, encode
from tests.each import each


@dataclass
class Pair:
    left: str
    right: str


@each([{"a": [1, "é"]}, {"half \ud800": ["\udc00", None, 1.5]}])
def test_a_value_is_what_it_was_and_a_dataclass_its_fields(value: object) -> None:
    assert decode(encode(value)) == decode(encode(value, orjson.OPT_INDENT_2)) == value
    assert decode(encode([Pair("\ud800", "b")])) == [{"left": "\ud800", "right": "b"}]


def test_value_or_bytes_that_are_no_json_are_refused() -> None:
    with pytest.raises(TypeError):
        encode({"a": object()})
    for content in (b"{", b"[" * 100_000 + b"]" * 100_000, "nothing"):
        with pytest.raises(ValueError, match=r"."):
            decode(content)
