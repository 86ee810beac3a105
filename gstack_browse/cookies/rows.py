"""Rows of a browser's database as cookies. Pure, and suspicious: every field may be anything.

Chromium: net/extras/sqlite/sqlite_persistent_cookie_store.cc. Firefox: netwerk/cookie/CookiePersistentStorage.cpp.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence

from gstack_browse.cookies.records import Contents, SameSite, StoredCookie

CHROMIUM_COLUMNS = {
    "host_key": "''", "name": "''", "path": "''", "value": "''", "encrypted_value": "x''", "expires_utc": "0",
    "last_access_utc": "0", "is_secure": "0", "is_httponly": "0", "samesite": "-1", "top_frame_site_key": "''",
}  # fmt: skip
"""What is read of a `cookies` table, in this order, and the SQL that stands for a column an old one lacks."""

FIREFOX_COLUMNS = {
    "host": "''", "name": "''", "path": "''", "value": "''", "originAttributes": "''", "expiry": "0",
    "lastAccessed": "0", "isSecure": "0", "isHttpOnly": "0", "sameSite": "256", "isPartitionedAttributeSet": "0",
}  # fmt: skip
FIREFOX_MILLISECONDS_SINCE = 16
"""The `user_version` from which `expiry` is in milliseconds."""

MOST_FIELD_BYTES = 16_384
"""Name and value of a cookie have 4,096 bytes at most, before encryption (RFC 6265bis, 5.6)."""

_EPOCH_1601 = 11_644_473_600
"""Seconds from 1601 to 1970."""
_MOST_SECONDS = 253_402_300_799.0
"""The end of the year 9999."""
_SAME_SITE: dict[int, SameSite] = {0: "None", 1: "Lax", 2: "Strict"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HOST = re.compile(r"\.?[^\s/\\@?#%\x00-\x20\x7f]{1,255}\Z")

Row = Sequence[object]
Reader = Callable[[Row], StoredCookie]


def chromium(rows: Iterable[Row], version: int) -> Contents:
    """Cookies of rows with CHROMIUM_COLUMNS, from a database of that `meta.version`."""
    return _contents(rows, version, _chromium_cookie)


def firefox(rows: Iterable[Row], user_version: int) -> Contents:
    """Cookies of rows with FIREFOX_COLUMNS, from a database of that `user_version`."""
    unit = 1000 if user_version >= FIREFOX_MILLISECONDS_SINCE else 1

    def cookie(row: Row) -> StoredCookie:
        return _firefox_cookie(row, unit)

    return _contents(rows, 0, cookie)


def _contents(rows: Iterable[Row], version: int, cookie: Reader) -> Contents:
    found: list[StoredCookie] = []
    malformed = 0
    for row in rows:
        try:
            found.append(cookie(row))
        except ValueError:
            malformed += 1
    return Contents(version, found, malformed)


def _chromium_cookie(row: Row) -> StoredCookie:
    host, name, path, value, encrypted, expires, used, secure, http_only, same_site, partition = row
    if not isinstance(encrypted, bytes) or len(encrypted) > MOST_FIELD_BYTES:
        raise ValueError
    return StoredCookie(
        host=_host(host),
        name=_text(name),
        path=_text(path),
        value=_text(value),
        encrypted=encrypted,
        expires=_since_1601(expires) if expires else None,
        used=_since_1601(used),
        secure=bool(_number(secure)),
        http_only=bool(_number(http_only)),
        same_site=_same_site(same_site, secure=bool(secure)),
        partitioned=bool(partition),
    )


def _firefox_cookie(row: Row, unit: int) -> StoredCookie:
    host, name, path, value, attributes, expires, used, secure, http_only, same_site, partitioned = row
    return StoredCookie(
        host=_host(host),
        name=_text(name),
        path=_text(path),
        value=_text(value),
        encrypted=b"",
        expires=_bounded(_number(expires) / unit),
        used=_bounded(_number(used) / 1_000_000),
        secure=bool(_number(secure)),
        http_only=bool(_number(http_only)),
        same_site=_same_site(same_site, secure=bool(secure)),
        partitioned=bool(attributes) or bool(partitioned),
    )


def _host(field: object) -> str:
    host = _text(field)
    if not _HOST.match(host):
        raise ValueError
    return host


def _text(field: object) -> str:
    """Text of a column. Raises ValueError for other types and encodings, control characters and too much of it."""
    if not isinstance(field, bytes) or len(field) > MOST_FIELD_BYTES:
        raise ValueError
    text = field.decode()
    if _CONTROL.search(text):
        raise ValueError
    return text


def _number(field: object) -> int:
    if not isinstance(field, int):
        raise ValueError
    return field


def _since_1601(field: object) -> float:
    return _bounded(_number(field) / 1_000_000 - _EPOCH_1601)


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), _MOST_SECONDS) if math.isfinite(seconds) else _MOST_SECONDS


def _same_site(field: object, *, secure: bool) -> SameSite | None:
    """None where it is unspecified, and where `SameSite=None` lacks the `Secure` it needs."""
    found = _SAME_SITE.get(_number(field))
    return None if found == "None" and not secure else found
