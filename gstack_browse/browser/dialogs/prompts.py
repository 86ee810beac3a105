"""Prompts of Chromium's own that no person can answer: permissions and passkeys are refused at once."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tab.tab import Tab

_BINDING = "__gbrowseAsks"


def follow(running: RunningBrowser, heard: Subscriber, tab_of: Callable[[str], Tab | None]) -> None:
    """Note in each tab of a browser context what its page asks for, from now on.

    Leaves a person's own browser alone.
    """
    if running.is_shared:
        return

    def note(target: Target, name: str, context: int) -> None:
        if tab := tab_of(target.page):
            granted = running.granted_permissions.get(target.browser_context, frozenset())
            tab.effects.asked.note(name, tab.document, granted)

    def begin(target: Target) -> None:
        target.run_in_documents(_permissions_script(), binding=_BINDING)

    heard.on_binding(_BINDING, note)
    running.connection.events.call_for_targets(heard, begin)


@cache
def _permissions_script() -> str:
    """Return the script that reports requests for permissions."""
    return Path(__file__).with_name("asked-permissions.js").read_text(encoding="utf-8")


_AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "usb",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": False,
    "automaticPresenceSimulation": True,
}
"""A security key without passkeys that verifies no user: the page gets a NotAllowedError for every request."""


def refuse_passkeys(running: RunningBrowser, target: Target) -> None:
    """Refuse passkeys in a page and its frames, unless a person may be asked."""
    if not running.may_have_person:
        target.session.notify("WebAuthn.enable")
        target.session.notify("WebAuthn.addVirtualAuthenticator", {"options": _AUTHENTICATOR})


def refuse_again(running: RunningBrowser, target: Target) -> None:
    """Refuse passkeys after sessions with a page have ended, whether Chromium still refuses them or not."""
    if not running.may_have_person:
        target.session.notify("WebAuthn.disable")
    refuse_passkeys(running, target)


async def open_session(running: RunningBrowser, target: Target) -> Session:
    """Open a further session with a page, and go on refusing passkeys when it ends. Raises ProtocolError."""
    session = await running.connection.open_session(target.id)
    session.on("close", lambda _: refuse_again(running, target))
    return session
