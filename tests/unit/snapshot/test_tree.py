"""Columns from the page become a tree; other documents are grafted into it."""

from gstack_browse.snapshot.tree import decode
from tests.unit.snapshot.trees import tree

PAYLOAD = "\x1e".join(
    [
        '{"token":"t","kinds":["list","text","link"],"next":{"e":9,"c":2},"range":[1,3],"remote":[[0,1]],"suspects":0,'
        '"states":[[2,"focused"]],"values":[],"url":"u","title":"","jumps":[2,-1,3,7]}',
        "]^^^",
        "]^__",
        "\nwords\na\nb",
    ]
)


def test_decode() -> None:
    walked = decode(PAYLOAD)
    made = walked.tree
    assert made.depths == [0, 1, 1, 1]
    assert made.roles == ["list", "text", "link", "link"]
    assert [made.ref(line) for line in range(4)] == ["@e1", "", "@c1", "@e7"]
    assert made.names == ["", "words", "a", "b"]
    assert made.states == {2: "focused"}
    assert made.scope == range(1, 3)
    assert (walked.token, walked.next_e, walked.next_c) == ("t", 9, 2)


def test_numbers_of_another_document_go_on_from_its_first() -> None:
    head = PAYLOAD.partition("\x1e")[0].replace('"jumps":[2,-1,3,7]', '"jumps":[0,8]')
    walked = decode("\x1e".join([head, *PAYLOAD.split("\x1e")[1:]]))
    assert walked.tree.refs == [8, 0, 9, 10]


def test_a_tree_can_be_made_again_with_what_was_grafted_into_it() -> None:
    walked, inner = decode(PAYLOAD), decode(PAYLOAD)
    inner.found_unseen(3)
    walked.graft(0, inner)
    again = walked.kept.tree()
    assert again == walked.tree
    assert again.names == ["", "", "words", "a", "b", "words", "a", "b"]
    assert again.unseen_listeners == 3
    assert walked.kept.size == len(again) == 8


def test_ends_and_parents() -> None:
    made = tree("list\n  listitem\n    link\n  listitem\nbutton")
    assert made.ends == [4, 3, 3, 4, 5]
    assert made.parents == [-1, 0, 1, 0, -1]
    assert made.children(0) == [1, 3]
    assert tree("").ends == []


def test_graft() -> None:
    outer = tree('button "a"\niframe\nbutton "b" [focused]')
    outer.scope = range(1, 2)
    outer.graft(1, tree("main\n  link [current]: x"))
    assert outer.roles == ["button", "iframe", "main", "link", "button"]
    assert outer.depths == [0, 0, 1, 2, 0]
    assert outer.states == {3: "current", 4: "focused"}
    assert outer.values == {3: "x"}
    assert outer.scope == range(1, 4)
