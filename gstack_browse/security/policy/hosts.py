"""Check URLs against the hosts that the user allows, and find URLs that external programs open.

Variables: `BROWSE_ALLOW` for pages, `BROWSE_ALLOW_RESOURCES` for their requests.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from gstack_browse.errors import UsageError
from gstack_browse.text.addresses import site_of


class Refusal(NamedTuple):
    """The reason for a refusal. `why` completes "<address> …", for example "is outside the workspace"."""

    why: str
    hint: str = ""


PAGES, RESOURCES = "BROWSE_ALLOW", "BROWSE_ALLOW_RESOURCES"
ASK_USER_HINT = "What may be opened is the user's to decide: ask them"
WEB = ("http://*", "https://*")
"""URLs that these rules apply to, as patterns of Chromium's."""
_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
_PATTERN = re.compile(r"(\*\.[a-z0-9_.-]+|[a-z0-9_][a-z0-9_.-]*|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?\Z")


class AllowedHost(NamedTuple):
    """An entry of the allowed hosts: a host, or all below one (`*.corp`), at one port or any (0)."""

    name: str
    port: int = 0

    def includes(self, name: str, port: int) -> bool:
        """Return whether the entry allows the host `name` at a port."""
        is_named = name.endswith(self.name[1:]) if self.name.startswith("*.") else name == self.name
        return is_named and self.port in (0, port)

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"{name}:{self.port}" if self.port else name


def parse_host(word: str) -> AllowedHost | None:
    """Parse a host: `github.com`, `*.corp`, `localhost:3000`, `[::1]`; None if it is malformed."""
    found = _PATTERN.match(word.lower())
    return AllowedHost(found[1].strip("[]"), int(found[2] or 0)) if found else None


def matches_any_host(url: str, hosts: Sequence[AllowedHost]) -> bool:
    """Return whether the host and port of a URL match one of `hosts`; False for a malformed URL."""
    try:
        parts = urlsplit(url)
        name, port = (parts.hostname or "").rstrip("."), parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        return False
    return any(host.includes(name, port) for host in hosts)


class HostRules(NamedTuple):
    """The hosts that pages may be from (`pages`) and may request (`resources`); None: all are allowed."""

    pages: tuple[AllowedHost, ...] | None = None
    resources: tuple[AllowedHost, ...] | None = None

    def __str__(self) -> str:
        listed = ((PAGES, self.pages), (RESOURCES, self.resources))
        return ", ".join(f"{name}={_join_hosts(hosts)}" for name, hosts in listed if hosts is not None)

    def refuse_page(self, url: str) -> Refusal | None:
        """Return why a tab may not show the page at a URL; None if it may."""
        return None if self.pages is None else _find_refusal(url, self.pages, self.pages, PAGES)

    def refuse_resource(self, url: str) -> Refusal | None:
        """Return why a page may not request a URL (for a frame, a worker, a socket …); None if it may.

        Hosts allowed for pages are allowed for requests, too.
        """
        if self.resources is None:
            return None
        return _find_refusal(url, self.resolvable_hosts, self.resources, RESOURCES)

    @property
    def wildcard_with_port(self) -> AllowedHost | None:
        """Return the first allowed host that is a wildcard with a port, `*.corp:8443`; None without one.

        Such an entry is refused: Chromium's resolver rules cannot limit the port of a wildcard.
        """
        return next((item for item in self.resolvable_hosts if item.port and item.name.startswith("*.")), None)

    def resolver_rules(self) -> list[str]:
        """Return rules for `--host-resolver-rules` that let Chromium resolve only allowed hosts and ports.

        They cover what no request handler sees: web sockets, prefetched documents. Chromium takes the first matching rule, but
        applies EXCLUDE, which has no ports, before all others.
        """
        if self.resources is None:
            return []
        named = [f"MAP {item} {item}" for item in self.resolvable_hosts if not item.name.startswith("*.")]
        below = [f"EXCLUDE {item.name}" for item in self.resolvable_hosts if item.name.startswith("*.")]
        return list(dict.fromkeys([*named, "MAP * ~NOTFOUND", *below]))

    @property
    def resolvable_hosts(self) -> tuple[AllowedHost, ...]:
        """Return the hosts that Chromium may resolve; () if it may resolve all."""
        return () if self.resources is None else (*self.resources, *(self.pages or ()))


def _find_refusal(
    url: str, allowed: Sequence[AllowedHost], named_hosts: Sequence[AllowedHost], variable: str
) -> Refusal | None:
    """Return the refusal of a URL whose host no entry of `allowed` includes; None if one does.

    `named_hosts`, `variable`: for the message, the hosts in the variable that forbids it, and its name.
    """
    if url.partition(":")[0].lower() not in _PORTS:
        return None  # data:, blob:, about: have no host; files have their own rule
    if matches_any_host(url, allowed):
        return None
    return Refusal(f"is not allowed by {variable}={_join_hosts(named_hosts)}", ASK_USER_HINT)


def _join_hosts(hosts: Sequence[AllowedHost]) -> str:
    """Join hosts to the value of a variable: `github.com,*.corp`."""
    return ",".join(str(item) for item in hosts)


def parse_origin(word: str) -> str:
    """Return the origin (`https://host`) of a URL that a user has typed. Raises UsageError.

    Without a scheme https is meant. The origin has no port if it is the scheme's default.
    """
    try:
        parts = urlsplit(word.strip() if "://" in word else f"https://{word.strip()}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.username is not None:
        raise UsageError(f'"{word[:60]}" has no origin', "Write it as https://example.com")
    try:
        host = f"[{host}]" if ":" in host else host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        raise UsageError(f'"{host[:60]}" is no host') from None
    return f"{parts.scheme}://{host}{'' if port in (None, _PORTS[parts.scheme]) else f':{port}'}"


def origin_or_empty(url: str) -> str:
    """Return the origin of a URL, which may have user and password; "" if it has none."""
    try:
        return parse_origin(site_of(url)) if "://" in url else ""
    except UsageError:
        return ""


_CHROMIUM_SCHEMES = frozenset((
    "about", "blob", "chrome", "chrome-error", "chrome-extension", "chrome-untrusted", "data", "devtools", "file",
    "filesystem", "http", "https", "javascript", "view-source",
))  # fmt: skip
"""Schemes that Chromium shows, or refuses, itself."""
EXTERNAL_REFUSAL = Refusal("(an external program)")


def is_external(url: str) -> bool:
    """Return whether Chromium would open the URL in an external program, such as mailto: URLs."""
    scheme, colon, _ = url.partition(":")
    return bool(colon) and scheme.lower() not in _CHROMIUM_SCHEMES
