"""Parse the values of `emulate`: location, time zone, language, permissions. Pure."""

import re
from typing import NamedTuple

from gstack_browse.errors import UsageError
from gstack_browse.registry.values.paths import CallerPaths

OFF = "off"
"""Typed in place of a value to end the emulation."""
PERMISSIONS = (
    "accelerometer", "background-sync", "camera", "clipboard-read", "clipboard-write", "geolocation", "gyroscope",
    "idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "notifications", "payment-handler",
    "persistent-storage", "screen-wake-lock", "storage-access", "window-management",
)  # fmt: skip
"""By the names that `navigator.permissions.query` knows."""
_NUMBER = r"[+-]?[0-9]{1,3}(?:\.[0-9]{1,15})?"
_PLACE = rf"({_NUMBER}),({_NUMBER})\Z"
_ZONE = r"[A-Za-z][A-Za-z0-9_+-]{0,39}(?:/[A-Za-z0-9_+-]{1,40}){0,2}\Z"
_LOCALE = r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,4}\Z"


class Place(NamedTuple):
    """A place on the earth, in degrees."""

    latitude: float
    longitude: float

    def __str__(self) -> str:
        return f"{self.latitude:.10g},{self.longitude:.10g}"


def parse_place(word: str, _paths: CallerPaths) -> Place | str:
    """Parse a place on earth, `latitude,longitude` in degrees, or OFF. Raises UsageError."""
    if word == OFF:
        return OFF
    match = re.match(_PLACE, word.strip())
    if not match:
        raise UsageError(
            f'"{word[:60]}" is not a place', "Write latitude,longitude in degrees, for example 52.52,13.4"
        )
    place = Place(float(match[1]), float(match[2]))
    if abs(place.latitude) > 90 or abs(place.longitude) > 180:
        raise UsageError(
            f"{place} is not on the earth", "Latitude first: -90 to 90, then longitude: -180 to 180"
        )
    return place


def parse_time_zone(word: str, _paths: CallerPaths) -> str:
    """Parse the name of a time zone, such as `Europe/Berlin`, or OFF. Raises UsageError.

    Only Chromium can tell whether the zone exists.
    """
    if not re.match(_ZONE, word):
        raise UsageError(f'"{word[:60]}" is not a time zone', "For example Europe/Berlin or UTC")
    return word


def parse_language_tag(word: str, _paths: CallerPaths) -> str:
    """Parse a language tag such as de-DE, or OFF. Raises UsageError."""
    if not re.match(_LOCALE, word):
        raise UsageError(f'"{word[:60]}" is not a language tag', "For example de-DE or fr")
    return word.replace("_", "-")


def parse_permissions(word: str, _paths: CallerPaths) -> tuple[str, ...] | str:
    """Parse comma-separated permissions that pages ask for, or OFF. Return them sorted. Raises UsageError."""
    if word == OFF:
        return OFF
    names = [name.strip() for name in word.split(",") if name.strip()]
    unknown = [name for name in names if name not in PERMISSIONS]
    if unknown or not names:
        raise UsageError(
            f'"{unknown[0][:60] if unknown else word}" is no permission', f"One of {', '.join(PERMISSIONS)}"
        )
    return tuple(sorted(set(names)))
