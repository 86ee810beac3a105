"""A board on its way from one daemon to the next: data, and the socket on which its page is served."""

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gstack_browse.board.answer import BoardAnswer, BoardQuestion, Shown, answer_of
from gstack_browse.board.pictures import BoardPicture
from gstack_browse.loopback.guard import PageSecrets


@dataclass
class BoardState:
    """The state of a board. Only an open board has `keys`, `listening` (its socket) and `pictures`."""

    asker: str
    question: BoardQuestion
    directory: Path
    """Where the answer is written."""
    answer: BoardAnswer | None = None
    file: str = ""
    """Where the answer was written."""
    problem: str = ""
    """Why the answer was not written."""
    is_told: bool = False
    was_opened: bool = False
    keys: PageSecrets | None = None
    listening: socket.socket | None = None
    pictures: Sequence[BoardPicture] = ()

    def as_dict(self) -> dict[str, Any]:
        """The state for JSON, without the socket and the contents of the pictures. It holds the page's secrets, so it must not be written to a file."""
        question = self.question._asdict() | {
            "pictures": [picture._asdict() for picture in self.question.pictures]
        }
        return {
            "asker": self.asker,
            "question": question,
            "directory": _word_of(self.directory),
            "answer": self.answer.as_sent() if self.answer else None,
            "file": _word_of(self.file),
            "problem": self.problem,
            "is_told": self.is_told,
            "was_opened": self.was_opened,
            "keys": list(self.keys) if self.keys else None,
            "pictures": [
                [
                    picture.label,
                    _word_of(picture.path),
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
        """The same board. `contents` are those of its pictures, one after the other."""
        question = fields["question"]
        shown = [Shown(**picture) for picture in question["pictures"]]
        answer, keys = fields["answer"], fields["keys"]
        return cls(
            asker=fields["asker"],
            question=BoardQuestion(**{**question, "pictures": shown}),
            directory=_path_of(fields["directory"]),
            answer=answer_of(answer, [picture.label for picture in shown]) if answer else None,
            file=str(_path_of(fields["file"])) if fields["file"] else "",
            problem=fields["problem"],
            is_told=fields["is_told"],
            was_opened=fields["was_opened"],
            keys=PageSecrets(*keys) if keys else None,
            listening=listening,
            pictures=_pictures(fields["pictures"], contents),
        )


def _pictures(fields: Sequence[Sequence[Any]], contents: bytes) -> tuple[BoardPicture, ...]:
    found, at = [], 0
    for label, path, kind, width, height, size in fields:
        found.append(BoardPicture(label, _path_of(path), contents[at : at + size], kind, width, height))
        at += size
    return tuple(found)


def _word_of(path: str | Path) -> str:
    """A path as text for JSON; a file's name may hold any bytes."""
    return os.fsencode(path).decode("latin-1")


def _path_of(word: str) -> Path:
    return Path(os.fsdecode(word.encode("latin-1")))
