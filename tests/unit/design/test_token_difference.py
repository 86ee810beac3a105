"""Files of design tokens, compared."""

import json

import pytest

from gstack_browse.design.token_difference import compare_tokens, read_tokens
from gstack_browse.errors import FileFailed


def tokens(**groups: object) -> dict[str, str]:
    return read_tokens(json.dumps(groups).encode(), "a.json")


def test_types_are_inherited_and_aliases_followed() -> None:
    found = tokens(
        color={"$type": "color", "ink": {"$value": "#111111"}, "text": {"$value": "{color.ink}"}},
        space={"s": {"$type": "dimension", "$value": {"value": 8, "unit": "px"}}},
    )
    assert found == {
        "color.ink": "#111111 (color)",
        "color.text": "#111111 (color)",
        "space.s": "8px (dimension)",
    }


def test_aliases_that_lead_nowhere_or_in_a_circle() -> None:
    found = tokens(a={"$value": "{b}"}, b={"$value": "{a}"}, c={"$value": "{nothing}"})
    assert found["c"] == "{nothing}"
    assert {found["a"], found["b"]} <= {"{a}", "{b}"}


def test_a_colour_in_another_notation_is_shown_alike() -> None:
    value = {"colorSpace": "srgb", "components": [1, 1, 1], "alpha": 0.5, "hex": "#ffffff"}
    assert tokens(a={"$value": value}) == {"a": "#ffffff 0.5"}


def test_added_removed_and_changed() -> None:
    changes = compare_tokens({"a": "1", "b": "2", "d": "4"}, {"b": "3", "c": "5", "d": "4"})
    assert list(map(str, changes)) == ["- a: 1", "~ b: 2 → 3", "+ c: 5"]


def test_a_number_that_is_a_rank_is_no_difference() -> None:
    before = {"c.surface": "#111", "c.surface-2": "#222", "c.text": "#222", "spacing.8": "8px", "c.line": "1"}
    ranks = {"c.surface": "#000", "c.surface-2": "#111", "c.surface-3": "#222", "c.surface-4": "#222"}
    changes = compare_tokens(
        before, {**ranks, "c.text": "#333", "spacing.16": "8px", "c.line": "1"}, are_ranked=True
    )
    assert list(map(str, changes)) == [
        "+ c.surface: #000",
        "+ c.surface-4: #222",
        "~ c.text: #222 → #333",
        "+ spacing.16: 8px",
        "- spacing.8: 8px",
    ]
    swapped = {"a": "1", "a-2": "2"}, {"a": "2", "a-2": "1"}
    assert compare_tokens(*swapped, are_ranked=True) == []
    assert len(compare_tokens(*swapped)) == 2, "in a file of others a number may mean something"


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"{", b'{"a": {"b": 1}}', b"\xff", b"[" * 100_000])
def test_file_without_tokens_is_refused(content: bytes) -> None:
    with pytest.raises(FileFailed):
        read_tokens(content, "a.json")


def test_a_value_without_end_is_cut_off() -> None:
    content = b'{"a":{"$value":' + b"[" * 500 + b"]" * 500 + b"}}"
    assert read_tokens(content, "a.json") == {"a": "…"}


def test_groups_without_end_and_hostile_names() -> None:
    deep: dict[str, object] = {"$value": "1"}
    for _ in range(60):
        deep = {"g": deep}
    with pytest.raises(FileFailed):
        tokens(**deep)
    assert list(tokens(**{"a\x1b[31m\n": {"$value": "x\x1b"}}).values()) == ["x␛"]
