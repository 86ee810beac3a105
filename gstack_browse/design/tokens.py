"""Turn a design into tokens of the Design Tokens Community Group, and read and compare such files.

Version 2025.10: https://www.designtokens.org/tr/2025.10/format/.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gstack_browse.design.facts import Colour, DesignFacts, TextStyle
from gstack_browse.errors import FileFailed
from gstack_browse.text.sanitise import one_line

Token = dict[str, Any]
Group = dict[str, Any]

MOST_OF_A_SCALE = 16
RARE = 2
"""Distances that occur less often than this are left out of the scale."""
_ROLES = ("page", "surface", "text", "link", "action", "action-text", "border", "icon")
_ORDINALS = ("", "-2", "-3", "-4", "-5", "-6", "-7", "-8")
_NORMAL_LINE = 1.2
"""The line height for `normal`, in font sizes: the format requires a number."""


def build_tokens(facts: DesignFacts) -> Group:
    """Convert a page's design to groups of design tokens, for JSON; empty groups are left out.

    Groups: color, font-family, typography, spacing, radius, border-width, shadow.
    """
    distances = {pixels: count for pixels, count in count_distances(facts).items() if count >= RARE}
    # The format cannot express percentages and ellipses.
    radii = {
        _parse_number(word): count for word, count in facts.radii.items() if re.fullmatch(r"[0-9.]+px", word)
    }
    groups = {
        "color": _build_color_group(facts),
        "font-family": _build_family_group(facts),
        "typography": _build_typography_group(facts),
        "spacing": _build_dimension_group(distances),
        "radius": _build_dimension_group(radii),
        "border-width": _build_dimension_group(facts.lines),
        "shadow": _build_shadow_group(facts),
    }
    return {name: group for name, group in groups.items() if len(group) > 1}


def name_colors(facts: DesignFacts) -> dict[str, tuple[str, Colour]]:
    """Name a design's colours: token name → (role, colour); `text-2` is the second most used text colour."""
    found = {}
    for role in _ROLES:
        ranked = [(colour, weight) for (of, colour), weight in facts.colors.most_common() if of == role]
        for ordinal, (colour, _) in zip(_ORDINALS, ranked, strict=False):
            found[f"{role}{ordinal}"] = role, colour
    return found


def count_distances(facts: DesignFacts) -> Counter[float]:
    """Return distance in pixels → how often it occurs as padding, margin or gap."""
    found: Counter[float] = Counter()
    for (_, pixels), count in facts.spacing.items():
        found[pixels] += count
    return found


def find_main_styles(facts: DesignFacts) -> dict[str, TextStyle]:
    """Return level (h1, body …) → its most common text style, the level with the most characters first."""
    found: dict[str, TextStyle] = {}
    for (level, kind), _ in facts.type.most_common():
        found.setdefault(level, kind)
    return found


def _build_color_group(facts: DesignFacts) -> Group:
    """Return the token group of colours; a colour with a second role is an alias of its first token."""
    group: Group = {"$type": "color"}
    first: dict[Colour, str] = {}
    for name, (role, colour) in name_colors(facts).items():
        if colour in first:
            value: Any = f"{{color.{first[colour]}}}"
        else:
            first[colour] = name
            value = to_color_value(colour)
        uses = facts.uses[role, colour]
        custom = f"; {facts.names[colour]}" if colour in facts.names else ""
        group[name] = {"$value": value, "$description": f"{colour.hex}, {uses:,} × {role}{custom}"}
    return group


def to_color_value(colour: Colour) -> Token:
    """Convert a colour to the value of a token in the Design Tokens format, in sRGB."""
    return {
        "colorSpace": "srgb",
        "components": [round(part / 255, 4) for part in colour[:3]],
        "alpha": colour.opacity,
        "hex": colour.hex[:7],
    }


def _build_family_group(facts: DesignFacts) -> Group:
    """Return the token group of font families, the most used first."""
    group: Group = {"$type": "fontFamily"}
    amounts: Counter[tuple[str, ...]] = Counter()
    for (_, kind), characters in facts.type.items():
        if kind.families:
            amounts[kind.families] += characters
    for ordinal, (families, amount) in zip(_ORDINALS, amounts.most_common(), strict=False):
        group[f"text{ordinal}"] = {"$value": list(families), "$description": f"{amount:,} characters"}
    return group


def _build_typography_group(facts: DesignFacts) -> Group:
    """Return the token group of text styles: the main one of each level (h1, body …)."""
    group: Group = {"$type": "typography"}
    for level, kind in find_main_styles(facts).items():
        if not kind.families:
            continue
        group[level] = {
            "$value": {
                "fontFamily": list(kind.families),
                "fontSize": _to_dimension(kind.size),
                "fontWeight": kind.weight,
                "lineHeight": relative_line_height(kind),
                "letterSpacing": _to_dimension(
                    0 if kind.letter_spacing == "normal" else _parse_number(kind.letter_spacing)
                ),
            }
        }
    return group


