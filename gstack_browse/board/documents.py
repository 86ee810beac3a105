"""Read the files of earlier answers. They lie in the workspace, so their content is untrusted. Pure."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from gstack_browse.board.answer import BoardAnswer, BoardQuestion, InvalidAnswer, PictureInfo, parse_answer
from gstack_browse.text.sanitise import one_line

MOST_PICTURES = 26


class AnsweredBoard(NamedTuple):
    """An answered board, as its file describes it. `asked` is the time of the question."""

    question: BoardQuestion
    answer: BoardAnswer
    asked: datetime


def parse_answer_file(document: object) -> AnsweredBoard | None:
    """Return the answered board that a file's JSON describes; None for any other JSON."""
    if not isinstance(document, dict):
        return None
    try:
        question = _parse_question(document)
        asked = datetime.fromisoformat(question.asked)
        answer = parse_answer(_to_page_json(document), [picture.label for picture in question.pictures])
    except (InvalidAnswer, ValueError):
        return None
    return AnsweredBoard(question, answer, asked)


def _parse_question(document: Mapping[str, object]) -> BoardQuestion:
    """Read the question; raise InvalidAnswer for missing or malformed fields and for repeated labels."""
    pictures = [_parse_picture(item) for item in _parse_pictures(document)]
    labels = [picture.label for picture in pictures]
    if len(set(labels)) != len(labels):
        raise InvalidAnswer
    title = one_line(_text_field(document, "title"), 200)
    return BoardQuestion(_number_field(document, "board"), title, _text_field(document, "asked"), pictures)


def _parse_pictures(document: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the entries of `pictures`; raise InvalidAnswer unless there are 1 to MOST_PICTURES mappings."""
    found = document.get("pictures")
    if not isinstance(found, list) or not 0 < len(found) <= MOST_PICTURES:
        raise InvalidAnswer
    if not all(isinstance(item, dict) for item in found):
        raise InvalidAnswer
    return found


def _parse_picture(item: Mapping[str, object]) -> PictureInfo:
    """Read one picture's entry; raise InvalidAnswer if a field is missing or malformed."""
    label, file = _text_field(item, "label"), _text_field(item, "file")
    if not re.fullmatch("[A-Z]", label) or not file or len(file) > 4096 or "\0" in file:
        raise InvalidAnswer
    return PictureInfo(
        label, file, _number_field(item, "width"), _number_field(item, "height"), _text_field(item, "sha256")
    )


def _to_page_json(document: Mapping[str, object]) -> dict[str, object]:
    """Rename the file's fields to those that a page sends, so that `parse_answer` reads both."""
    remarks = {
        str(item["label"]): {"stars": item.get("stars") or 0, "comment": item.get("comment")}
        for item in _parse_pictures(document)
    }
    same = {name: document.get(name) for name in ("verdict", "chosen", "mix", "comment")}
    return {**same, "more": document.get("more_like"), "remarks": remarks}


def _text_field(of: Mapping[str, object], name: str) -> str:
    """Return a field that must be a string; raise InvalidAnswer otherwise."""
    found = of.get(name)
    if not isinstance(found, str):
        raise InvalidAnswer
    return found


def _number_field(of: Mapping[str, object], name: str) -> int:
    """Return a field that must be an integer from 0 to 10⁹; raise InvalidAnswer otherwise."""
    found = of.get(name)
    if not isinstance(found, int) or not 0 <= found < 10**9:
        raise InvalidAnswer
    return found
