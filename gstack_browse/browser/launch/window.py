"""Options of a browser's window: whether there is one, and on which display."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings


@dataclass(frozen=True)
class WindowOptions:
    """Options of a browser's window.

    `display`: X display (`:0`) or name of a Wayland socket, for a visible window. `keeps_size`: pages have the size that commands give
    them, not the window's. `context`: options of the browser context, for a browser with extensions, which has a single one.
    """

    visible: bool = False
    display: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    keeps_size: bool = False


HEADLESS = WindowOptions()


def default_window(settings: Settings, context: Mapping[str, Any] | None = None) -> WindowOptions:
    """Return the window options of the settings: headless unless `BROWSE_HEADED`.

    Raises SetupFailed without a display.
    """
    if not settings.headed:
        return WindowOptions(context=context or {})
    return WindowOptions(visible=True, display=default_display(), context=context or {}, keeps_size=True)


def default_display() -> str:
    """Return the display of the daemon's environment.

    Raises SetupFailed if there is none (macOS needs none).
    """
    display = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY") or ""
    if not display and sys.platform != "darwin":
        raise SetupFailed(
            "There is no display to show a window on",
            "'watch --control' needs none: it prints an address at which the person sees the page and acts in it\n"
            "On a desktop, name the display: handoff --display :0\n"
            "On a server, run a virtual one that a person can look at, for example:\n"
            "  Xvfb :99 & x11vnc -display :99 -localhost &    (apt-get install xvfb x11vnc)\n"
            "then: handoff --display :99, or for BROWSE_HEADED: gbrowse stop; export DISPLAY=:99",
        )
    return display
