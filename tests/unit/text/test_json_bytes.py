from dataclasses import dataclass

import orjson
import pytest

from gstack_browse.text.json_bytes import decode, encode
from tests.each import each


@pytest.mark.parametrize("option", [0, orjson.OPT_INDENT_2])
@pytest.mark.parametrize("value", [{"a": [1, "é"]}, {"half \ud800": ["\udc00", None, 1.5]}])
def test_a_value_is_what_it_was(value: object, option: int) -> None:
    assert decode(encode(value, option)) == value


@dataclass
class Pair:
    left: str
    right: str


@each(["a", "\ud800"])
def test_a_dataclass_is_its_fields(left: str) -> None:
    assert decode(encode([Pair(left, "b")])) == [{"left": left, "right": "b"}]


def test_value_or_bytes_that_are_no_json_are_refused() -> None:
    with pytest.raises(TypeError):
        encode({"a": object()})
    for content in (b"{", b"[" * 100_000 + b"]" * 100_000, "nothing"):
        with pytest.raises(ValueError, match=r"."):
            decode(content)
