"""Makes the options of Chromium's start: flags, environment, sandbox."""

import os
import sys
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_internals import (
    BLINK_SETTINGS,
    DISABLED_FEATURES,
    ENABLED_FEATURES,
    KEPT_PROTECTIONS,
)
from gstack_browse.browser.launch.scratch import Scratch, refuse_programs
from gstack_browse.browser.launch.window import WindowOptions
from gstack_browse.policy import background_requests, metadata
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from gstack_browse.browser.launch.relays import Relays

FLAGS = (
    "--no-pings",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-gpu-process-crash-limit",  # a page can have it die six times; Chromium would end
)
WINDOW_FEATURES = "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"
"""Features of Chromium's window that cost a renderer for each tab, and are invisible without a window."""
PROMPTING_FEATURES = "WebIdentityDigitalCredentials,WebIdentityDigitalCredentialsCreation"
"""Features with which a full Chromium asks a person, and blocks the page's input meanwhile."""
NO_CAPTURE = "--disable-blink-features=GetDisplayMedia"
"""Removes `getDisplayMedia` from pages, as on phones, since Chromium would ask a person. `--auto-reject-capture` does nothing with
`--no-startup-window`."""
DEFERRED_TASKS = "DeferRendererTasksAfterInput"
"""Feature that delays a page's timers after input until the next frame: useful to a person's eye only."""
RENDER_DOCUMENT = "RenderDocument"
"""Feature that gives each document of a site a new frame, view and widget: a third of the cost of a small page."""
IN_PROCESS_NETWORK = "NetworkServiceInProcess2"
"""Feature that runs the network service in the browser process: one process less to start. That process has no sandbox on Linux either."""
NO_SELECTION_CLIPBOARD = "selectionClipboardBufferAvailable=false"
"""Setting that turns off Linux's paste by the middle button, which would copy between browser contexts."""
LAUNCH_SECONDS = 60
DOWNLOADS = "downloads"


def make_launch_options(
    settings: Settings,
    window: WindowOptions,
    scratch: Scratch,
    loaded: list[str],
    relays: "Relays | None" = None,
) -> dict[str, Any]:
    """Make the options of Playwright's `launch`.

    Args:
        loaded: flags that load extensions
        relays: relays to servers that want a client certificate; None without any
    """
    (scratch.path / DOWNLOADS).mkdir(mode=0o700, exist_ok=True)
    options: dict[str, Any] = {
        "headless": not window.visible,
        "chromium_sandbox": uses_sandbox(settings),
        "args": [
            *FLAGS,
            *background_requests.FLAGS,
            *loaded,
            *_resolver_flags(settings, relays),
            *_proxy_flags(settings, relays),
            *(relays.flags if relays else ()),
        ],
        "ignore_default_args": [*KEPT_PROTECTIONS, *(["--disable-extensions"] if loaded else [])],
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
        "timeout": LAUNCH_SECONDS * 1000,
        "downloads_path": scratch.path / DOWNLOADS,
    }
    options["env"] = _windowed_environment(window.display) if window.visible else _headless_environment(scratch)
    unwanted = [*DISABLED_FEATURES, *background_requests.FEATURES]
    if window.visible:
        options["args"].append("--ozone-platform-hint=auto")
    else:
        unwanted += [WINDOW_FEATURES, PROMPTING_FEATURES, DEFERRED_TASKS, RENDER_DOCUMENT]
        options["args"].append(NO_CAPTURE)
        options["args"].append(f"--blink-settings={BLINK_SETTINGS},{NO_SELECTION_CLIPBOARD}")
        options["args"].append(f"--enable-features={','.join([*ENABLED_FEATURES, IN_PROCESS_NETWORK])}")
    options["args"].append(f"--disable-features={','.join(unwanted)}")
    return options


def _resolver_flags(settings: Settings, relays: "Relays | None") -> list[str]:
    """Return the flag with the resolver rules: hosts of relays, and hosts that must not resolve.

    Chromium applies the first rule that matches.
    """
    rules = [*(relays.resolver_rules if relays else []), *background_requests.resolver_rules()]
    rules += [] if settings.allows_metadata else metadata.resolver_rules()
    if settings.hosts:
        rules += settings.hosts.resolver_rules()
    return [f"--host-resolver-rules={','.join(rules)}"]


def _proxy_flags(settings: Settings, relays: "Relays | None") -> list[str]:
    """Return the flags for the proxy.

    Hosts of relays bypass it, since relays use it themselves; hosts that must not resolve do, since the proxy would resolve them.
    """
    if not settings.proxy:
        return []
    return settings.proxy.with_bypass(
        [*(relays.endpoints if relays else ()), *background_requests.HOSTS]
    ).flags()


def uses_sandbox(settings: Settings) -> bool:
    """Return whether Chromium is started with its sandbox."""
    return settings.sandbox if settings.sandbox is not None else sandbox_works()


def sandbox_works() -> bool:
    """Return whether the sandbox can work here: not as root, nor in a container or CI."""
    in_container = (
        any(os.path.exists(path) for path in ("/.dockerenv", "/run/.containerenv")) or "container" in os.environ
    )
    return not (os.geteuid() == 0 or in_container or os.environ.get("CI")) or sys.platform == "darwin"


def _headless_environment(scratch: Scratch) -> dict[str, str]:
    """Return the environment of a headless Chromium.

    It gets no D-Bus, since it would end with the desktop session of that bus.
    """
    own = {
        "TMPDIR": scratch.name,
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "PATH": refuse_programs(scratch.name),
    }
    return {**os.environ, **own}


def _windowed_environment(display: str) -> dict[str, str | float | bool]:
    name = "DISPLAY" if ":" in display else "WAYLAND_DISPLAY"
    return {**os.environ, **({name: display} if display else {})}
