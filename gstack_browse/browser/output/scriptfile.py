"""Read files that the user named: JavaScript, and others. Runs nothing."""

from pathlib import Path

from gstack_browse import files
from gstack_browse.errors import FileFailed

MOST_BYTES = 5_000_000


def read_script(file: Path) -> str:
    """Read the text of a script file. Raises FileFailed."""
    try:
        return read_whole(file, MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileFailed(f"{file} is not UTF-8 text") from None


def read_whole(file: Path, most_bytes: int) -> bytes:
    """Read a file completely, at most `most_bytes`. Raises FileFailed, and Refused for a link."""
    with files.open_to_read(str(file)) as opened:
        content = opened.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise FileFailed(f"{file} is larger than {most_bytes // 1_000_000} MB")
    return content
