"""A site's database: the ground truth of every check, and the log of all that was asked of the site."""

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
LOG = "CREATE TABLE log (id INTEGER PRIMARY KEY, method TEXT, host TEXT, path TEXT, status INTEGER);"


class Database:
    """SQLite in memory, shared by the threads of a site's server; one statement at a time."""

    def __init__(self, schema: str) -> None:
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        self._connection.executescript(LOG + schema)

    def rows(self, statement: str, *values: object) -> list[Row]:
        with self._lock:
            return [dict(row) for row in self._connection.execute(statement, values)]

    def rows_by_name(self, statement: str, values: Row) -> list[Row]:
        """Rows of a statement whose parameters have names."""
        with self._lock:
            return [dict(row) for row in self._connection.execute(statement, values)]

    def row(self, statement: str, *values: object) -> Row | None:
        """The first row, if there is one."""
        found = self.rows(statement, *values)
        return found[0] if found else None

    def one(self, statement: str, *values: object) -> Row:
        """Return the only row. Raises LookupError if the rows are none or several."""
        found = self.rows(statement, *values)
        if len(found) != 1:
            raise LookupError(f"{len(found)} rows instead of one: {statement}")
        return found[0]

    def value(self, statement: str, *values: object) -> Any:
        """The first column of the only row."""
        return next(iter(self.one(statement, *values).values()))

    def column(self, statement: str, *values: object) -> list[Any]:
        """The first column of all rows."""
        return [next(iter(row.values())) for row in self.rows(statement, *values)]

    def change(self, statement: str, *values: object) -> int:
        """Change something, and return the number of the row that was inserted."""
        with self._lock:
            return self._connection.execute(statement, values).lastrowid or 0

    def insert(self, table: str, **values: object) -> int:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        return self.change(f"INSERT INTO {table} ({names}) VALUES ({marks})", *values.values())

    def insert_all(self, table: str, rows: Sequence[Row]) -> None:
        """Rows that have the same columns."""
        names, marks = ", ".join(rows[0]), ", ".join("?" * len(rows[0]))
        with self._lock:
            values = [tuple(row.values()) for row in rows]
            self._connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)

    def content(self) -> dict[str, list[Row]]:
        """All tables but the log and who is signed in."""
        names = self.column(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('log', 'sessions')"
        )
        return {name: self.rows(f"SELECT * FROM {name}") for name in names}

    def close(self) -> None:
        with self._lock:
            self._connection.close()
