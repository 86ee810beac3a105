"""Places of scripts at the ends of lines."""

import time

from gstack_browse.network.logs.entries import ConsoleEntry, find_place
from tests.each import each_row

LINES = [
    ("    at run (http://host/a.js:1:20)", ("http://host/a.js", 1, 20)),
    ("    at http://host:8000/a.js?b=1:3:4", ("http://host:8000/a.js?b=1", 3, 4)),
    ("run@https://host/a.js:1:2", None),
    ("    at Object.eval (webpack-internal:///./src/a.ts:13:21)", ("webpack-internal:///./src/a.ts", 13, 21)),
    ("    at <anonymous>:1:2", None),
    ("see http://host/a.js", None),
    ("http://host/a.js:x:2", None),
    ("file:///etc/passwd:1:2", None),
    (f"http://host/{'a' * 3000}:1:2", None),
    ("http://host/a.js:1:12345678901", None),
]


@each_row(*LINES)
def test_a_place_is_found(line: str, place: tuple[str, int, int] | None) -> None:
    found = find_place(line)
    assert (found.place if found else None) == place


def test_places_are_replaced_where_an_original_is_known() -> None:
    stack = "Error: x\n    at a (http://h/a.js:1:2)\n    at b (http://h/a.js:3:4)"
    entry = ConsoleEntry(0.0, 1, "error", stack)
    named = entry.with_originals(lambda place: "src/a.ts:9:9" if place[1] == 1 else "")
    assert named.text == "Error: x\n    at a (src/a.ts:9:9)\n    at b (http://h/a.js:3:4)"
    assert entry.count_characters() == len(entry.text)


def test_a_hostile_message_takes_no_time() -> None:
    entries = [ConsoleEntry(0.0, 1, "error", "http://" * 1400 + ":1" * 50) for _ in range(500)]
    began = time.process_time()
    assert all(len(entry.places_in_text()) == 0 for entry in entries)
    assert time.process_time() - began < 2
