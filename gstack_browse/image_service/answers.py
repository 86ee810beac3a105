"""Parses the answers of an image service: pictures, words about a picture, errors. Bytes in, values out; no I/O."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import orjson

from gstack_browse.errors import ServiceFailed
from gstack_browse.text.sanitise import one_line

LONGEST_WAIT = 60.0
"""Seconds that a service may ask us to wait; for longer we do not, and say so."""
_FIRST_WAIT = 1.0
NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")
"""Codes of OpenAI's: waiting does not help."""
DECLINED = ("moderation_blocked", "content_policy_violation")
"""Codes of OpenAI's: what was asked for is not drawn."""
_MOST_FINDINGS = 50
SEVERITIES = ("high", "medium", "low")


class PictureAt(NamedTuple):
    """A picture that lies at an address."""

    url: str


class PictureFinding(NamedTuple):
    """One fault in a picture."""

    severity: str
    where: str
    what: str


class PictureVerdict(NamedTuple):
    """A model's judgement of a picture. `findings` is None where the model did not answer in the form that was asked for."""

    words: str
    findings: Sequence[PictureFinding] | None


def fields_of(content: bytes) -> dict[str, Any]:
    """The JSON object of an answer. Raises ServiceFailed."""
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        begins = one_line(content[:400].decode(errors="replace"), 80)
        raise ServiceFailed(
            f"The image service did not answer in JSON but with {begins!r}",
            "Is that the address of the interface? 'design-service' shows it",
        )
    return found


def pictures_of(content: bytes) -> list[bytes | PictureAt]:
    """The pictures of an answer: their bytes, or their addresses. Raises ServiceFailed where there is none."""
    listed = fields_of(content).get("data")
    found = [
        picture
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, dict) and (picture := _picture(item))
    ]
    if not found:
        raise ServiceFailed("The image service answered without a picture", "Try again, or put it otherwise")
    return found


def _picture(item: Mapping[str, Any]) -> bytes | PictureAt | None:
    words, url = item.get("b64_json"), item.get("url")
    if isinstance(words, str):
        try:
            return base64.b64decode(words, validate=True)
        except binascii.Error:
            raise ServiceFailed("The image service sent a picture that is not base64", "Try again") from None
    return PictureAt(url) if isinstance(url, str) and url else None


def words_of(content: bytes) -> str:
    """What a model has said. Raises ServiceFailed."""
    choices = fields_of(content).get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    said = message.get("content") if isinstance(message, dict) else None
    if isinstance(said, list):  # in parts, as some services have it
        said = "".join(
            part["text"] for part in said if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    if not isinstance(said, str) or not said.strip():
        raise ServiceFailed(
            "The image service answered without words", "Has its model eyes? design-service --vision-model"
        )
    return said.strip()


def verdict_of(words: str) -> PictureVerdict:
    """A model's words as findings, where they are the JSON that was asked for."""
    inner = re.search(r"\{.*\}", words, re.DOTALL)
    try:
        found = orjson.loads(inner[0]) if inner else None
    except orjson.JSONDecodeError:
        found = None
    listed = found.get("findings") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(listed, list):
        return PictureVerdict(words, None)
    findings = [_finding(item) for item in listed[:_MOST_FINDINGS] if isinstance(item, dict)]
    findings.sort(key=lambda one: SEVERITIES.index(one.severity))
    return PictureVerdict(_said(found, "verdict"), findings)


def _finding(item: Mapping[str, Any]) -> PictureFinding:
    severity = _said(item, "severity").lower()
    return PictureFinding(
        severity if severity in SEVERITIES else "low", _said(item, "where"), _said(item, "what")
    )


def _said(item: Mapping[str, Any], key: str) -> str:
    words = item.get(key)
    return one_line(words, 300) if isinstance(words, str) else ""


def code_of(content: bytes) -> str:
    """The word by which a service names what went wrong; "" where it has none."""
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError:
        return ""
    error = found.get("error") if isinstance(found, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else ""


def complaint_of(content: bytes) -> str:
    """What a service says went wrong, on one line."""
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError:
        found = None
    for key in ("error", "message", "detail"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    return one_line(found if isinstance(found, str) else content[:1000].decode(errors="replace"), 300)


def wait_of(header: str | None, attempt: int, now: datetime | None = None) -> float:
    """How many seconds to wait before the next attempt: as `Retry-After` says (RFC 9110, 10.2.3), else longer each time."""
    if header is None:
        return float(_FIRST_WAIT * 2**attempt)
    if re.fullmatch(r"\s*[0-9]{1,9}\s*", header):
        return float(header)
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return float(_FIRST_WAIT * 2**attempt)
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max((at - (now or datetime.now(UTC))).total_seconds(), 0.0)
