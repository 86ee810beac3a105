import pytest

from gstack_browse.browser.state.emulation import Screen
from gstack_browse.browser.transfer import emulating
from gstack_browse.errors import UsageError
from gstack_browse.registry.values.measures import Size


def test_a_device_is_found_whatever_its_case_or_the_nearest_named() -> None:
    device = emulating.find_device(" iphone  15 ")
    assert device.user_agent.startswith("Mozilla/5.0 (iPhone; ")
    screen = Screen(Size(393, 659), 3, mobile=True)
    assert device == emulating.Device("iPhone 15", device.user_agent, screen, touch=True)
    for name, nearest in (("iPhne 15", "Did you mean 'iPhone 15'? "), ("\x1b[2J", "")):
        with pytest.raises(UsageError) as failure:
            emulating.find_device(name)
        assert failure.value.hint == f"{nearest}All there are: device list"


def test_all_are_listed_with_what_sets_them_apart() -> None:
    lines = emulating.list_devices().splitlines()
    for line in (
        "iPhone 15 (393x659, touch, scale 3)",
        "Pixel 7 (412x839, touch, scale 2.625)",
        "Desktop Chrome (1280x720)",
    ):
        assert lines.count(line) == 1
    assert str(emulating.Device()) == "none (1280x720)"
