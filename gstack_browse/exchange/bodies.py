"""Bodies of requests and answers as text: decoded, and without what is secret by its name or its looks. Pure."""

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


def text_of(body: bytes, media_type: str, charset: str = "") -> str | None:
    """A body as text; None for a body that is not text."""
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


def without_secrets(text: str, media_type: str) -> str:
    """The text without values that are secrets by their names, in forms and JSON, or by their form."""
    if media_type == _FORM:
        return _form(text)
    if media_type == _MULTIPART:
        return _PART.sub(lambda part: part[1] + hide_value(part[2], part[3]), text)
    return hide_value("", text) if text[:1] in "{[" else text


def _form(text: str) -> str:
    pairs = parse_qsl(text, keep_blank_values=True)
    shown = [(name, hide_value(name, value)) for name, value in pairs]
    return text if shown == pairs else urlencode(shown).replace(urlencode({"": REDACTED})[1:], REDACTED)


def encoded(text: str, charset: str) -> bytes:
    """The bytes of a text that Chromium has decoded: as they came, where the page's charset says how."""
    try:
        return text.encode(charset or "utf-8", "surrogatepass")
    except (UnicodeEncodeError, LookupError):
        return text.encode("utf-8", "surrogatepass")
