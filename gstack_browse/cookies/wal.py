"""Apply a write-ahead log to its SQLite database, both as bytes. Pure.

A running browser's newest cookies are in the log. SQLite itself would need both files in a directory of ours,
which would write the values of browsers without encryption to disk. Format: sqlite.org/fileformat2.html, section 4.
"""

import struct

_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
"""Magic number → byte order of the checksums."""
_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
_WRITE_VERSION, _READ_VERSION = 18, 19
"""Offsets in the database's header; 2 there means write-ahead logging, 1 a rollback journal."""
_MOST_BYTES = 64 << 20
"""Limit of the database's size: a log may claim any."""


def clear_wal_mode(database: bytes) -> bytes:
    """Mark the database as one without a write-ahead log, the only kind that SQLite opens from memory."""
    if len(database) < 100 or database[_READ_VERSION] != 2:
        return database
    return database[:_WRITE_VERSION] + b"\x01\x01" + database[_READ_VERSION + 1 :]


def apply_log(database: bytes, log: bytes) -> bytes:
    """Return the database with the log's committed pages. A damaged log counts up to the damage."""
    pages, size = _read_committed_pages(log)
    if not pages:
        return clear_wal_mode(database)
    page_bytes = len(next(iter(pages.values())))
    whole = bytearray(database[: size * page_bytes].ljust(size * page_bytes, b"\0"))
    for number, page in pages.items():
        if number <= size:
            whole[(number - 1) * page_bytes : number * page_bytes] = page
    return clear_wal_mode(bytes(whole))


def _read_committed_pages(log: bytes) -> tuple[dict[int, bytes], int]:
    """Return pages by number as of the last commit, and the database's size in pages after it."""
    header = _parse_header(log)
    if header is None:
        return {}, 0
    order, page_bytes, salts, sums = header
    pages: dict[int, bytes] = {}
    uncommitted: dict[int, bytes] = {}
    size = 0
    for start in range(
        _HEADER_BYTES, len(log) - _FRAME_HEADER_BYTES - page_bytes + 1, _FRAME_HEADER_BYTES + page_bytes
    ):
        frame = log[start : start + _FRAME_HEADER_BYTES]
        number, size_after, *frame_salts, sum_1, sum_2 = struct.unpack(">6I", frame)
        page = log[start + _FRAME_HEADER_BYTES : start + _FRAME_HEADER_BYTES + page_bytes]
        sums = _extend_checksum(frame[:8] + page, order, sums)
        sound = tuple(frame_salts) == salts and sums == (sum_1, sum_2)
        if not sound or not number or size_after * page_bytes > _MOST_BYTES:
            break
        uncommitted[number] = page
        if size_after:
            pages |= uncommitted
            uncommitted, size = {}, size_after
    return pages, size


def _parse_header(log: bytes) -> tuple[str, int, tuple[int, int], tuple[int, int]] | None:
    """Return byte order, page size, salts and checksum of a log's header; None if it is not a log."""
    if len(log) < _HEADER_BYTES:
        return None
    magic, _, page_bytes, _, salt_1, salt_2, sum_1, sum_2 = struct.unpack(">8I", log[:_HEADER_BYTES])
    order = _MAGIC.get(magic)
    if order is None or not 512 <= page_bytes <= 65_536 or page_bytes & (page_bytes - 1):
        return None
    if _extend_checksum(log[:24], order, (0, 0)) != (sum_1, sum_2):
        return None
    return order, page_bytes, (salt_1, salt_2), (sum_1, sum_2)


def _extend_checksum(content: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Return the checksum `sums` extended by `content`, a multiple of 8 bytes (SQLite's WAL checksum)."""
    first, second = sums
    words = iter(struct.unpack(f"{order}{len(content) // 4}I", content))
    for even, odd in zip(words, words, strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
