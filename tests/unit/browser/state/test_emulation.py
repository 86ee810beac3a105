from typing import Any

import orjson
from hypothesis import given

from gstack_browse.browser.state.emulation import Emulation
from gstack_browse.registry.surroundings import Place
from tests.each import each
from tests.unit.hostile import json_values

ALL = Emulation(
    "iPhone 15", True, Place(52.5, 13.4), "Europe/Berlin", "de-DE", "dark", "reduce", "more", "print",
    ("camera", "midi"), True,
)  # fmt: skip


@each([ALL, Emulation()])
def test_emulation_read_back_from_json_is_equal(emulation: Emulation) -> None:
    assert Emulation.from_dict(orjson.loads(orjson.dumps(emulation.as_dict()))) == emulation


@given(json_values)
def test_damaged_emulation_is_refused_or_sound(found: Any) -> None:
    for damaged in (found, {"geo": found}, {"grant": found}, {"timezone": found}, {"offline": found}):
        try:
            emulation = Emulation.from_dict(damaged)
        except (TypeError, ValueError, AttributeError):
            continue
        assert all(isinstance(word, str) for _, word in emulation.facts)
