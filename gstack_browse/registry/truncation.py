"""Truncate what a command prints of a page to its option `--max`."""

from gstack_browse.registry.binding import BoundCall

DEFAULT_CHARACTERS = 100_000


def truncate_start(text: str, limit: int = DEFAULT_CHARACTERS) -> str:
    """Return the end of a long `text` by whole lines, at most `limit` characters; 0: all of it.

    A longer last line is cut. A first line says how much was cut.
    """
    if not limit or len(text) <= limit:
        return text
    cut = text.find("\n", len(text) - limit - 1)
    kept = text[cut + 1 :] if cut >= 0 else text[-limit:]
    return f"… only the last {len(kept)} of {len(text)} characters; all of it: --max {len(text)}\n{kept}"


def truncate(text: str, limit: int = DEFAULT_CHARACTERS) -> str:
    """Return the start of `text`, at most `limit` characters, by whole lines if possible; 0: all of it.

    A last line says how much was cut.
    """
    if not limit or len(text) <= limit:
        return text
    cut = text.rfind("\n", limit - min(limit // 10, 2_000), limit)
    kept = text[: cut if cut > 0 else limit]
    return f"{kept}\n… cut after {len(kept)} of {len(text)} characters; all of it: --max {len(text)}"


def truncate_page_text(text: str, bound: BoundCall) -> str:
    """Truncate a command's page text to its option `--max`, or to the default.

    Text of commands that shorten it themselves by `--max` is returned as it is.
    """
    if "--max" not in bound.command.shared_options:
        return text
    limit = bound.max_characters
    cut = truncate_start if bound.command.keeps_end else truncate
    return cut(text, DEFAULT_CHARACTERS if limit is None else limit)
