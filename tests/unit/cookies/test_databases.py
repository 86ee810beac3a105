"""Databases as browsers write them, while they write them, and as an enemy would."""

import os
import random
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gstack_browse.cookies.stores import database as reader
from gstack_browse.cookies.stores.database import read_chromium, read_firefox
from gstack_browse.cookies.stores.profiles import Unreadable
from tests.each import each
from tests.unit.cookies import makers
from tests.unit.cookies.makers import row, since_1601
from tests.unit.planting import plant


@pytest.fixture(autouse=True)
def within_two_seconds() -> Iterator[None]:
    """Require an answer within two seconds of processor time, whatever the database is.

    Other processes may need the machine, too: wall time says nothing.
    """
    start = time.process_time()
    yield
    assert time.process_time() - start < 2


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "Default" / "Cookies"


def why(path: Path) -> str:
    with pytest.raises(Unreadable) as caught:
        read_chromium(path)
    return str(caught.value)


def browser(path: Path) -> "closing[sqlite3.Connection]":
    """Open the database as a browser has it open."""
    return closing(sqlite3.connect(path, isolation_level=None))


def test_rows_of_chromium_are_read_with_their_expiry_and_same_site(path: Path) -> None:
    expires, used = 2_000_000_000, 1_900_000_000
    times = {"expires_utc": since_1601(expires), "last_access_utc": since_1601(used)}
    names = {(-1, 1): None, (0, 1): "None", (0, 0): None, (1, 0): "Lax", (2, 0): "Strict"}
    beyond = {2**63 - 1: 253_402_300_799, -(2**63): 0}
    makers.chromium(
        path,
        [
            row(".a.test", "sid", value="s3cret", is_secure=1, is_httponly=1, samesite=2, **times),
            *(row("site.test", samesite=stored, is_secure=secure) for stored, secure in names),
            *(row("calendar.test", expires_utc=time, last_access_utc=time) for time in beyond),
        ],
    )
    contents = read_chromium(path)
    cookie, *others = contents.cookies
    assert (contents.version, cookie.host, cookie.name, cookie.value) == (24, ".a.test", "sid", "s3cret")
    assert (cookie.expires, cookie.used) == (expires, used)
    assert (cookie.secure, cookie.http_only, cookie.same_site) == (True, True, "Strict")
    assert [one.same_site for one in others if one.host == "site.test"] == list(names.values())
    assert [one.expires for one in others if one.host == "calendar.test"] == list(beyond.values())
    assert "s3cret" not in repr(contents)


def test_firefox_counted_seconds_and_now_counts_milliseconds_and_has_containers(tmp_path: Path) -> None:
    fields = {"name": "sid", "value": "x", "host": ".a.test", "path": "/", "lastAccessed": 1_900_000_000_000_000,
              "isSecure": 1, "isHttpOnly": 0, "sameSite": 256}  # fmt: skip
    for version, expiry in ((15, 2_000_000_000), (16, 2_000_000_000_000)):
        container = {"originAttributes": "^userContextId=2"}
        rows = [fields | {"expiry": expiry}, fields | {"expiry": expiry} | container]
        plain, partitioned = read_firefox(makers.firefox(tmp_path / f"{version}.sqlite", rows, version)).cookies
        assert (plain.expires, plain.used, plain.same_site) == (2_000_000_000, 1_900_000_000, None)
        assert (plain.partitioned, partitioned.partitioned) == (False, True)


def test_committed_rows_in_the_write_ahead_log_are_read(path: Path) -> None:
    makers.chromium(path, [row("old.test")])
    with browser(path) as database:
        database.execute("PRAGMA journal_mode=wal")
        database.execute("PRAGMA wal_autocheckpoint=0")
        database.execute("INSERT INTO cookies SELECT * FROM cookies")
        database.execute("UPDATE cookies SET host_key='new.test' WHERE rowid=2")
        database.execute("BEGIN")
        database.execute("UPDATE cookies SET host_key='uncommitted.test'")
        assert {cookie.host for cookie in read_chromium(path).cookies} == {"old.test", "new.test"}


