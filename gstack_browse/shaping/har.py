"""Reads HTTP Archives (HAR 1.2): what was asked for, and what the answer was. What has another form is left out, never guessed.

The file may be anybody's: each value is looked at before it is used.
"""

import re
from base64 import b64decode
from binascii import Error as BinasciiError
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

MOST_ENTRIES = 20_000
MOST_HEADERS = 200
"""Of a request or an answer."""
NOT_MODIFIED = 304
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}\Z")
_FORBIDDEN_IN_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_OF_TRANSPORT = frozenset(
    {"content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive", "cache-control"}
)
"""Headers that are about how an answer came, which it does not come again; and how long it may be kept, which is not at all."""
_ZIP = b"PK\x03\x04"


class NoArchive(Exception):
    """That is no HTTP archive; the text completes "<file> …"."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A request and its answer. `asked`: the request's headers, names in small letters. `post`: what was sent, None where that is not known."""

    method: str
    url: str
    asked: dict[str, str]
    post: str | None
    status: int
    """0 where the request failed."""
    headers: Sequence[tuple[str, str]]
    text: str
    is_base64: bool = False
    file: str = ""
    """The name of the file beside the archive that has the body."""
    has_body: bool = True
    """Whether the archive has what the answer's body was."""

    def body(self) -> bytes:
        """What the archive has of the body."""
        if not self.is_base64:
            return self.text.encode("utf-8", "surrogatepass")
        try:
            return b64decode(self.text)
        except (BinasciiError, ValueError):
            return b""


@dataclass(frozen=True, slots=True)
class Archive:
    """`left_out`: entries that are no answers over HTTP. `bodiless`: answers whose body is not in the file."""

    answers: Sequence[RecordedAnswer]
    left_out: int

    @property
    def bodiless(self) -> int:
        return sum(not answer.has_body for answer in self.answers)


def archive(content: bytes) -> Archive:
    """What a file has recorded. Raises NoArchive."""
    if content.startswith(_ZIP):
        raise NoArchive("is a zip file: unpack it, and give the .har file in it")
    try:
        found = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise NoArchive(f"is no JSON: {error}") from None
    entries = _of(_of(found, dict).get("log"), dict).get("entries")
    if not isinstance(entries, list):
        raise NoArchive("is no HTTP archive: it has no log.entries")
    if len(entries) > MOST_ENTRIES:
        raise NoArchive(f"has more than {MOST_ENTRIES:,} entries")
    answers = [answer for entry in entries if (answer := _answer(_of(entry, dict)))]
    if not answers:
        raise NoArchive("has no answer to replay")
    return Archive(answers, len(entries) - len(answers))


def _of(value: Any, kind: type) -> Any:
    """The value where it is of that kind, else an empty one."""
    return value if isinstance(value, kind) else kind()


def _answer(entry: dict[str, Any]) -> RecordedAnswer | None:
    request, response = _of(entry.get("request"), dict), _of(entry.get("response"), dict)
    method, url = request.get("method"), plain_url(_of(request.get("url"), str))
    if not (isinstance(method, str) and url.startswith(("http://", "https://"))):
        return None
    status = response.get("status", "")
    if not isinstance(status, int):
        return None
    has_failed = bool(response.get("_error")) or status in (0, -1)
    if not has_failed and not 200 <= status <= 599:
        return None
    content = _of(response.get("content"), dict)
    text, file = content.get("text"), _file(content)
    has_body = isinstance(text, str) or bool(file)
    if status == NOT_MODIFIED and not has_body:
        return None
    return RecordedAnswer(
        method.upper(),
        url,
        {name.lower(): _FORBIDDEN_IN_VALUE.sub(" ", value) for name, value in _pairs(request.get("headers"))},
        _post(request),
        0 if has_failed else 200 if status == NOT_MODIFIED else status,
        list(_answered_headers(response, content, is_text=content.get("encoding") != "base64")),
        _of(text, str),
        content.get("encoding") == "base64",
        file,
        has_body or not _is_missed(response, content),
    )


def plain_url(url: str) -> str:
    """An address as Chromium asks for it: without its fragment, with a path."""
    url = url.partition("#")[0]
    return f"{url}/" if re.match(r"https?://[^/?]+\Z", url) else url


def _is_missed(response: dict[str, Any], content: dict[str, Any]) -> bool:
    """Whether an answer had a body that is not there."""
    sizes = (content.get("size"), response.get("bodySize"))
    return any(isinstance(size, int | float) and size > 0 for size in sizes)


def _file(content: dict[str, Any]) -> str:
    """Playwright writes bodies into files beside the archive. A name only: no path leads out of its directory."""
    name = _of(content.get("_file"), str)
    return name if re.match(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}\Z", name) else ""


def _post(request: dict[str, Any]) -> str | None:
    """What was sent; None where there was nothing, or nothing was kept of it."""
    text = _of(request.get("postData"), dict).get("text")
    return text if isinstance(text, str) and text else None


def _pairs(found: Any) -> Iterator[tuple[str, str]]:
    for item in _of(found, list)[:MOST_HEADERS]:
        name, value = _of(item, dict).get("name"), _of(item, dict).get("value")
        if isinstance(name, str) and isinstance(value, str) and _NAME.match(name):
            yield name, value


def _answered_headers(
    response: dict[str, Any], content: dict[str, Any], *, is_text: bool
) -> Iterator[tuple[str, str]]:
    """The headers of an answer as it is given again: unpacked, in UTF-8 where it was text, and not to be kept."""
    has_type = False
    for name, values in _pairs(response.get("headers")):
        if name.lower() in _OF_TRANSPORT:
            continue
        for value in values.split("\n"):  # as Chromium joins several of one name
            is_type = name.lower() == "content-type"
            has_type = has_type or is_type
            yield name, _FORBIDDEN_IN_VALUE.sub(" ", _in_utf8(value) if is_type and is_text else value)
    kind = _of(content.get("mimeType"), str)
    if not has_type and kind and kind != "x-unknown":
        yield "Content-Type", _FORBIDDEN_IN_VALUE.sub(" ", _in_utf8(kind) if is_text else kind)
    location = _of(response.get("redirectURL"), str)
    if location and not any(name.lower() == "location" for name, _ in _pairs(response.get("headers"))):
        yield "Location", _FORBIDDEN_IN_VALUE.sub(" ", location)
    yield "Cache-Control", "no-store"


def _in_utf8(kind: str) -> str:
    """A content type whose text is written in UTF-8 now, whatever it was in."""
    plain = kind.split(";")[0].strip()
    return f"{plain}; charset=utf-8" if plain.startswith("text/") or "charset" in kind.lower() else kind
