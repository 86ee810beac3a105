import pytest

from gstack_browse.errors import UsageError
from gstack_browse.registry.surroundings import OFF, Place, locale, permissions, position, time_zone
from gstack_browse.registry.values.paths import CallerPaths
from tests.each import each, each_row

PATHS = CallerPaths("/work", "/work")


@each_row(
    ("52.52,13.4", Place(52.52, 13.4)),
    ("-90,180", Place(-90, 180)),
    ("+0,-0.125", Place(0, -0.125)),
    ("off", OFF),
)
def test_typed_position_becomes_a_place(word: str, place: object) -> None:
    assert position(word, PATHS) == place


@each(["", "52", "52,13,4", "north", "91,0", "0,181", "1e2,3", "nan,nan", "1,2\n3"])
def test_malformed_position_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        position(word, PATHS)


@each(["UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Etc/GMT+5", "off"])
def test_typed_time_zone_is_accepted(word: str) -> None:
    assert time_zone(word, PATHS) == word


@each(["", "+02:00", "../etc", "a/b/c/d", "Europe/", "x" * 50])
def test_malformed_time_zone_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        time_zone(word, PATHS)


@each_row(
("de", "de"), ("de_AT", "de-AT"), ("zh-Hant-TW", "zh-Hant-TW"), ("off", OFF),
)  # fmt: skip
def test_typed_language_becomes_a_tag(word: str, tag: str) -> None:
    assert locale(word, PATHS) == tag


@each(["", "d", "german", "de-", "de,en", "de;q=1"])
def test_malformed_language_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        locale(word, PATHS)


def test_typed_permissions_are_listed_once_and_unknown_ones_refused() -> None:
    assert permissions("camera, clipboard-read,camera", PATHS) == ("camera", "clipboard-read")
    assert permissions("off", PATHS) == OFF
    for word in ("", ",", "camera,telepathy"):
        with pytest.raises(UsageError):
            permissions(word, PATHS)
