"""Read cookie databases of browsers in memory, within two seconds; copy, lock and write nothing.

The file is read while its browser may be writing to it, until two readings agree. It is untrusted input, so SQLite
gets limits for everything: tables, row size, row count and time.
"""

import sqlite3
import struct
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from gstack_browse.cookies import database_rows
from gstack_browse.cookies.database_rows import Undecryptable
from gstack_browse.cookies.records import Cookie, DatabaseContents, Skip, StoredCookie
from gstack_browse.cookies.stores import profiles
from gstack_browse.cookies.stores.keys import FoundKeys, KeyStore
from gstack_browse.cookies.stores.profiles import NoKey, Profile, Unreadable, UnsuitableFile

_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
"""Magic number → byte order of the checksums."""
_WAL_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
_WRITE_VERSION, _READ_VERSION = 18, 19
"""Offsets in the database's header; 2 there means write-ahead logging, 1 a rollback journal."""
MOST_DATABASE_BYTES = 64 << 20
"""Limit of a database's size, and of the size that its write-ahead log claims."""


def clear_wal_mode(database: bytes) -> bytes:
    """Mark an SQLite database as having no write-ahead log, as SQLite demands of a database in memory."""
    if len(database) < 100 or database[_READ_VERSION] != 2:
        return database
    return database[:_WRITE_VERSION] + b"\x01\x01" + database[_READ_VERSION + 1 :]


def apply_write_ahead_log(database: bytes, wal: bytes) -> bytes:
    """Return an SQLite database with the committed pages of its write-ahead log (`wal`) put in.

    The log is read up to the first damaged frame.
    """
    pages, size = _read_committed_pages(wal)
    if not pages:
        return clear_wal_mode(database)
    page_bytes = len(next(iter(pages.values())))
    whole = bytearray(database[: size * page_bytes].ljust(size * page_bytes, b"\0"))
    for number, page in pages.items():
        if number <= size:
            whole[(number - 1) * page_bytes : number * page_bytes] = page
    return clear_wal_mode(bytes(whole))


def _read_committed_pages(log: bytes) -> tuple[dict[int, bytes], int]:
    """Return a write-ahead log's pages (number → content) at its last commit, and the size then in pages."""
    header = _parse_wal_header(log)
    if header is None:
        return {}, 0
    order, page_bytes, salts, sums = header
    pages: dict[int, bytes] = {}
    uncommitted: dict[int, bytes] = {}
    size = 0
    for start in range(
        _WAL_HEADER_BYTES, len(log) - _FRAME_HEADER_BYTES - page_bytes + 1, _FRAME_HEADER_BYTES + page_bytes
    ):
        frame = log[start : start + _FRAME_HEADER_BYTES]
        number, size_after, *frame_salts, sum_1, sum_2 = struct.unpack(">6I", frame)
        page = log[start + _FRAME_HEADER_BYTES : start + _FRAME_HEADER_BYTES + page_bytes]
        sums = _extend_checksum(frame[:8] + page, order, sums)
        sound = tuple(frame_salts) == salts and sums == (sum_1, sum_2)
        if not sound or not number or size_after * page_bytes > MOST_DATABASE_BYTES:
            break
        uncommitted[number] = page
        if size_after:
            pages |= uncommitted
            uncommitted, size = {}, size_after
    return pages, size


def _parse_wal_header(log: bytes) -> tuple[str, int, tuple[int, int], tuple[int, int]] | None:
    """Return (byte order, page size, salts, checksum) from the header of a write-ahead log.

    None for any other file.
    """
    if len(log) < _WAL_HEADER_BYTES:
        return None
    magic, _, page_bytes, _, salt_1, salt_2, sum_1, sum_2 = struct.unpack(">8I", log[:_WAL_HEADER_BYTES])
    order = _MAGIC.get(magic)
    if order is None or not 512 <= page_bytes <= 65_536 or page_bytes & (page_bytes - 1):
        return None
    if _extend_checksum(log[:24], order, (0, 0)) != (sum_1, sum_2):
        return None
    return order, page_bytes, (salt_1, salt_2), (sum_1, sum_2)


