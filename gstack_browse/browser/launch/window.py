"""Whether a browser has a window, and on which display."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings


@dataclass(frozen=True)
class Look:
    """How a browser appears. `display`: an X display (`:0`) or a Wayland socket's name, for a visible one.
    `keeps_size`: its pages have the size that commands give them, not that of the window.

    `context`: options of its browser context, for a browser with extensions, which has a single one of its own.
    """

    visible: bool = False
    display: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    keeps_size: bool = False


HEADLESS = Look()


def usual_look(settings: Settings, context: Mapping[str, Any] | None = None) -> Look:
    """How a browser appears that no person has: without a window, unless the settings want one. Raises SetupFailed without a display."""
    if not settings.headed:
        return Look(context=context or {})
    return Look(visible=True, display=default_display(), context=context or {}, keeps_size=True)


def default_display() -> str:
    """The display in the daemon's environment. Raises SetupFailed where a window needs one and there is none."""
    display = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY") or ""
    if not display and sys.platform != "darwin":
        raise SetupFailed(
            "There is no display to show a window on",
            "On a desktop, name it: handoff --display :0\n"
            "On a server, run a virtual one that a person can look at, for example:\n"
            "  Xvfb :99 & x11vnc -display :99 -localhost &    (apt-get install xvfb x11vnc)\n"
            "then: handoff --display :99, or for BROWSE_HEADED: gbrowse stop; export DISPLAY=:99",
        )
    return display
