"""The gallery: the boards of a directory with their answers, and the pictures on no board, by day."""

import asyncio
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import orjson
from aiohttp import web

from gstack_browse.errors import FileFailed, Refused
from gstack_browse.local_pages.board.answer import (
    BoardAnswer,
    BoardQuestion,
    InvalidAnswer,
    PictureInfo,
    parse_answer,
)
from gstack_browse.local_pages.board.pictures import MOST_BYTES, detect_media_type, picture_response
from gstack_browse.local_pages.loopback.server import Guard, LoopbackPage, json_response
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count
from gstack_browse.workspace.directory import printable_path
from gstack_browse.workspace.files import read_limited

MOST_DOCUMENT_PICTURES = 26


class AnsweredBoard(NamedTuple):
    """An answered board, as its file describes it. `asked` is the time of the question."""

    question: BoardQuestion
    answer: BoardAnswer
    asked: datetime


def parse_answer_file(document: object) -> AnsweredBoard | None:
    """Return the answered board that the parsed JSON of an answer's file describes; None for other JSON."""
    if not isinstance(document, dict):
        return None
    try:
        question = _parse_question(document)
        asked_at = datetime.fromisoformat(question.asked)
        answer = parse_answer(_to_page_json(document), [picture.label for picture in question.pictures])
    except (InvalidAnswer, ValueError):
        return None
    return AnsweredBoard(question, answer, asked_at)


def _parse_question(document: Mapping[str, object]) -> BoardQuestion:
    """Return the question in the JSON of an answer's file. Raises InvalidAnswer for malformed fields."""
    pictures = [_parse_picture(item) for item in _parse_pictures(document)]
    labels = [picture.label for picture in pictures]
    if len(set(labels)) != len(labels):
        raise InvalidAnswer
    title = one_line(_text_field(document, "title"), 200)
    return BoardQuestion(_number_field(document, "board"), title, _text_field(document, "asked"), pictures)


def _parse_pictures(document: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return `pictures` in an answer file's JSON. Raises InvalidAnswer unless it is a list of objects.

    It must have 1 to MOST_DOCUMENT_PICTURES.
    """
    found = document.get("pictures")
    if not isinstance(found, list) or not 0 < len(found) <= MOST_DOCUMENT_PICTURES:
        raise InvalidAnswer
    if not all(isinstance(item, dict) for item in found):
        raise InvalidAnswer
    return found


def _parse_picture(item: Mapping[str, object]) -> PictureInfo:
    """Convert the JSON of one picture. Raises InvalidAnswer if a field is missing or malformed."""
    label, file = _text_field(item, "label"), _text_field(item, "file")
    if not re.fullmatch("[A-Z]", label) or not file or len(file) > 4096 or "\0" in file:
        raise InvalidAnswer
    return PictureInfo(
        label, file, _number_field(item, "width"), _number_field(item, "height"), _text_field(item, "sha256")
    )


def _to_page_json(document: Mapping[str, object]) -> dict[str, object]:
    """Return the answer in the JSON of an answer's file in the form that `parse_answer` reads."""
    remarks = {
        str(item["label"]): {"stars": item.get("stars") or 0, "comment": item.get("comment")}
        for item in _parse_pictures(document)
    }
    same = {name: document.get(name) for name in ("verdict", "chosen", "mix", "comment")}
    return {**same, "more": document.get("more_like"), "remarks": remarks}


def _text_field(of: Mapping[str, object], name: str) -> str:
    """Return the field `name` of an object. Raises InvalidAnswer if it is not a string."""
    found = of.get(name)
    if not isinstance(found, str):
        raise InvalidAnswer
    return found


def _number_field(of: Mapping[str, object], name: str) -> int:
    """Return the field `name` of an object. Raises InvalidAnswer if it is not an integer from 0 to 10⁹."""
    found = of.get(name)
    if not isinstance(found, int) or not 0 <= found < 10**9:
        raise InvalidAnswer
    return found


COMMAND = "board-gallery"
OPEN_SECONDS = 600.0
MOST_BOARDS = 200
MOST_PICTURES = 1000
MOST_FILES_VISITED = 50_000
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".avif", ".svg")
_MOST_DOCUMENT_BYTES = 1_000_000
_MOST_LISTED = 20


@dataclass
class GalleryDay:
    """The boards of a day (`2026-11-27`), latest first, and its pictures that are on no board."""

    name: str
    boards: list[tuple[Path, AnsweredBoard]] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)


