"""Databases as browsers write them, while they write them, and as an enemy would."""

import os
import random
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from gstack_browse.cookies.records import count_by_domain
from gstack_browse.cookies.stores import database as reader
from gstack_browse.cookies.stores.database import read_chromium, read_firefox
from gstack_browse.cookies.stores.files import Unreadable
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


def test_a_row_of_chromium(path: Path) -> None:
    makers.chromium(path, [row(".a.test", "sid", value="x", expires_utc=since_1601(2_000_000_000), is_secure=1,
                               is_httponly=1, samesite=2, last_access_utc=since_1601(1_900_000_000))])  # fmt: skip
    contents = read_chromium(path)
    (cookie,) = contents.cookies
    assert (contents.version, cookie.host, cookie.name, cookie.value) == (24, ".a.test", "sid", "x")
    assert (cookie.expires, cookie.used) == (2_000_000_000, 1_900_000_000)
    assert (cookie.secure, cookie.http_only, cookie.same_site) == (True, True, "Strict")


def test_a_session_cookie_and_an_old_schema(path: Path) -> None:
    fields = row("a.test", expires_utc=0)
    for newer in ("top_frame_site_key", "samesite"):
        del fields[newer]
    makers.chromium(path, [fields], version=9, schema=makers.OLD_CHROMIUM)
    (cookie,) = read_chromium(path).cookies
    assert (cookie.expires, cookie.same_site, cookie.partitioned) == (None, None, False)


def test_stored_same_site_is_read_as_its_name(path: Path) -> None:
    names = {(-1, 1): None, (0, 1): "None", (0, 0): None, (1, 0): "Lax", (2, 0): "Strict"}
    rows = [row("a.test", samesite=stored, is_secure=secure, value="s3cret") for stored, secure in names]
    contents = read_chromium(makers.chromium(path, rows))
    assert [cookie.same_site for cookie in contents.cookies] == list(names.values())
    assert "s3cret" not in repr(contents)


@pytest.mark.parametrize(("user_version", "expiry"), [(15, 2_000_000_000), (16, 2_000_000_000_000)])
def test_firefox_counted_seconds_and_now_counts_milliseconds(
    tmp_path: Path, user_version: int, expiry: int
) -> None:
    fields = {"name": "sid", "value": "x", "host": ".a.test", "path": "/", "expiry": expiry,
              "lastAccessed": 1_900_000_000_000_000, "isSecure": 1, "isHttpOnly": 0, "sameSite": 256}  # fmt: skip
    path = makers.firefox(tmp_path / "cookies.sqlite", [fields], user_version)
    (cookie,) = read_firefox(path).cookies
    assert (cookie.expires, cookie.used, cookie.same_site) == (2_000_000_000, 1_900_000_000, None)


def test_a_container_of_firefox_counts_as_partitioned(tmp_path: Path) -> None:
    fields = {"name": "sid", "value": "x", "host": "a.test", "path": "/", "expiry": 1, "lastAccessed": 1,
              "isSecure": 0, "isHttpOnly": 0, "originAttributes": "^userContextId=2"}  # fmt: skip
    assert read_firefox(makers.firefox(tmp_path / "cookies.sqlite", [fields])).cookies[0].partitioned


def test_domains_are_counted_with_and_without_their_dot(path: Path) -> None:
    makers.chromium(path, [row("a.test"), row(".a.test"), row("b.test")])
    expected = [("a.test", 2), ("b.test", 1)]
    assert [(item.host, item.cookies) for item in count_by_domain(read_chromium(path).cookies)] == expected


def test_committed_rows_in_the_write_ahead_log_are_read(path: Path) -> None:
    makers.chromium(path, [row("old.test")])
    with closing(sqlite3.connect(path, isolation_level=None)) as browser:
        browser.execute("PRAGMA journal_mode=wal")
        browser.execute("PRAGMA wal_autocheckpoint=0")
        browser.execute("INSERT INTO cookies SELECT * FROM cookies")
        browser.execute("UPDATE cookies SET host_key='new.test' WHERE rowid=2")
        browser.execute("BEGIN")
        browser.execute("UPDATE cookies SET host_key='uncommitted.test'")
        assert {cookie.host for cookie in read_chromium(path).cookies} == {"old.test", "new.test"}


def test_a_damaged_log_counts_up_to_the_damage(path: Path) -> None:
    makers.chromium(path, [row("old.test")])
    with closing(sqlite3.connect(path, isolation_level=None)) as browser:
        browser.execute("PRAGMA journal_mode=wal")
        browser.execute("UPDATE cookies SET host_key='new.test'")
        log = path.with_name("Cookies-wal")
        whole = log.read_bytes()
        shutil.copy(path, copy := path.with_name("Copy"))
        for damaged, expected in (
            (whole, "new.test"),
            (whole[:-1], "old.test"),
            (b"x" * len(whole), "old.test"),
        ):
            copy.with_name("Copy-wal").write_bytes(damaged)
            assert [cookie.host for cookie in read_chromium(copy).cookies] == [expected]


