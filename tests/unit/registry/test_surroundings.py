from collections.abc import Callable

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
from gstack_browse.registry.values.paths import CallerPaths
from tests.each import each_row

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
