"""A person's answer on a board: parsed from the page's JSON, rendered as text and as JSON. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast, get_args

from gstack_browse.text.sanitise import one_line, quote_text

Verdict = Literal["chosen", "more", "mix", "again"]
ASPECTS = ("layout", "colours", "type", "words")
"""The aspects of a picture that a person can combine from several pictures (verdict "mix")."""
MOST_STARS = 5
MOST_COMMENT = 4000
_MOST_PRINTED_CHARS = 1000


class PictureInfo(NamedTuple):
    """A picture on a board, without its content.

    `file` is relative to the directory of the answer's file; `digest` is the SHA-256 in hexadecimal.
    """

    label: str
    file: str
    width: int
    height: int
    digest: str


class PictureRemark(NamedTuple):
    """The person's opinion of one picture. `stars`: 1 to 5, or 0 for none."""

    stars: int = 0
    comment: str = ""


class BoardQuestion(NamedTuple):
    """The question that a board asks: its number and title, the time (ISO 8601), and the pictures."""

    number: int
    title: str
    asked: str
    pictures: Sequence[PictureInfo]


class InvalidAnswer(ValueError):
    """The page has sent something that is not an answer to its board."""


@dataclass(frozen=True)
class BoardAnswer:
    """A person's answer on a board.

    `chosen` and `more` are labels of pictures, or "" for none; `mix` maps an aspect to the label of the picture
    to take it from.
    """

    verdict: Verdict
    chosen: str = ""
    more: str = ""
    mix: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, PictureRemark] = field(default_factory=dict)
    comment: str = ""

    def render_text(self, question: BoardQuestion, written: str = "") -> str:
        """Render the answer as lines: the verdict, the remark on each picture, then the comment on all.

        `written`: the path of the file with the answer, or "".
        """
        title = f': "{question.title}"' if question.title else ""
        lines = [f"{self._render_verdict(question)} (board {question.number}{title})"]
        if self.chosen and self.verdict != "chosen":
            lines.append(f"→ chosen so far: {_label_with_file(question, self.chosen)}")
        lines += [self._render_remark(picture) for picture in question.pictures]
        lines += [f"→ in all: {quote_text(self.comment, _MOST_PRINTED_CHARS)}"] if self.comment else []
        lines += [f"→ written: {written}"] if written else []
        return "\n".join(lines)

    def to_page_json(self) -> dict[str, object]:
        """Return the answer in the JSON form in which the board's page sends it; see `parse_answer`."""
        remarks = {label: remark._asdict() for label, remark in self.remarks.items()}
        return {
            "verdict": self.verdict,
            "chosen": self.chosen,
            "more": self.more,
            "mix": dict(self.mix),
            "remarks": remarks,
            "comment": self.comment,
        }

    def to_file_json(self, question: BoardQuestion, answered: str) -> dict[str, object]:
        """Return question and answer as JSON for the answer's file. `answered`: when, as text (ISO 8601)."""
        return {
            "board": question.number,
            "title": question.title,
            "asked": question.asked,
            "answered": answered,
            "verdict": self.verdict,
            "chosen": self.chosen or None,
            "more_like": self.more or None,
            "mix": dict(self.mix) or None,
            "comment": self.comment,
            "pictures": [self._picture_to_json(picture) for picture in question.pictures],
        }

    def _picture_to_json(self, picture: PictureInfo) -> dict[str, object]:
        """Return a picture with the person's remark on it, as JSON for the answer's file."""
        remark = self.remarks.get(picture.label, PictureRemark())
        return {
            "label": picture.label,
            "file": picture.file,
            "width": picture.width,
            "height": picture.height,
            "sha256": picture.digest,
            "stars": remark.stars or None,
            "comment": remark.comment,
        }

    def _render_verdict(self, question: BoardQuestion) -> str:
        """Return the verdict as text, such as `Chosen: B home-calm.png`."""
        if self.verdict == "chosen":
            return f"Chosen: {_label_with_file(question, self.chosen)}"
        if self.verdict == "more":
            return f"More like: {_label_with_file(question, self.more)}"
        if self.verdict == "mix":
            parts = (f"{aspect} of {_label_with_file(question, label)}" for aspect, label in self.mix.items())
            return f"Mix: {', '.join(parts)}"
        return "Again: none of these"

    def _render_remark(self, picture: PictureInfo) -> str:
        """Return the remark on one picture as a line: `→ B home-calm.png 4/5 stars: "…"`."""
        remark = self.remarks.get(picture.label, PictureRemark())
        stars = f"{remark.stars}/{MOST_STARS} stars" if remark.stars else "no stars"
        comment = f": {quote_text(remark.comment, _MOST_PRINTED_CHARS)}" if remark.comment else ""
        return f"→ {picture.label} {one_line(picture.file, 120)} {stars}{comment}"