def test_a_locked_database_is_read_and_neither_changed_nor_unlocked(path: Path) -> None:
    makers.chromium(path, [row("a.test")])
    before = path.read_bytes(), path.stat().st_mtime_ns
    with closing(sqlite3.connect(path, isolation_level=None)) as browser:
        browser.execute("PRAGMA locking_mode=exclusive")
        browser.execute("BEGIN EXCLUSIVE")
        assert len(read_chromium(path).cookies) == 1
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert sorted(os.listdir(path.parent)) == ["Cookies"]


def test_reading_works_where_no_file_can_be_written(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers.chromium(path, [row("a.test")])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "there is no such directory"))
    path.parent.chmod(0o500)
    assert len(read_chromium(path).cookies) == 1
    path.parent.chmod(0o700)


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"SQLite format 3\0" + b"\xff" * 5000, random.Random(1).randbytes(20_000)]
)
def test_file_that_is_no_sqlite_database_is_unreadable(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    assert why(path) == "it is not an SQLite database"


def test_what_is_no_file_of_usual_size_is_named_as_the_reason(path: Path, tmp_path: Path) -> None:
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
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.executescript(";".join(statements))


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS host_key FROM n"


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE VIEW cookies AS {ENDLESS}",
        "CREATE VIRTUAL TABLE cookies USING fts5(host_key, name, encrypted_value)",
    ],
    ids=["a view that never ends", "a virtual table"],
)
def test_what_is_called_cookies_and_is_no_table_is_not_read(path: Path, statement: str) -> None:
    build(path, statement)
    assert why(path) == "it holds no table of cookies"


def test_a_view_called_meta_that_never_ends(path: Path) -> None:
    build(path, makers.CHROMIUM, f"CREATE VIEW meta(key, value) AS {ENDLESS.replace('i AS host_key', 'i, i')}")
    assert read_chromium(path).cookies == []


def test_a_computed_column_cannot_call_anything(path: Path) -> None:
    build(
        path,
        "CREATE TABLE cookies(host_key TEXT, value TEXT AS (hex(zeroblob(100000000))), encrypted_value BLOB)",
        "INSERT INTO cookies(host_key) VALUES('a.test')",
    )
    contents = read_chromium(path)
    assert (contents.cookies, contents.malformed) == ([], 1)


def test_a_blob_of_fifty_megabytes(path: Path) -> None:
    makers.chromium(path, [row("a.test", encrypted_value=bytes(50 << 20))])
    assert why(path) == "it holds what no cookie database holds"


def test_more_rows_than_any_browser_keeps(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        reader, "QUERY_SECONDS", 60.0
    )  # a busy machine takes longer to count them than a query may
    makers.chromium(path, [row("a.test")])
    with closing(sqlite3.connect(path)) as database:
        database.execute(
            "INSERT INTO cookies SELECT c.* FROM cookies c, (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
            "FROM n LIMIT 60000) SELECT i FROM n)"
        )
        database.commit()
    assert why(path) == "it holds more than 50000 cookies"


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "a\0b"},
        {"name": "\x1b[2J"},
        {"host_key": "a.test/../../x"},
        {"host_key": "\n"},
        {"host_key": ""},
        {"value": "a\r\nSet-Cookie: b"},
        {"value": "x" * 20_000},
        {"encrypted_value": b"v10" + bytes(20_000)},
        {"expires_utc": "soon"},
        {"is_secure": b"\xff"},
        {"host_key": b"\xff\xfe"},
    ],
)
def test_a_row_that_makes_no_sense_is_counted_and_left_out(path: Path, fields: dict[str, object]) -> None:
    makers.chromium(path, [row("good.test"), row("bad.test") | fields])
    contents = read_chromium(path)
    assert ([cookie.host for cookie in contents.cookies], contents.malformed) == (["good.test"], 1)


@pytest.mark.parametrize(("stored", "expires"), [(2**63 - 1, 253_402_300_799), (-(2**63), 0)])
def test_times_beyond_the_calendar(path: Path, stored: int, expires: int) -> None:
    makers.chromium(path, [row("a.test", expires_utc=stored, last_access_utc=stored)])
    assert read_chromium(path).cookies[0].expires == expires


def test_randomly_damaged_database_is_read_or_unreadable(path: Path) -> None:
    """Overwrite bytes at random, two hundred times: expect an answer or a clear error, nothing else."""
    whole = makers.chromium(path, [row(f"{number}.test") for number in range(50)]).read_bytes()
    dice = random.Random(1)
    for _ in range(200):
        damaged = bytearray(whole)
        for _ in range(dice.randrange(1, 30)):
            damaged[dice.randrange(16, len(damaged))] = dice.randrange(256)
        path.write_bytes(damaged)
        with suppress(Unreadable):
            read_chromium(path)
