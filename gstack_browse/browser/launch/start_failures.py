"""Explains why Chromium did not start, with a hint."""

import os
from pathlib import Path

from gstack_browse.browser.launch import limits
from gstack_browse.browser.launch.scratch import explain_full_disk
from gstack_browse.browser.launch.window import WindowOptions
from gstack_browse.errors import BrowseError, SetupFailed

_KERNEL_SETTINGS = Path("/proc/sys")
_SANDBOX_SETTINGS = (
    ("user.max_user_namespaces", "0", "15000"),
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
)
"""Kernel settings for user namespaces, which the sandbox needs: name, the value that forbids them, a value that allows them."""


def explain_start_failure(message: str, executable: Path, sandbox: bool, window: WindowOptions) -> BrowseError:
    """Turn what a Chromium wrote that did not start into an error with a hint.

    `sandbox`: Chromium was to use its sandbox.
    """
    if window.visible and any(
        sign in message for sign in ("Missing X server", "$DISPLAY", "cannot open display")
    ):
        return SetupFailed(
            f"Nothing can be shown on display {window.display}: nobody answers there",
            "Name one that runs: handoff --display :0. To run one: Xvfb :99 &",
        )
    if sandbox and "sandbox" in message.lower():
        return SetupFailed(
            "Chromium cannot use its sandbox on this machine",
            f"{_sandbox_remedy()}; or, for pages you trust, do without the sandbox: BROWSE_SANDBOX=0",
        )
    if limited := explain_full_disk() or limits.explain_by_limits():
        return limited
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    fatal = [line for line in lines if ":FATAL:" in line] or lines
    return SetupFailed(
        f"{executable} did not start: {fatal[-1][:300]}", "Set BROWSE_CHROMIUM to another Chrome or Chromium"
    )


def _sandbox_remedy() -> str:
    """Return the hint for a sandbox that does not work: the kernel setting that forbids it, if one does."""
    if os.geteuid() == 0:
        return "Run gbrowse as a user of your own, not as root"
    for name, forbidden, allowed in _SANDBOX_SETTINGS:
        path = _KERNEL_SETTINGS.joinpath(*name.split("."))
        if path.exists() and path.read_text().strip() == forbidden:
            return f"Allow user namespaces: sudo sysctl {name}={allowed}"
    return "Allow unprivileged user namespaces"
