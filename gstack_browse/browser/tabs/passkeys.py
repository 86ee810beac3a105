"""Has Chromium refuse passkeys at once, as if a person pressed Cancel.

A full Chromium would ask in an invisible window, and keep all input from the page meanwhile; its headless shell would keep the
page waiting.
"""

from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.launch.running import RunningBrowser

_AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "usb",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": False,
    "automaticPresenceSimulation": True,
}
"""A security key without passkeys that verifies no user: the page gets a NotAllowedError for every request."""


def refuse(running: RunningBrowser, target: Target) -> None:
    """Refuse passkeys in a page and its frames, unless a person may be asked."""
    if not running.may_have_person:
        target.session.notify("WebAuthn.enable")
        target.session.notify("WebAuthn.addVirtualAuthenticator", {"options": _AUTHENTICATOR})
