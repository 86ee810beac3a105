"""Devices by name.

`devices.json` describes them: what Playwright knows by the same names (docs/upgrading.md says how it is made anew).
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from gstack_browse.browser.state.emulation import Screen
from gstack_browse.errors import UsageError
from gstack_browse.registry.values.measures import Size
from gstack_browse.text.resembling import find_most_similar

_FILE = Path(__file__).with_name("devices.json")


class Device(NamedTuple):
    """A device as pages see it. An empty name means Chromium's own appearance."""

    name: str = ""
    user_agent: str = ""
    screen: Screen = Screen()
    touch: bool = False

    def __str__(self) -> str:
        """Describe the device: `iPhone 15 (393x659, touch, scale 3)`."""
        return f"{self.name or 'none'} ({describe_screen(self.screen, touch=self.touch)})"


@cache
def _read_descriptors() -> Mapping[str, Any]:
    """Return Playwright's table of devices: name → description."""
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def find(name: str) -> Device:
    """Return the device called `name`, ignoring case. Raises UsageError if it is unknown."""
    descriptors = _read_descriptors()
    by_fold = {known.casefold(): known for known in descriptors}
    known = by_fold.get(" ".join(name.split()).casefold())
    if known is None:
        near = find_most_similar(name, descriptors)
        hint = f"Did you mean '{near}'? " if near else ""
        raise UsageError(f'There is no device "{name[:60]}"', f"{hint}All there are: device list")
    return _parse_device(known, descriptors[known])


def list_devices() -> str:
    """List all devices, one a line."""
    descriptors = _read_descriptors()
    return "\n".join(str(_parse_device(name, descriptors[name])) for name in descriptors)


def describe_screen(screen: Screen, *, touch: bool) -> str:
    """Describe the size, and what differs from a desktop's screen."""
    scale = f"scale {screen.scale:g}" if screen.scale != 1 else ""
    return ", ".join(word for word in (str(screen.size), "touch" if touch else "", scale) if word)


def _parse_device(name: str, found: Mapping[str, Any]) -> Device:
    """Build a device from Playwright's description."""
    size = Size(found["viewport"]["width"], found["viewport"]["height"])
    screen = Screen(size, float(found["device_scale_factor"]), bool(found["is_mobile"]))
    return Device(name, found["user_agent"], screen, bool(found["has_touch"]))
