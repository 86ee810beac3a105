"""The headers of answers that no server gives: their type, and what lets a page of another origin read them."""

import json
from collections.abc import Iterable, Mapping
from mimetypes import guess_type
from urllib.parse import urlsplit

from gstack_browse.shaping.rules import MadeAnswer, Pairs

_DEFAULT = "application/octet-stream"


def content_type(answer: MadeAnswer) -> str:
    """What an answer says that it is; "" where its headers say so themselves, or where it has no body."""
    if any(name.lower() == "content-type" for name, _ in answer.headers):
        return ""
    if answer.content_type:
        return answer.content_type
    if answer.file:
        return _with_charset(guess_type(answer.file, strict=False)[0] or _DEFAULT)
    return _with_charset(_look_of(answer.body)) if answer.body else ""


def _look_of(body: str) -> str:
    text = body.lstrip("\ufeff \t\r\n")
    if text.startswith(("{", "[")) and _is_json(text):
        return "application/json"
    return "text/html" if text.startswith("<") else "text/plain"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _with_charset(kind: str) -> str:
    is_text = kind.startswith("text/") or kind in ("application/json", "text/javascript")
    return f"{kind}; charset=utf-8" if is_text else kind


def readable(request: Mapping[str, str], url: str, headers: Iterable[tuple[str, str]]) -> Pairs:
    """The headers of an answer, with those that let the origin read it that has asked for it, unless they speak of that themselves.

    `request`: the headers of the request for `url`.
    """
    own = list(headers)
    origin = _header(request, "origin")
    if (
        not origin
        or _is_same(origin, url)
        or any(name.lower().startswith("access-control-") for name, _ in own)
    ):
        return own
    return [*own, *_allowing(origin)]


def is_preflight(method: str, headers: Mapping[str, str]) -> bool:
    """Whether Chromium asks if a page may send a request to another origin. No page can send such headers itself."""
    return method == "OPTIONS" and bool(asked_method(headers))


def asked_method(headers: Mapping[str, str]) -> str:
    """Of a preflight, the method of the request that is asked for."""
    return _header(headers, "access-control-request-method")


def allowed(request: Mapping[str, str]) -> Pairs:
    """The headers of an answer to a preflight that allows what is asked."""
    asked = {
        "Access-Control-Allow-Methods": asked_method(request),
        "Access-Control-Allow-Headers": _header(request, "access-control-request-headers"),
    }
    return [*_allowing(_header(request, "origin")), *((name, value) for name, value in asked.items() if value)]


def _header(headers: Mapping[str, str], name: str) -> str:
    """The value of a header, by its name in small letters; "" where there is none."""
    return next((value for key, value in headers.items() if key.lower() == name), "")


def _allowing(origin: str) -> Pairs:
    return [
        ("Access-Control-Allow-Origin", origin or "*"),
        ("Access-Control-Allow-Credentials", "true"),
        ("Vary", "Origin"),
    ]


def _is_same(origin: str, url: str) -> bool:
    parts = urlsplit(url)
    return origin == f"{parts.scheme}://{parts.netloc}"
