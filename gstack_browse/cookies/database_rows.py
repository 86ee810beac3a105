"""Convert rows of browsers' databases to cookies, and decrypt Chromium's values. Pure.

Rows are untrusted: a field may have any type. A value begins with a tag of three characters that names cipher and key. The
tag decides; ciphers are not tried in turn. Keys come from `stores`.
Chromium: net/extras/sqlite/sqlite_persistent_cookie_store.cc, components/os_crypt/sync/os_crypt_linux.cc and os_crypt_mac.mm.
Firefox: netwerk/cookie/CookiePersistentStorage.cpp.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import pbkdf2_hmac, sha256
from hmac import compare_digest

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

from gstack_browse.cookies.records import DatabaseContents, SameSite, Skip, StoredCookie

V10, V11, V12 = b"v10", b"v11", b"v12"
HASHED_SINCE = 24
"""The database version from which a plaintext begins with SHA-256(host_key)."""

Keys = Mapping[bytes, Sequence[bytes]]
"""Tag → keys to try, the most likely first."""

_SALT = b"saltysalt"
_IV = b" " * 16
_KEY_BYTES = 16
_BLOCK_BYTES = 16
_HASH_BYTES = 32
_LINUX_ROUNDS = 1
_MAC_ROUNDS = 1003


class Undecryptable(Exception):
    """A value cannot be decrypted; `skip` says why."""

    def __init__(self, skip: Skip) -> None:
        super().__init__(skip)
        self.skip = skip


def derive_linux_key(secret: bytes) -> bytes:
    """Derive the AES key for Chromium's cookies on Linux from the keyring's secret, or from `peanuts`."""
    return pbkdf2_hmac("sha1", secret, _SALT, _LINUX_ROUNDS, _KEY_BYTES)


def derive_mac_key(secret: bytes) -> bytes:
    """Derive the AES key for Chromium's cookies on macOS from the password in the Keychain."""
    return pbkdf2_hmac("sha1", secret, _SALT, _MAC_ROUNDS, _KEY_BYTES)


FIXED_LINUX_KEYS = [derive_linux_key(b"peanuts"), derive_linux_key(b"")]
"""The public AES keys that Chromium on Linux used if the keyring was absent or locked (v10)."""


def decrypt_value(encrypted: bytes, host: str, version: int, keys: Keys) -> str:
    """Decrypt the value of a cookie in Chromium's database.

    Args:
        encrypted: tag of three characters, and ciphertext
        host: the cookie's host as stored, with its dot
        version: the database's schema version
        keys: keys to try, by tag

    Raises:
        Undecryptable: no key fits, or the format is unknown.
    """
    tag, content = encrypted[:3], encrypted[3:]
    if tag == V12:
        raise Undecryptable(Skip.PORTAL)
    if tag not in (V10, V11) or not content or len(content) % _BLOCK_BYTES:
        raise Undecryptable(Skip.UNREADABLE)
    if not keys.get(tag):
        raise Undecryptable(Skip.LOCKED)
    for key in keys[tag]:
        if (value := _check_host_hash(_decrypt_aes(key, content), host, version)) is not None:
            return value
    raise Undecryptable(Skip.UNREADABLE)


def _decrypt_aes(key: bytes, content: bytes) -> bytes | None:
    """Decrypt AES-CBC and strip the PKCS #7 padding; None for wrong padding, the sign of a wrong key."""
    decryptor = Cipher(AES(key), CBC(_IV)).decryptor()
    plain = decryptor.update(content) + decryptor.finalize()
    count = plain[-1]
    if not 1 <= count <= _BLOCK_BYTES or plain[-count:] != bytes([count]) * count:
        return None
    return plain[:-count]


def _check_host_hash(plain: bytes | None, host: str, version: int) -> str | None:
    """Return a decrypted cookie value as text, without the hash of its host that newer databases prepend.

    `version`: of the database. None if `plain` is None or not UTF-8, or the hash is another host's: then the row was copied.
    """
    if plain is None:
        return None
    if version >= HASHED_SINCE:
        if not compare_digest(plain[:_HASH_BYTES], sha256(host.encode()).digest()):
            return None
        plain = plain[_HASH_BYTES:]
    try:
        return plain.decode()
    except UnicodeDecodeError:
        return None


CHROMIUM_COLUMNS = {
    "host_key": "''", "name": "''", "path": "''", "value": "''", "encrypted_value": "x''", "expires_utc": "0",
    "last_access_utc": "0", "is_secure": "0", "is_httponly": "0", "samesite": "-1", "top_frame_site_key": "''",
}  # fmt: skip
"""Columns to read from `cookies`, in this order, and the SQL literal for a column that an old database lacks."""