def group_by_day(directory: Path) -> list[GalleryDay]:
    """Find answered boards and pictures in a directory and below, grouped by day, the latest day first.

    Symbolic links are not followed.
    """
    days: dict[str, GalleryDay] = {}
    boards, pictures = _find_boards_and_pictures(directory)
    on_boards: set[Path] = set()
    for path, board in sorted(boards, key=lambda item: item[1].asked, reverse=True):
        day = board.asked.astimezone().date().isoformat()
        days.setdefault(day, GalleryDay(day)).boards.append((path, board))
        on_boards |= {_resolve_beside(path, picture.file) for picture in board.question.pictures}
    for picture in pictures:
        if picture not in on_boards:
            day = _modification_day(picture)
            days.setdefault(day, GalleryDay(day)).others.append(picture)
    return sorted((day for day in days.values() if day.name), key=lambda day: day.name, reverse=True)


def render_days(days: Sequence[GalleryDay], directory: Path) -> list[str]:
    """Render a gallery as lines of a reply: days, boards with their answers, names of the other pictures.

    `directory`: the gallery's, from which the printed paths start. 20 boards in all, and 20 other pictures a day, are listed;
    the rest is only counted.
    """
    lines: list[str] = []
    left = _MOST_LISTED
    for day in days:
        lines.append(day.name)
        for path, board in day.boards[: max(left, 0)]:
            first, *rest = board.answer.render_text(board.question).splitlines()
            lines += [
                f"  {one_line(_relative_name(path, directory), 120)}: {first}",
                *(f"    {line}" for line in rest),
            ]
        if more := len(day.boards) - max(left, 0):
            lines += [f"  … {format_count(more, 'more board')}"] if more > 0 else []
        left -= len(day.boards)
        lines += [f"  on no board: {_list_names(day.others, directory)}"] if day.others else []
    return lines


class Gallery:
    """The page of a directory's boards and pictures, as they were when the gallery was made.

    `days`: what `group_by_day` has found in `directory`. The page may request only these pictures.
    """

    def __init__(self, directory: Path, days: Sequence[GalleryDay]) -> None:
        self._directory = directory
        self._pictures: list[Path] = []
        """Paths of the pictures that the page may request, by number."""
        self._digests: dict[int, str] = {}
        """SHA-256 of the pictures that were on a board, at the time of that board."""
        self._content = [
            {
                "day": day.name,
                "boards": [self._add_board(*item) for item in day.boards],
                "others": [
                    {"name": _relative_name(path, directory), "number": self._add_picture(path)}
                    for path in day.others
                ],
            }
            for day in days
        ]
        self.page = LoopbackPage(
            "gstack_browse.local_pages.board",
            ("gallery.css", "gallery.js"),
            [
                web.get("gallery", self._send_gallery),
                web.get("picture/{number:[0-9]{1,5}}", self._send_picture),
                web.get("changed/{number:[0-9]{1,5}}", self._send_whether_changed),
            ],
            index="gallery.html",
            guard=Guard("gallery", COMMAND),
            seconds=OPEN_SECONDS,
            on_close=lambda: None,
            on_window_change=lambda is_there: None,
        )

    def _add_board(self, path: Path, board: AnsweredBoard) -> dict[str, object]:
        """Return a board (`path`: of its file) as JSON for the page; allow the page to request its pictures.

        Only those in the gallery's directory.
        """
        question, answer = board.question, board.answer
        verdict = answer.render_text(question).partition("\n")[0].rpartition(" (board ")[0]
        pictures = []
        for picture in question.pictures:
            remark = answer.remarks.get(picture.label)
            file = _resolve_beside(path, picture.file)
            pictures.append(
                {
                    "label": picture.label,
                    "name": one_line(picture.file, 120),
                    "number": self._add_picture(file, picture.digest) if self._is_in_directory(file) else None,
                    "stars": remark.stars if remark else 0,
                    "comment": remark.comment if remark else "",
                    "isChosen": answer.chosen == picture.label,
                }
            )
        return {
            "title": question.title or "Which one?",
            "time": board.asked.astimezone().strftime("%H:%M"),
            "verdict": verdict,
            "comment": answer.comment,
            "pictures": pictures,
        }

    def _add_picture(self, path: Path, digest: str = "") -> int:
        """Allow the gallery's page to request a picture, and return the picture's number for requests.

        `digest`: SHA-256 of the picture when it was on a board; "" for unknown.
        """
        self._pictures.append(path)
        number = len(self._pictures) - 1
        if digest:
            self._digests[number] = digest
        return number

    def _is_in_directory(self, path: Path) -> bool:
        """Return whether a file is in the gallery's directory, not by a link: names come from untrusted files."""
        return self._directory in path.parents and path.is_file() and path.resolve() == path

    async def _send_gallery(self, request: web.Request) -> web.Response:
        """Reply to the page with the directory's name, and its boards and pictures by day, as JSON."""
        return json_response({"directory": printable_path(str(self._directory)), "days": self._content})

    async def _send_picture(self, request: web.Request) -> web.Response:
        """Reply with the picture whose number is in the request's path; 404 if the file is no longer one."""
        content = await self._read_requested_picture(request)
        try:
            kind = await asyncio.to_thread(detect_media_type, content, "it")
        except FileFailed:
            raise web.HTTPNotFound(text="no picture any more") from None
        return picture_response(content, kind)

    async def _send_whether_changed(self, request: web.Request) -> web.Response:
        """Reply whether a picture's file has changed since it was on a board (JSON: true or false)."""
        content = await self._read_requested_picture(request)
        before = self._digests.get(int(request.match_info["number"]))
        return json_response(before is not None and hashlib.sha256(content).hexdigest() != before)

    async def _read_requested_picture(self, request: web.Request) -> bytes:
        """Read the picture whose number is in the request's path. Raises HTTPNotFound if its file is gone."""
        number = int(request.match_info["number"])
        if number >= len(self._pictures):
            raise web.HTTPNotFound(text="no such picture")
        try:
            return await asyncio.to_thread(read_limited, str(self._pictures[number]), MOST_BYTES)
        except (FileFailed, Refused):
            raise web.HTTPNotFound(text="no picture any more") from None


