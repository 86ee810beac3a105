"""Read cookie databases in memory, within two seconds: nothing is copied to disk, locked or written.

The file is read while its browser may be writing to it, until two readings agree. It is untrusted input, so SQLite
gets limits for everything: tables, row size, row count and time.
"""

import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from gstack_browse.cookies import rows, wal
from gstack_browse.cookies.records import DatabaseContents
from gstack_browse.cookies.stores import files
from gstack_browse.cookies.stores.failures import Unreadable
from gstack_browse.cookies.stores.files import UnsuitableFile

MOST_DATABASE_BYTES = 64 << 20
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
    """Read the cookies of a `Cookies` database. Blocks; raises Unreadable."""
    with _DatabaseReader(_read_consistently(path)) as reader:
        return rows.parse_chromium_rows(
            reader.read_rows("cookies", rows.CHROMIUM_COLUMNS), reader.read_meta_version()
        )


def read_firefox(path: Path) -> DatabaseContents:
    """Read the cookies of a `cookies.sqlite` database. Blocks; raises Unreadable."""
    with _DatabaseReader(_read_consistently(path)) as reader:
        return rows.parse_firefox_rows(
            reader.read_rows("moz_cookies", rows.FIREFOX_COLUMNS), reader.read_user_version()
        )


def _read_consistently(path: Path) -> bytes:
    """Read database and write-ahead log until two readings agree; apply the log."""
    try:
        before = _read_once(path)
        for _ in range(_READINGS):
            again = _read_once(path)
            if again == before and not _is_being_written(path):
                break
            before = again
            time.sleep(_PAUSE_SECONDS)
    except FileNotFoundError:
        raise Unreadable("there is no cookie database") from None
    except UnsuitableFile as why:
        raise Unreadable(str(why)) from None
    return wal.apply_log(*before)


def _read_once(path: Path) -> tuple[bytes, bytes]:
    """Return the content of the database's file and of its write-ahead log, if there is one."""
    try:
        log = files.read_file(path.with_name(path.name + "-wal"), MOST_LOG_BYTES)
    except FileNotFoundError:
        log = b""
    return files.read_file(path, MOST_DATABASE_BYTES), log


def _is_being_written(path: Path) -> bool:
    """Return whether a rollback journal shows an open transaction (sqlite.org/fileformat2.html, 3)."""
    return files.read_head(path.with_name(path.name + "-journal"), len(_JOURNAL_MAGIC)) == _JOURNAL_MAGIC


class _DatabaseReader:
    """An untrusted database in memory, and the few queries that are made on it."""

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
        connection.set_progress_handler(self._is_time_over, _STEPS_BETWEEN_CHECKS)
        connection.set_authorizer(_authorise)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def read_meta_version(self) -> int:
        """Return `version` of Chromium's `meta` table; 0 without one. SQLite may store it as text or number."""
        if not self._is_table("meta"):
            return 0
        found = self._query("SELECT value FROM meta WHERE key = 'version' AND length(value) < 10 LIMIT 1", 1)
        word = found[0][0] if found else 0
        text = word.decode("ascii", "replace") if isinstance(word, bytes) else str(word)
        return int(text) if text.isdigit() else 0

    def read_user_version(self) -> int:
        """Return the database's `user_version`; 0 without one."""
        found = self._query("PRAGMA user_version", 1)
        return int(str(found[0][0])) if found else 0

    def read_rows(self, table: str, columns: Mapping[str, str]) -> list[Row]:
        """Return all rows of a table, with defaults for missing columns.

        `columns` maps a column's name to the SQL literal that stands for it where it is missing.
        Raises Unreadable if it is not a table.
        """
        if not self._is_table(table):
            raise Unreadable("it holds no table of cookies")
        there = {row[1] for row in self._query(f"PRAGMA table_info({table})", 1000)}
        wanted = [name if name.encode() in there else default for name, default in columns.items()]
        return self._query(f"SELECT {', '.join(wanted)} FROM {table}", MOST_ROWS)  # noqa: S608 - our own names

    def _is_table(self, name: str) -> bool:
        """Return whether it is a real table: a view or virtual table would run SQL of the file's author."""
        found = self._query(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?", 1, (name,)
        )
        return bool(found)

    def _query(self, query: str, most: int, values: tuple[str, ...] = ()) -> list[Row]:
        """Run a query and return at most `most` + 1 rows; raise Unreadable for damage or too many cookies."""
        try:
            found = self._connection.execute(query, values).fetchmany(most + 1)
        except _DAMAGE_ERRORS as error:
            raise _describe_error(error) from None
        if len(found) > most and most == MOST_ROWS:
            raise Unreadable(f"it holds more than {MOST_ROWS} cookies")
        return found

    def _is_time_over(self) -> int:
        """Return whether the query has taken too long; SQLite then interrupts it."""
        return time.monotonic() > self._deadline


def _authorise(action: int, first: str | None, second: str | None, *rest: str | None) -> int:
    """Allow SQLite only to read known tables (sqlite3's authorizer callback).

    A trigger, view or generated column that does more ends the query.
    """
    allowed = (
        second in _FUNCTIONS if action == sqlite3.SQLITE_FUNCTION else first in _ALLOWED.get(action, ("",))
    )
    return sqlite3.SQLITE_OK if allowed or action == sqlite3.SQLITE_SELECT else sqlite3.SQLITE_DENY


def _describe_error(error: Exception) -> Unreadable:
    """Describe a SQLite error in fixed texts: SQLite's own could repeat text of the file's author."""
    code = getattr(error, "sqlite_errorname", "")
    if code == "SQLITE_INTERRUPT":
        return Unreadable("reading it takes too long")
    if code in ("SQLITE_NOTADB", "SQLITE_CANTOPEN"):
        return Unreadable("it is not an SQLite database")
    if code in ("SQLITE_TOOBIG", "SQLITE_AUTH"):
        return Unreadable("it holds what no cookie database holds")
    return Unreadable("it is damaged")
