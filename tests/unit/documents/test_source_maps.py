import json

import pytest

from gstack_browse.documents import source_maps
from gstack_browse.documents.source_maps import InvalidMap, OriginalPosition
from tests.each import each, each_row
from tests.source_map_files import source_map


def test_original_positions_are_found() -> None:
    told = source_map(
        ["a.ts", "b.ts"],
        [(0, 0, 0, 0, 0), (0, 10, 1, 4, 2), (0, 20, 0, 9, 0), (2, 5, 1, 7, 3)],
        sourceRoot="src",
    )
    sections = source_maps.parse(b")]}'\n" + told.encode())
    wanted = {
        (1, 1): ("src/a.ts", 1, 1), (1, 10): ("src/a.ts", 1, 1), (1, 11): ("src/b.ts", 5, 3), (1, 999): ("src/a.ts", 10, 1),
        (3, 6): ("src/b.ts", 8, 4), (3, 5): None, (2, 1): None, (9, 1): None,
    }  # fmt: skip
    for places in ([*wanted], [*reversed(wanted)]):
        found = source_maps.find_originals(sections, places)
        assert dict(zip(places, found, strict=True)) == {
            place: OriginalPosition(*original) if original else None for place, original in wanted.items()
        }
    beyond = source_map(["a"], [(0, 0, 7, 0, 0), (0, 5, -3, 0, 0), (0, 9, 0, -4, 0)]).encode()
    assert source_maps.find_originals(source_maps.parse(beyond), [(1, 1), (1, 6)]) == [None, None]


def test_sections_begin_where_their_offset_says() -> None:
    parts = [(0, 0, "a.js"), (0, 50, "b.js"), (3, 2, "c.js")]
    told = [
        {
            "offset": {"line": line, "column": column},
            "map": json.loads(source_map([name], [(0, 0, 0, 0, 0), (1, 4, 0, 1, 0)])),
        }
        for line, column, name in parts
    ]
    sections = source_maps.parse(json.dumps({"sections": told}).encode())
    places = [(1, 1), (1, 51), (4, 3), (5, 5), (4, 1)]
    found = source_maps.find_originals(sections, places)
    assert [(original.source, original.line) if original else None for original in found] == [
        ("a.js", 1), ("b.js", 1), ("c.js", 1), ("c.js", 2), None,
    ]  # fmt: skip


BROKEN = [
    b"", b"no", b"[]", b"{}", b'{"mappings": 1, "sources": []}', b'{"sections": 1}', b'{"sections": [1]}', b'{"sections": [{"offset": {}}]}',
    b'{"sections": [{"offset": {"line": 0, "column": 0}, "map": {}}]}', b'{"sections": [{"offset": {"line": 0, "column": 0}, "map": [1]}]}', b"[" * 100_000,
]  # fmt: skip


@each(BROKEN, name=lambda content: content[:40])
def test_a_broken_map_is_none(content: bytes) -> None:
    with pytest.raises(InvalidMap):
        source_maps.parse(content)


@each(["!", "A!", "g", "AA", "AAA", "ggggggggggA", "AAAA,g"])
def test_broken_mappings_are_an_error(mappings: str) -> None:
    sections = source_maps.parse(json.dumps({"mappings": mappings, "sources": ["a"]}).encode())
    with pytest.raises(InvalidMap):
        source_maps.find_originals(sections, [(1, 100)])


MAP = "http://host/assets/app.js.map"
NAMES = [
    ("webpack://shop/./src/App.tsx?a1b2", MAP, "src/App.tsx"),
    ("webpack://shop/webpack/bootstrap", MAP, "webpack/bootstrap"),
    ("../../src/main.ts", MAP, "src/main.ts"),
    ("/src/App.tsx", "http://host:5173/src/App.tsx", "src/App.tsx"),
    ("http://cdn/x.js?y", MAP, "http://cdn/x.js"),
    ("file:///home/u/src/a.ts", "file:///home/u/a.map", "/home/u/src/a.ts"),
    ("http://[", MAP, "http://["),
    ("a\n→ b\x1b.js", MAP, "assets/a→ b␛.js"),
]


@each_row(*NAMES)
def test_sources_are_called_as_people_call_them(source: str, url: str, name: str) -> None:
    assert source_maps.describe_source(source, url) == name


SCRIPTS = [
    (b"a()\n//# sourceMappingURL=app.js.map\n", {}, "app.js.map"),
    (b"/*# sourceMappingURL=a.map */", {}, "a.map"),
    (b"a()", {"sourcemap": " /x.map "}, "/x.map"),
    (b"a()", {"x-sourcemap": "/y.map"}, "/y.map"),
    (b"a('sourceMappingURL=no.map')", {}, ""),
]


@each_row(*SCRIPTS)
def test_the_map_of_a_script_is_found(script: bytes, headers: dict[str, str], url: str) -> None:
    assert source_maps.find_map_url(script, headers) == url


def test_use_of_a_script_is_divided_among_its_sources() -> None:
    text = "aaaaabbbbb\naaabb"
    mappings = [(0, 0, 0, 0, 0), (0, 5, 1, 0, 0), (1, 0, 0, 1, 0), (1, 3, 1, 1, 0)]
    sections = source_maps.parse(source_map(["a", "b"], mappings).encode())
    assert source_maps.sum_by_source(sections, text, [(0, 3), (7, 12)]) == [("a", 8, 4), ("b", 8, 4)]
    assert source_maps.sum_by_source(sections, text, []) == [("a", 8, 0), ("b", 8, 0)]
    assert source_maps.sum_by_source(sections, "", [(0, 3)]) == []
