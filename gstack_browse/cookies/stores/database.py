"""Reads cookie databases in memory: no copy on a disk, no lock, nothing written, two seconds at the very most.

The file is read while its browser may be writing to it, until two readings agree. It is hostile input, so SQLite
gets bounds on everything: what it may touch, how long a row may be, how many there are, how long it may take.
"""

import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from gstack_browse.cookies import rows, wal
from gstack_browse.cookies.records import Contents
from gstack_browse.cookies.stores import files
from gstack_browse.cookies.stores.failures import Unreadable
from gstack_browse.cookies.stores.files import Unfit

MOST_DATABASE_BYTES = 64 << 20
MOST_LOG_BYTES = 16 << 20
MOST_ROWS = 50_000
"""Chromium keeps about 3,300 cookies, Firefox 3,000."""
QUERY_SECONDS = 1.0

_READINGS = 20
_PAUSE_SECONDS = 0.02
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_HEADER_BYTES = 100
_MOST_ROW_BYTES = 1_000_000
_STEPS_BETWEEN_LOOKS = 1_000

_ALLOWED: dict[int, tuple[str, ...]] = {
    sqlite3.SQLITE_READ: ("cookies", "meta", "moz_cookies", "sqlite_master"),
    sqlite3.SQLITE_PRAGMA: ("table_info", "user_version"),
}
_FUNCTIONS = ("length",)
_FAULTS = (sqlite3.Error, UnicodeDecodeError, MemoryError)
"""What a damaged file makes of SQLite: its own errors, messages that are no text, sizes that cannot be had."""

Row = tuple[object, ...]


def read_chromium(path: Path) -> Contents:
    """The cookies of a `Cookies` database. Blocks; raises Unreadable."""
    with _Reader(_bytes_of(path)) as reader:
        return rows.chromium(reader.all("cookies", rows.CHROMIUM_COLUMNS), reader.meta_version())


def read_firefox(path: Path) -> Contents:
    """The cookies of a `cookies.sqlite` database. Blocks; raises Unreadable."""
    with _Reader(_bytes_of(path)) as reader:
        return rows.firefox(reader.all("moz_cookies", rows.FIREFOX_COLUMNS), reader.user_version())


def _bytes_of(path: Path) -> bytes:
    """The database and what its write-ahead log adds, as of one moment."""
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
    except Unfit as why:
        raise Unreadable(str(why)) from None
    return wal.overlay(*before)


def _read_once(path: Path) -> tuple[bytes, bytes]:
    try:
        log = files.read(path.with_name(path.name + "-wal"), MOST_LOG_BYTES)
    except FileNotFoundError:
        log = b""
    return files.read(path, MOST_DATABASE_BYTES), log


def _is_being_written(path: Path) -> bool:
    """Whether a rollback journal says that a transaction is under way (sqlite.org/fileformat2.html, 3)."""
    return files.head(path.with_name(path.name + "-journal"), len(_JOURNAL_MAGIC)) == _JOURNAL_MAGIC


class _Reader:
    """A hostile database in memory, and the few questions it is asked."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._give_up = time.monotonic() + QUERY_SECONDS
        self._connection = sqlite3.connect(":memory:", isolation_level=None)

    def __enter__(self) -> "_Reader":
        connection = self._connection
        try:
            if len(self._content) < _HEADER_BYTES:
                raise Unreadable("it is not an SQLite database")
            connection.deserialize(self._content)
            connection.execute("PRAGMA trusted_schema=off")
            connection.execute("PRAGMA cell_size_check=on")
        except _FAULTS as error:
            connection.close()
            raise _unreadable(error) from None
        connection.text_factory = bytes
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_ROW_BYTES)
        connection.set_progress_handler(self._is_over, _STEPS_BETWEEN_LOOKS)
        connection.set_authorizer(_authorise)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def meta_version(self) -> int:
        """`version` of Chromium's `meta` table; 0 without one. It is text there, whatever it holds."""
        if not self._is_table("meta"):
            return 0
        found = self._ask("SELECT value FROM meta WHERE key = 'version' AND length(value) < 10 LIMIT 1", 1)
        word = found[0][0] if found else 0
        text = word.decode("ascii", "replace") if isinstance(word, bytes) else str(word)
        return int(text) if text.isdigit() else 0

    def user_version(self) -> int:
        found = self._ask("PRAGMA user_version", 1)
        return int(str(found[0][0])) if found else 0

    def all(self, table: str, columns: Mapping[str, str]) -> list[Row]:
        """Every row of a table, columns that it lacks filled in. Raises Unreadable for anything but a table."""
        if not self._is_table(table):
            raise Unreadable("it holds no table of cookies")
        there = {row[1] for row in self._ask(f"PRAGMA table_info({table})", 1000)}
        wanted = [name if name.encode() in there else default for name, default in columns.items()]
        return self._ask(f"SELECT {', '.join(wanted)} FROM {table}", MOST_ROWS)  # noqa: S608 - our own names

    def _is_table(self, name: str) -> bool:
        """Whether it is a real table: a view or a virtual table would run what the file's author wrote."""
        found = self._ask(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?", 1, (name,)
        )
        return bool(found)

    def _ask(self, query: str, most: int, values: tuple[str, ...] = ()) -> list[Row]:
        try:
            found = self._connection.execute(query, values).fetchmany(most + 1)
        except _FAULTS as error:
            raise _unreadable(error) from None
        if len(found) > most and most == MOST_ROWS:
            raise Unreadable(f"it holds more than {MOST_ROWS} cookies")
        return found

    def _is_over(self) -> int:
        return time.monotonic() > self._give_up


def _authorise(action: int, first: str | None, second: str | None, *rest: str | None) -> int:
    """Only reading of the tables we know. A trigger, view or generated column that wants more ends the query."""
    allowed = (
        second in _FUNCTIONS if action == sqlite3.SQLITE_FUNCTION else first in _ALLOWED.get(action, ("",))
    )
    return sqlite3.SQLITE_OK if allowed or action == sqlite3.SQLITE_SELECT else sqlite3.SQLITE_DENY


def _unreadable(error: Exception) -> Unreadable:
    """In our words: SQLite's own could repeat what the file's author wrote."""
    code = getattr(error, "sqlite_errorname", "")
    if code == "SQLITE_INTERRUPT":
        return Unreadable("reading it takes too long")
    if code in ("SQLITE_NOTADB", "SQLITE_CANTOPEN"):
        return Unreadable("it is not an SQLite database")
    if code in ("SQLITE_TOOBIG", "SQLITE_AUTH"):
        return Unreadable("it holds what no cookie database holds")
    return Unreadable("it is damaged")