def test_a_damaged_log_counts_up_to_the_damage(path: Path) -> None:
    makers.chromium(path, [row("old.test")])
    with browser(path) as database:
        database.execute("PRAGMA journal_mode=wal")
        database.execute("UPDATE cookies SET host_key='new.test'")
        whole = path.with_name("Cookies-wal").read_bytes()
        shutil.copy(path, copy := path.with_name("Copy"))
        for log, host in ((whole, "new.test"), (whole[:-1], "old.test"), (b"x" * len(whole), "old.test")):
            copy.with_name("Copy-wal").write_bytes(log)
            assert [cookie.host for cookie in read_chromium(copy).cookies] == [host]


def test_a_locked_database_is_read_and_neither_changed_nor_unlocked(path: Path) -> None:
    makers.chromium(path, [row("a.test")])
    before = path.read_bytes(), path.stat().st_mtime_ns
    with browser(path) as database:
        database.execute("PRAGMA locking_mode=exclusive")
        database.execute("BEGIN EXCLUSIVE")
        assert len(read_chromium(path).cookies) == 1
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert sorted(os.listdir(path.parent)) == ["Cookies"]


@each([b"", b"garbage", b"SQLite format 3\0" + b"\xff" * 5000, random.Random(1).randbytes(20_000)])
def test_file_that_is_no_sqlite_database_is_unreadable(content: bytes, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    assert why(path) == "it is not an SQLite database"


def test_file_of_unusual_size_or_kind_is_named_as_the_reason(path: Path, tmp_path: Path) -> None:
    assert why(path) == "there is no cookie database"
    path.parent.mkdir()
    elsewhere = makers.chromium(tmp_path / "elsewhere", [row("a.test")])
    for what, reason in (("fifo", "it is not a regular file"), ("link", "it is a link")):
        plant(path, what, elsewhere)
        assert why(path) == reason
        path.unlink()
    with path.open("wb") as file:
        file.truncate(10 << 30)
    assert why(path) == "it is larger than 64 MB"
    path.unlink()
    path.mkdir()
    assert why(path) == "it is not a regular file"


def build(path: Path, *statements: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(";".join(statements))


def test_views_virtual_tables_and_computed_columns_are_not_read(path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"
    virtual = "CREATE VIRTUAL TABLE cookies USING fts5(host_key, name, encrypted_value)"
    for statement in (f"CREATE VIEW cookies AS {endless.format('i AS host_key')}", virtual):
        build(path, statement)
        assert why(path) == "it holds no table of cookies"
    build(path, makers.CHROMIUM, f"CREATE VIEW meta(key, value) AS {endless.format('i, i')}")
    assert read_chromium(path).cookies == []
    computed = "value TEXT AS (hex(zeroblob(100000000)))"
    table = f"CREATE TABLE cookies(host_key TEXT, {computed}, encrypted_value BLOB)"
    build(path, table, "INSERT INTO cookies(host_key) VALUES('a.test')")
    contents = read_chromium(path)
    assert (contents.cookies, contents.malformed) == ([], 1)


def test_more_than_any_browser_keeps_is_not_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy machine takes longer to count them than a query may.
    monkeypatch.setattr(reader, "QUERY_SECONDS", 60.0)
    makers.chromium(path, [row("a.test")])
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000) SELECT i FROM n"
    with browser(path) as database:
        database.execute(f"INSERT INTO cookies SELECT c.* FROM cookies c, ({numbers})")
    assert why(path) == "it holds more than 50000 cookies"
    path.unlink()
    makers.chromium(path, [row("a.test", encrypted_value=bytes(50 << 20))])
    assert why(path) == "it holds what no cookie database holds"


def test_rows_that_make_no_sense_are_counted_and_left_out(path: Path) -> None:
    senseless: dict[str, list[object]] = {
        "name": ["a\0b", "\x1b[2J"],
        "host_key": ["a.test/../../x", "\n", "", b"\xff\xfe"],
        "value": ["a\r\nSet-Cookie: b", "x" * 20_000],
        "encrypted_value": [b"v10" + bytes(20_000)],
        "expires_utc": ["soon"],
        "is_secure": [b"\xff"],
    }
    bad = [row("bad.test") | {field: value} for field, values in senseless.items() for value in values]
    makers.chromium(path, [row("good.test"), *bad])
    contents = read_chromium(path)
    assert ([cookie.host for cookie in contents.cookies], contents.malformed) == (["good.test"], len(bad))
