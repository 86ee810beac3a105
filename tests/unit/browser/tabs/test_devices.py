"""Devices by name."""

from typing import Any

import pytest

from gstack_browse.browser.tabs import devices
from gstack_browse.browser.tabs.screen import Screen
from gstack_browse.errors import UsageError
from gstack_browse.registry.measures import Size


def described(width: int, height: int, scale: float, *, phone: bool) -> dict[str, Any]:
    return {
        "user_agent": "Probe/1",
        "viewport": {"width": width, "height": height},
        "device_scale_factor": scale,
        "is_mobile": phone,
        "has_touch": phone,
        "default_browser_type": "webkit",
    }


KNOWN = {
    "iPhone 15": described(393, 659, 3, phone=True),
    "Pixel 7": described(412, 839, 2.625, phone=True),
    "Desktop Chrome": described(1280, 720, 1, phone=False),
}


def test_a_device_is_found_whatever_its_case() -> None:
    device = devices.find(KNOWN, " iphone  15 ")
    assert device == devices.Device("iPhone 15", "Probe/1", Screen(Size(393, 659), 3, mobile=True), touch=True)


def test_all_are_listed_with_what_sets_them_apart() -> None:
    assert devices.listed(KNOWN).splitlines() == [
        "iPhone 15 (393x659, touch, scale 3)",
        "Pixel 7 (412x839, touch, scale 2.625)",
        "Desktop Chrome (1280x720)",
    ]
    assert str(devices.Device()) == "none (1280x720)"


def test_a_name_that_is_none_names_the_nearest() -> None:
    with pytest.raises(UsageError) as failure:
        devices.find(KNOWN, "iPhne 15")
    assert failure.value.hint == "Did you mean 'iPhone 15'? All there are: device list"
    with pytest.raises(UsageError) as failure:
        devices.find(KNOWN, "\x1b[2J")
    assert failure.value.hint == "All there are: device list"
