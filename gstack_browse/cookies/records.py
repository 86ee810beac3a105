"""Records of cookies, stored and decrypted, and the reasons to skip one. Pure.

Values never appear in a `repr`, so that no traceback and no log can show one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from gstack_browse.cookies.domains import is_below

SameSite = Literal["None", "Lax", "Strict"]


class Skip(StrEnum):
    """Why a cookie was not imported; the values are printed in the reply."""

    EXPIRED = "expired"
    LOCKED = "encrypted with a key that cannot be had now"
    PORTAL = "encrypted with a Flatpak portal key, which no other program can have"
    UNREADABLE = "could not be decrypted"
    PARTITIONED = "kept for one embedding site or container"
    MALFORMED = "malformed"
    REJECTED = "rejected by Chromium"


@dataclass(frozen=True, slots=True)
class StoredCookie:
    """A cookie as a browser's database stores it. Either `value` or `encrypted` is empty.

    A `host` with a leading dot is a domain cookie; without one it is sent to that host only. Times are in seconds since
    1970. `expires` None: a session cookie; `used`: when it was last sent (0: unknown).
    """

    host: str
    name: str
    path: str
    value: str = field(repr=False)
    encrypted: bytes = field(repr=False)
    expires: float | None
    used: float
    secure: bool
    http_only: bool
    same_site: SameSite | None
    partitioned: bool


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie ready to be set. Fields as in StoredCookie.

    `partition`: the top-level site of a partitioned cookie, and whether it has a cross-site ancestor.
    """

    host: str
    name: str
    path: str
    value: str = field(repr=False)
    expires: float | None
    secure: bool
    http_only: bool
    same_site: SameSite | None
    partition: tuple[str, bool] | None = None


@dataclass(frozen=True, slots=True)
class DatabaseContents:
    """The content of a cookie database: schema version, cookies, and the number of malformed rows.

    `version` ≥ 24 means that decrypted values begin with the hash of their host (Chromium).
    """

    version: int
    cookies: list[StoredCookie]
    malformed: int = 0


class DomainCount(NamedTuple):
    """The number of a host's cookies in a database, and when one of them was last used."""

    host: str
    cookies: int
    used: float


def count_by_domain(cookies: Iterable[StoredCookie]) -> list[DomainCount]:
    """Count cookies by host, most first. `.site.org` and `site.org` are one host."""
    counts: Counter[str] = Counter()
    used: dict[str, float] = {}
    for cookie in cookies:
        host = cookie.host.lstrip(".")
        counts[host] += 1
        used[host] = max(used.get(host, 0.0), cookie.used)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [DomainCount(host, count, used[host]) for host, count in ordered]


_LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
"""Hosts of this machine, which receive `Secure` cookies without TLS, too."""


def cookie_header(cookies: Iterable[Mapping[str, Any]], url: str, *, is_same_site: bool, now: float) -> str:
    """Return the value of the `Cookie` header for a URL; "" for none.

    Args:
        cookies: cookies in Playwright's form.
        url: the requested URL.
        is_same_site: whether the page with the link belongs to the URL's site.
        now: seconds since 1970.
    """
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    is_secure = parts.scheme == "https" or host in _LOCAL_HOSTS
    sent = [
        cookie
        for cookie in cookies
        if _matches_host(cookie, host)
        and _matches_path(cookie["path"], parts.path or "/")
        and (is_secure or not cookie["secure"])
        and (cookie["expires"] < 0 or cookie["expires"] > now)
        and (is_same_site or cookie.get("sameSite") != "Strict")
    ]
    sent.sort(key=lambda cookie: -len(cookie["path"]))
    return "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in sent)


def _matches_host(cookie: Mapping[str, Any], host: str) -> bool:
    """Return whether a browser sends a cookie to a host or, if partitioned, to its site."""
    domain = cookie["domain"]
    is_of = is_below(host, domain[1:]) if domain.startswith(".") else host == domain
    partition = urlsplit(str(cookie.get("partitionKey", ""))).hostname
    return is_of and (not partition or is_below(host, partition))


def _matches_path(path: str, asked: str) -> bool:
    """Return whether a browser sends a cookie of `path` to the path `asked`."""
    return asked == path or asked.startswith(path if path.endswith("/") else f"{path}/")
