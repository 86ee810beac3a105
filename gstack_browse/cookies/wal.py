"""Lays a write-ahead log over the database it belongs to, both as bytes. Pure.

A running browser's newest cookies are in the log. SQLite itself would need both files in a directory of ours,
which for a browser that does not encrypt would put cookie values on a disk. Format: sqlite.org/fileformat2.html,
section 4.
"""

import struct

_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
"""Magic number → byte order of the checksums."""
_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
_WRITE_VERSION, _READ_VERSION = 18, 19
"""Offsets in the database's header; 2 there means write-ahead logging, 1 a rollback journal."""
_MOST_BYTES = 64 << 20
"""A log may claim any size for the database; what is larger than this is no browser's."""


def without_log(database: bytes) -> bytes:
    """The database as one that needs no log, which is the only kind SQLite opens from memory."""
    if len(database) < 100 or database[_READ_VERSION] != 2:
        return database
    return database[:_WRITE_VERSION] + b"\x01\x01" + database[_READ_VERSION + 1 :]


def overlay(database: bytes, log: bytes) -> bytes:
    """The database as it is with everything that the log has committed. A damaged log counts up to the damage."""
    pages, size = _committed(log)
    if not pages:
        return without_log(database)
    page_bytes = len(next(iter(pages.values())))
    whole = bytearray(database[: size * page_bytes].ljust(size * page_bytes, b"\0"))
    for number, page in pages.items():
        if number <= size:
            whole[(number - 1) * page_bytes : number * page_bytes] = page
    return without_log(bytes(whole))


def _committed(log: bytes) -> tuple[dict[int, bytes], int]:
    """Pages by number as of the last commit, and how many pages the database then has."""
    header = _header(log)
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
        sums = _checksum(frame[:8] + page, order, sums)
        sound = tuple(frame_salts) == salts and sums == (sum_1, sum_2)
        if not sound or not number or size_after * page_bytes > _MOST_BYTES:
            break
        uncommitted[number] = page
        if size_after:
            pages |= uncommitted
            uncommitted, size = {}, size_after
    return pages, size


def _header(log: bytes) -> tuple[str, int, tuple[int, int], tuple[int, int]] | None:
    """Byte order, page size, salts and checksum so far; None where this is no log."""
    if len(log) < _HEADER_BYTES:
        return None
    magic, _, page_bytes, _, salt_1, salt_2, sum_1, sum_2 = struct.unpack(">8I", log[:_HEADER_BYTES])
    order = _MAGIC.get(magic)
    if order is None or not 512 <= page_bytes <= 65_536 or page_bytes & (page_bytes - 1):
        return None
    if _checksum(log[:24], order, (0, 0)) != (sum_1, sum_2):
        return None
    return order, page_bytes, (salt_1, salt_2), (sum_1, sum_2)


def _checksum(content: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = iter(struct.unpack(f"{order}{len(content) // 4}I", content))
    for even, odd in zip(words, words, strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
