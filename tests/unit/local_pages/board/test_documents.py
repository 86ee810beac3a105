import copy
from typing import Any

from gstack_browse.local_pages.board.answer import BoardAnswer, BoardQuestion, PictureInfo, PictureRemark
from gstack_browse.local_pages.board.gallery import parse_answer_file
from tests.each import each

PICTURES = [PictureInfo("A", "a.png", 4, 3, "aa"), PictureInfo("B", "../b.png", 5, 2, "bb")]
QUESTION = BoardQuestion(3, "Landing", "2026-03-01T10:00:00+00:00", PICTURES)
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
