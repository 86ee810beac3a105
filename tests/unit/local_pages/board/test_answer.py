import copy
from typing import Any

import pytest

from gstack_browse.local_pages.board.answer import (
    BoardAnswer,
    BoardQuestion,
    InvalidAnswer,
    PictureInfo,
    PictureRemark,
    parse_answer,
)
from gstack_browse.local_pages.board.gallery import parse_answer_file
from tests.each import each, each_row

ASKED = "2026-03-01T10:00:00+00:00"
PICTURES = [PictureInfo("A", "home.png", 1280, 800, "aa"), PictureInfo("B", "../b.png", 390, 844, "bb")]
QUESTION = BoardQuestion(2, "Landing page", ASKED, PICTURES)
LABELS = ["A", "B"]


def test_a_choice_with_remarks_is_told_picture_by_picture() -> None:
    remarks = {"A": {"stars": 2, "comment": " too\nbusy "}, "B": {"stars": 0, "comment": ""}}
    sent = {"verdict": "chosen", "chosen": "B", "more": "", "mix": {}, "comment": "Larger\n→ type\x1b[2J"}
    answer = parse_answer({**sent, "remarks": remarks}, LABELS)
    read = {"A": PictureRemark(2, "too\nbusy"), "B": PictureRemark()}
    assert answer == BoardAnswer("chosen", "B", remarks=read, comment="Larger\n→ type\x1b[2J")
    assert answer.render_text(QUESTION, "/w/board-1.json").splitlines() == [
        'Chosen: B ../b.png (board 2: "Landing page")',
        '→ A home.png 2/5 stars: "too busy"',
        "→ B ../b.png no stars",
        '→ in all: "Larger → type␛[2J"',
        "→ written: /w/board-1.json",
    ]
    at = "2026-03-01T10:05:00+00:00"
    written = answer.to_file_json(QUESTION, at)
    pictures: Any = written.pop("pictures")
    assert written == {
        "board": 2, "title": "Landing page", "asked": ASKED, "answered": at, "verdict": "chosen", "chosen": "B", "more_like": None, "mix": None,
        "comment": "Larger\n→ type\x1b[2J",
    }  # fmt: skip
    assert list(pictures[0]) == ["label", "file", "width", "height", "sha256", "stars", "comment"]
    assert tuple(pictures[0].values()) == ("A", "home.png", 1280, 800, "aa", 2, "too\nbusy")
    assert tuple(pictures[1].values()) == ("B", "../b.png", 390, 844, "bb", None, "")


@each_row(
({"verdict": "more", "more": "A"}, ["More like: A home.png"]),
        ({"verdict": "more", "more": "A", "chosen": "B"}, ["More like: A home.png", "→ chosen so far: B ../b.png"]),
        ({"verdict": "mix", "mix": {"colours": "B", "layout": "A", "type": ""}},
         ["Mix: layout of A home.png, colours of B ../b.png"]),
        ({"verdict": "again"}, ["Again: none of these"]),
)  # fmt: skip
def test_answer_text_begins_with_the_verdict_sent(sent: dict[str, object], first_lines: list[str]) -> None:
    lines = parse_answer(sent, LABELS).render_text(QUESTION).splitlines()
    first_lines[0] += ' (board 2: "Landing page")'
    assert lines[: len(first_lines)] == first_lines
    assert len(lines) == len(first_lines) + 2


@each([
        {}, {"verdict": "buy"}, {"verdict": ["chosen"]}, {"verdict": "chosen"}, {"verdict": "chosen", "chosen": "C"},
        {"verdict": "chosen", "chosen": 1}, {"verdict": "more", "more": None}, {"verdict": "mix"}, {"verdict": "mix", "mix": {"layout": ""}},
        {"verdict": "mix", "mix": {"soul": "A"}}, {"verdict": "mix", "mix": ["A"]}, {"verdict": "again", "remarks": {"Z": {}}},
        {"verdict": "again", "remarks": {"A": 5}}, {"verdict": "again", "remarks": {"A": {"stars": 6}}},
        {"verdict": "again", "remarks": {"A": {"stars": True}}}, {"verdict": "again", "remarks": {"A": {"comment": 1}}},
        {"verdict": "again", "comment": "x" * 4001}, {"verdict": "again", "comment": {}},
    ])  # fmt: skip
def test_malformed_answer_is_refused(sent: dict[str, object]) -> None:
    with pytest.raises(InvalidAnswer):
        parse_answer(sent, LABELS)


NONE = {"A": PictureRemark(), "B": PictureRemark()}
ANSWERS = [
    BoardAnswer("chosen", "B", remarks=NONE | {"A": PictureRemark(2, "too\nbusy")}, comment="All"),
    BoardAnswer("more", "B", "A", remarks=NONE | {"B": PictureRemark(5)}),
    BoardAnswer("mix", mix={"layout": "A", "colours": "B"}, remarks=NONE),
    BoardAnswer("again", remarks=NONE),
]


def document(answer: BoardAnswer = ANSWERS[0], **changed: Any) -> dict[str, Any]:
    return copy.deepcopy({**answer.to_file_json(QUESTION, "2026-03-01T10:05:00+00:00"), **changed})


@each(ANSWERS)
def test_written_document_is_read_back_as_the_same_answer(answer: BoardAnswer) -> None:
    found = parse_answer_file(document(answer))
    assert found
    assert (found.question, found.answer) == (QUESTION, answer)
    assert found.asked.isoformat() == QUESTION.asked


@each([
        None, [], "x", {}, document(verdict="buy"), document(asked="yesterday"), document(asked=5), document(pictures=[]),
        document(pictures=[1]), document(pictures=["A"] * 27), document(title=None), document(board="1"), document(chosen="Z"),
        document(pictures=[document()["pictures"][0]] * 2), document(pictures=[{**document()["pictures"][0], "file": "a\0b"}]),
        document(pictures=[{**document()["pictures"][0], "label": "<b>"}]), document(comment=["x"]),
        document(pictures=[{**document()["pictures"][0], "stars": 9}]),
    ])  # fmt: skip
def test_document_not_written_by_a_board_is_ignored(found: object) -> None:
    assert parse_answer_file(found) is None
