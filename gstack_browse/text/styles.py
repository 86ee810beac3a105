"""Tells which of an element's computed styles are worth reading: those that an unstyled element of its kind has not. Pure."""

import re
from collections.abc import Mapping

_FOLLOWS = re.compile(r"(?:^|-)(?:inline|block)(?:-|$)|^-webkit-(?!line-clamp|text-stroke-width)")
"""Logical properties say once more what physical ones say; Chromium's own ones are mostly names from before the standard."""
_ORIGINS = {"transform-origin": "transform", "perspective-origin": "perspective"}
"""Half of the element's size, and without effect where the other property is "none"."""
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
"""Shorthands, the wider ones first, and what each stands for."""


def differing(own: Mapping[str, str], plain: Mapping[str, str]) -> list[tuple[str, str]]:
    """(property, value) where an element's styles differ from those of an unstyled one, each said once."""
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
            and not _FOLLOWS.search(name)
            and own.get(_ORIGINS.get(name, "")) != "none"
        ):
            shown[name] = value
    return sorted(
        (name, value)
        for name, value in shown.items()
        if value != plain.get(name)
        and _relative(name, value, own) != _relative(name, plain.get(name, ""), plain)
    )


def _relative(name: str, value: str, styles: Mapping[str, str]) -> str:
    """A value in which the text's color is no color of its own: most colors follow that one."""
    color = styles.get("color", "")
    return value.replace(color, "currentcolor") if color and name != "color" else value
