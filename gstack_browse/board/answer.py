"""A person's answer on a board: read from the page's JSON, written as text and as JSON for a file. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast, get_args

from gstack_browse.text.sanitise import one_line, quote_text

Verdict = Literal["chosen", "more", "mix", "again"]
ASPECTS = ("layout", "colours", "type", "words")
"""What can be taken from one picture and combined with the rest of another."""
MOST_STARS = 5
MOST_COMMENT = 4000
_MOST_SHOWN = 1000


class Shown(NamedTuple):
    """A picture as the answer speaks of it. `file` is relative to where the answer is written."""

    label: str
    file: str
    width: int
    height: int
    digest: str


class Remark(NamedTuple):
    """The person's opinion of one picture. `stars`: 1 to 5, or 0 for none."""

    stars: int = 0
    comment: str = ""


class BoardQuestion(NamedTuple):
    """What was asked: the board's number, its title, when (ISO 8601), and the pictures."""

    number: int
    title: str
    asked: str
    pictures: Sequence[Shown]


class NotUnderstoodError(ValueError):
    """The page has sent something that is no answer to its board."""


@dataclass(frozen=True)
class BoardAnswer:
    """One answer. `chosen` and `more` are labels, or "" for none; `mix`: from which picture (label) each aspect is to be taken."""

    verdict: Verdict
    chosen: str = ""
    more: str = ""
    mix: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, Remark] = field(default_factory=dict)
    comment: str = ""

    def text(self, question: BoardQuestion, written: str = "") -> str:
        """The answer in lines: the verdict first, then the remarks on each picture, then those on all."""
        lines = [f"{self._verdict(question)} (board {question.number}{_titled(question.title)})"]
        if self.chosen and self.verdict != "chosen":
            lines.append(f"→ chosen so far: {_named(question, self.chosen)}")
        lines += [self._remark(picture) for picture in question.pictures]
        lines += [f"→ in all: {quote_text(self.comment, _MOST_SHOWN)}"] if self.comment else []
        lines += [f"→ written: {written}"] if written else []
        return "\n".join(lines)

    def as_sent(self) -> dict[str, object]:
        """The answer as a page sends one: what `answer_of` reads."""
        remarks = {label: remark._asdict() for label, remark in self.remarks.items()}
        return {
            "verdict": self.verdict,
            "chosen": self.chosen,
            "more": self.more,
            "mix": dict(self.mix),
            "remarks": remarks,
            "comment": self.comment,
        }

    def document(self, question: BoardQuestion, answered: str) -> dict[str, object]:
        """The answer for a JSON file."""
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
            "pictures": [self._document(picture) for picture in question.pictures],
        }

    def _document(self, picture: Shown) -> dict[str, object]:
        remark = self.remarks.get(picture.label, Remark())
        return {
            "label": picture.label,
            "file": picture.file,
            "width": picture.width,
            "height": picture.height,
            "sha256": picture.digest,
            "stars": remark.stars or None,
            "comment": remark.comment,
        }

    def _verdict(self, question: BoardQuestion) -> str:
        if self.verdict == "chosen":
            return f"Chosen: {_named(question, self.chosen)}"
        if self.verdict == "more":
            return f"More like: {_named(question, self.more)}"
        if self.verdict == "mix":
            parts = (f"{aspect} of {_named(question, label)}" for aspect, label in self.mix.items())
            return f"Mix: {', '.join(parts)}"
        return "Again: none of these"

    def _remark(self, picture: Shown) -> str:
        remark = self.remarks.get(picture.label, Remark())
        stars = f"{remark.stars}/{MOST_STARS} stars" if remark.stars else "no stars"
        said = f": {quote_text(remark.comment, _MOST_SHOWN)}" if remark.comment else ""
        return f"→ {picture.label} {one_line(picture.file, 120)} {stars}{said}"


def answer_of(sent: Mapping[str, object], labels: Sequence[str]) -> BoardAnswer:
    """The answer that a page has sent about pictures with these labels. Raises NotUnderstoodError."""
    answer = BoardAnswer(
        verdict=_verdict(sent.get("verdict")),
        chosen=_label(sent.get("chosen"), labels),
        more=_label(sent.get("more"), labels),
        mix=_mix(sent.get("mix"), labels),
        remarks=_remarks(sent.get("remarks"), labels),
        comment=_comment(sent.get("comment")),
    )
    needed: Mapping[str, object] = {
        "chosen": answer.chosen,
        "more": answer.more,
        "mix": answer.mix,
        "again": True,
    }
    if not needed[answer.verdict]:
        raise NotUnderstoodError
    return answer


def _verdict(found: object) -> Verdict:
    for verdict in get_args(Verdict):
        if found == verdict:
            return cast(Verdict, verdict)
    raise NotUnderstoodError


def _label(found: object, labels: Sequence[str]) -> str:
    if found in (None, ""):
        return ""
    if not isinstance(found, str) or found not in labels:
        raise NotUnderstoodError
    return found


def _mix(found: object, labels: Sequence[str]) -> dict[str, str]:
    """Aspect → label, in the order of the aspects."""
    if found is None:
        return {}
    if not isinstance(found, dict) or not found.keys() <= set(ASPECTS):
        raise NotUnderstoodError
    mix = {aspect: _label(found.get(aspect), labels) for aspect in ASPECTS}
    return {aspect: label for aspect, label in mix.items() if label}


def _remarks(found: object, labels: Sequence[str]) -> dict[str, Remark]:
    if found is None:
        return {}
    if not isinstance(found, dict) or not found.keys() <= set(labels):
        raise NotUnderstoodError
    return {label: _one_remark(found[label]) for label in labels if label in found}


def _one_remark(found: object) -> Remark:
    if not isinstance(found, dict):
        raise NotUnderstoodError
    stars = found.get("stars", 0)
    if not isinstance(stars, int) or isinstance(stars, bool) or not 0 <= stars <= MOST_STARS:
        raise NotUnderstoodError
    return Remark(stars, _comment(found.get("comment")))


def _comment(found: object) -> str:
    if found is None:
        return ""
    if not isinstance(found, str) or len(found) > MOST_COMMENT:
        raise NotUnderstoodError
    return found.strip()


def _named(question: BoardQuestion, label: str) -> str:
    """`B home-calm.png`."""
    file = next(picture.file for picture in question.pictures if picture.label == label)
    return f"{label} {one_line(file, 120)}"


def _titled(title: str) -> str:
    return f': "{title}"' if title else ""
