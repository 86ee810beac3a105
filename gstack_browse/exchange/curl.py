"""Render a request as a curl command line. Pure."""

import shlex

from gstack_browse.exchange.headers import Headers

_CURL_HEADERS = ("host", "content-length", "connection", "accept-encoding")
"""Headers that curl sets by itself."""


def render_curl(method: str, url: str, headers: Headers, post: str | None) -> str:
    """Return the command for a POSIX shell, one option a line. `post`: the request's body, or None."""
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