def _find_boards_and_pictures(directory: Path) -> tuple[list[tuple[Path, AnsweredBoard]], list[Path]]:
    """Find answered boards, as (path of the file, board), and all pictures, in a directory and below."""
    boards: list[tuple[Path, AnsweredBoard]] = []
    pictures: list[Path] = []
    for path in _walk_files(directory):
        if path.name.startswith("board-") and path.suffix == ".json" and len(boards) < MOST_BOARDS:
            board = _read_board(path)
            boards += [(path, board)] if board else []
        elif path.suffix.lower() in SUFFIXES and len(pictures) < MOST_PICTURES:
            pictures.append(path)
    return boards, pictures


def _walk_files(directory: Path) -> Iterator[Path]:
    """Yield regular files in a directory and below, sorted by name, without `.git` and `node_modules`."""
    looked_at = 0
    for folder, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if name not in ("node_modules", ".git"))
        for name in sorted(names):
            looked_at += 1
            if looked_at > MOST_FILES_VISITED:
                return
            path = Path(folder, name)
            if not path.is_symlink() and path.is_file():
                yield path


def _read_board(path: Path) -> AnsweredBoard | None:
    """Read the answered board in a file; None if it is unreadable, too large, or another kind of file."""
    try:
        return parse_answer_file(orjson.loads(read_limited(str(path), _MOST_DOCUMENT_BYTES)))
    except (FileFailed, Refused, orjson.JSONDecodeError):
        return None


def _resolve_beside(document: Path, file: str) -> Path:
    """Return the path of a file that the file `document` names relative to its own directory."""
    return Path(os.path.normpath(document.parent / file))


def _modification_day(path: Path) -> str:
    """Return the date of a file's last change in local time; "" if the file has gone."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime).astimezone().date().isoformat()
    except (OSError, ValueError, OverflowError):
        return ""


def _relative_name(path: Path, directory: Path) -> str:
    """Return a path as messages show it: relative to `directory`, in one line of 120 characters at most."""
    return one_line(printable_path(os.path.relpath(path, directory)), 120)


def _list_names(paths: Sequence[Path], directory: Path) -> str:
    """Return the first 20 paths relative to `directory`, joined by commas, and how many more there are."""
    listed = ", ".join(_relative_name(path, directory) for path in paths[:_MOST_LISTED])
    more = len(paths) - _MOST_LISTED
    return f"{listed} and {more} more" if more > 0 else listed
