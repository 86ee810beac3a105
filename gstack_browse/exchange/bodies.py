"""Decode bodies of requests and responses to text, and hide their secrets. Pure."""

import re
from urllib.parse import parse_qsl, urlencode

from gstack_browse.text.redact import REDACTED
from gstack_browse.text.secrets import hide_value

_FORM = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"
_TEXT = re.compile(
    r"text/.*|application/(?:.*\+)?(?:json|xml|javascript|x-javascript|ecmascript|x-ndjson|graphql|manifest)|"
    r"application/x-www-form-urlencoded|multipart/form-data|image/svg\+xml|"
)
_PART = re.compile(r'(\bname="([^"\r\n]*)"(?:\r\n[^\r\n]+)*\r\n\r\n)(.*?)(?=\r\n--)', re.DOTALL)


def decode_body(body: bytes, media_type: str, charset: str = "") -> str | None:
    """Return a body as text; None if it is not text."""
    if not _TEXT.fullmatch(media_type) and not _is_text(body):
        return None
    try:
        return body.decode(charset or "utf-8")
    except (UnicodeDecodeError, LookupError):
        return None if b"\0" in body[:1000] else body.decode("utf-8", "replace")


def _is_text(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in body


def hide_body_secrets(text: str, media_type: str) -> str:
    """Hide values that are secrets by their names (in forms and JSON) or by their form."""
    if media_type == _FORM:
        return _hide_form_secrets(text)
    if media_type == _MULTIPART:
        return _PART.sub(lambda part: part[1] + hide_value(part[2], part[3]), text)
    return hide_value("", text) if text[:1] in "{[" else text


def _hide_form_secrets(text: str) -> str:
    """Hide the secret values of an URL-encoded form; an unchanged text keeps its spelling."""
    pairs = parse_qsl(text, keep_blank_values=True)
    shown = [(name, hide_value(name, value)) for name, value in pairs]
    return text if shown == pairs else urlencode(shown).replace(urlencode({"": REDACTED})[1:], REDACTED)


def encode_body(text: str, charset: str) -> bytes:
    """Encode a text that Chromium decoded: to the original bytes if the charset is known."""
    try:
        return text.encode(charset or "utf-8", "surrogatepass")
    except (UnicodeEncodeError, LookupError):
        return text.encode("utf-8", "surrogatepass")
