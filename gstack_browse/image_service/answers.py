"""Parse responses of an image service: pictures, judgements, errors. Pure."""

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
"""Limit in seconds of a wait that a service asks for; beyond it the command fails."""
_FIRST_WAIT = 1.0
NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")
"""OpenAI's error codes for an account without credit: waiting does not help."""
DECLINED = ("moderation_blocked", "content_policy_violation")
"""OpenAI's error codes for refused content."""
_MOST_FINDINGS = 50
SEVERITIES = ("high", "medium", "low")


class PictureUrl(NamedTuple):
    """A picture that must be downloaded."""

    url: str


class PictureFinding(NamedTuple):
    """A fault in a picture."""

    severity: str
    where: str
    what: str


class PictureVerdict(NamedTuple):
    """A model's judgement of a picture. `findings` None: the response was not in the requested form."""

    words: str
    findings: Sequence[PictureFinding] | None


def parse_object(content: bytes) -> dict[str, Any]:
    """Parse a response as a JSON object. Raises ServiceFailed."""
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


def parse_pictures(content: bytes) -> list[bytes | PictureUrl]:
    """Return the pictures of a response, as bytes or URLs. Raises ServiceFailed without any."""
    listed = parse_object(content).get("data")
    found = [
        picture
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, dict) and (picture := _parse_picture(item))
    ]
    if not found:
        raise ServiceFailed("The image service answered without a picture", "Try again, or put it otherwise")
    return found


def _parse_picture(item: Mapping[str, Any]) -> bytes | PictureUrl | None:
    words, url = item.get("b64_json"), item.get("url")
    if isinstance(words, str):
        try:
            return base64.b64decode(words, validate=True)
        except binascii.Error:
            raise ServiceFailed("The image service sent a picture that is not base64", "Try again") from None
    return PictureUrl(url) if isinstance(url, str) and url else None


def parse_chat_text(content: bytes) -> str:
    """Return the text of a chat completion. Raises ServiceFailed without one."""
    choices = parse_object(content).get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    said = message.get("content") if isinstance(message, dict) else None
    if isinstance(said, list):  # some services split it into parts
        said = "".join(
            part["text"] for part in said if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    if not isinstance(said, str) or not said.strip():
        raise ServiceFailed(
            "The image service answered without words", "Has its model eyes? design-service --vision-model"
        )
    return said.strip()


def parse_verdict(words: str) -> PictureVerdict:
    """Parse a model's text as the requested JSON of findings."""
    inner = re.search(r"\{.*\}", words, re.DOTALL)
    try:
        found = orjson.loads(inner[0]) if inner else None
    except orjson.JSONDecodeError:
        found = None
    listed = found.get("findings") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(listed, list):
        return PictureVerdict(words, None)
    findings = [_parse_finding(item) for item in listed[:_MOST_FINDINGS] if isinstance(item, dict)]
    findings.sort(key=lambda one: SEVERITIES.index(one.severity))
    return PictureVerdict(_text_field(found, "verdict"), findings)


def _parse_finding(item: Mapping[str, Any]) -> PictureFinding:
    severity = _text_field(item, "severity").lower()
    return PictureFinding(
        severity if severity in SEVERITIES else "low", _text_field(item, "where"), _text_field(item, "what")
    )


def _text_field(item: Mapping[str, Any], key: str) -> str:
    words = item.get(key)
    return one_line(words, 300) if isinstance(words, str) else ""


def parse_error_code(content: bytes) -> str:
    """Return the error code of a response; "" without one."""
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError:
        return ""
    error = found.get("error") if isinstance(found, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else ""


def parse_error_message(content: bytes) -> str:
    """Return the error message of a response, on one line."""
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError:
        found = None
    for key in ("error", "message", "detail"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    return one_line(found if isinstance(found, str) else content[:1000].decode(errors="replace"), 300)


def retry_seconds(header: str | None, attempt: int, now: datetime | None = None) -> float:
    """Return the seconds to wait before the next attempt, by `Retry-After` (RFC 9110, 10.2.3) or doubling."""
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
