"""Says why Chromium did not start, and what to do."""

from pathlib import Path

from gstack_browse.browser.launch import limits
from gstack_browse.browser.launch.window import Look
from gstack_browse.errors import SetupFailed


def explained(message: str, executable: Path, sandbox: bool, look: Look) -> SetupFailed:
    """The failure for what Playwright says of a start. `sandbox`: whether Chromium was to use its sandbox."""
    if look.visible and any(
        sign in message for sign in ("Missing X server", "$DISPLAY", "cannot open display")
    ):
        return SetupFailed(
            f"Nothing can be shown on display {look.display}: nobody answers there",
            "Name one that runs: handoff --display :0. To run one: Xvfb :99 &",
        )
    if sandbox and "sandbox" in message.lower():
        return SetupFailed(
            "Chromium cannot use its sandbox on this machine",
            "Allow unprivileged user namespaces, or, for pages you trust, set BROWSE_SANDBOX=0 to do without it",
        )
    if "error while loading shared libraries" in message:
        missing = message.split("error while loading shared libraries:", 1)[1].splitlines()[0].strip()
        return SetupFailed(
            f"Chromium lacks a library: {missing}", "As root: python -m playwright install-deps chromium"
        )
    if limited := limits.suspect("Chromium"):
        return limited
    errors = [line for line in message.splitlines() if "[err]" in line] or message.splitlines()[:1]
    return SetupFailed(
        f"{executable} did not start: {errors[-1][:300]}", "Set BROWSE_CHROMIUM to another Chrome or Chromium"
    )
