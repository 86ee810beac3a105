"""The gallery: every board of a directory with its answer, and the pictures that are on none, by day."""

import asyncio
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import orjson
from aiohttp import web

from gstack_browse.board.documents import Answered, answered
from gstack_browse.board.pictures import MOST_BYTES, picture_kind
from gstack_browse.board.serving import picture_response
from gstack_browse.errors import FileFailed, Refused
from gstack_browse.files import opened
from gstack_browse.loopback.guard import Guard
from gstack_browse.loopback.server import LoopbackPage, as_json
from gstack_browse.text.columns import counted
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import shown

COMMAND = "board-gallery"
OPEN_SECONDS = 600.0
MOST_BOARDS = 200
MOST_PICTURES = 1000
MOST_FILES_LOOKED_AT = 50_000
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".avif", ".svg")
_MOST_DOCUMENT_BYTES = 1_000_000
_MOST_LISTED = 20


@dataclass
class Day:
    """The boards of one day, the latest first, and the pictures of that day that no board has shown."""

    name: str
    boards: list[tuple[Path, Answered]] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)


def days_of(directory: Path) -> list[Day]:
    """The days of the boards and pictures in a directory or below, the latest first. Links are not followed."""
    days: dict[str, Day] = {}
    boards, pictures = _found(directory)
    on_boards: set[Path] = set()
    for path, board in sorted(boards, key=lambda item: item[1].asked, reverse=True):
        day = board.asked.astimezone().date().isoformat()
        days.setdefault(day, Day(day)).boards.append((path, board))
        on_boards |= {_beside(path, picture.file) for picture in board.question.pictures}
    for picture in pictures:
        if picture not in on_boards:
            day = _day_of(picture)
            days.setdefault(day, Day(day)).others.append(picture)
    return sorted((day for day in days.values() if day.name), key=lambda day: day.name, reverse=True)


def told(days: Sequence[Day], directory: Path) -> list[str]:
    """The gallery in lines: days, boards with their answers, and the names of the other pictures."""
    lines: list[str] = []
    left = _MOST_LISTED
    for day in days:
        lines.append(day.name)
        for path, board in day.boards[: max(left, 0)]:
            first, *rest = board.answer.text(board.question).splitlines()
            lines += [
                f"  {one_line(_relative(path, directory), 120)}: {first}",
                *(f"    {line}" for line in rest),
            ]
        if more := len(day.boards) - max(left, 0):
            lines += [f"  … {counted(more, 'more board')}"] if more > 0 else []
        left -= len(day.boards)
        lines += [f"  on no board: {_names(day.others, directory)}"] if day.others else []
    return lines