def _extend_checksum(content: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Extend SQLite's write-ahead log checksum by `content`, a multiple of 8 bytes. Return the new one.

    `sums`: the checksum so far, two numbers. `order`: byte order as in `struct`.
    """
    first, second = sums
    words = iter(struct.unpack(f"{order}{len(content) // 4}I", content))
    for even, odd in zip(words, words, strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


MOST_LOG_BYTES = 16 << 20
MOST_ROWS = 50_000
"""Chromium stores about 3,300 cookies at most, Firefox 3,000."""
QUERY_SECONDS = 1.0

_READINGS = 20
_PAUSE_SECONDS = 0.02
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_HEADER_BYTES = 100
_MOST_ROW_BYTES = 1_000_000
_STEPS_BETWEEN_CHECKS = 1_000

_ALLOWED: dict[int, tuple[str, ...]] = {
    sqlite3.SQLITE_READ: ("cookies", "meta", "moz_cookies", "sqlite_master"),
    sqlite3.SQLITE_PRAGMA: ("table_info", "user_version"),
}
_FUNCTIONS = ("length",)
_DAMAGE_ERRORS = (sqlite3.Error, UnicodeDecodeError, MemoryError)
"""What SQLite raises for a damaged file: its own errors, messages that are not text, impossible sizes."""

Row = tuple[object, ...]


def read_chromium(path: Path) -> DatabaseContents:
    """Read the cookies of Chromium's `Cookies` database. Blocks; raises Unreadable."""
    with _DatabaseReader(_read_consistently(path)) as reader:
        return database_rows.parse_chromium_rows(
            reader.read_rows("cookies", database_rows.CHROMIUM_COLUMNS), reader.read_meta_version()
        )


def read_firefox(path: Path) -> DatabaseContents:
    """Read the cookies of Firefox's `cookies.sqlite` database. Blocks; raises Unreadable."""
    with _DatabaseReader(_read_consistently(path)) as reader:
        return database_rows.parse_firefox_rows(
            reader.read_rows("moz_cookies", database_rows.FIREFOX_COLUMNS), reader.read_user_version()
        )


def _read_consistently(path: Path) -> bytes:
    """Read a database file and apply its write-ahead log; both are read until two readings agree.

    Raises Unreadable.
    """
    journal = path.with_name(path.name + "-journal")
    try:
        before = _read_once(path)
        for _ in range(_READINGS):
            again = _read_once(path)
            # a rollback journal shows an open transaction (sqlite.org/fileformat2.html, 3)
            if again == before and profiles.read_head(journal, len(_JOURNAL_MAGIC)) != _JOURNAL_MAGIC:
                break
            before = again
            time.sleep(_PAUSE_SECONDS)
    except FileNotFoundError:
        raise Unreadable("there is no cookie database") from None
    except UnsuitableFile as why:
        raise Unreadable(str(why)) from None
    return apply_write_ahead_log(*before)


def _read_once(path: Path) -> tuple[bytes, bytes]:
    """Read a database file. Return (its content, that of its write-ahead log, b"" without one)."""
    try:
        log = profiles.read_file(path.with_name(path.name + "-wal"), MOST_LOG_BYTES)
    except FileNotFoundError:
        log = b""
    return profiles.read_file(path, MOST_DATABASE_BYTES), log


class _DatabaseReader:
    """Runs the few queries that we need on an untrusted database in memory."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._deadline = time.monotonic() + QUERY_SECONDS
        self._connection = sqlite3.connect(":memory:", isolation_level=None)

    def __enter__(self) -> "_DatabaseReader":
        connection = self._connection
        try:
            if len(self._content) < _HEADER_BYTES:
                raise Unreadable("it is not an SQLite database")
            connection.deserialize(self._content)
            connection.execute("PRAGMA trusted_schema=off")
            connection.execute("PRAGMA cell_size_check=on")
        except _DAMAGE_ERRORS as error:
            connection.close()
            raise _describe_error(error) from None
        connection.text_factory = bytes
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_ROW_BYTES)
        connection.set_progress_handler(lambda: time.monotonic() > self._deadline, _STEPS_BETWEEN_CHECKS)
        connection.set_authorizer(_authorise)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def read_meta_version(self) -> int:
        """Return the schema version in Chromium's table `meta` (there as text or number); 0 without one."""
        if not self._is_table("meta"):
            return 0
        found = self._query("SELECT value FROM meta WHERE key = 'version' AND length(value) < 10 LIMIT 1", 1)
        word = found[0][0] if found else 0
        text = word.decode("ascii", "replace") if isinstance(word, bytes) else str(word)
        return int(text) if text.isdigit() else 0

    def read_user_version(self) -> int:
        """Return the schema version in Firefox's database (pragma `user_version`); 0 without one."""
        found = self._query("PRAGMA user_version", 1)
        return int(str(found[0][0])) if found else 0

    def read_rows(self, table: str, columns: Mapping[str, str]) -> list[Row]:
        """Return all rows of a table, with defaults for missing columns.

        `columns` maps a column's name to the SQL literal that stands for it where it is missing.
        Raises Unreadable if `table` is not a real table.
        """
        if not self._is_table(table):
            raise Unreadable("it holds no table of cookies")
        there = {row[1] for row in self._query(f"PRAGMA table_info({table})", 1000)}
        wanted = [name if name.encode() in there else default for name, default in columns.items()]
        return self._query(f"SELECT {', '.join(wanted)} FROM {table}", MOST_ROWS)  # noqa: S608 - our own names

    def _is_table(self, name: str) -> bool:
        """Return whether `name` is a real table: a view or virtual table would run SQL of the file's author."""
        found = self._query(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?", 1, (name,)
        )
        return bool(found)

    def _query(self, query: str, most: int, values: tuple[str, ...] = ()) -> list[Row]:
        """Run a query with these `values` and return its first `most` + 1 rows. Raises Unreadable.

        That is for a damaged file, a query that takes too long, and more than MOST_ROWS cookies.
        """
        try:
            found = self._connection.execute(query, values).fetchmany(most + 1)
        except _DAMAGE_ERRORS as error:
            raise _describe_error(error) from None
        if len(found) > most and most == MOST_ROWS:
            raise Unreadable(f"it holds more than {MOST_ROWS} cookies")
        return found


def _authorise(action: int, first: str | None, second: str | None, *rest: str | None) -> int:
    """Return whether SQLite may do an action, SQLITE_OK or SQLITE_DENY: only read known tables.

    Called by SQLite (`set_authorizer`). A trigger, view or generated column that does more ends the query.
    """
    allowed = (
        second in _FUNCTIONS if action == sqlite3.SQLITE_FUNCTION else first in _ALLOWED.get(action, ("",))
    )
    return sqlite3.SQLITE_OK if allowed or action == sqlite3.SQLITE_SELECT else sqlite3.SQLITE_DENY


def _describe_error(error: Exception) -> Unreadable:
    """Convert an error of SQLite to Unreadable with a fixed text: its own could contain text of the file."""
    code = getattr(error, "sqlite_errorname", "")
    if code == "SQLITE_INTERRUPT":
        return Unreadable("reading it takes too long")
    if code in ("SQLITE_NOTADB", "SQLITE_CANTOPEN"):
        return Unreadable("it is not an SQLite database")
    if code in ("SQLITE_TOOBIG", "SQLITE_AUTH"):
        return Unreadable("it holds what no cookie database holds")
    return Unreadable("it is damaged")


LONGEST_SECONDS = 400 * 86_400
"""Chromium limits the life of a cookie to 400 days (RFC 6265bis, 5.5)."""


@dataclass
class GatheredCookies:
    """Cookies ready to be set, counts of skipped ones by reason, and the error if a key was not available."""

    cookies: list[Cookie] = field(default_factory=list)
    skipped: Counter[Skip] = field(default_factory=Counter)
    missing: NoKey | None = None


def read_profile(profile: Profile) -> DatabaseContents:
    """Read the cookies of a browser profile as stored, values still encrypted. Raises Unreadable."""
    return (read_firefox if profile.browser.is_firefox else read_chromium)(profile.database)


def gather_cookies(
    profile: Profile, contents: DatabaseContents, wanted: Callable[[StoredCookie], bool], keys: KeyStore
) -> GatheredCookies:
    """Choose cookies of a browser profile and decrypt them; count the others by why they are skipped.

    Args:
        profile: the profile.
        contents: its cookies, from `read_profile`.
        wanted: returns whether to include a cookie.
        keys: where to get the profile's keys.
    """
    now = time.time()
    chosen = [(cookie, _skip_reason(cookie, now)) for cookie in contents.cookies if wanted(cookie)]
    usable = [cookie for cookie, reason in chosen if not reason]
    gathered = GatheredCookies(skipped=Counter(reason for _, reason in chosen if reason))
    tags = {cookie.encrypted[:3] for cookie in usable if cookie.encrypted and not cookie.value}
    found = keys.find(profile.browser, tags)
    gathered.missing = found.missing
    for cookie in usable:
        try:
            gathered.cookies.append(_decrypt_cookie(cookie, contents.version, found, now))
        except Undecryptable as error:
            gathered.skipped[error.skip] += 1
    return gathered


def _skip_reason(cookie: StoredCookie, now: float) -> Skip | None:
    """Return why a cookie is not imported (expired, partitioned), else None. `now`: seconds since 1970."""
    if cookie.expires is not None and cookie.expires <= now:
        return Skip.EXPIRED
    return Skip.PARTITIONED if cookie.partitioned else None


def _decrypt_cookie(cookie: StoredCookie, version: int, found: FoundKeys, now: float) -> Cookie:
    """Decrypt a stored cookie to one to be set, expiring in at most 400 days. Raises Undecryptable.

    `version`: of the database. `found`: the keys. `now`: seconds since 1970.
    """
    value = cookie.value
    if cookie.encrypted and not value:
        value = database_rows.decrypt_value(cookie.encrypted, cookie.host, version, found.keys)
    expires = None if cookie.expires is None else min(cookie.expires, now + LONGEST_SECONDS)
    return Cookie(
        cookie.host, cookie.name, cookie.path, value, expires, cookie.secure, cookie.http_only, cookie.same_site
    )
