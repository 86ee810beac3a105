"""Parse an archive in a separate process: the file on standard input, responses on standard output.

A file of 100 MB may have a hundred million values, which take gigabytes, and seconds in which a daemon would not
answer. The output has a dozen values for each response.
"""

import gc
import os
import resource
import sys
from typing import Any

import orjson

from gstack_browse.network.shaping.har_parser import Archive, InvalidHar, RecordedAnswer, parse_har

MOST_BYTES = 100_000_000
MOST_MEMORY = 3_000_000_000
MOST_SECONDS = 30


def main() -> None:
    """Parse standard input and print the result, or the problem as JSON. Never raises."""
    gc.disable()  # it would scan all values again and again
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    try:
        content = sys.stdin.buffer.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InvalidHar(f"is larger than {MOST_BYTES // 1_000_000} MB")
        output = pack_archive(parse_har(content))
    except InvalidHar as error:
        output = orjson.dumps({"problem": str(error)})
    except (MemoryError, RecursionError):
        output = orjson.dumps({"problem": "is too large to be read"})
    sys.stdout.buffer.write(output)
    sys.stdout.buffer.flush()
    os._exit(0)  # freeing millions of values takes as long as creating them


def pack_archive(found: Archive) -> bytes:
    """Encode an archive as JSON for `unpack_archive`."""
    answers = [
        [
            *(answer.method, answer.url, _pack_pairs(answer.asked.items()), answer.post, answer.status),
            *(_pack_pairs(answer.headers), answer.text, answer.is_base64, answer.file, answer.has_body),
        ]
        for answer in found.answers
    ]
    return orjson.dumps({"answers": answers, "left_out": found.left_out})


def unpack_archive(output: bytes) -> Archive:
    """Decode the output of the process. Raises InvalidHar, also for no output."""
    try:
        found = orjson.loads(output)
    except orjson.JSONDecodeError:
        raise InvalidHar("is too large to be read") from None
    if "problem" in found:
        raise InvalidHar(found["problem"])
    return Archive([_unpack_answer(*fields) for fields in found["answers"]], found["left_out"])


def _unpack_answer(
    method: str, url: str, asked: str, post: str | None, status: int, headers: str, *rest: Any
) -> RecordedAnswer:
    """Return an answer from the fields that the other process has sent."""
    return RecordedAnswer(
        method, url, dict(_unpack_headers(asked)), post, status, _unpack_headers(headers), *rest
    )


def _pack_pairs(pairs: Any) -> str:
    """Join pairs as lines; names and values contain no line ends."""
    return "\n".join(f"{name}:{value}" for name, value in pairs)


def _unpack_headers(lines: str) -> list[tuple[str, str]]:
    """Return headers from lines of `name:value`."""
    found = (line.partition(":") for line in lines.split("\n") if line)
    return [(name, value) for name, _, value in found]