FIREFOX_COLUMNS = {
    "host": "''", "name": "''", "path": "''", "value": "''", "originAttributes": "''", "expiry": "0",
    "lastAccessed": "0", "isSecure": "0", "isHttpOnly": "0", "sameSite": "256", "isPartitionedAttributeSet": "0",
}  # fmt: skip
FIREFOX_MILLISECONDS_SINCE = 16
"""The `user_version` from which `expiry` is in milliseconds."""

MOST_FIELD_BYTES = 16_384
"""Limit of a field. Name and value have 4,096 bytes at most before encryption (RFC 6265bis, 5.6)."""

_EPOCH_1601 = 11_644_473_600
"""Seconds from 1601 to 1970."""
_MOST_SECONDS = 253_402_300_799.0
"""The end of the year 9999."""
_SAME_SITE: dict[int, SameSite] = {0: "None", 1: "Lax", 2: "Strict"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HOST = re.compile(r"\.?[^\s/\\@?#%\x00-\x20\x7f]{1,255}\Z")

Row = Sequence[object]
Reader = Callable[[Row], StoredCookie]


def parse_chromium_rows(rows: Iterable[Row], version: int) -> DatabaseContents:
    """Convert rows of Chromium's database (CHROMIUM_COLUMNS) to cookies. `version`: its `meta.version`."""

    def parse_row(row: Row) -> StoredCookie:
        *_, encrypted, expires, used, _, _, _, partition = row
        if not isinstance(encrypted, bytes) or len(encrypted) > MOST_FIELD_BYTES:
            raise ValueError
        ends = _from_webkit_time(expires) if expires else None
        return _make_cookie(row, encrypted, ends, _from_webkit_time(used), partitioned=bool(partition))

    return _parse_rows(rows, version, parse_row)


def parse_firefox_rows(rows: Iterable[Row], user_version: int) -> DatabaseContents:
    """Convert rows of Firefox's database (FIREFOX_COLUMNS) to cookies. `user_version`: its pragma."""
    unit = 1000 if user_version >= FIREFOX_MILLISECONDS_SINCE else 1

    def parse_row(row: Row) -> StoredCookie:
        *_, attributes, expires, used, _, _, _, partitioned = row
        times = (_clamp_seconds(_check_number(at) / part) for at, part in ((expires, unit), (used, 1_000_000)))
        return _make_cookie(row, b"", *times, partitioned=bool(attributes) or bool(partitioned))

    return _parse_rows(rows, 0, parse_row)


def _parse_rows(rows: Iterable[Row], version: int, parse_row: Reader) -> DatabaseContents:
    """Convert rows by `parse_row`, and count those that raise ValueError. `version`: of the database."""
    found: list[StoredCookie] = []
    malformed = 0
    for row in rows:
        try:
            found.append(parse_row(row))
        except ValueError:
            malformed += 1
    return DatabaseContents(version, found, malformed)


def _make_cookie(
    row: Row, encrypted: bytes, expires: float | None, used: float, *, partitioned: bool
) -> StoredCookie:
    """Convert the columns of a row that both databases have in the same places, and add the others.

    Raises ValueError if one is malformed.
    """
    host, name, path, value = map(_decode_text, row[:4])
    if not _HOST.match(host):
        raise ValueError
    secure, http_only = (bool(_check_number(field)) for field in row[7:9])
    same_site = _SAME_SITE.get(_check_number(row[9]))
    if same_site == "None" and not secure:  # browsers require Secure with it
        same_site = None
    return StoredCookie(
        host, name, path, value, encrypted, expires, used, secure, http_only, same_site, partitioned
    )


def _decode_text(field: object) -> str:
    """Decode a column with text (bytes in UTF-8). Raises ValueError if it is malformed.

    That is: another type or encoding, a control character, or more than MOST_FIELD_BYTES.
    """
    if not isinstance(field, bytes) or len(field) > MOST_FIELD_BYTES:
        raise ValueError
    text = field.decode()
    if _CONTROL.search(text):
        raise ValueError
    return text


def _check_number(field: object) -> int:
    """Return the value of a column with an integer. Raises ValueError for any other type."""
    if not isinstance(field, int):
        raise ValueError
    return field


def _from_webkit_time(field: object) -> float:
    """Convert microseconds since 1601 to seconds since 1970. Raises ValueError for other types."""
    return _clamp_seconds(_check_number(field) / 1_000_000 - _EPOCH_1601)


def _clamp_seconds(seconds: float) -> float:
    """Limit a time in seconds since 1970 to the years 1970 to 9999."""
    return min(max(seconds, 0.0), _MOST_SECONDS) if math.isfinite(seconds) else _MOST_SECONDS
