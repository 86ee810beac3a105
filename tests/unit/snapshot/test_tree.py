import orjson
import pytest

from gstack_browse.snapshot.numbers import RefNumbers
from gstack_browse.snapshot.walked import Walked, decode
from tests.each import each_row

PAYLOAD = "\x1e".join(
    [
        '{"document":100,"kinds":["list","text","link"],"range":[1,3],"last":109,"remote":[[0,101]],"suspects":0,"customs":0,"trees":[],'
        '"states":[[2,"focused"]],"values":[],"hints":[[3,".trash"]],"boxes":[0,4,2,3],"unlisted":7,"hidden":12,"cut":0,"url":"u","title":"","jumps":[0,101,2,-103,3,107]}',
        "]^^^",
        "]^__",
        "\nwords\na\nb",
    ]
)


def decode_with_jumps(jumps: str, document: int = 100) -> Walked:
    """Decode the payload with other ids."""
    head, *columns = PAYLOAD.split("\x1e")
    head = (
        head.replace("[0,101,2,-103,3,107]", jumps)
        .replace("100", str(document))
        .replace('"last":109', f'"last":{document + 9}')
    )
    return decode("\x1e".join([head, *columns]), RefNumbers())


@each_row(
    (5, 5),
    (6, 1),
)
def test_description_that_many_lines_share_stands_with_the_first(count: int, described: int) -> None:
    said = 'roledescription="sortable", description="Press space, then move"'
    states = orjson.dumps([[line, said] for line in range(count)] + [[count, 'description="Another"']]).decode()
    made = decode(PAYLOAD.replace('[[2,"focused"]]', states), RefNumbers()).tree
    assert [line for line, text in made.states.items() if "Press space" in text] == list(range(described))
    assert made.states[count - 1] == (said if described == count else 'roledescription="sortable"')
    assert made.states[count] == 'description="Another"'


def test_ids_follow_the_last_one_and_none_is_there_twice() -> None:
    assert decode_with_jumps("[0,108]").tree.nodes == [108, 0, 109, 110]
    assert decode_with_jumps("[0,108,2,-109]").tree.nodes == [108, 0, -109, 110]
    for jumps in ("[0,101,2,101]", "[0,101,2,-101]", "[0,105,2,104]", "[0,101,2,102,3,102]"):
        with pytest.raises(RuntimeError, match="on two lines"):
            decode_with_jumps(jumps)
    walked = decode_with_jumps("[0,101]")
    with pytest.raises(RuntimeError, match="twice"):
        walked.graft(0, decode_with_jumps("[0,103]"))
