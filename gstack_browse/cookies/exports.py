"""Parse cookies from a file: a JSON list as browser tools write it, or a Netscape cookies.txt. Pure.

JSON: cookies of Playwright, Puppeteer or Selenium, Playwright's storage state, or the exports of extensions such as
EditThisCookie and Cookie-Editor. Netscape: curl's and wget's format, https://curl.se/docs/http-cookies.html
"""

import math
import re
from dataclasses import dataclass, field
from typing import Any

import orjson

from gstack_browse.cookies.records import Cookie, SameSite
from gstack_browse.errors import UsageError
from gstack_browse.text.addresses import host_of

MOST_COOKIES = 20_000
MOST_VALUE = 4096
"""Characters of name and value together: RFC 6265bis, 5.7, and Chromium's own limit."""
_NETSCAPE_FIELDS = 7
_HTTP_ONLY = "#HttpOnly_"
_SAME_SITE: dict[str, SameSite] = {"none": "None", "no_restriction": "None", "lax": "Lax", "strict": "Strict"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HOST = re.compile(r"\.?[\w.-]+\Z|\[[0-9a-fA-F:.]+\]\Z")


@dataclass
class ParsedFile:
    """The cookies of a file, and for each malformed entry the reason, as `without a domain`."""

    cookies: list[Cookie] = field(default_factory=list)
    malformed: list[str] = field(default_factory=list)


def parse_cookie_file(content: bytes, *, host: str = "") -> ParsedFile:
    """Parse a cookie file in JSON or Netscape's format into cookies and the reasons for malformed entries.

    `host`: for JSON entries without a domain and URL (Netscape's lines do not use it). Raises UsageError for an empty file, one of
    another kind, and more than MOST_COOKIES.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("The file is neither JSON nor a Netscape cookie file: it is not UTF-8 text") from None
    stripped = text.strip()
    if not stripped:
        raise UsageError("The file is empty")
    is_json = stripped[0] in "[{"
    entries = _list_json_entries(stripped) if is_json else _list_netscape_lines(text)
    if len(entries) > MOST_COOKIES:
        raise UsageError(f"The file holds {len(entries)} cookies; at most {MOST_COOKIES} are loaded at once")
    found = [parse_json_entry(each, host) if is_json else _parse_netscape_line(each) for each in entries]
    return ParsedFile(
        [cookie for cookie in found if isinstance(cookie, Cookie)],
        [reason for reason in found if isinstance(reason, str)],
    )


def rejection_reason(cookie: Cookie, now: float) -> str:
    """Return why Chromium would reject a cookie, as `expired`; "" if it would accept it.

    `now`: seconds since 1970.
    """
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


def parse_json_entry(entry: Any, host: str = "") -> Cookie | str:
    """Convert one JSON entry to a cookie, or return the reason why it is malformed.

    `host` is used if the entry has no domain.
    """
    if not isinstance(entry, dict):
        return "not an object"
    name, value = entry.get("name"), entry.get("value")
    if not isinstance(name, str) or not isinstance(value, str | int | float):
        return "without a name or a value"
    domain, site = _get_domain(entry, host), _read_text(entry.get("partitionKey"))
    if not domain:
        return "without a domain"
    return validate_cookie(
        Cookie(
            host=domain,
            name=name,
            path=_read_text(entry.get("path")) or "/",
            value=str(value),
            expires=_expiry_seconds(entry),
            secure=entry.get("secure") is True,
            http_only=entry.get("httpOnly") is True,
            same_site=_SAME_SITE.get(_read_text(entry.get("sameSite")).lower()),
            partition=(site, entry.get("_crHasCrossSiteAncestor") is True) if site else None,
        )
    )


def validate_cookie(cookie: Cookie) -> Cookie | str:
    """Return the cookie if its fields are well-formed, else why not, as `without a valid domain`."""
    if not _HOST.match(cookie.host):
        return "without a valid domain"
    if not cookie.name and not cookie.value:
        return "without a name and a value"
    if _CONTROL.search(cookie.name + cookie.value + cookie.path):
        return "with a control character"
    if not cookie.path.startswith("/"):
        return "with a path that does not begin with /"
    return cookie


def _list_json_entries(text: str) -> list[Any]:
    """Parse JSON: a list of cookies, Playwright's storage state, or a single cookie. Raises UsageError."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"The file is not JSON: {error}") from None
    if isinstance(found, dict):
        return found["cookies"] if isinstance(found.get("cookies"), list) else [found]
    entries: list[Any] = found
    return entries


def _get_domain(entry: dict[str, Any], host: str) -> str:
    """Return an entry's domain, beginning with a dot if subdomains get the cookie, too; "" without one.

    `host` is used if the entry has neither domain nor URL.
    """
    domain = _read_text(entry.get("domain"))
    if not domain:
        url = _read_text(entry.get("url"))
        return host_of(url) if "://" in url else host
    if entry.get("hostOnly") is False and not domain.startswith("."):
        return "." + domain
    return domain.removeprefix(".") if entry.get("hostOnly") is True else domain


def _expiry_seconds(entry: dict[str, Any]) -> float | None:
    """Return when a JSON entry expires (seconds since 1970); None for a session cookie."""
    if entry.get("session") is True:
        return None
    for key in ("expires", "expirationDate", "expiry"):
        found = entry.get(key)
        if isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found):
            return _to_seconds(float(found))
    return None


def _to_seconds(at: float) -> float | None:
    """Convert an expiry to seconds since 1970; above 1e11 it is in milliseconds. None for a negative one."""
    if at < 0:
        return None
    return at / 1000 if at > 1e11 else at


def _read_text(value: object) -> str:
    """Return a JSON string without white space around it; "" for any other value."""
    return value.strip() if isinstance(value, str) else ""


def _list_netscape_lines(text: str) -> list[str]:
    """List the lines of a file in Netscape's format. Raises UsageError if none has a tab: another format."""
    lines = [
        line.rstrip("\r")
        for line in text.split("\n")
        if line.strip() and (not line.startswith("#") or line.startswith(_HTTP_ONLY))
    ]
    if lines and not any("\t" in line for line in lines):
        raise UsageError(
            "The file is neither JSON nor a Netscape cookie file", "A JSON list, or lines of 7 columns"
        )
    return lines


def _parse_netscape_line(line: str) -> Cookie | str:
    """Convert a line of Netscape's format to a cookie, or return the reason why it is malformed.

    Columns, separated by tabs: domain, for subdomains, path, secure, expiry, name, value. The value may be missing.
    """
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
    return validate_cookie(
        Cookie(
            host=f".{host}" if for_subdomains.upper() == "TRUE" else host,
            name=name,
            path=path or "/",
            value=value,
            expires=_to_seconds(at) if at > 0 else None,
            secure=secure.upper() == "TRUE",
            http_only=http_only,
            same_site=None,
        )
    )
