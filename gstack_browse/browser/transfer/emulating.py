"""Change what a context emulates.

That is done in open pages if Chromium can, else in a new browser context, in which pages are loaded again.

Devices have names. `devices.json` describes them: what Playwright knows by the same names (docs/upgrading.md says how it is made anew).
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.launch.chromium import is_headless_shell
from gstack_browse.browser.state.emulation import (
    MEDIA,
    READS_CLIPBOARD,
    Appearance,
    Emulation,
    Screen,
    await_page_change,
    emulate_media,
    find_rejection,
    grant_permissions,
)
from gstack_browse.browser.transfer.context_transfer import change_appearance
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry.suggest import find_most_similar
from gstack_browse.registry.surroundings import OFF
from gstack_browse.registry.values.measures import Size
from gstack_browse.text.sanitise import one_line

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
    """Return the devices that Playwright knows: name → its description (`devices.json`)."""
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def find_device(name: str) -> Device:
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
    """Return the list of all devices as text, one a line."""
    descriptors = _read_descriptors()
    return "\n".join(str(_parse_device(name, descriptors[name])) for name in descriptors)


def describe_screen(screen: Screen, *, touch: bool) -> str:
    """Describe a screen: `393x659, touch, scale 3`."""
    scale = f"scale {screen.scale:g}" if screen.scale != 1 else ""
    return ", ".join(word for word in (str(screen.size), "touch" if touch else "", scale) if word)


def _parse_device(name: str, found: Mapping[str, Any]) -> Device:
    """Build a device from a Playwright device descriptor ("viewport", "user_agent", …)."""
    size = Size(found["viewport"]["width"], found["viewport"]["height"])
    screen = Screen(size, float(found["device_scale_factor"]), bool(found["is_mobile"]))
    return Device(name, found["user_agent"], screen, bool(found["has_touch"]))


async def change_emulation(browser: OpenContext, changes: Mapping[str, Any]) -> None:
    """Change what is emulated in the context's pages. `changes`: see `Emulation.with_changes`.

    Raises UsageError for a time zone or a language that Chromium does not know, with nothing changed.
    """
    after = browser.appearance.emulation.with_changes(**changes)
    if after.fixed_values != browser.appearance.emulation.fixed_values:
        await _check_emulation(browser, after)
        await change_appearance(
            browser, lambda now: now._replace(emulation=now.emulation.with_changes(**changes))
        )
        return
    async with browser.transfer:
        await _change_open_pages(browser, browser.appearance.emulation.with_changes(**changes))


async def reset_emulation(browser: OpenContext) -> None:
    """End all emulation except that of a device, which has its own command."""
    await change_emulation(
        browser, {field.name: OFF for field in fields(Emulation) if field.name not in ("device", "touch")}
    )


async def _check_emulation(browser: OpenContext, after: Emulation) -> None:
    """Raise UsageError if Chromium does not know the time zone or language of the emulation `after`."""
    if (after.timezone, after.locale) == ("", ""):
        return
    why = await find_rejection(browser.running, after)
    if "timezone" in why.lower():
        raise UsageError(
            f"Chromium knows no time zone {after.timezone}", "For example Europe/Berlin or America/New_York"
        )
    if "locale" in why.lower():
        raise UsageError(f"Chromium knows no language {after.locale}", "For example de-DE")
    if why:
        raise ActionFailed(f"Chromium did not take it: {one_line(why, 200)}", "Nothing was changed")


async def _change_open_pages(browser: OpenContext, after: Emulation) -> None:
    """Apply what open pages can take of `after`: permissions, place, network state, media features."""
    before = browser.appearance.emulation
    tabs = [tab for tab in browser.tabs if tab.is_prepared]
    try:
        for context in {tab.world.frames.target.browser_context for tab in tabs}:
            await grant_permissions(browser.running, context, after.permissions)
    except ProtocolError as error:
        raise ActionFailed(
            f"Chromium did not take it: {one_line(error.message, 200)}", "Nothing was changed"
        ) from None
    browser.appearance = browser.appearance._replace(emulation=after)
    await browser.conditions.apply_emulation(after)
    browser.context.options = options = browser.appearance.all_options()
    if any(getattr(before, name) != getattr(after, name) for name in MEDIA):
        await asyncio.gather(*(await_page_change(emulate_media(tab.world.frames, options)) for tab in tabs))


def explain_useless_permissions(browser: OpenContext) -> list[str]:
    """Return a line for each granted permission that has no effect, with the reason."""
    emulation, why = browser.appearance.emulation, []
    if READS_CLIPBOARD in emulation.grant and browser.clipboard.is_separate:
        why.append("no page reads the clipboard: another context has had pages, too")
    if "geolocation" in emulation.grant and not emulation.geo:
        why.append("no page is told a place: add one with --geo")
    if "notifications" in emulation.grant and is_headless_shell(browser.running.executable):
        why.append("Chromium's headless shell shows no notification, and Notification.permission stays denied")
    return why


async def emulate_device(browser: OpenContext, device: Device) -> None:
    """Emulate a device's screen, user agent and touch in the context's pages. Other emulated values stay."""
    browser.check_not_in_window()

    def shown(now: Appearance) -> Appearance:
        emulation = now.emulation.with_changes(device=device.name, touch=device.touch)
        return Appearance(device.user_agent, device.screen, emulation)

    await change_appearance(browser, shown)
