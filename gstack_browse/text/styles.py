"""Select the computed styles of an element that differ from an unstyled element of its kind. Pure."""

import re
from collections.abc import Mapping

_REDUNDANT = re.compile(r"(?:^|-)(?:inline|block)(?:-|$)|^-webkit-(?!line-clamp|text-stroke-width)")
"""Logical properties repeat physical ones; Chromium's own ones are mostly names from before the standard."""
_ORIGINS = {"transform-origin": "transform", "perspective-origin": "perspective"}
"""Half of the element's size, and without effect if the other property is "none"."""
_SIDES = ("top", "right", "bottom", "left")
_CORNERS = ("top-left", "top-right", "bottom-right", "bottom-left")
_BORDERS = {
    f"border-{part}": tuple(f"border-{side}-{part}" for side in _SIDES) for part in ("width", "style", "color")
}
SHORTHANDS: dict[str, tuple[str, ...]] = {
    "border": tuple(name for names in _BORDERS.values() for name in names) + tuple(_BORDERS),
    **_BORDERS,
    "border-radius": tuple(f"border-{corner}-radius" for corner in _CORNERS),
    "gap": ("row-gap", "column-gap"),
    "inset": _SIDES,
    "margin": tuple(f"margin-{side}" for side in _SIDES),
    "overflow": ("overflow-x", "overflow-y"),
    "padding": tuple(f"padding-{side}" for side in _SIDES),
}
"""Shorthands, the wider ones first, and their longhands."""


def find_differing_styles(own: Mapping[str, str], plain: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (property, value) where `own` styles differ from `plain` ones, each stated once."""
    shown: dict[str, str] = {}
    said: set[str] = set()
    for name, parts in SHORTHANDS.items():
        if own.get(name) and name not in said:
            said.update(parts, [name])
            shown[name] = own[name]
    for name, value in own.items():
        if (
            value
            and name not in said
            and not _REDUNDANT.search(name)
            and own.get(_ORIGINS.get(name, "")) != "none"
        ):
            shown[name] = value
    return sorted(
        (name, value)
        for name, value in shown.items()
        if value != plain.get(name)
        and _normalise_color(name, value, own) != _normalise_color(name, plain.get(name, ""), plain)
    )


def _normalise_color(name: str, value: str, styles: Mapping[str, str]) -> str:
    """Replace the text's color by `currentcolor`: most colors follow it."""
    color = styles.get("color", "")
    return value.replace(color, "currentcolor") if color and name != "color" else value
