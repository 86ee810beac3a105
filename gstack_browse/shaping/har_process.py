"""Reads an archive in a process of its own: `python … har_process`, the file on standard input, what can be replayed of it on standard output.

A file of 100 MB can be a hundred million values, which take gigabytes and seconds in which a daemon would answer nobody. What comes out has a
dozen values for each answer.
"""

import gc
import os
import resource
import sys
from typing import Any

import orjson

from gstack_browse.shaping.har import Archive, NoArchive, RecordedAnswer, archive

MOST_BYTES = 100_000_000
MOST_MEMORY = 3_000_000_000
MOST_SECONDS = 30


def main() -> None:
    """Never raises: what a file has done to us is told as well."""
    gc.disable()  # which would look through all values again and again
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    try:
        content = sys.stdin.buffer.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise NoArchive(f"is larger than {MOST_BYTES // 1_000_000} MB")
        told = packed(archive(content))
    except NoArchive as error:
        told = orjson.dumps({"problem": str(error)})
    except (MemoryError, RecursionError):
        told = orjson.dumps({"problem": "is too large to be read"})
    sys.stdout.buffer.write(told)
    sys.stdout.buffer.flush()
    os._exit(0)  # to take millions of values apart takes as long as to make them


def packed(found: Archive) -> bytes:
    """For `unpacked`."""
    answers = [
        [
            *(answer.method, answer.url, _lines(answer.asked.items()), answer.post, answer.status),
            *(_lines(answer.headers), answer.text, answer.is_base64, answer.file, answer.has_body),
        ]
        for answer in found.answers
    ]
    return orjson.dumps({"answers": answers, "left_out": found.left_out})


def unpacked(told: bytes) -> Archive:
    """What the process has told. Raises NoArchive, also where it has told nothing."""
    try:
        found = orjson.loads(told)
    except orjson.JSONDecodeError:
        raise NoArchive("is too large to be read") from None
    if "problem" in found:
        raise NoArchive(found["problem"])
    return Archive([_answer(*fields) for fields in found["answers"]], found["left_out"])


def _answer(
    method: str, url: str, asked: str, post: str | None, status: int, headers: str, *rest: Any
) -> RecordedAnswer:
    return RecordedAnswer(method, url, dict(_pairs(asked)), post, status, _pairs(headers), *rest)


def _lines(pairs: Any) -> str:
    """Names and values have no line ends."""
    return "\n".join(f"{name}:{value}" for name, value in pairs)


def _pairs(lines: str) -> list[tuple[str, str]]:
    found = (line.partition(":") for line in lines.split("\n") if line)
    return [(name, value) for name, _, value in found]
