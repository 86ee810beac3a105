"""Limit long output, and say how to get the rest."""

DEFAULT_CHARACTERS = 100_000


def truncate(text: str, limit: int = DEFAULT_CHARACTERS) -> str:
    """Cut `text` after at most `limit` characters, near the end of a line if possible; 0: no limit."""
    if not limit or len(text) <= limit:
        return text
    cut = text.rfind("\n", limit - min(limit // 10, 2_000), limit)
    kept = text[: cut if cut > 0 else limit]
    return f"{kept}\n… cut after {len(kept)} of {len(text)} characters; all of it: --max {len(text)}"
