"""Makes the options of Chromium's start from the settings: flags, environment, sandbox.

`ahead` makes the same for a usual start, before the settings can be read.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gstack_browse.browser.launch import flags
from gstack_browse.browser.launch.process import can_use_sandbox
from gstack_browse.browser.launch.running import WindowOptions
from gstack_browse.errors import SetupFailed
from gstack_browse.security.policy import background_requests, metadata_hosts
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from gstack_browse.browser.launch.outbound.relays import Relays

LAUNCH_SECONDS = 60
"""Time limit for a started Chromium to answer its first request."""


def list_flags(
    settings: Settings, window: WindowOptions, extensions: Sequence[str] = (), relays: "Relays | None" = None
) -> list[str]:
    """List Chromium's flags, without the directory of its profile.

    Args:
        extensions: flags that load extensions
        relays: relays to servers that want a client certificate; None without any
    """
    return flags.list_flags(
        resolver_rules=_resolver_rules(settings, relays),
        sandbox=uses_sandbox(settings),
        window=window.visible,
        has_profile=bool(extensions or settings.profile),
        extensions=extensions,
        others=[*_proxy_flags(settings, relays), *(relays.flags if relays else ())],
    )


def _resolver_rules(settings: Settings, relays: "Relays | None") -> list[str]:
    """List the resolver rules: hosts of relays, and hosts that must not resolve."""
    rules = [*(relays.resolver_rules if relays else []), *background_requests.resolver_rules()]
    rules += [] if settings.allows_metadata else metadata_hosts.resolver_rules()
    if settings.hosts:
        rules += settings.hosts.resolver_rules()
    return rules


def _proxy_flags(settings: Settings, relays: "Relays | None") -> list[str]:
    """List the flags for the proxy.

    Hosts of relays bypass it, since relays use it themselves; hosts that must not resolve do, since the proxy would resolve them.
    """
    if not settings.proxy:
        return []
    return settings.proxy.with_bypass(
        [*(relays.endpoints if relays else ()), *background_requests.HOSTS]
    ).flags()


def uses_sandbox(settings: Settings) -> bool:
    """Return whether Chromium is started with its sandbox."""
    return settings.sandbox if settings.sandbox is not None else can_use_sandbox()


def display_variables(display: str) -> dict[str, str]:
    """Return the variables that show a window on a display."""
    name = "DISPLAY" if ":" in display else "WAYLAND_DISPLAY"
    return {name: display} if display else {}


_MANIFEST = "manifest.json"


def find_extensions(directory: Path) -> list[Path]:
    """Return `directory` if it is an extension, else the extensions in it. Raises SetupFailed without any."""
    if not directory.is_dir():
        raise SetupFailed(f"BROWSE_EXTENSIONS_DIR names {directory}, which is no directory")
    if (directory / _MANIFEST).is_file():
        found = [directory]
    else:
        found = sorted(path.parent for path in directory.glob(f"*/{_MANIFEST}"))
    if not found:
        raise SetupFailed(
            f"BROWSE_EXTENSIONS_DIR names {directory}, where there is no {_MANIFEST}",
            "Name the directory of an unpacked extension",
        )
    if any("," in str(path) for path in found):
        raise SetupFailed("Chromium cannot load an extension from a path with a comma in it")
    return [path.resolve() for path in found]


def make_flags(extensions: list[Path]) -> list[str]:
    """Make Chromium's flags that load these extensions and no others."""
    paths = ",".join(str(path) for path in extensions)
    return [f"--disable-extensions-except={paths}", f"--load-extension={paths}"]
