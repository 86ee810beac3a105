"""Adds headers to requests, and credentials for servers that ask. Values are in no `repr`.

They are added where Chromium pauses a request before sending it: in every frame, worker and window. It is done again
after each redirect, by the origin that the request goes to.
"""

from dataclasses import dataclass, field
from typing import Any

from gstack_browse.browser.cdp.interception import Credentials, Headers, RequestHandlers
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.security.policy.hosts import WEB, origin_or_empty

NAME = "extras"
"""The name of our patterns in the interception."""


@dataclass(frozen=True)
class ExtraHeader:
    """A header of every request, or of those to `origin`."""

    name: str
    value: str = field(repr=False)
    origin: str = ""


class RequestExtras:
    """Of one session, whichever browser it is in."""

    def __init__(self) -> None:
        self.headers: list[ExtraHeader] = []
        self._credentials: dict[str, Credentials] = {}
        self._running: RunningBrowser | None = None
        self._handlers = RequestHandlers()

    async def attach(self, running: RunningBrowser, handlers: RequestHandlers) -> None:
        """Add these headers and credentials to all later requests of a browser context.

        Raises ProtocolError.
        """
        self._running, self._handlers = running, handlers
        handlers.headers = self._merged_headers
        handlers.credentials = self._credentials.get
        await self._update_patterns()

    async def _update_patterns(self) -> None:
        """Pause requests only while there is something to add, since each pause costs time."""
        if self._running:
            is_needed = self.headers or self._credentials
            await self._running.interception.set_patterns(self._handlers, NAME, WEB if is_needed else ())

    async def add(self, header: ExtraHeader) -> None:
        """Add a header, replacing the one of that name and origin. Raises ProtocolError."""
        self._drop(header.name, header.origin)
        self.headers.append(header)
        await self._update_patterns()

    async def remove(self, name: str, origin: str) -> bool:
        """Remove a header; return False if it does not exist. Raises ProtocolError."""
        was_there = self._drop(name, origin)
        await self._update_patterns()
        return was_there

    def _drop(self, name: str, origin: str) -> bool:
        """Remove a header from the list; return False if it does not exist."""
        kept = [item for item in self.headers if (item.name.lower(), item.origin) != (name.lower(), origin)]
        was_there = len(kept) < len(self.headers)
        self.headers = kept
        return was_there

    async def log_in(self, origin: str, user: str, password: str) -> None:
        """Send user and password to an origin that asks for them. Raises ProtocolError."""
        self._credentials[origin] = user, password
        await self._update_patterns()

    async def log_out(self, origin: str) -> bool:
        """Remove an origin's credentials; return False if it has none. Raises ProtocolError."""
        was_there = self._credentials.pop(origin, None) is not None
        await self._update_patterns()
        return was_there

    @property
    def users(self) -> dict[str, str]:
        """Return the users by origin."""
        return {origin: user for origin, (user, _) in self._credentials.items()}

    def headers_of(self, origin: str) -> list[tuple[str, str]]:
        """Return (name, value) of the headers for an origin. A header for the origin overrides one for all."""
        ours = [item for item in self.headers if item.origin in ("", origin)]
        named = {item.name.lower(): item for item in sorted(ours, key=lambda item: item.origin)}
        return [(item.name, item.value) for item in named.values()]

    def credentials_of(self, origin: str) -> Credentials | None:
        """Return user and password for an origin, or None."""
        return self._credentials.get(origin)

    def _merged_headers(self, request: dict[str, Any]) -> Headers | None:
        """Return a request's headers with ours, which replace those of the same name.

        None if none of ours applies.
        """
        ours = self.headers_of(origin_or_empty(request["url"]))
        if not ours:
            return None
        taken = {name.lower() for name, _ in ours}
        theirs = [(name, value) for name, value in request["headers"].items() if name.lower() not in taken]
        return [{"name": name, "value": value} for name, value in [*theirs, *ours]]

    def state(self) -> dict[str, Any]:
        """Return headers and credentials for the next browser."""
        headers = [[item.name, item.value, item.origin] for item in self.headers]
        return {
            "headers": headers,
            "credentials": [[origin, *pair] for origin, pair in self._credentials.items()],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what `state` returned, before `attach`."""
        self.headers = [ExtraHeader(*fields) for fields in state.get("headers", [])]
        self._credentials = {
            origin: (user, password) for origin, user, password in state.get("credentials", [])
        }
