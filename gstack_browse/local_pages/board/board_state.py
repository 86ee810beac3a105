"""The state of a board that one daemon hands to the next: data, and the socket of its page."""

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gstack_browse.local_pages.board.answer import BoardAnswer, BoardQuestion, PictureInfo, parse_answer
from gstack_browse.local_pages.board.pictures import BoardPicture
from gstack_browse.local_pages.loopback.server import PageSecrets


@dataclass
class BoardState:
    """The state of a board. Only an open board has `keys`, `listening` (its socket) and `pictures`."""

    asker: str
    question: BoardQuestion
    directory: Path
    """The directory for the answer's file."""
    answer: BoardAnswer | None = None
    file: str = ""
    """Path of the answer's file, or ""."""
    problem: str = ""
    """Why the answer could not be written, or ""."""
    is_reported: bool = False
    was_opened: bool = False
    keys: PageSecrets | None = None
    listening: socket.socket | None = None
    pictures: Sequence[BoardPicture] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the state as JSON, without the socket and the contents of the pictures.

        It holds the page's secrets, so it must not be written to a file.
        """
        question = self.question._asdict() | {
            "pictures": [picture._asdict() for picture in self.question.pictures]
        }
        return {
            "asker": self.asker,
            "question": question,
            "directory": _encode_path(self.directory),
            "answer": self.answer.to_page_json() if self.answer else None,
            "file": _encode_path(self.file),
            "problem": self.problem,
            "is_told": self.is_reported,
            "was_opened": self.was_opened,
            "keys": list(self.keys) if self.keys else None,
            "pictures": [
                [
                    picture.label,
                    _encode_path(picture.path),
                    picture.kind,
                    picture.width,
                    picture.height,
                    len(picture.content),
                ]
                for picture in self.pictures
            ],
        }

    @classmethod
    def from_dict(
        cls, fields: Mapping[str, Any], listening: socket.socket | None, contents: bytes
    ) -> "BoardState":
        """Restore a state from JSON, the page's socket, and the pictures' contents, concatenated in order."""
        question = fields["question"]
        shown = [PictureInfo(**picture) for picture in question["pictures"]]
        answer, keys = fields["answer"], fields["keys"]
        return cls(
            asker=fields["asker"],
            question=BoardQuestion(**{**question, "pictures": shown}),
            directory=_decode_path(fields["directory"]),
            answer=parse_answer(answer, [picture.label for picture in shown]) if answer else None,
            file=str(_decode_path(fields["file"])) if fields["file"] else "",
            problem=fields["problem"],
            is_reported=fields["is_told"],
            was_opened=fields["was_opened"],
            keys=PageSecrets(*keys) if keys else None,
            listening=listening,
            pictures=_split_pictures(fields["pictures"], contents),
        )


def _split_pictures(fields: Sequence[Sequence[Any]], contents: bytes) -> tuple[BoardPicture, ...]:
    """Cut the concatenated contents into pictures by the sizes in `fields`."""
    found, at = [], 0
    for label, path, kind, width, height, size in fields:
        found.append(BoardPicture(label, _decode_path(path), contents[at : at + size], kind, width, height))
        at += size
    return tuple(found)


def _encode_path(path: str | Path) -> str:
    """Return a path as text for JSON; a file's name may hold any bytes."""
    return os.fsencode(path).decode("latin-1")


def _decode_path(word: str) -> Path:
    """Restore a path from the text that `_encode_path` made."""
    return Path(os.fsdecode(word.encode("latin-1")))
