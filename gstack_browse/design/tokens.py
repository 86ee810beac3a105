"""A design as tokens in the format of the W3C Design Tokens Community Group (2025.10): https://www.designtokens.org/tr/2025.10/format/."""

import re
from collections.abc import Mapping
from typing import Any

from gstack_browse.design.facts import Colour, DesignFacts, Type

Token = dict[str, Any]
Group = dict[str, Any]

MOST_OF_A_SCALE = 16
RARE = 2
"""Distances that occur less often belong to no scale."""
_ROLES = ("page", "surface", "text", "link", "action", "action-text", "border", "icon")
_ORDINALS = ("", "-2", "-3", "-4", "-5", "-6", "-7", "-8")
_NORMAL_LINE = 1.2
"""What `normal` is about, in sizes of the font: the format asks for a number."""


def tokens(facts: DesignFacts) -> Group:
    """Tokens in groups: color, font-family, typography, spacing, radius, border-width, shadow. Empty groups are left out."""
    groups = {
        "color": _colors(facts),
        "font-family": _families(facts),
        "typography": _typography(facts),
        "spacing": _scale({pixels: count for pixels, count in distances(facts).items() if count >= RARE}),
        "radius": _scale(_pixels(facts.radii)),
        "border-width": _scale(facts.lines),
        "shadow": _shadows(facts),
    }
    return {name: group for name, group in groups.items() if len(group) > 1}


def named_colors(facts: DesignFacts) -> dict[str, tuple[str, Colour]]:
    """The name of each colour's token, and the role that the colour has there: `text-2` is the second most used one of text."""
    found = {}
    for role in _ROLES:
        ranked = [(colour, weight) for (of, colour), weight in facts.colors.most_common() if of == role]
        for ordinal, (colour, _) in zip(_ORDINALS, ranked, strict=False):
            found[f"{role}{ordinal}"] = role, colour
    return found


def distances(facts: DesignFacts) -> dict[float, int]:
    """How often each distance occurs, whether padding, margin or gap."""
    found: dict[float, int] = {}
    for (_, pixels), count in facts.spacing.items():
        found[pixels] = found.get(pixels, 0) + count
    return found


def levels(facts: DesignFacts) -> dict[str, Type]:
    """How most words of each level are set, the level with the most words first."""
    found: dict[str, Type] = {}
    for (level, kind), _ in facts.type.most_common():
        found.setdefault(level, kind)
    return found


def _colors(facts: DesignFacts) -> Group:
    group: Group = {"$type": "color"}
    first: dict[Colour, str] = {}
    for name, (role, colour) in named_colors(facts).items():
        if colour in first:
            value: Any = f"{{color.{first[colour]}}}"
        else:
            first[colour] = name
            value = color_value(colour)
        uses = facts.uses[role, colour]
        custom = f"; {facts.names[colour]}" if colour in facts.names else ""
        group[name] = {"$value": value, "$description": f"{colour.hex}, {uses:,} × {role}{custom}"}
    return group


def color_value(colour: Colour) -> Token:
    """A colour as the format's color module writes it, in sRGB."""
    value: Token = {
        "colorSpace": "srgb",
        "components": [round(part / 255, 4) for part in colour[:3]],
        "alpha": colour.opacity,
        "hex": colour.hex[:7],
    }
    return value


def _families(facts: DesignFacts) -> Group:
    group: Group = {"$type": "fontFamily"}
    amounts: dict[tuple[str, ...], int] = {}
    for (_, kind), characters in facts.type.items():
        if kind.families:
            amounts[kind.families] = amounts.get(kind.families, 0) + characters
    ranked = sorted(amounts, key=lambda families: -amounts[families])[: len(_ORDINALS)]
    for ordinal, families in zip(_ORDINALS, ranked, strict=False):
        group[f"text{ordinal}"] = {
            "$value": list(families),
            "$description": f"{amounts[families]:,} characters",
        }
    return group


def _typography(facts: DesignFacts) -> Group:
    group: Group = {"$type": "typography"}
    for level, kind in levels(facts).items():
        if not kind.families:
            continue
        group[level] = {
            "$value": {
                "fontFamily": list(kind.families),
                "fontSize": _dimension(kind.size),
                "fontWeight": kind.weight,
                "lineHeight": line_height(kind),
                "letterSpacing": _dimension(
                    0 if kind.letter_spacing == "normal" else _number(kind.letter_spacing)
                ),
            }
        }
    return group


def line_height(kind: Type) -> float:
    """The height of a line in sizes of the font."""
    if kind.line_height == "normal" or not kind.size:
        return _NORMAL_LINE
    return round(_number(kind.line_height) / kind.size, 3)


def _scale(counts: Mapping[float, int]) -> Group:
    """Lengths by their numbers, the smallest first; of many those that occur most."""
    group: Group = {"$type": "dimension"}
    most = sorted(counts, key=lambda pixels: -counts[pixels])[:MOST_OF_A_SCALE]
    for pixels in sorted(most):
        name = f"{pixels:g}".replace(".", "_")
        group[name] = {"$value": _dimension(pixels), "$description": f"{counts[pixels]:,} ×"}
    return group


def _pixels(radii: Mapping[str, int]) -> dict[float, int]:
    """Corners that are one length in pixels; percentages and ellipses are none that the format could name."""
    found: dict[float, int] = {}
    for words, count in radii.items():
        if re.fullmatch(r"[0-9.]+px", words):
            found[_number(words)] = count
    return found


def _shadows(facts: DesignFacts) -> Group:
    group: Group = {"$type": "shadow"}
    for words, count in facts.shadows.most_common(len(_ORDINALS)):
        layers = [layer for part in _layers(words) if (layer := _shadow(part))]
        if layers:
            name = f"shadow-{len(group)}"
            value: Any = layers[0] if len(layers) == 1 else layers
            group[name] = {"$value": value, "$description": f"{count:,} ×"}
    return group


def _layers(words: str) -> list[str]:
    """The shadows of a list, which commas part that are not in parentheses."""
    return re.split(r",\s*(?![^()]*\))", words)


_SHADOW = re.compile(r"(rgba?\([0-9., ]+\)) (-?[0-9.]+)px (-?[0-9.]+)px ([0-9.]+)px (-?[0-9.]+)px( inset)?\Z")


def _shadow(words: str) -> Token | None:
    """One shadow as Chromium computes it; None for a colour that is not in sRGB."""
    match = _SHADOW.match(words)
    if not match:
        return None
    parts = [float(part) for part in re.findall(r"[0-9.]+", match[1])]
    colour = Colour(int(parts[0]), int(parts[1]), int(parts[2]), parts[3] if len(parts) > 3 else 1.0)
    x, y, blur, spread = (_dimension(float(match[index])) for index in range(2, 6))
    value: Token = {
        "color": color_value(colour),
        "offsetX": x,
        "offsetY": y,
        "blur": blur,
        "spread": spread,
    }
    return value | {"inset": True} if match[6] else value


def _dimension(pixels: float) -> Token:
    return {"value": int(pixels) if pixels == int(pixels) else pixels, "unit": "px"}


def _number(words: str) -> float:
    match = re.match(r"-?[0-9.]+", words)
    return float(match[0]) if match else 0.0
