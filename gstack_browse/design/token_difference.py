"""Compare two files of design tokens, resolving groups, inherited types and aliases."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gstack_browse.errors import FileFailed
from gstack_browse.text.sanitise import one_line

_DEEPEST = 50
_MOST_TOKENS = 20_000
_MOST_HOPS = 50
_MOST_SHOWN = 160


class TokenChange(NamedTuple):
    """A token that differs: its path, and its value before and after, "" where it is missing."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        if not self.before:
            return f"+ {self.path}: {self.after}"
        if not self.after:
            return f"- {self.path}: {self.before}"
        return f"~ {self.path}: {self.before} → {self.after}"


def read_tokens(content: bytes, name: str) -> dict[str, str]:
    """Read a file's tokens: path → value as text, followed by the type.

    `name` names the file in messages. Raises FileFailed for content that is not a file of tokens.
    """
    try:
        root = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FileFailed(f"{name} is no JSON: {one_line(str(error), 120)}") from None
    if not isinstance(root, dict):
        raise FileFailed(f"{name} holds no tokens", "A file of tokens is an object of groups and tokens")
    found = dict(_walk_group(root, (), "", name))
    if not found:
        raise FileFailed(f"{name} holds no tokens", 'A token is an object with "$value"')
    values = {path: value for path, (_, value) in found.items()}
    return {path: _render_value(kind, _resolve_alias(value, values)) for path, (kind, value) in found.items()}


def compare_tokens(
    before: Mapping[str, str], after: Mapping[str, str], *, are_ranked: bool = False
) -> list[TokenChange]:
    """Return the differences, sorted by path.

    `are_ranked`: a number at the end of a name (`surface-2`) is only a rank, as `design-extract` assigns it. The same
    value under another number then counts as unchanged.
    """
    if are_ranked:
        before, after = _remove_common(before, after), _remove_common(after, before)
    paths = sorted({*before, *after})
    return [
        TokenChange(path, before.get(path, ""), after.get(path, ""))
        for path in paths
        if before.get(path) != after.get(path)
    ]


def _remove_common(tokens: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """Return the tokens that `others` does not have under any rank.

    A token that occurs several times is removed as often as `others` has it.
    """
    there = Counter((_strip_rank(path), value) for path, value in others.items())
    left = {}
    for path, value in tokens.items():
        kind = _strip_rank(path), value
        if there[kind]:
            there[kind] -= 1
        else:
            left[path] = value
    return left


def _strip_rank(path: str) -> str:
    """Remove the number at the end of a token's name."""
    return re.sub(r"-[0-9]+\Z", "", path)


def _walk_group(
    group: Mapping[str, Any], path: tuple[str, ...], kind: str, name: str
) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Yield (path, (type, value)) of every token of a group."""
    if len(path) > _DEEPEST:
        raise FileFailed(f"{name} is nested too deep: more than {_DEEPEST} groups")
    own = group.get("$type", kind)
    kind = own if isinstance(own, str) else kind
    if "$value" in group:
        yield ".".join(path), (kind, group["$value"])
        return
    for key, inner in group.items():
        if not key.startswith("$") and isinstance(inner, dict):
            yield from _walk_group(inner, (*path, one_line(key, 80)), kind, name)


def _resolve_alias(value: Any, values: Mapping[str, Any]) -> Any:
    """Return the value that an alias such as `{color.ink}` refers to; the alias itself if it is broken."""
    at = value
    for _ in range(_MOST_HOPS):
        if not (isinstance(at, str) and at.startswith("{") and at.endswith("}")):
            return at
        if at[1:-1] not in values:
            return value
        at = values[at[1:-1]]
    return value


def _render_value(kind: str, value: Any) -> str:
    """Render a value on one line, with its type: colours as hex, dimensions as `8px`."""
    return one_line(f"{_render_plain(value)}{f' ({kind})' if kind else ''}", _MOST_SHOWN)


def _render_plain(value: Any, left: int = _DEEPEST) -> str:
    """Render a value; `left` limits the depth of nesting."""
    if isinstance(value, str):
        return value
    if not left:
        return "…"
    if isinstance(value, dict):
        if isinstance(value.get("hex"), str) and "colorSpace" in value:
            alpha = value.get("alpha", 1)
            return value["hex"] if alpha == 1 else f"{value['hex']} {_render_plain(alpha, left - 1)}"
        if value.keys() == {"value", "unit"}:
            return "".join(_render_plain(value[key], left - 1) for key in ("value", "unit"))
        return " ".join(f"{key} {_render_plain(inner, left - 1)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_render_plain(inner, left - 1) for inner in value)
    return json.dumps(value)
