"""Has Chromium refuse passkeys at once, as if a person pressed Cancel.

A full Chromium would ask in an invisible window, and keep all input from the page meanwhile; its headless shell would keep the
page waiting.

Chromium forgets the virtual authenticators of a page at the end of any session with it, also of one that has added none
(`WebAuthnHandler::Disable`). So they are added again then.
"""

from gstack_browse.browser.cdp.session import Session
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


def refuse_again(running: RunningBrowser, target: Target) -> None:
    """Refuse passkeys after sessions with a page have ended, whether Chromium still refuses them or not."""
    if not running.may_have_person:
        target.session.notify("WebAuthn.disable")
    refuse(running, target)


async def open_session(running: RunningBrowser, target: Target) -> Session:
    """Open a further session with a page, and go on refusing passkeys when it ends. Raises ProtocolError."""
    session = await running.connection.open_session(target.id)
    session.on("close", lambda _: refuse_again(running, target))
    return session
