"""Headers of responses that no server gives: content type and CORS."""

import json
from collections.abc import Iterable, Mapping
from mimetypes import guess_type
from urllib.parse import urlsplit

from gstack_browse.network.shaping.rules import Pairs, RouteAnswer

_DEFAULT = "application/octet-stream"


def choose_content_type(answer: RouteAnswer) -> str:
    """Return the content type of a response; "" if its headers have one, or without a body."""
    if any(name.lower() == "content-type" for name, _ in answer.headers):
        return ""
    if answer.content_type:
        return answer.content_type
    if answer.file:
        return _add_charset(guess_type(answer.file, strict=False)[0] or _DEFAULT)
    return _add_charset(_guess_type(answer.body)) if answer.body else ""


def _guess_type(body: str) -> str:
    """Return the media type of a body without one: JSON, HTML or plain text."""
    text = body.lstrip("\ufeff \t\r\n")
    if text.startswith(("{", "[")) and _is_json(text):
        return "application/json"
    return "text/html" if text.startswith("<") else "text/plain"


def _is_json(text: str) -> bool:
    """Return whether a text is JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _add_charset(kind: str) -> str:
    """Return a media type of text with `charset=utf-8`; others unchanged."""
    is_text = kind.startswith("text/") or kind in ("application/json", "text/javascript")
    return f"{kind}; charset=utf-8" if is_text else kind


def add_cors_headers(request: Mapping[str, str], url: str, headers: Iterable[tuple[str, str]]) -> Pairs:
    """Add CORS headers that let the requesting origin read a response, unless it has its own.

    `request`: the headers of the request for `url`.
    """
    own = list(headers)
    origin = _find_header(request, "origin")
    if (
        not origin
        or _is_same_origin(origin, url)
        or any(name.lower().startswith("access-control-") for name, _ in own)
    ):
        return own
    return [*own, *_cors_headers(origin)]


def is_preflight(method: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request is a CORS preflight. Pages cannot send such headers themselves."""
    return method == "OPTIONS" and bool(preflight_method(headers))


def preflight_method(headers: Mapping[str, str]) -> str:
    """Return the method that a preflight asks for."""
    return _find_header(headers, "access-control-request-method")


def preflight_headers(request: Mapping[str, str]) -> Pairs:
    """Return the headers of a response that allows what a preflight asks for."""
    asked = {
        "Access-Control-Allow-Methods": preflight_method(request),
        "Access-Control-Allow-Headers": _find_header(request, "access-control-request-headers"),
    }
    return [
        *_cors_headers(_find_header(request, "origin")),
        *((name, value) for name, value in asked.items() if value),
    ]


def _find_header(headers: Mapping[str, str], name: str) -> str:
    """Return a header's value by its name in lower case; "" if it is missing."""
    return next((value for key, value in headers.items() if key.lower() == name), "")


def _cors_headers(origin: str) -> Pairs:
    """Return headers that let scripts of `origin` read the answer; of every origin for ""."""
    return [
        ("Access-Control-Allow-Origin", origin or "*"),
        ("Access-Control-Allow-Credentials", "true"),
        ("Vary", "Origin"),
    ]


def _is_same_origin(origin: str, url: str) -> bool:
    """Return whether the URL has that origin."""
    parts = urlsplit(url)
    return origin == f"{parts.scheme}://{parts.netloc}"