class Gallery:
    """The page with a directory's pictures, as they were found when it was made."""

    def __init__(self, directory: Path, days: Sequence[Day]) -> None:
        self._directory = directory
        self._pictures: list[Path] = []
        """What may be looked at, by number."""
        self._digests: dict[int, str] = {}
        """SHA-256 of those that were on a board, as they were then."""
        self._content = [self._day(day) for day in days]
        self.page = LoopbackPage(
            "gstack_browse.board",
            ("gallery.css", "gallery.js"),
            [
                web.get("gallery", self._show),
                web.get("picture/{number:[0-9]{1,5}}", self._show_picture),
                web.get("changed/{number:[0-9]{1,5}}", self._show_whether_changed),
            ],
            index="gallery.html",
            guard=Guard("gallery", COMMAND),
            seconds=OPEN_SECONDS,
            closed=lambda: None,
            seen=lambda is_there: None,
        )

    def _day(self, day: Day) -> dict[str, object]:
        others = [
            {"name": _relative(path, self._directory), "number": self._numbered(path)} for path in day.others
        ]
        return {"day": day.name, "boards": [self._board(*item) for item in day.boards], "others": others}

    def _board(self, path: Path, board: Answered) -> dict[str, object]:
        question, answer = board.question, board.answer
        verdict = answer.text(question).partition("\n")[0].rpartition(" (board ")[0]
        pictures = []
        for picture in question.pictures:
            remark = answer.remarks.get(picture.label)
            file = _beside(path, picture.file)
            pictures.append(
                {
                    "label": picture.label,
                    "name": one_line(picture.file, 120),
                    "number": self._numbered(file, picture.digest) if self._is_ours(file) else None,
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

    def _numbered(self, path: Path, digest: str = "") -> int:
        self._pictures.append(path)
        number = len(self._pictures) - 1
        if digest:
            self._digests[number] = digest
        return number

    def _is_ours(self, path: Path) -> bool:
        """Whether a file that an answer names lies in the directory: the content of such a file is hostile."""
        return self._directory in path.parents and path.is_file() and path.resolve() == path

    async def _show(self, request: web.Request) -> web.Response:
        return as_json({"directory": shown(str(self._directory)), "days": self._content})

    async def _show_picture(self, request: web.Request) -> web.Response:
        content = await self._content_of(request)
        try:
            kind = await asyncio.to_thread(picture_kind, content, "it")
        except FileFailed:
            raise web.HTTPNotFound(text="no picture any more") from None
        return picture_response(content, kind)

    async def _show_whether_changed(self, request: web.Request) -> web.Response:
        """Answer whether a picture's file has changed since it was on a board."""
        content = await self._content_of(request)
        before = self._digests.get(int(request.match_info["number"]))
        return as_json(before is not None and hashlib.sha256(content).hexdigest() != before)

    async def _content_of(self, request: web.Request) -> bytes:
        number = int(request.match_info["number"])
        if number >= len(self._pictures):
            raise web.HTTPNotFound(text="no such picture")
        try:
            return await asyncio.to_thread(_read, self._pictures[number])
        except (FileFailed, Refused):
            raise web.HTTPNotFound(text="no picture any more") from None


def _found(directory: Path) -> tuple[list[tuple[Path, Answered]], list[Path]]:
    boards: list[tuple[Path, Answered]] = []
    pictures: list[Path] = []
    for path in _files(directory):
        if path.name.startswith("board-") and path.suffix == ".json" and len(boards) < MOST_BOARDS:
            board = _board_in(path)
            boards += [(path, board)] if board else []
        elif path.suffix.lower() in SUFFIXES and len(pictures) < MOST_PICTURES:
            pictures.append(path)
    return boards, pictures


def _files(directory: Path) -> Iterator[Path]:
    """Regular files in a directory and below, in order."""
    looked_at = 0
    for folder, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if name not in ("node_modules", ".git"))
        for name in sorted(names):
            looked_at += 1
            if looked_at > MOST_FILES_LOOKED_AT:
                return
            path = Path(folder, name)
            if not path.is_symlink() and path.is_file():
                yield path


def _board_in(path: Path) -> Answered | None:
    try:
        with opened(str(path)) as file:
            content = file.read(_MOST_DOCUMENT_BYTES + 1)
        return answered(orjson.loads(content)) if len(content) <= _MOST_DOCUMENT_BYTES else None
    except (FileFailed, Refused, orjson.JSONDecodeError):
        return None


def _read(path: Path) -> bytes:
    with opened(str(path)) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise FileFailed(f"{shown(path.name)} is too large")
    return content


def _beside(document: Path, file: str) -> Path:
    return Path(os.path.normpath(document.parent / file))


def _day_of(path: Path) -> str:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime).astimezone().date().isoformat()
    except (OSError, ValueError, OverflowError):
        return ""  # it has gone meanwhile


def _relative(path: Path, directory: Path) -> str:
    return one_line(shown(os.path.relpath(path, directory)), 120)


def _names(paths: Sequence[Path], directory: Path) -> str:
    listed = ", ".join(_relative(path, directory) for path in paths[:_MOST_LISTED])
    more = len(paths) - _MOST_LISTED
    return f"{listed} and {more} more" if more > 0 else listed
