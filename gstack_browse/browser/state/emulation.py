"""Hold what a context emulates for its pages, and apply it.

That is place, time zone, language, media, permissions, network and touch. Kept once for a context, as options of its browser context,
which each new target is told before it runs; open pages are told where Chromium can change it there.
"""

import asyncio
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.devtools.emulation_commands import media_params, metrics_params, permission_params
from gstack_browse.registry.surroundings import OFF, Place
from gstack_browse.registry.values.measures import Size

if TYPE_CHECKING:
    from gstack_browse.browser.engine.world import FrameTargets
    from gstack_browse.browser.launch.running import RunningBrowser

PAGE_SECONDS = 2.0
"""Time limit for a page to get a change. One that hangs gets it once it goes on."""
_ALWAYS = frozenset({"clipboard-write"})
"""Permissions that stay granted: see `clipboard`."""
READS_CLIPBOARD = "clipboard-read"
"""Not granted where pages could read another context's clipboard: see `clipboard`."""
MEDIA = ("color_scheme", "reduced_motion", "contrast", "media")


@dataclass(frozen=True)
class Emulation:
    """Emulated properties of a context's pages. Empty values mean Chromium's own.

    `device` is a name; the context holds that device's size and user agent.
    """

    device: str = ""
    touch: bool = False
    geo: Place | None = None
    timezone: str = ""
    locale: str = ""
    color_scheme: str = ""
    reduced_motion: str = ""
    contrast: str = ""
    media: str = ""
    grant: tuple[str, ...] = ()
    offline: bool = False

    def with_changes(self, **changes: Any) -> "Emulation":
        """Return a copy with these fields changed. The value None leaves a field as it is; OFF resets it."""
        default = Emulation()
        given = {name: value for name, value in changes.items() if value is not None}
        return replace(
            self, **{name: getattr(default, name) if value == OFF else value for name, value in given.items()}
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dict for JSON."""
        return {**asdict(self), "geo": self.geo and list(self.geo), "grant": list(self.grant)}

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> "Emulation":
        """Build the emulation from `as_dict`'s result, perhaps as JSON. Raises TypeError for anything else."""
        geo = found.get("geo")
        emulation = cls(
            **{**found, "geo": Place(*geo) if geo else None, "grant": tuple(found.get("grant", ()))}
        )
        if not emulation._has_valid_types:
            raise TypeError
        return emulation

    @property
    def _has_valid_types(self) -> bool:
        """Return whether all fields have their declared types: a state file may contain anything."""
        words = (self.device, self.timezone, self.locale, *self.grant, *(getattr(self, name) for name in MEDIA))
        return (
            all(isinstance(word, str) for word in words)
            and all(type(flag) is bool for flag in (self.touch, self.offline))
            and all(type(number) in (int, float) for number in self.geo or ())
        )

    @property
    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what is emulated, for people: (option of the command `emulate`, value)."""
        if self.device:
            yield "device", self.device
        for field in fields(self)[2:]:
            if value := getattr(self, field.name):
                yield field.name.replace("_", "-"), _format_value(value)

    @property
    def permissions(self) -> frozenset[str]:
        """Return the permissions to grant; also geolocation if a place is emulated, or no page could read it."""
        return frozenset({*self.grant, *(["geolocation"] if self.geo else [])})

    @property
    def fixed_values(self) -> tuple[Any, ...]:
        """Return the values that cannot change in a browser context: device, touch, time zone, language."""
        return self.device, self.touch, self.timezone, self.locale

    def context_options(self) -> dict[str, Any]:
        """Return the options of a new browser context as keyword arguments, except its size and user agent.

        Place and network state are applied by `network/shaping.py`.
        """
        found: dict[str, Any] = {
            "has_touch": self.touch,
            "timezone_id": self.timezone,
            "locale": self.locale,
            "color_scheme": self.color_scheme,
            "reduced_motion": self.reduced_motion,
            "contrast": self.contrast,
            "media": self.media,
        }
        return {name: value for name, value in found.items() if value}


def _format_value(value: Any) -> str:
    """Format a setting as `emulate` prints it: "on" for True, a tuple as `a,b`."""
    if isinstance(value, tuple) and not isinstance(value, Place):
        return ",".join(value)
    return "on" if value is True else str(value)


async def emulate_media(frames: "FrameTargets", options: Mapping[str, Any]) -> None:
    """Emulate a context's media features (colour scheme, reduced motion …) in a page and its frames.

    `options`: those of the context. Raises ProtocolError if the page is gone.
    """
    media = media_params(options)
    await asyncio.gather(*(target.session.send("Emulation.setEmulatedMedia", media) for target in frames.all()))


async def await_page_change(work: Awaitable[Any]) -> None:
    """Await `work`, a call that has Chromium change a page, for two seconds at most.

    Does not say whether the page has changed: Chromium changes one that hangs once it goes on, and one that has closed
    (ProtocolError) needs no change. Other exceptions of `work` are raised.
    """
    with suppress(TimeoutError, ProtocolError):
        async with asyncio.timeout(PAGE_SECONDS):
            await work


async def grant_permissions(running: "RunningBrowser", context: str, permissions: frozenset[str]) -> None:
    """Grant these permissions to a browser context's pages, and withdraw others that we granted before.

    `context`: its id; "" for the default one. Each is set by itself: Chromium's command for several at once denies all
    others, also that of Copy buttons. Raises ProtocolError.
    """
    before = running.granted_permissions.get(context, frozenset())
    where = {"browserContextId": context} if context else {}
    for name in sorted(before ^ permissions):
        # checked for each name: a second context may get pages meanwhile
        is_granted = name in permissions and not (name == READS_CLIPBOARD and running.has_own_clipboards)
        granted = running.granted_permissions.get(context, frozenset())
        running.granted_permissions[context] = granted | {name} if is_granted else granted - {name}
        await running.connection.ask_browser(
            "Browser.setPermission",
            **permission_params(name, "granted" if is_granted or name in _ALWAYS else "prompt"),
            **where,
        )


async def find_rejection(running: "RunningBrowser", emulation: Emulation) -> str:
    """Return why Chromium rejects the emulated time zone or language; "" if it accepts them.

    Opens a page in a temporary context to find out.
    """
    context = await running.browser.new_context(**emulation.context_options())
    try:
        await context.new_page()
    except ProtocolError as error:
        return error.message
    finally:  # without waiting, as the browser may hang
        asyncio.ensure_future(context.close()).add_done_callback(consume_exception)
    return ""


DEFAULT = Size(1280, 720)


@dataclass
class Screen:
    """The emulated screen: size of pages in CSS pixels, device pixels per CSS pixel, mobile layout or not."""

    size: Size = DEFAULT
    scale: float = 1.0
    mobile: bool = False

    def options(self) -> dict[str, Any]:
        """Return the options of a new browser context that set its screen."""
        return {"viewport": self.size._asdict(), "device_scale_factor": self.scale, "is_mobile": self.mobile}

    def metrics(self) -> dict[str, Any]:
        """Return the parameters of `Emulation.setDeviceMetricsOverride` for this screen."""
        return metrics_params(self.options())

    @property
    def is_default(self) -> bool:
        """Return whether this is the screen that every new page has, so that nothing is to be emulated."""
        return self == Screen()


class Appearance(NamedTuple):
    """How sites see the pages of a browser context. Most of it only a new context can change.

    `user_agent`: "" for Chromium's own.
    """

    user_agent: str = ""
    screen: Screen = Screen()
    emulation: Emulation = Emulation()

    def context_options(self) -> dict[str, Any]:
        """Return the options of a new browser context as keyword arguments, except its size."""
        return {
            **({"user_agent": self.user_agent} if self.user_agent else {}),
            **self.emulation.context_options(),
        }

    def all_options(self) -> dict[str, Any]:
        """Return all options of a new browser context as keyword arguments."""
        return {**self.context_options(), **self.screen.options()}
