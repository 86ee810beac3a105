"""Emulation: what sites take the browser for, and what pages are told of their surroundings."""

from typing import Literal

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.transfer import context_transfer, emulating
from gstack_browse.errors import UsageError
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import Locale, Permissions, PlaceArgument, Rest, TimeZone, UserAgent
from gstack_browse.registry.surroundings import OFF


@command(
    META,
    examples=["useragent 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)'"],
    timeout=60,
    fresh=True,
)
async def useragent(browser: OpenContext, string: UserAgent) -> str:
    """Tell sites another user agent. Tabs keep their numbers, cookies and storage.

    Their pages are loaded anew. An empty string goes back to Chromium's own.
    """
    await context_transfer.change_appearance(browser, lambda now: now._replace(user_agent=string))
    return f"User agent set: {string}" if string else "User agent set: Chromium's own"


@command(
    META,
    examples=["device 'iPhone 15'", "device list", "device off"],
    timeout=60,
    fresh=True,
    forms="[<name…> | list | off]",
)
async def device(browser: OpenContext, name: Rest = "") -> str:
    """Show sites a phone or a tablet: its size, scale, touch, user agent and layout.

    Alone it prints which one holds. 'list' prints all devices, 'off' goes back to Chromium's own look in
    1280x720. Tabs keep their numbers, cookies and storage; their pages are loaded anew. 'click' stays a
    mouse's, which phones' browsers know, too; 'drag --touch' is a finger's.
    """
    if name == "list":
        return emulating.list_devices()
    if name:
        found = emulating.Device() if name == OFF else emulating.find_device(name)
        await emulating.emulate_device(browser, found)
    emulated = browser.appearance.emulation
    return f"Device: {emulating.Device(emulated.device, '', browser.appearance.screen, emulated.touch)}"


@command(
    META,
    examples=[
        "emulate",
        "emulate --color-scheme dark --reduced-motion reduce",
        "emulate --geo 52.52,13.4 --timezone Europe/Berlin --locale de-DE",
        "emulate --grant notifications,clipboard-read",
        "emulate --offline on",
        "emulate --reset",
    ],
    timeout=60,
    fresh=True,
)
async def emulate(
    browser: OpenContext,
    *,
    geo: PlaceArgument | None = None,
    timezone: TimeZone | None = None,
    locale: Locale | None = None,
    color_scheme: Literal["dark", "light", "no-preference", "off"] | None = None,
    reduced_motion: Literal["reduce", "no-preference", "off"] | None = None,
    contrast: Literal["more", "no-preference", "off"] | None = None,
    media: Literal["print", "screen", "off"] | None = None,
    grant: Permissions | None = None,
    offline: Literal["on", "off"] | None = None,
    reset: bool = False,
) -> str:
    """Change what pages are told of their surroundings, in all tabs; alone it prints what holds.

    Tabs that are opened later are told the same. A page that asks for a permission that is not granted is named
    in the reply, with the command that grants it. Each option stays until it is 'off' or changed. A new time
    zone or language loads all pages anew; tabs keep their numbers, cookies and storage. All else changes in the
    open pages.

    geo: where the device is; pages may ask for it then
    timezone: of dates in scripts
    locale: of numbers and dates in scripts, navigator.language and Accept-Language
    color_scheme: what prefers-color-scheme says
    reduced_motion: what prefers-reduced-motion says
    contrast: what prefers-contrast says
    media: which styles hold: those for paper, or for the screen
    grant: what pages may do without asking; all that were granted before and are not named end. clipboard-read is of no effect beside another context
    offline: whether pages have no network
    reset: emulate nothing any more; the device of 'device' stays
    """
    given = {
        "geo": geo,
        "timezone": timezone,
        "locale": locale,
        "color_scheme": color_scheme,
        "reduced_motion": reduced_motion,
        "contrast": contrast,
        "media": media,
        "grant": grant,
        "offline": True if offline == "on" else offline,
    }
    is_change = any(value is not None for value in given.values())
    if reset and is_change:
        raise UsageError("emulate --reset takes no other option", "Run 'emulate --reset' first")
    if reset:
        await emulating.reset_emulation(browser)
    elif is_change:
        await emulating.change_emulation(browser, given)
    emulated = ", ".join(f"{name} {value}" for name, value in browser.appearance.emulation.facts) or "nothing"
    return "\n→ ".join([f"Emulated: {emulated}", *emulating.explain_useless_permissions(browser)])
