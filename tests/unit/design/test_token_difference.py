import json

import pytest

from gstack_browse.design.tokens import compare_tokens, read_tokens
from gstack_browse.errors import FileFailed
from tests.each import each


def tokens(**groups: object) -> dict[str, str]:
    return read_tokens(json.dumps(groups).encode(), "a.json")


def test_types_are_inherited_and_aliases_followed_where_they_lead_somewhere() -> None:
    found = tokens(
        color={"$type": "color", "ink": {"$value": "#111111"}, "text": {"$value": "{color.ink}"}},
        space={"s": {"$type": "dimension", "$value": {"value": 8, "unit": "px"}}},
        other={"$value": {"colorSpace": "srgb", "components": [1, 1, 1], "alpha": 0.5, "hex": "#ffffff"}},
        a={"$value": "{b}"},
        b={"$value": "{a}"},
        c={"$value": "{nothing}"},
    )
    assert {found.pop("a"), found.pop("b")} <= {"{a}", "{b}"}, "a circle"
    ink = "#111111 (color)"
    assert found == {
        "color.ink": ink, "color.text": ink, "space.s": "8px (dimension)", "other": "#ffffff 0.5", "c": "{nothing}"
    }  # fmt: skip


def test_a_number_that_is_a_rank_is_no_difference() -> None:
    before = {"c.surface": "#111", "c.surface-2": "#222", "c.text": "#222", "spacing.8": "8px", "c.line": "1"}
    ranks = {"c.surface": "#000", "c.surface-2": "#111", "c.surface-3": "#222", "c.surface-4": "#222"}
    after = {**ranks, "c.text": "#333", "spacing.16": "8px", "c.line": "1"}
    changes = list(map(str, compare_tokens(before, after, are_ranked=True)))
    assert changes[:3] == ["+ c.surface: #000", "+ c.surface-4: #222", "~ c.text: #222 → #333"]
    assert changes[3:] == ["+ spacing.16: 8px", "- spacing.8: 8px"]
    swapped = {"a": "1", "a-2": "2"}, {"a": "2", "a-2": "1"}
    assert compare_tokens(*swapped, are_ranked=True) == []
    assert len(compare_tokens(*swapped)) == 2, "in a file of others a number may mean something"


DEEP = b'{"a":' * 60 + b'{"$value":"1"}' + b"}" * 60


@each([b"", b"[]", b"{}", b"{", b'{"a": {"b": 1}}', b"\xff", b"[" * 100_000, DEEP])
def test_file_without_tokens_is_refused(content: bytes) -> None:
    with pytest.raises(FileFailed):
        read_tokens(content, "a.json")


def test_values_without_end_and_hostile_names_are_shown_on_one_line() -> None:
    content = b'{"a":{"$value":' + b"[" * 500 + b"]" * 500 + b"}}"
    assert read_tokens(content, "a.json") == {"a": "…"}
    assert list(tokens(**{"a\x1b[31m\n": {"$value": "x\x1b"}}).values()) == ["x␛"]