def parse_answer(sent: Mapping[str, object], labels: Sequence[str]) -> BoardAnswer:
    """Convert the JSON that a board's page sent (`sent`) to an answer. `labels`: of the board's pictures.

    Raises InvalidAnswer for unknown fields, labels or verdicts, and for a verdict without the field that it needs.
    """
    if sent.get("verdict") not in get_args(Verdict):
        raise InvalidAnswer
    answer = BoardAnswer(
        verdict=cast(Verdict, sent["verdict"]),
        chosen=_parse_label(sent.get("chosen"), labels),
        more=_parse_label(sent.get("more"), labels),
        mix=_parse_mix(sent.get("mix"), labels),
        remarks=_parse_remarks(sent.get("remarks"), labels),
        comment=_parse_comment(sent.get("comment")),
    )
    needed: Mapping[str, object] = {
        "chosen": answer.chosen,
        "more": answer.more,
        "mix": answer.mix,
        "again": True,
    }
    if not needed[answer.verdict]:
        raise InvalidAnswer
    return answer


def _parse_label(found: object, labels: Sequence[str]) -> str:
    """Return `found` if it is one of `labels` or "" (none). Raises InvalidAnswer otherwise."""
    if found in (None, ""):
        return ""
    if not isinstance(found, str) or found not in labels:
        raise InvalidAnswer
    return found


def _parse_mix(found: object, labels: Sequence[str]) -> dict[str, str]:
    """Convert the JSON of `mix`: aspect (such as colours) → label of the picture to take it from.

    Raises InvalidAnswer.
    """
    if found is None:
        return {}
    if not isinstance(found, dict) or not found.keys() <= set(ASPECTS):
        raise InvalidAnswer
    mix = {aspect: _parse_label(found.get(aspect), labels) for aspect in ASPECTS}
    return {aspect: label for aspect, label in mix.items() if label}


def _parse_remarks(found: object, labels: Sequence[str]) -> dict[str, PictureRemark]:
    """Convert the JSON of `remarks`: picture's label → remark, in `labels`' order. Raises InvalidAnswer."""
    if found is None:
        return {}
    if not isinstance(found, dict) or not found.keys() <= set(labels):
        raise InvalidAnswer
    return {label: _parse_remark(found[label]) for label in labels if label in found}


def _parse_remark(found: object) -> PictureRemark:
    """Convert the JSON of a remark on one picture: stars (0 to 5) and comment. Raises InvalidAnswer."""
    if not isinstance(found, dict):
        raise InvalidAnswer
    stars = found.get("stars", 0)
    if not isinstance(stars, int) or isinstance(stars, bool) or not 0 <= stars <= MOST_STARS:
        raise InvalidAnswer
    return PictureRemark(stars, _parse_comment(found.get("comment")))


def _parse_comment(found: object) -> str:
    """Return a comment without surrounding white space.

    Raises InvalidAnswer above MOST_COMMENT characters.
    """
    if found is None:
        return ""
    if not isinstance(found, str) or len(found) > MOST_COMMENT:
        raise InvalidAnswer
    return found.strip()


def _label_with_file(question: BoardQuestion, label: str) -> str:
    """Return a picture's label with the name of its file, such as `B home-calm.png`."""
    file = next(picture.file for picture in question.pictures if picture.label == label)
    return f"{label} {one_line(file, 120)}"
