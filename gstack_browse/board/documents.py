"""Reads the files of earlier answers. The files lie in the workspace, so their content is hostile. Pure."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from gstack_browse.board.answer import BoardAnswer, BoardQuestion, NotUnderstoodError, Shown, answer_of
from gstack_browse.text.sanitise import one_line

MOST_PICTURES = 26


class Answered(NamedTuple):
    """An earlier board, as its file describes it."""

    question: BoardQuestion
    answer: BoardAnswer
    asked: datetime


def answered(document: object) -> Answered | None:
    """Read a file of an answer; None for any other file."""
    if not isinstance(document, dict):
        return None
    try:
        question = _question(document)
        asked = datetime.fromisoformat(question.asked)
        answer = answer_of(_sent(document), [picture.label for picture in question.pictures])
    except (NotUnderstoodError, ValueError):
        return None
    return Answered(question, answer, asked)


def _question(document: Mapping[str, object]) -> BoardQuestion:
    pictures = [_shown(item) for item in _listed(document)]
    labels = [picture.label for picture in pictures]
    if len(set(labels)) != len(labels):
        raise NotUnderstoodError
    title = one_line(_text(document, "title"), 200)
    return BoardQuestion(_number(document, "board"), title, _text(document, "asked"), pictures)


def _listed(document: Mapping[str, object]) -> list[Mapping[str, object]]:
    found = document.get("pictures")
    if not isinstance(found, list) or not 0 < len(found) <= MOST_PICTURES:
        raise NotUnderstoodError
    if not all(isinstance(item, dict) for item in found):
        raise NotUnderstoodError
    return found


def _shown(item: Mapping[str, object]) -> Shown:
    label, file = _text(item, "label"), _text(item, "file")
    if not re.fullmatch("[A-Z]", label) or not file or len(file) > 4096 or "\0" in file:
        raise NotUnderstoodError
    return Shown(label, file, _number(item, "width"), _number(item, "height"), _text(item, "sha256"))


def _sent(document: Mapping[str, object]) -> dict[str, object]:
    """The file's fields as the page sends them."""
    remarks = {
        str(item["label"]): {"stars": item.get("stars") or 0, "comment": item.get("comment")}
        for item in _listed(document)
    }
    same = {name: document.get(name) for name in ("verdict", "chosen", "mix", "comment")}
    return {**same, "more": document.get("more_like"), "remarks": remarks}


def _text(of: Mapping[str, object], name: str) -> str:
    found = of.get(name)
    if not isinstance(found, str):
        raise NotUnderstoodError
    return found


def _number(of: Mapping[str, object], name: str) -> int:
    found = of.get(name)
    if not isinstance(found, int) or not 0 <= found < 10**9:
        raise NotUnderstoodError
    return found
