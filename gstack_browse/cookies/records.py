"""Define cookies as stored and as decrypted, reasons to skip one, and the sites they belong to. Pure.

Values never appear in a `repr`, so that no traceback and no log can show one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\Z")
_ADDRESS = re.compile(r"(?:[0-9]+\.){3}[0-9]+\Z|\[[0-9a-f:.]+\]\Z")
SameSite = Literal["None", "Lax", "Strict"]
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
"""Hosts of this machine, which receive `Secure` cookies without TLS, too."""


def normalise_host(word: str) -> str | None:
    """Return the host that a typed domain or URL names, in lower case and IDNA; None if it names no host."""
    text = word.strip().lower()
    if "://" in text:
        try:
            text = urlsplit(text).hostname or ""
        except ValueError:
            return None
    host = text.removeprefix("*").strip(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode()
        except UnicodeError:
            return None
    if len(host) > 253 or not (_NAME.match(host) or _ADDRESS.match(host)):
        return None
    return host


def is_below(host: str, site: str) -> bool:
    """Return whether `host` is `site` or a subdomain of it."""
    can_have_subdomains = not _ADDRESS.match(site) and ("." in site or site == "localhost")
    return host == site or (can_have_subdomains and host.endswith("." + site))


def is_cookie_of_site(cookie_host: str, site: str, *, exact: bool = False) -> bool:
    """Return whether a cookie belongs to a site (host name). `exact`: only if its host is just that one.

    Otherwise cookies of subdomains count, and domain cookies of a parent (`.example.com` for `app.example.com`), because a
    browser sends them there too (RFC 6265, 5.1.3).
    """
    host = cookie_host.lstrip(".")
    if exact:
        return host == site
    return is_below(host, site) or (cookie_host.startswith(".") and is_below(site, host))


def is_below_any(domains: Iterable[str], host: str) -> bool:
    """Return whether `host` is one of `domains` or a subdomain of one."""
    return any(is_below(host, domain) for domain in domains)


def is_same_site(url: str, page: str) -> bool:
    """Return whether a URL's host is that of the page (a URL, too) or a subdomain.

    The page's `www.` is ignored.
    """
    try:
        host, site = urlsplit(url).hostname or "", urlsplit(page).hostname or ""
    except ValueError:
        return False
    return is_below(host, site.removeprefix("www.")) if site else not host


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
    """Count cookies by host, the most frequent host first. `.site.org` and `site.org` are one host."""
    counts: Counter[str] = Counter()
    used: dict[str, float] = {}
    for cookie in cookies:
        host = cookie.host.lstrip(".")
        counts[host] += 1
        used[host] = max(used.get(host, 0.0), cookie.used)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [DomainCount(host, count, used[host]) for host, count in ordered]


def cookie_header(cookies: Iterable[Mapping[str, Any]], url: str, *, is_same_site: bool, now: float) -> str:
    """Return the value of the `Cookie` header that a browser would send with a request; "" for none.

    Args:
        cookies: all cookies of the browser, in Playwright's form.
        url: the requested URL.
        is_same_site: whether the requesting page belongs to the URL's site, so that SameSite=Strict cookies are sent.
        now: seconds since 1970.
    """
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    path = parts.path or "/"
    is_secure = parts.scheme == "https" or host in _LOCAL_HOSTS
    sent = [
        cookie
        for cookie in cookies
        if _matches_host(cookie, host)
        and (path == cookie["path"] or path.startswith(cookie["path"].removesuffix("/") + "/"))
        and (is_secure or not cookie["secure"])
        and (cookie["expires"] < 0 or cookie["expires"] > now)
        and (is_same_site or cookie.get("sameSite") != "Strict")
    ]
    sent.sort(key=lambda cookie: -len(cookie["path"]))
    return "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in sent)


def _matches_host(cookie: Mapping[str, Any], host: str) -> bool:
    """Return whether a browser sends a cookie (in Playwright's form) to a host.

    A partitioned cookie is sent only to hosts of its partition's site.
    """
    domain = cookie["domain"]
    is_of = is_below(host, domain[1:]) if domain.startswith(".") else host == domain
    partition = urlsplit(str(cookie.get("partitionKey", ""))).hostname
    return is_of and (not partition or is_below(host, partition))
