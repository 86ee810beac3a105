from collections.abc import Callable
from pathlib import Path

import pytest

from gstack_browse.errors import UsageError
from gstack_browse.registry.surroundings import (
    OFF,
    Place,
    parse_language_tag,
    parse_permissions,
    parse_place,
    parse_time_zone,
)
from gstack_browse.registry.values.measures import (
    Clip,
    Point,
    PointIn,
    Size,
    is_distance,
    parse_clip,
    parse_distance,
    parse_key_or_chord,
    parse_point_in_element,
    parse_size,
    parse_time,
)  # fmt: skip
from gstack_browse.registry.values.paths import CallerPaths
from tests.each import each, each_row

HERE = CallerPaths(Path("/w"), Path("/w"))
NOW = 1_800_000_000.0


@each_row(
("enter", "Enter"), ("ESC", "Escape"), ("ctrl+c", "Control+c"), ("cmd+Shift+p", "Meta+Shift+P"), ("Control++", "Control++"),
        ("+", "+"), ("Shift++", "Shift++"), ("shift+1", "Shift+!"), ("Shift+ß", "Shift+ß"), ("a", "a"), ("A", "A"), ("é", "é"), ("f5", "F5"), ("pgdn", "PageDown"), (" ", " "),
)  # fmt: skip
def test_typed_key_is_normalised_to_its_name(typed: str, key: str) -> None:
    assert parse_key_or_chord(typed, HERE) == key


@each(["", "Entr", "Control+", "a+b", "+a", "Control+Foo", "++a", "x" * 500])
def test_unknown_key_is_refused(typed: str) -> None:
    with pytest.raises(UsageError):
        parse_key_or_chord(typed, HERE)


def test_sizes_and_rectangles() -> None:
    assert parse_size("375x812", HERE) == Size(375, 812)
    assert parse_size("10000X1", HERE) == Size(10_000, 1)
    assert parse_clip("0,1.5,2,3", HERE) == Clip(0, 1.5, 2, 3)
    sizes = ["axb", "0x1", "1x0", "-5x5", "10001x1", "1x", "100", "1280*720", "1e3x5", "1x2x3", "٣x٣", ""]
    clips = ["1,2,3", "a,b,c,d", "1,2,0,3", "-1,0,1,1", "0,0,nan,5", "inf,0,1,1", "1,2,3,4,5", ""]
    for parse, words in ((parse_size, sizes), (parse_clip, clips)):
        for word in words:
            with pytest.raises(UsageError):
                parse(word, HERE)


def test_a_point_may_be_a_distance_or_a_part_of_an_element() -> None:
    assert parse_distance("-40,12.5", HERE) == Point(-40, 12.5)
    assert str(parse_distance("+7,0", HERE)) == "7,0"
    for word in ("#a", "ul,ol", "@e3", "1,2,3", "50%,1"):
        assert not is_distance(word)
    point = parse_point_in_element("12,50%", HERE)
    assert (point, str(point)) == (PointIn("12", "50%"), "12,50%")
    assert point.to_pixels(200, 30) == (12, 15)
    for word in ("", "12", "a,b", "1e3,2", "1,2px", "99999999,1", "１,２"):
        for parse in (parse_point_in_element, parse_distance):
            with pytest.raises(UsageError):
                parse(word, HERE)


def test_typed_moment_becomes_a_timestamp_or_is_refused() -> None:
    for word, at in [
        ("1900000000", 1_900_000_000),
        ("12h", NOW + 43_200),
        ("30d", NOW + 2_592_000),
        ("2027-01-31T01:00:00+01:00", 1_801_353_600),
    ]:
        assert parse_time(word, NOW) == at
    for word in ["", "soon", "-5", "1.5h", "2027-13-01", "99999999999999", "9999999d", "0001-01-01x"]:
        with pytest.raises(UsageError):
            parse_time(word, NOW)


PATHS = CallerPaths("/work", "/work")
LONG_ZONES = ("UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Etc/GMT+5")


@each_row(
    (
        parse_place,
        {"52.52,13.4": Place(52.52, 13.4), "-90,180": Place(-90, 180), "+0,-0.125": Place(0, -0.125)},
    ),
    (parse_time_zone, {zone: zone for zone in LONG_ZONES}),
    (parse_language_tag, {"de": "de", "de_AT": "de-AT", "zh-Hant-TW": "zh-Hant-TW"}),
    (parse_permissions, {"camera, clipboard-read,camera": ("camera", "clipboard-read")}),
)
def test_typed_word_becomes_a_value_or_off(
    parse: Callable[[str, CallerPaths], object], values: dict[str, object]
) -> None:
    assert {word: parse(word, PATHS) for word in values} == values
    assert parse("off", PATHS) == OFF


@each_row(
    (parse_place, ["", "52", "52,13,4", "north", "91,0", "0,181", "1e2,3", "nan,nan", "1,2\n3"]),
    (parse_time_zone, ["", "+02:00", "../etc", "a/b/c/d", "Europe/", "x" * 50]),
    (parse_language_tag, ["", "d", "german", "de-", "de,en", "de;q=1"]),
    (parse_permissions, ["", ",", "camera,telepathy"]),
)
def test_malformed_word_is_refused(parse: Callable[[str, CallerPaths], object], words: list[str]) -> None:
    for word in words:
        with pytest.raises(UsageError):
            parse(word, PATHS)
