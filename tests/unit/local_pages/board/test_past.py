from gstack_browse.local_pages.board.registry import PastBoards
from gstack_browse.workspace.state import WritableStateDir

WRITTEN = b"""{"next":9,"boards":[
{"number":3,"asker":"","title":"One\\u202e\\n\\u001b[2J\\" x","file":""},
{"number":7,"asker":"ann","title":"","file":"/w/a; curl x|sh/board-20260101-101010.json"},
{"number":6,"asker":"bob","title":"","file":"/home/bob/.ssh/id_rsa"},
{"number":"8"},4,{"number":-1,"asker":"","title":"","file":""}]}"""


def test_past_boards_are_restored_with_control_characters_escaped(state: WritableStateDir) -> None:
    state.write_file("browse-boards.json", WRITTEN)
    past = PastBoards(state)
    assert past.next_number == 9
    (one, seven) = (past.find("", 3), past.find("ann", 7))
    assert one
    assert seven
    assert [past.find_latest(name) for name in ("", "ann", "bob")] == [one, seven, None]
    assert past.find("", 7) is None
    assert (
        one.make_error().message == 'Board 3 "One ␛[2J\\" x" was closed without an answer: its daemon has ended'
    )
    answered = seven.make_error()
    assert answered.message == "Board 7 was answered, and its daemon has ended since"
    assert answered.hint == "Read the answer: cat '/w/a; curl x|sh/board-20260101-101010.json'"
    past.save(12, [])
    assert PastBoards(state).next_number == 12
    assert PastBoards(state).find_latest("ann") == seven


def test_malformed_record_of_boards_is_ignored(state: WritableStateDir) -> None:
    numbers = b'{"next":true}', b'{"next":-5,"boards":{}}', b'{"next":9e9}'
    for planted in (b"", b"[]", b"x", *numbers, b"0" * 600_000):
        state.write_file("browse-boards.json", planted)
        assert PastBoards(state).next_number == 1
