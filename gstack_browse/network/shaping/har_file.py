"""Parse HTTP Archives (HAR 1.2), which are untrusted, in a process of its own.

The file comes on standard input, responses go to standard output.

Each value is checked, odd entries are left out. A file of 100 MB may have a hundred million values, which take gigabytes,
and seconds in which a daemon would not answer. The output has a dozen values for each response.
"""

import gc
import os
import re
import resource
import sys
from base64 import b64decode
from binascii import Error as BinasciiError
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

MOST_ENTRIES = 20_000
MOST_HEADERS = 200
"""Limit of headers of a request or response."""
NOT_MODIFIED = 304
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}\Z")
_FILE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}\Z")
"""A plain name of a body's file beside the archive."""
_FORBIDDEN_IN_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_DROPPED_HEADERS = frozenset(
    {"content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive", "cache-control"}
)
"""Headers about the transfer, which is not repeated, and about caching, which must not happen."""
_ZIP = b"PK\x03\x04"


class InvalidHar(Exception):
    """The file is not an HTTP archive; the text completes "<file> …"."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A recorded request with its response.

    `request_headers`: the request's headers, names in lower case. `post`: its body, None if unknown.
    """

    method: str
    url: str
    request_headers: dict[str, str]
    post: str | None
    status: int
    """0 if the request failed."""
    headers: Sequence[tuple[str, str]]
    text: str
    is_base64: bool = False
    file: str = ""
    """Name of the file beside the archive with the body, or ""."""
    has_body: bool = True
    """Whether the archive has the response's body."""

    def decode_body(self) -> bytes:
        """Return the response's body as bytes; b"" if the archive lacks it."""
        if not self.is_base64:
            return self.text.encode("utf-8", "surrogatepass")
        try:
            return b64decode(self.text)
        except (BinasciiError, ValueError):
            return b""


@dataclass(frozen=True, slots=True)
class Archive:
    """The responses of a file. `left_out`: the number of entries that are not HTTP responses."""

    answers: Sequence[RecordedAnswer]
    left_out: int

    @property
    def bodiless(self) -> int:
        """Return how many responses lack the body that they should have."""
        return sum(not answer.has_body for answer in self.answers)


def parse_har(content: bytes) -> Archive:
    """Parse the content of a HAR file. Raises InvalidHar, also for one without responses to replay."""
    if content.startswith(_ZIP):
        raise InvalidHar("is a zip file: unpack it, and give the .har file in it")
    try:
        found = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise InvalidHar(f"is no JSON: {error}") from None
    entries = _as_type(_as_type(found, dict).get("log"), dict).get("entries")
    if not isinstance(entries, list):
        raise InvalidHar("is no HTTP archive: it has no log.entries")
    if len(entries) > MOST_ENTRIES:
        raise InvalidHar(f"has more than {MOST_ENTRIES:,} entries")
    answers = [answer for entry in entries if (answer := _parse_answer(_as_type(entry, dict)))]
    if not answers:
        raise InvalidHar("has no answer to replay")
    return Archive(answers, len(entries) - len(answers))


def _as_type(value: Any, kind: type) -> Any:
    """Return a value of JSON if it has the type `kind`, else that type's empty value ("", {}, [])."""
    return value if isinstance(value, kind) else kind()


def _parse_answer(entry: dict[str, Any]) -> RecordedAnswer | None:
    """Convert an entry of a HAR file to a recorded response; None if malformed or not replayable."""
    request, response = _as_type(entry.get("request"), dict), _as_type(entry.get("response"), dict)
    method, url = request.get("method"), normalise_url(_as_type(request.get("url"), str))
    if not (isinstance(method, str) and url.startswith(("http://", "https://"))):
        return None
    status = response.get("status", "")
    if not isinstance(status, int):
        return None
    has_failed = bool(response.get("_error")) or status in (0, -1)
    if not has_failed and not 200 <= status <= 599:
        return None
    content = _as_type(response.get("content"), dict)
    text, file = content.get("text"), _as_type(content.get("_file"), str)
    if not _FILE.match(file):
        file = ""
    has_body = isinstance(text, str) or bool(file)
    if status == NOT_MODIFIED and not has_body:
        return None
    sizes = (content.get("size"), response.get("bodySize"))
    had_body = any(isinstance(size, int | float) and size > 0 for size in sizes)
    return RecordedAnswer(
        method.upper(),
        url,
        {
            name.lower(): _FORBIDDEN_IN_VALUE.sub(" ", value)
            for name, value in _parse_headers(request.get("headers"))
        },
        _as_type(_as_type(request.get("postData"), dict).get("text"), str) or None,
        0 if has_failed else 200 if status == NOT_MODIFIED else status,
        list(_replay_headers(response, content, is_text=content.get("encoding") != "base64")),
        _as_type(text, str),
        content.get("encoding") == "base64",
        file,
        has_body or not had_body,
    )


