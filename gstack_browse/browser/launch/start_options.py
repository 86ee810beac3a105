"""What Chromium is started with: its flags, its environment, its sandbox."""

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
from gstack_browse.browser.launch.window import Look
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
UNSEEN = "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"
"""Parts of Chromium's own window that cost a renderer for each tab, and that nobody sees without a window."""
ASKING = "WebIdentityDigitalCredentials,WebIdentityDigitalCredentialsCreation"
"""What else would have a full Chromium ask a person, and keep all input from the page meanwhile."""
NO_CAPTURE = "--disable-blink-features=GetDisplayMedia"
"""Takes `getDisplayMedia` from pages, as on phones, for the same reason. `--auto-reject-capture` does nothing with `--no-startup-window`."""
DEFERRING = "DeferRendererTasksAfterInput"
"""Holds a page's timers back after input until the next frame, so that a person sees it sooner."""
RENEWING = "RenderDocument"
"""Begins each document of a site in a new frame, view and widget: a third of what a small page costs (decision 0105)."""
NETWORK_INSIDE = "NetworkServiceInProcess2"
"""Has Chromium's first process speak with servers itself: one process less to start (decision 0385)."""
NO_SELECTION_CLIPBOARD = "selectionClipboardBufferAvailable=false"
"""Keeps what one browser context selects from being pasted in another one by the middle button, as is usual on Linux."""
LAUNCH_SECONDS = 60
DOWNLOADS = "downloads"


def options_of(
    settings: Settings, look: Look, scratch: Scratch, loaded: list[str], relays: "Relays | None" = None
) -> dict[str, Any]:
    """What Playwright is told of the browser to start; `loaded` are the flags that load extensions. It is led to `relays` for their servers."""
    (scratch.path / DOWNLOADS).mkdir(mode=0o700, exist_ok=True)
    options: dict[str, Any] = {
        "headless": not look.visible,
        "chromium_sandbox": uses_sandbox(settings),
        "args": [
            *FLAGS,
            *background_requests.FLAGS,
            *loaded,
            *_resolving(settings, relays),
            *_proxied(settings, relays),
            *(relays.flags if relays else ()),
        ],
        "ignore_default_args": [*KEPT_PROTECTIONS, *(["--disable-extensions"] if loaded else [])],
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
        "timeout": LAUNCH_SECONDS * 1000,
        "downloads_path": scratch.path / DOWNLOADS,
    }
    options["env"] = _with_display(look.display) if look.visible else _without_window(scratch)
    unwanted = [*DISABLED_FEATURES, *background_requests.FEATURES]
    if look.visible:
        options["args"].append("--ozone-platform-hint=auto")
    else:
        unwanted += [UNSEEN, ASKING, DEFERRING, RENEWING]
        options["args"].append(NO_CAPTURE)
        options["args"].append(f"--blink-settings={BLINK_SETTINGS},{NO_SELECTION_CLIPBOARD}")
        options["args"].append(f"--enable-features={','.join([*ENABLED_FEATURES, NETWORK_INSIDE])}")
    options["args"].append(f"--disable-features={','.join(unwanted)}")
    return options


def _resolving(settings: Settings, relays: "Relays | None") -> list[str]:
    """Return the option with resolver rules: hosts that relays serve, and hosts that must not be found. The first rule that fits counts."""
    rules = [*(relays.rules if relays else []), *background_requests.resolver_rules()]
    rules += [] if settings.allows_metadata else metadata.resolver_rules()
    if settings.hosts:
        rules += settings.hosts.resolver_rules()
    return [f"--host-resolver-rules={','.join(rules)}"]


def _proxied(settings: Settings, relays: "Relays | None") -> list[str]:
    """Return the options for the proxy. Relays use it themselves; hosts that must not be found would be found by it."""
    if not settings.proxy:
        return []
    return settings.proxy.with_bypass(
        [*(relays.endpoints if relays else ()), *background_requests.HOSTS]
    ).flags()


def uses_sandbox(settings: Settings) -> bool:
    """Whether Chromium runs in its sandbox."""
    return settings.sandbox if settings.sandbox is not None else sandbox_works()


def sandbox_works() -> bool:
    """Whether Chromium can use its sandbox: not as root, nor in a container or CI, where it cannot start."""
    in_container = (
        any(os.path.exists(path) for path in ("/.dockerenv", "/run/.containerenv")) or "container" in os.environ
    )
    return not (os.geteuid() == 0 or in_container or os.environ.get("CI")) or sys.platform == "darwin"


def _without_window(scratch: Scratch) -> dict[str, str]:
    """Return the environment of a headless Chromium. It needs no D-Bus, and would end with the session whose bus it found."""
    own = {
        "TMPDIR": scratch.name,
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "PATH": refuse_programs(scratch.name),
    }
    return {**os.environ, **own}


def _with_display(display: str) -> dict[str, str | float | bool]:
    name = "DISPLAY" if ":" in display else "WAYLAND_DISPLAY"
    return {**os.environ, **({name: display} if display else {})}
