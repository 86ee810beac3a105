"""The hosts that the user allows pages to come from (`BROWSE_ALLOW`) and to request from (`BROWSE_ALLOW_RESOURCES`)."""

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from gstack_browse.policy.refusal import Refusal

PAGES, RESOURCES = "BROWSE_ALLOW", "BROWSE_ALLOW_RESOURCES"
ASK = "What may be opened is the user's to decide: ask them"
WEB = ("http://*", "https://*")
"""What is judged, as patterns of Chromium's."""
_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
_PATTERN = re.compile(r"(\*\.[a-z0-9_.-]+|[a-z0-9_][a-z0-9_.-]*|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?\Z")


class AllowedHost(NamedTuple):
    """A host, or all below one (`*.corp`); at one port, or at any (0)."""

    name: str
    port: int = 0

    def includes(self, name: str, port: int) -> bool:
        is_named = name.endswith(self.name[1:]) if self.name.startswith("*.") else name == self.name
        return is_named and self.port in (0, port)

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"{name}:{self.port}" if self.port else name


def host(word: str) -> AllowedHost | None:
    """Parse a host: `github.com`, `*.corp`, `localhost:3000`, `[::1]`; None where the word is no host."""
    found = _PATTERN.match(word.lower())
    return AllowedHost(found[1].strip("[]"), int(found[2] or 0)) if found else None


def any_includes(hosts: Sequence[AllowedHost], url: str) -> bool:
    """Whether a URL is of one of these hosts."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        return False
    return any(host.includes(parts.hostname or "", port) for host in hosts)


class HostRules(NamedTuple):
    """The hosts that the user allows; None where all are allowed."""

    pages: tuple[AllowedHost, ...] | None = None
    resources: tuple[AllowedHost, ...] | None = None

    def __str__(self) -> str:
        said = ((PAGES, self.pages), (RESOURCES, self.resources))
        return ", ".join(f"{name}={_words(hosts)}" for name, hosts in said if hosts is not None)

    def refused_page(self, url: str) -> Refusal | None:
        """Why a tab may not show that URL; None if it may."""
        return None if self.pages is None else _refused(url, self.pages, self.pages, PAGES)

    def refused_resource(self, url: str) -> Refusal | None:
        """Why a page may not ask for that, in a frame, a worker or a socket; None if it may. What may be a page may be part of one."""
        if self.resources is None:
            return None
        return _refused(url, (*self.resources, *(self.pages or ())), self.resources, RESOURCES)

    @property
    def wildcard_with_port(self) -> AllowedHost | None:
        """Return the first pattern such as `*.corp:8443`: resolver rules cannot limit the port of a wildcard."""
        return next((item for item in self._resolvable_hosts if item.port and item.name.startswith("*.")), None)

    def resolver_rules(self) -> list[str]:
        """List rules for `--host-resolver-rules`: only allowed hosts and ports are found.

        They hold for what no request handler judges: web sockets, prefetched documents. Chromium takes the first rule that fits, but applies
        EXCLUDE, which knows no ports, before all others.
        """
        if self.resources is None:
            return []
        named = [f"MAP {item} {item}" for item in self._resolvable_hosts if not item.name.startswith("*.")]
        below = [f"EXCLUDE {item.name}" for item in self._resolvable_hosts if item.name.startswith("*.")]
        return list(dict.fromkeys([*named, "MAP * ~NOTFOUND", *below]))

    @property
    def _resolvable_hosts(self) -> tuple[AllowedHost, ...]:
        """List the hosts that Chromium may find; empty where it may find all."""
        return () if self.resources is None else (*self.resources, *(self.pages or ()))


def _refused(
    url: str, allowed: Sequence[AllowedHost], said: Sequence[AllowedHost], variable: str
) -> Refusal | None:
    if url.partition(":")[0].lower() not in _PORTS:
        return None  # no host: data:, blob:, about:; files have their own rule
    try:
        parts = urlsplit(url)
        name, port = (parts.hostname or "").rstrip("."), parts.port or _PORTS[parts.scheme]
    except ValueError:
        name, port = "", 0
    if any(item.includes(name, port) for item in allowed):
        return None
    return Refusal(f"is not allowed by {variable}={_words(said)}", ASK)


def _words(hosts: Sequence[AllowedHost]) -> str:
    return ",".join(str(item) for item in hosts)