def relative_line_height(kind: TextStyle) -> float:
    """Return a text style's line height as a multiple of its font size."""
    if kind.line_height == "normal" or not kind.size:
        return _NORMAL_LINE
    return round(_parse_number(kind.line_height) / kind.size, 3)


def _build_dimension_group(counts: Mapping[float, int]) -> Group:
    """Return a token group of lengths, the smallest first; of many only the MOST_OF_A_SCALE most common.

    `counts`: length in pixels → how often it occurs.
    """
    group: Group = {"$type": "dimension"}
    most = sorted(counts, key=lambda pixels: -counts[pixels])[:MOST_OF_A_SCALE]
    for pixels in sorted(most):
        name = f"{pixels:g}".replace(".", "_")
        group[name] = {"$value": _to_dimension(pixels), "$description": f"{counts[pixels]:,} ×"}
    return group


def _build_shadow_group(facts: DesignFacts) -> Group:
    """Return the token group of shadows, the most common first; a shadow of several layers is a list."""
    group: Group = {"$type": "shadow"}
    for words, count in facts.shadows.most_common(len(_ORDINALS)):
        parts = re.split(r",\s*(?![^()]*\))", words)  # at commas outside of parentheses
        if layers := [layer for part in parts if (layer := _parse_shadow(part))]:
            name = f"shadow-{len(group)}"
            value: Any = layers[0] if len(layers) == 1 else layers
            group[name] = {"$value": value, "$description": f"{count:,} ×"}
    return group


_SHADOW = re.compile(r"(rgba?\([0-9., ]+\)) (-?[0-9.]+)px (-?[0-9.]+)px ([0-9.]+)px (-?[0-9.]+)px( inset)?\Z")


def _parse_shadow(words: str) -> Token | None:
    """Convert one layer of a computed `box-shadow` to a token's value; None for a colour outside of sRGB."""
    match = _SHADOW.match(words)
    if not match:
        return None
    parts = [float(part) for part in re.findall(r"[0-9.]+", match[1])]
    colour = Colour(int(parts[0]), int(parts[1]), int(parts[2]), parts[3] if len(parts) > 3 else 1.0)
    x, y, blur, spread = (_to_dimension(float(match[index])) for index in range(2, 6))
    value: Token = {"color": to_color_value(colour), "offsetX": x, "offsetY": y, "blur": blur, "spread": spread}
    return value | {"inset": True} if match[6] else value


def _to_dimension(pixels: float) -> Token:
    """Convert a length in pixels to the value of a token in the Design Tokens format."""
    return {"value": int(pixels) if pixels == int(pixels) else pixels, "unit": "px"}


def _parse_number(words: str) -> float:
    """Return the number that a CSS value begins with; 0 for none."""
    match = re.match(r"-?[0-9.]+", words)
    return float(match[0]) if match else 0.0


_DEEPEST = 50
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
    """Return the tokens in a JSON file: path (`color.text`) → value and type, such as "8px (dimension)".

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
    rendered: dict[str, str] = {}
    for path, (kind, value) in found.items():
        shown = _render_plain(_resolve_alias(value, values))
        rendered[path] = one_line(f"{shown} ({kind})" if kind else shown, _MOST_SHOWN)
    return rendered


def compare_tokens(
    before: Mapping[str, str], after: Mapping[str, str], *, are_ranked: bool = False
) -> list[TokenChange]:
    """Return the tokens that two versions of a design do not share, sorted by path.

    `before`, `after`: from `read_tokens`. `are_ranked`: a number at the end of a name (`surface-2`) is only a rank, as
    `design-extract` assigns it. The same value under another number then counts as unchanged.
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
    """Return `tokens` without those in `others`, under the same or another rank (number in the name).

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
    """Remove the number at the end of a token's name: `color.text-2` → `color.text`."""
    return re.sub(r"-[0-9]+\Z", "", path)


def _walk_group(
    group: Mapping[str, Any], path: tuple[str, ...], kind: str, name: str
) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Yield (path, (type, value)) of every token in a group and its inner groups. Raises FileFailed.

    `path`: of the group. `kind`: the type that its tokens inherit. `name`: of the file, for messages.
    """
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
    """Return the value that an alias such as `{color.ink}` refers to.

    A broken alias and any other value as they are. `values`: path → value of all tokens.
    """
    at = value
    for _ in range(_MOST_HOPS):
        if not (isinstance(at, str) and at.startswith("{") and at.endswith("}")):
            return at
        if at[1:-1] not in values:
            return value
        at = values[at[1:-1]]
    return value


def _render_plain(value: Any, left: int = _DEEPEST) -> str:
    """Render a token's value: colours as hex, dimensions as `8px`. `left`: levels of nesting that remain."""
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
