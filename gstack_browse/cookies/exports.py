"""Cookies from a file: a JSON list as browser tools write it, or a Netscape cookies.txt. Pure.

JSON comes as Playwright's, Puppeteer's or Selenium's cookies, as Playwright's storage state, or as extensions such as
EditThisCookie and Cookie-Editor export them. The Netscape format is curl's and wget's:
https://curl.se/docs/http-cookies.html
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import orjson

from gstack_browse.cookies.records import Cookie, SameSite
from gstack_browse.errors import UsageError

MOST_COOKIES = 20_000
MOST_VALUE = 4096
"""Characters of name and value together: RFC 6265bis, 5.7, and Chromium's own limit."""
_NETSCAPE_FIELDS = 7
_HTTP_ONLY = "#HttpOnly_"
_SAME_SITE: dict[str, SameSite] = {"none": "None", "no_restriction": "None", "lax": "Lax", "strict": "Strict"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HOST = re.compile(r"\.?[\w.-]+\Z|\[[0-9a-fA-F:.]+\]\Z")


@dataclass
class Parsed:
    """What a file holds: cookies, and why some entries are none (each a reason; the same reason several times)."""

    cookies: list[Cookie] = field(default_factory=list)
    malformed: list[str] = field(default_factory=list)


def parse(content: bytes, *, host: str = "") -> Parsed:
    """The cookies of a file. `host` is for those that name no domain. Raises UsageError for another kind of file."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("The file is neither JSON nor a Netscape cookie file: it is not UTF-8 text") from None
    stripped = text.strip()
    if not stripped:
        raise UsageError("The file is empty")
    return _json(stripped, host) if stripped[0] in "[{" else _netscape(text)


def obstacle(cookie: Cookie, now: float) -> str:
    """Why Chromium would refuse a cookie, as far as can be told without asking; "" for no known reason."""
    if cookie.expires is not None and cookie.expires <= now:
        return "expired"
    if len(cookie.name) + len(cookie.value) > MOST_VALUE:
        return "longer than 4096 characters"
    if cookie.name.startswith(("__Secure-", "__Host-")) and not cookie.secure:
        return "named __Secure- or __Host- but not secure"
    if cookie.name.startswith("__Host-") and (cookie.host.startswith(".") or cookie.path != "/"):
        return "named __Host- but with a domain or a path"
    if cookie.same_site == "None" and not cookie.secure:
        return "SameSite=None but not secure"
    return ""


def from_json(entry: Any, host: str = "") -> Cookie | str:
    """The cookie of one JSON entry, or why it is none."""
    if not isinstance(entry, dict):
        return "not an object"
    name, value = entry.get("name"), entry.get("value")
    if not isinstance(name, str) or not isinstance(value, str | int | float):
        return "without a name or a value"
    domain = _domain(entry, host)
    if not domain:
        return "without a domain"
    return checked(
        Cookie(
            host=domain,
            name=name,
            path=_text(entry.get("path")) or "/",
            value=str(value),
            expires=_expiry(entry),
            secure=entry.get("secure") is True,
            http_only=entry.get("httpOnly") is True,
            same_site=_SAME_SITE.get(_text(entry.get("sameSite")).lower()),
            partition=_partition(entry),
        )
    )


def checked(cookie: Cookie) -> Cookie | str:
    """The cookie, or why it is none."""
    if not _HOST.match(cookie.host):
        return "without a valid domain"
    if not cookie.name and not cookie.value:
        return "without a name and a value"
    if _CONTROL.search(cookie.name + cookie.value + cookie.path):
        return "with a control character"
    if not cookie.path.startswith("/"):
        return "with a path that does not begin with /"
    return cookie


def _json(text: str, host: str) -> Parsed:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"The file is not JSON: {error}") from None
    if isinstance(found, dict):
        found = found["cookies"] if isinstance(found.get("cookies"), list) else [found]
    parsed = Parsed()
    for entry in _bounded(found):
        _collect(parsed, from_json(entry, host))
    return parsed


def _bounded(entries: Sequence[Any]) -> Sequence[Any]:
    if len(entries) > MOST_COOKIES:
        raise UsageError(f"The file holds {len(entries)} cookies; at most {MOST_COOKIES} are loaded at once")
    return entries


def _collect(parsed: Parsed, found: Cookie | str) -> None:
    if isinstance(found, str):
        parsed.malformed.append(found)
    else:
        parsed.cookies.append(found)


def _domain(entry: dict[str, Any], host: str) -> str:
    """The domain with a leading dot if the cookie is for its subdomains too."""
    domain = _text(entry.get("domain"))
    if not domain:
        url = _text(entry.get("url"))
        return _host_of(url) if "://" in url else host
    if entry.get("hostOnly") is False and not domain.startswith("."):
        return "." + domain
    return domain.removeprefix(".") if entry.get("hostOnly") is True else domain


def _partition(entry: dict[str, Any]) -> tuple[str, bool] | None:
    """The site that a cookie is partitioned by, as Playwright writes it down."""
    site = _text(entry.get("partitionKey"))
    return (site, entry.get("_crHasCrossSiteAncestor") is True) if site else None


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # "http://[x"
        return ""


def _expiry(entry: dict[str, Any]) -> float | None:
    """Seconds since 1970; None for a session cookie. Some tools write milliseconds."""
    if entry.get("session") is True:
        return None
    for key in ("expires", "expirationDate", "expiry"):
        found = entry.get(key)
        if isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found):
            return _seconds(float(found))
    return None


def _seconds(at: float) -> float | None:
    if at < 0:
        return None
    return at / 1000 if at > 1e11 else at


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _netscape(text: str) -> Parsed:
    lines = [
        line.rstrip("\r")
        for line in text.split("\n")
        if line.strip() and (not line.startswith("#") or line.startswith(_HTTP_ONLY))
    ]
    if lines and not any("\t" in line for line in lines):
        raise UsageError(
            "The file is neither JSON nor a Netscape cookie file", "A JSON list, or lines of 7 columns"
        )
    parsed = Parsed()
    for line in _bounded(lines):
        _collect(parsed, _from_line(line))
    return parsed


def _from_line(line: str) -> Cookie | str:
    """domain, for subdomains, path, secure, expiry, name, value: separated by tabs; the value may be missing."""
    http_only = line.startswith(_HTTP_ONLY)
    fields = line.removeprefix(_HTTP_ONLY).split("\t")
    fields += [""] * (_NETSCAPE_FIELDS - len(fields)) if len(fields) == _NETSCAPE_FIELDS - 1 else []
    if len(fields) != _NETSCAPE_FIELDS:
        return "a line that has not 7 columns"
    domain, for_subdomains, path, secure, expires, name, value = fields
    if not re.fullmatch(r"-?[0-9]{1,19}(?:\.[0-9]*)?", expires):
        return "a line without an expiry"
    host = domain.strip().removeprefix(".")
    at = float(expires)
    return checked(
        Cookie(
            host=f".{host}" if for_subdomains.upper() == "TRUE" else host,
            name=name,
            path=path or "/",
            value=value,
            expires=_seconds(at) if at > 0 else None,
            secure=secure.upper() == "TRUE",
            http_only=http_only,
            same_site=None,
        )
    )
