"""Accepts untrusted certificates of the hosts in `BROWSE_INSECURE`; of other hosts they stay errors."""

from collections.abc import Sequence
from typing import Any

from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.policy.hosts import AllowedHost, is_url_of_any


async def overlook(tab: Tab, session: Session, hosts: Sequence[AllowedHost]) -> None:
    """Let a page and its subresources load from `hosts` despite untrusted certificates.

    Chromium asks about each certificate that it does not trust. It remembers the answer for the host until the browser context is closed.
    Raises ProtocolError.
    """

    def decide(event: dict[str, Any]) -> None:
        action = "continue"
        if not is_url_of_any(hosts, event["requestURL"]):
            action, tab.distrusted = "cancel", f"net::{event['errorType'].removeprefix('net::')}"
        session.notify("Security.handleCertificateError", {"eventId": event["eventId"], "action": action})

    session.on("Security.certificateError", decide)
    await session.send("Security.enable")
    await session.send("Security.setOverrideCertificateErrors", {"override": True})
