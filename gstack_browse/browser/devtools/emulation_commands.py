"""Convert the options of a browser context to the protocol's emulation commands. Pure.

Chromium keeps emulation for one session with one target. So each new target gets the commands before its first script, while it waits for
a debugger. The options have the names of Playwright's. The kinds of targets that accept a command were tried with Chromium 156.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

PAGE = frozenset({"page"})
DOCUMENTS = frozenset({"page", "iframe"})
ALL_KINDS = frozenset({"page", "iframe", "service_worker", "shared_worker", "worker"})

NO_OVERRIDE = "null"
"""Value of an option that leaves a media feature to the machine's setting. Without a value, the feature gets a fixed default."""
_MEDIA_FEATURES = {
    "color_scheme": ("prefers-color-scheme", "light"),
    "reduced_motion": ("prefers-reduced-motion", "no-preference"),
    "forced_colors": ("forced-colors", "none"),
    "contrast": ("prefers-contrast", "no-preference"),
}
"""Option → media feature, and its default value."""
_VERSION = r"(\d+(?:[._]\d+){0,2})"
_PLATFORMS = (
    ("Android", re.compile(rf"Android {_VERSION}"), "arm"),
    ("iOS", re.compile(rf"iPhone OS {_VERSION}"), "arm"),
    ("iOS", re.compile(rf"iPad; CPU OS {_VERSION}"), "arm"),
    ("macOS", re.compile(rf"Mac OS X {_VERSION}"), ""),
    ("Windows", re.compile(rf"Windows\D+{_VERSION}"), "x86"),
)
"""Platform, its pattern in a user agent with its version, and its processor; "" if the user agent names the processor."""
_PERMISSION_DETAILS = {"midi": {"sysex": True}}
"""Further fields of a permission descriptor. Chromium grants MIDI only together with system messages."""


class TargetCommand(NamedTuple):
    """A command for each new target of these kinds (`targetInfo.type`).

    `may_fail`: ignore Chromium's error "… already in effect", which it gives for a further target of the same process.
    """

    method: str
    params: dict[str, Any]
    kinds: frozenset[str]
    may_fail: bool = False


def make_context_commands(options: Mapping[str, Any]) -> list[TargetCommand]:
    """Return the emulation commands to send to each new target of a browser context with these options.

    `options`: as of Playwright's `new_context`: `viewport`, `locale`, `user_agent` …
    """
    return [
        TargetCommand("Emulation.setFocusEmulationEnabled", {"enabled": True}, PAGE),
        *_identity_commands(options),
        *_screen_commands(options),
        TargetCommand("Emulation.setEmulatedMedia", media_params(options), DOCUMENTS),
    ]


def filter_commands(kind: str, commands: Iterable[TargetCommand]) -> list[TargetCommand]:
    """Return the commands that are meant for a target of this kind ("page", "worker" …)."""
    return [command for command in commands if kind in command.kinds]


def permission_params(name: str, setting: str) -> dict[str, Any]:
    """Return the parameters of `Browser.setPermission`. `name`: as in `navigator.permissions.query`.

    `setting`: "granted", "denied" or "prompt".
    """
    return {"permission": {"name": name, **_PERMISSION_DETAILS.get(name, {})}, "setting": setting}


def media_params(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of `Emulation.setEmulatedMedia` for options of Playwright's `emulate_media`."""
    features = [
        {"name": feature, "value": _convert_media_value(options.get(option) or default)}
        for option, (feature, default) in _MEDIA_FEATURES.items()
    ]
    return {"media": _convert_media_value(options.get("media") or ""), "features": features}


def geolocation_params(geolocation: Mapping[str, float] | None) -> dict[str, Any]:
    """Return the parameters of `Emulation.setGeolocationOverride`. For None the position is unavailable."""
    return {"accuracy": 0, **geolocation} if geolocation else {}


def metrics_params(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of `Emulation.setDeviceMetricsOverride` for options such as `viewport`."""
    width, height = options["viewport"]["width"], options["viewport"]["height"]
    is_mobile, is_landscape = bool(options.get("is_mobile")), width > height
    return {
        "width": width,
        "height": height,
        "screenWidth": width,
        "screenHeight": height,
        "deviceScaleFactor": options.get("device_scale_factor") or 1,
        "mobile": is_mobile,
        "screenOrientation": {
            "type": "portraitPrimary" if is_mobile and not is_landscape else "landscapePrimary",
            "angle": 90 if is_mobile and is_landscape else 0,
        },
    }


def user_agent_params(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of `Emulation.setUserAgentOverride`.

    Of `options` it reads `user_agent`, `locale` and `is_mobile`, each of which may be missing.
    """
    agent = options.get("user_agent") or ""
    params: dict[str, Any] = {"userAgent": agent}
    if locale := options.get("locale"):
        params["acceptLanguage"] = locale
    if agent:
        params["userAgentMetadata"] = _client_hints(agent, is_mobile=bool(options.get("is_mobile")))
    return params


def _client_hints(agent: str, *, is_mobile: bool) -> dict[str, Any]:
    """Return the client hints (`Sec-CH-UA-…`) that fit a user agent, as `Emulation.UserAgentMetadata`."""
    platform, version, processor = "Linux" if "linux" in agent.lower() else "Windows", "", "x86"
    for name, pattern, chip in _PLATFORMS:
        if match := pattern.search(agent):
            platform, version = name, match[1]
            processor = chip or ("x86" if "Intel" in agent else "arm")
            break
    return {
        "mobile": is_mobile or "Mobi" in agent,
        "model": "",
        "architecture": "arm" if "ARM" in agent else processor,
        "platform": platform,
        "platformVersion": version.replace("_", "."),
    }


def _convert_media_value(value: str) -> str:
    """Return a media feature's value in the form for Chromium: "" instead of NO_OVERRIDE."""
    return "" if value == NO_OVERRIDE else value


def _identity_commands(options: Mapping[str, Any]) -> Iterable[TargetCommand]:
    """Yield the emulation commands for user agent, language and time zone."""
    if options.get("user_agent") or options.get("locale"):
        yield TargetCommand("Emulation.setUserAgentOverride", user_agent_params(options), ALL_KINDS)
    if locale := options.get("locale"):
        # Holds for a whole process: Chromium refuses it for a second target, which has the language already.
        yield TargetCommand("Emulation.setLocaleOverride", {"locale": locale}, ALL_KINDS, may_fail=True)
    if zone := options.get("timezone_id"):
        yield TargetCommand("Emulation.setTimezoneOverride", {"timezoneId": zone}, ALL_KINDS, may_fail=True)


def _screen_commands(options: Mapping[str, Any]) -> Iterable[TargetCommand]:
    """Yield the emulation commands for the viewport's size and for touch."""
    if options.get("viewport") and not options.get("no_viewport"):
        yield TargetCommand("Emulation.setDeviceMetricsOverride", metrics_params(options), PAGE)
    if options.get("has_touch"):
        yield TargetCommand("Emulation.setTouchEmulationEnabled", {"enabled": True}, DOCUMENTS)
