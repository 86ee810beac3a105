"""Reads files of JavaScript, and tells what one means as one expression. Runs nothing."""

import re
from pathlib import Path

from gstack_browse.errors import FileFailed

MOST_BYTES = 5_000_000

_SILENT = re.compile(
    r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\$]|\$(?!\{))*`|//[^\n]*|/\*.*?\*/""", re.S
)
_AWAIT = re.compile(r"(?<![\w$.])await(?![\w$])")
_RETURN = re.compile(r"(?<![\w$.])return(?![\w$])")
_FUNCTION = re.compile(r"\bfunction\b|=>\s*\{")


def read(file: Path) -> str:
    """The text of a script file. Raises FileFailed."""
    try:
        return read_whole(file, MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileFailed(f"{file} is not UTF-8 text") from None


def read_whole(file: Path, most_bytes: int) -> bytes:
    """All of a file the user named, at most `most_bytes`. Raises FileFailed."""
    try:
        with file.open("rb") as opened:
            content = opened.read(most_bytes + 1)
    except OSError as error:
        raise FileFailed(f"Cannot read {file}: {error.strerror}") from None
    if len(content) > most_bytes:
        raise FileFailed(f"{file} is larger than {most_bytes // 1_000_000} MB")
    return content


def as_expression(source: str) -> str:
    """`source` as code whose value is what the file means.

    One line is an expression. Several lines are a script and have the value of its last statement, unless
    they use `await` (not in a comment or a string) or return at the top: then they are the body of an async
    function, and have the value they return.
    """
    code = source.strip()
    bare = _SILENT.sub("''", code)
    if "\n" in code and _AWAIT.search(bare):
        return _as_function(code)
    if _RETURN.search(bare) and not _FUNCTION.search(bare):
        return _as_function(code)
    return code


def _as_function(code: str) -> str:
    return f"await (async () => {{\n{code}\n}})()"