def normalise_url(url: str) -> str:
    """Return a URL as Chromium requests it, for comparison: without fragment, with a path."""
    return re.sub(r"\A(https?://[^/?]+)(?=\?|\Z)", r"\1/", url.partition("#")[0])


def _parse_headers(headers: Any) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of the first MOST_HEADERS headers in a HAR file's list; skip malformed ones."""
    for item in _as_type(headers, list)[:MOST_HEADERS]:
        name, value = _as_type(item, dict).get("name"), _as_type(item, dict).get("value")
        if isinstance(name, str) and isinstance(value, str) and _NAME.match(name):
            yield name, value


def _replay_headers(
    response: dict[str, Any], content: dict[str, Any], *, is_text: bool
) -> Iterator[tuple[str, str]]:
    """Yield headers to replay a recorded response with: uncompressed, text in UTF-8, not cached.

    `response`, `content`: the objects of these names in a HAR entry. `is_text`: the body is text, not Base64.
    """
    has_type = False
    for name, values in _parse_headers(response.get("headers")):
        if name.lower() in _DROPPED_HEADERS:
            continue
        for value in values.split("\n"):  # Chromium joins several values of a name
            is_type = name.lower() == "content-type"
            has_type = has_type or is_type
            yield name, _FORBIDDEN_IN_VALUE.sub(" ", _set_utf8(value) if is_type and is_text else value)
    kind = _as_type(content.get("mimeType"), str)
    if not has_type and kind and kind != "x-unknown":
        yield "Content-Type", _FORBIDDEN_IN_VALUE.sub(" ", _set_utf8(kind) if is_text else kind)
    location = _as_type(response.get("redirectURL"), str)
    if location and not any(name.lower() == "location" for name, _ in _parse_headers(response.get("headers"))):
        yield "Location", _FORBIDDEN_IN_VALUE.sub(" ", location)
    yield "Cache-Control", "no-store"


def _set_utf8(kind: str) -> str:
    """Return a content type with the charset UTF-8, if it is of text."""
    plain = kind.split(";")[0].strip()
    return f"{plain}; charset=utf-8" if plain.startswith("text/") or "charset" in kind.lower() else kind


MOST_BYTES = 100_000_000
MOST_MEMORY = 3_000_000_000
MOST_SECONDS = 30


def main() -> None:
    """Parse the HAR file in standard input, print its responses for `unpack_archive`; end this process.

    An error is printed as JSON, too; it never raises.
    """
    gc.disable()  # it would scan all values again and again
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    try:
        content = sys.stdin.buffer.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InvalidHar(f"is larger than {MOST_BYTES // 1_000_000} MB")
        output = pack_archive(parse_har(content))
    except InvalidHar as error:
        output = orjson.dumps({"problem": str(error)})
    except (MemoryError, RecursionError):
        output = orjson.dumps({"problem": "is too large to be read"})
    sys.stdout.buffer.write(output)
    sys.stdout.buffer.flush()
    os._exit(0)  # freeing millions of values takes as long as creating them


def pack_archive(found: Archive) -> bytes:
    """Encode an archive as JSON for `unpack_archive`."""
    answers = [
        [
            *(
                answer.method,
                answer.url,
                _pack_headers(answer.request_headers.items()),
                answer.post,
                answer.status,
            ),
            *(_pack_headers(answer.headers), answer.text, answer.is_base64, answer.file, answer.has_body),
        ]
        for answer in found.answers
    ]
    return orjson.dumps({"answers": answers, "left_out": found.left_out})


def unpack_archive(output: bytes) -> Archive:
    """Decode what `main` has printed in its process. Raises InvalidHar, also for an empty output."""
    try:
        found = orjson.loads(output)
    except orjson.JSONDecodeError:
        raise InvalidHar("is too large to be read") from None
    if "problem" in found:
        raise InvalidHar(found["problem"])
    answers = [
        RecordedAnswer(
            method, url, dict(_unpack_headers(request_headers)), post, status, _unpack_headers(headers), *rest
        )
        for method, url, request_headers, post, status, headers, *rest in found["answers"]
    ]
    return Archive(answers, found["left_out"])


def _pack_headers(headers: Iterable[tuple[str, str]]) -> str:
    """Join headers to one text with a line `name:value` for each; neither part contains a line end."""
    return "\n".join(f"{name}:{value}" for name, value in headers)


def _unpack_headers(lines: str) -> list[tuple[str, str]]:
    """Split what `_pack_headers` has joined into (name, value) of each header."""
    found = (line.partition(":") for line in lines.split("\n") if line)
    return [(name, value) for name, _, value in found]
