"""A request as a command line for curl, to be made again from a shell. Pure."""

import shlex

from gstack_browse.exchange.headers import Headers

_OF_THE_CONNECTION = ("host", "content-length", "connection", "accept-encoding")
"""What curl says by itself."""


def command(method: str, url: str, headers: Headers, post: str | None) -> str:
    """The command, for a POSIX shell, one option a line."""
    parts = [f"curl {shlex.quote(url)}"]
    if method != ("GET" if post is None else "POST"):
        parts.append(f"-X {shlex.quote(method)}")
    parts += [
        f"-H {shlex.quote(f'{name}: {value}')}"
        for name, value in headers
        if not name.startswith(":") and name.lower() not in _OF_THE_CONNECTION
    ]
    if any(name.lower() == "accept-encoding" for name, _ in headers):
        parts.append("--compressed")
    if post is not None:
        parts.append(f"--data-raw {shlex.quote(post)}")
    return " \\\n  ".join(parts)
