"""What differs between two files of design tokens: added, removed, changed. Groups, inherited types and aliases as the format has them."""

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
    """A token that is not the same: its path, and what it is in the one file and in the other, "" where it is not there."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        if not self.before:
            return f"+ {self.path}: {self.after}"
        if not self.after:
            return f"- {self.path}: {self.before}"
        return f"~ {self.path}: {self.before} → {self.after}"


def read(content: bytes, name: str) -> dict[str, str]:
    """The tokens of a file by path, as they are shown, type first. Raises FileFailed for what is no such file."""
    try:
        root = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FileFailed(f"{name} is no JSON: {one_line(str(error), 120)}") from None
    if not isinstance(root, dict):
        raise FileFailed(f"{name} holds no tokens", "A file of tokens is an object of groups and tokens")
    found = dict(_walk(root, (), "", name))
    if not found:
        raise FileFailed(f"{name} holds no tokens", 'A token is an object with "$value"')
    values = {path: value for path, (_, value) in found.items()}
    return {path: _shown(kind, _resolved(value, values)) for path, (kind, value) in found.items()}


def compare(
    before: Mapping[str, str], after: Mapping[str, str], *, are_ranked: bool = False
) -> list[TokenChange]:
    """What differs, in the order of the paths.

    `are_ranked`: a number at the end of a name (`surface-2`) is only a rank, as `design-extract` gives it. What has the same value under
    another number is the same.
    """
    if are_ranked:
        before, after = _without_common(before, after), _without_common(after, before)
    paths = sorted({*before, *after})
    return [
        TokenChange(path, before.get(path, ""), after.get(path, ""))
        for path in paths
        if before.get(path) != after.get(path)
    ]


def _without_common(tokens: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """The tokens that are not among the others, as often as they are there, under any rank."""
    there = Counter((_unranked(path), value) for path, value in others.items())
    left = {}
    for path, value in tokens.items():
        kind = _unranked(path), value
        if there[kind]:
            there[kind] -= 1
        else:
            left[path] = value
    return left


def _unranked(path: str) -> str:
    return re.sub(r"-[0-9]+\Z", "", path)


def _walk(
    group: Mapping[str, Any], path: tuple[str, ...], kind: str, name: str
) -> Iterator[tuple[str, tuple[str, Any]]]:
    """(path, (type, value)) of every token of a group."""
    if len(path) > _DEEPEST:
        raise FileFailed(f"{name} is nested too deep: more than {_DEEPEST} groups")
    own = group.get("$type", kind)
    kind = own if isinstance(own, str) else kind
    if "$value" in group:
        yield ".".join(path), (kind, group["$value"])
        return
    for key, inner in group.items():
        if not key.startswith("$") and isinstance(inner, dict):
            yield from _walk(inner, (*path, one_line(key, 80)), kind, name)


def _resolved(value: Any, values: Mapping[str, Any]) -> Any:
    """What an alias such as `{color.ink}` stands for in the end; the alias itself where that leads nowhere."""
    at = value
    for _ in range(_MOST_HOPS):
        if not (isinstance(at, str) and at.startswith("{") and at.endswith("}")):
            return at
        if at[1:-1] not in values:
            return value
        at = values[at[1:-1]]
    return value


def _shown(kind: str, value: Any) -> str:
    """A value on one line: colours as hex, dimensions as `8px`."""
    return one_line(f"{_plain(value)}{f' ({kind})' if kind else ''}", _MOST_SHOWN)


def _plain(value: Any, left: int = _DEEPEST) -> str:
    if isinstance(value, str):
        return value
    if not left:
        return "…"
    if isinstance(value, dict):
        if isinstance(value.get("hex"), str) and "colorSpace" in value:
            alpha = value.get("alpha", 1)
            return value["hex"] if alpha == 1 else f"{value['hex']} {_plain(alpha, left - 1)}"
        if value.keys() == {"value", "unit"}:
            return "".join(_plain(value[key], left - 1) for key in ("value", "unit"))
        return " ".join(f"{key} {_plain(inner, left - 1)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_plain(inner, left - 1) for inner in value)
    return json.dumps(value)
