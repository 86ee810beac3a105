"""Render an exchange as lines for people, and as an object for programs. Pure."""

import shlex
from collections.abc import Iterator
from typing import Any

from gstack_browse.network.exchange.content import mask_headers
from gstack_browse.network.exchange.facts import ExchangeFacts, Initiator
from gstack_browse.network.exchange.headers import Headers
from gstack_browse.network.logs import NetworkEntry, safe_url
from gstack_browse.text.redact import redact
from gstack_browse.text.units import format_count

_CURL_HEADERS = ("host", "content-length", "connection", "accept-encoding")
"""Headers that curl sets by itself."""


def render_curl(method: str, url: str, headers: Headers, post: str | None) -> str:
    """Render a request as a `curl` command for a POSIX shell, one option a line. `post`: its body."""
    parts = [f"curl {shlex.quote(url)}"]
    if method != ("GET" if post is None else "POST"):
        parts.append(f"-X {shlex.quote(method)}")
    parts += [
        f"-H {shlex.quote(f'{name}: {value}')}"
        for name, value in headers
        if not name.startswith(":") and name.lower() not in _CURL_HEADERS
    ]
    if any(name.lower() == "accept-encoding" for name, _ in headers):
        parts.append("--compressed")
    if post is not None:
        parts.append(f"--data-raw {shlex.quote(post)}")
    return " \\\n  ".join(parts)


MOST_CALLS = 5


def format_url(url: str, *, secrets: bool) -> str:
    """Return a URL for output: shortened and with secrets masked, or unchanged if `secrets`."""
    return url if secrets else redact(safe_url(url))


def render_exchange(entry: NetworkEntry, known: ExchangeFacts, frames: int, *, secrets: bool) -> str:
    """Render all facts of a request and its response except the bodies, for `request <n>`.

    `frames`: how many frames or events it has. `secrets`: whether values of cookies, credentials and the like are shown.
    """
    lines = [
        entry.render_numbered(),
        *_render_general(entry, known, secrets=secrets),
        *_render_initiator(known.initiator),
    ]
    lines += render_headers(known, secrets=secrets)
    lines.append(f"timing: {known.timing.render() if known.timing else 'not complete yet'}")
    if known.has_post:
        size = "" if known.post is None else f" {len(known.post)}B;"
        lines.append(f"request body:{size} 'request {entry.number} --post' prints it")
    if frames:
        lines.append(f"{format_count(frames, 'frame')}: 'request {entry.number} --frames' prints them")
    elif known.is_over and entry.has_body:
        lines.append(f"body: {known.media_type or 'of no type'}; 'request {entry.number} --body' prints it")
    return "\n".join(lines)


def render_headers(known: ExchangeFacts, *, secrets: bool) -> Iterator[str]:
    """Yield lines with the headers of request and response. `secrets`: whether secret values are shown."""
    for title, headers in (("request", known.request_headers), ("response", known.response_headers)):
        if headers:
            yield f"{title} headers:"
            yield from (f"  {name}: {value}" for name, value in mask_headers(headers, secrets=secrets))


def _render_general(entry: NetworkEntry, known: ExchangeFacts, *, secrets: bool) -> Iterator[str]:
    """Yield the lines on status, type, protocol, cache and redirect of a request."""
    if known.status:
        yield f"status: {known.status} {known.status_text}".rstrip()
    priority = f", priority {known.priority.lower()}" if known.priority else ""
    yield f"type: {entry.kind}{priority}"
    if known.protocol:
        yield f"protocol: {known.protocol}{f', from {known.address}' if known.address else ''}"
    if known.cache:
        yield f"answered by: {known.cache}"
    if known.wire_bytes >= 0 and not known.cache:
        yield f"over the network: {known.wire_bytes}B"
    if known.redirected_to:
        yield f"redirected to: {format_url(known.redirected_to, secrets=secrets)}"


def _render_initiator(made_by: Initiator) -> Iterator[str]:
    """Yield lines on what caused a request, with the calls of its stack."""
    place = _format_place(made_by.url, made_by.line, made_by.column)
    calls = [
        f"{call.function or '(anonymous)'} {_format_place(call.url, call.line, call.column)}"
        for call in made_by.stack
    ]
    yield f"initiator: {made_by.kind} {calls[0] if calls else place}".rstrip()
    yield from (f"  {call}" for call in calls[1:MOST_CALLS])


def _format_place(url: str, line: int, column: int) -> str:
    """Return a script position as text, `url:line:column` without unknown (0) numbers; "" without a URL."""
    if not url:
        return ""
    return ":".join([format_url(url, secrets=False), *(str(number) for number in (line, column) if number)])


def to_detailed_record(
    entry: NetworkEntry, known: ExchangeFacts, frames: int, *, secrets: bool
) -> dict[str, Any]:
    """Return all facts of a request and its response as an object for JSON; milliseconds, bytes.

    `frames`: how many frames or events it has. `secrets`: whether secret values are included.
    """
    made_by, phases = known.initiator, known.timing
    return {
        **entry.to_record(),
        "status": known.status or entry.status or None,
        "status_text": known.status_text or None,
        "protocol": known.protocol or None,
        "server": known.address or None,
        "answered_by": known.cache or None,
        "priority": known.priority or None,
        "network_bytes": known.wire_bytes if known.wire_bytes >= 0 and not known.cache else None,
        "redirected_to": format_url(known.redirected_to, secrets=secrets) or None,
        "initiator": {
            "type": made_by.kind,
            "place": _format_place(made_by.url, made_by.line, made_by.column) or None,
            "stack": [
                [call.function, _format_place(call.url, call.line, call.column)] for call in made_by.stack
            ],
        },
        "request_headers": [list(pair) for pair in mask_headers(known.request_headers, secrets=secrets)],
        "response_headers": [list(pair) for pair in mask_headers(known.response_headers, secrets=secrets)],
        "timing": {**phases._asdict(), "total": phases.total} if phases else None,
        "request_body": known.has_post,
        "frames": frames,
    }
