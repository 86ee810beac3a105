"""Cookie databases as browsers write them, made without a browser."""

import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

CHROMIUM = (
    "CREATE TABLE cookies(creation_utc INTEGER NOT NULL,host_key TEXT NOT NULL,top_frame_site_key TEXT NOT NULL,"
    "name TEXT NOT NULL,value TEXT NOT NULL,encrypted_value BLOB NOT NULL,path TEXT NOT NULL,"
    "expires_utc INTEGER NOT NULL,is_secure INTEGER NOT NULL,is_httponly INTEGER NOT NULL,"
    "last_access_utc INTEGER NOT NULL,samesite INTEGER NOT NULL)"
)
OLD_CHROMIUM = (
    "CREATE TABLE cookies(creation_utc INTEGER NOT NULL,host_key TEXT NOT NULL,name TEXT NOT NULL,"
    "value TEXT NOT NULL,path TEXT NOT NULL,expires_utc INTEGER NOT NULL,is_secure INTEGER NOT NULL,"
    "is_httponly INTEGER NOT NULL,last_access_utc INTEGER NOT NULL,encrypted_value BLOB DEFAULT '')"
)
FIREFOX = (
    "CREATE TABLE moz_cookies(id INTEGER PRIMARY KEY,originAttributes TEXT NOT NULL DEFAULT '',name TEXT,"
    "value TEXT,host TEXT,path TEXT,expiry INTEGER,lastAccessed INTEGER,isSecure INTEGER,isHttpOnly INTEGER,"
    "sameSite INTEGER DEFAULT 0)"
)
HOUR = 3600


def encrypted(value: str, key: bytes, host: str = "", tag: bytes = b"v10", version: int = 24) -> bytes:
    """A value as Chromium keeps it in a database of that version."""
    plain = (sha256(host.encode()).digest() if version >= 24 else b"") + value.encode()
    count = 16 - len(plain) % 16
    encryptor = Cipher(AES(key), CBC(b" " * 16)).encryptor()
    return tag + encryptor.update(plain + bytes([count]) * count) + encryptor.finalize()


def since_1601(seconds: float) -> int:
    return int((seconds + 11_644_473_600) * 1_000_000)


def row(host: str, name: str = "sid", **fields: object) -> dict[str, object]:
    """A Chromium row; it expires in an hour unless told otherwise."""
    now = since_1601(time.time())
    standard = {
        "creation_utc": now, "host_key": host, "top_frame_site_key": "", "name": name, "value": "",
        "encrypted_value": b"", "path": "/", "expires_utc": now + HOUR * 1_000_000, "is_secure": 0,
        "is_httponly": 0, "last_access_utc": now, "samesite": -1,
    }  # fmt: skip
    return standard | fields


Row = dict[str, object]


def _write(path: Path, table: str, rows: Iterable[Row], *statements: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        for fields in rows:
            marks = ",".join("?" * len(fields))
            database.execute(f"INSERT INTO {table}({','.join(fields)}) VALUES({marks})", tuple(fields.values()))
        database.commit()
    return path


def chromium(path: Path, rows: Iterable[Row], version: int = 24, schema: str = CHROMIUM) -> Path:
    """A `Cookies` database."""
    meta = "CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR)"
    return _write(path, "cookies", rows, meta, f"INSERT INTO meta VALUES('version', '{version}')", schema)


def firefox(path: Path, rows: Iterable[Row], user_version: int = 17) -> Path:
    """A `cookies.sqlite` database."""
    return _write(path, "moz_cookies", rows, FIREFOX, f"PRAGMA user_version={user_version}")
