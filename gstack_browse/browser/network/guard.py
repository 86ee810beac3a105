"""Refuse requests of pages by the rules of `security.policy`, and remember which tab each was for.

Intercepting costs each request of a browser some time. So file: URLs are intercepted only from the first one that a command opens, or that a
person could open: a page of the web cannot reach any (Chromium does not let it).
"""

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.interception import DOCUMENT, FILES, FulfilledResponse, RequestHandlers
from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.launch.chromium import is_headless_shell
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.network.loaded_documents import LoadedHtml
from gstack_browse.browser.network.traffic import Traffic
from gstack_browse.browser.tab.effects import RefusedRequest
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.table import TabTable
from gstack_browse.errors import BrowseError
from gstack_browse.security.policy import files, hosts, metadata
from gstack_browse.security.policy.hosts import AllowedHost, Refusal, matches_any_host

MOST_REMEMBERED = 100
"""Limit for refused requests whose failure Chromium has not reported."""
STAYED = "The tab keeps its page"
BLANKED = "The page was replaced by a blank one"
IFRAME = "iframe"
"""The target kind of a frame in its own process."""
_NO_FILES = Refusal("is a file, and there is no workspace")


class RequestGuard:
    """Checks requests of a context's pages by the policy, in whichever browser they are."""

    def __init__(self, traffic: Traffic, tabs: TabTable, loaded: LoadedHtml) -> None:
        self._traffic = traffic
        self._loaded = loaded
        self._tabs = tabs
        self._running: RunningBrowser
        self._handlers: RequestHandlers
        self._has_files = False
        self._refused: dict[str, RefusedRequest] = {}
        """Refused requests by request id, until Chromium reports their failure with the page."""
        traffic.refused = lambda request_id: self._refused.pop(request_id, None)
        traffic.unresolved = self._refuse_unresolved
        traffic.answers = self._check_server_address

    async def attach(self, running: RunningBrowser, handlers: RequestHandlers, subscriber: Subscriber) -> None:
        """Check the requests of a browser context by the policy from now on. Raises ProtocolError."""
        self._running, self._handlers = running, handlers
        handlers.judge = self._is_permitted
        handlers.answer = self._answer_from_loaded_html
        if self._has_files or running.window.visible or running.has_profile:
            await running.interception.intercept_always(FILES)
        if (proxy := running.params.settings.proxy) and proxy.password and not running.params.endpoint:
            running.interception.proxy_credentials = proxy.user, proxy.password
            await running.interception.intercept_always(*hosts.WEB)
        running.interception.has_person = running.may_have_person
        self._traffic.refuses_external = not running.may_have_person
        if not (is_headless_shell(running.executable) or running.may_have_person):
            # A full Chromium shows its login prompt in an invisible window, and the request waits for ever.
            await running.interception.intercept_always(*hosts.WEB)
        if self._refuses_metadata:
            await running.interception.intercept_always(*metadata.url_patterns())
        if running.params.settings.hosts:
            await running.interception.intercept_always(*hosts.WEB)
            subscriber.on_navigated = self._check_arrived_document

    @property
    def _refuses_metadata(self) -> bool:
        """Return whether this object refuses requests to cloud metadata services.

        It does in a browser that others have started. One that we start gets flags that hide those services.
        """
        params = self._running.params
        return params.endpoint is not None and not params.settings.allows_metadata

    def may_request(self, url: str) -> bool:
        """Return whether the policy lets us request a URL on behalf of a page."""
        return self._refuse_unresolved(url) is None

    def refuses_page(self, url: str) -> bool:
        """Return whether the policy forbids to show a URL in a tab."""
        return self._refusal(url, is_document=True, is_page=True) is not None

    async def prepare_opening(self, *urls: str) -> None:
        """Prepare for opening these URLs: begin to intercept files, and pages made of PDFs, if there are any.

        Raises ProtocolError.
        """
        if not self._has_files and any(url.startswith("file:") for url in urls):
            self._has_files = True
            await self._running.interception.intercept_always(FILES)
        if served := self._loaded.web_urls():
            patterns = [re.sub(r"[*?\\]", r"\\\g<0>", url) for url in served]
            await self._running.interception.set_patterns(self._handlers, "pdf", patterns)

    async def _answer_from_loaded_html(self, event: dict[str, Any]) -> FulfilledResponse | None:
        """Answer a paused request for a document that `LoadedHtml` holds; return None for any other request."""
        request, frame = event["request"], event.get("frameId", "")
        url = request["url"]
        is_document = request["method"] == "GET" and event.get("resourceType") == DOCUMENT
        if not (
            is_document and self._loaded.has_document(url) and await self._is_main_frame_document(frame, url)
        ):
            return None
        if self._loaded.is_pdf(url) and self._is_download(event):
            return None
        try:
            return await asyncio.to_thread(self._loaded.read, url)
        except BrowseError:
            return None  # the file is gone by now: Chromium reports that itself

    def _is_download(self, event: dict[str, Any]) -> bool:
        """Return whether a paused request is for a download: by a link with `download`, or by a command."""
        tab = self._traffic.tab_of(event.get("frameId", ""))
        return "networkId" not in event or (tab is not None and tab.effects.wanted is not None)

    async def _is_permitted(self, event: dict[str, Any]) -> bool:
        """Return whether the policy lets a paused request be sent. Report a refusal to its tab."""
        url, frame = event["request"]["url"], event.get("frameId", "")
        if not (self._running.params.settings.hosts or self._refuses_metadata or url.startswith("file:")):
            return True
        is_document = event.get("resourceType") == DOCUMENT
        is_page = is_document and await self._is_main_frame_document(frame, url)
        refusal = self._refusal(url, is_document=is_document, is_page=is_page)
        if refusal is None:
            return True
        tab = self._traffic.tab_of(frame)  # only a main frame has a tab
        if tab is None and is_document:
            tab = self._take_opening_tab()
        refused = RefusedRequest(url, refusal, is_page=is_document and tab is not None, after=STAYED)
        if tab:
            tab.note_refusal(refused)
        # Chromium reports the failure of the request later, and the reason is found here. Only the newest are kept.
        self._refused[event.get("networkId", "")] = refused
        if len(self._refused) > MOST_REMEMBERED:
            del self._refused[next(iter(self._refused))]
        return False

    async def _is_main_frame_document(self, frame: str, url: str) -> bool:
        """Return whether the document at `url` is for a main frame. `frame`: id of the frame that requests it.

        Asks Chromium about a window that has just opened, which is not in the list of targets yet.
        """
        connection = self._running.connection
        if connection.targets.is_open(frame):
            return connection.targets.get(frame).kind != IFRAME
        if not url.startswith("http"):
            return False
        try:
            answer = await connection.ask_browser("Target.getTargetInfo", targetId=frame)
        except ProtocolError:
            return False  # a frame in its page's process has no target
        return bool(answer["targetInfo"]["type"] != IFRAME)

    def _take_opening_tab(self) -> Tab | None:
        """Return the tab that is opening a window, if the window's page has no tab yet; else None.

        The tab stops waiting for the window: Chromium closes a window whose first document is refused.
        """
        opener = next((tab for tab in self._tabs if tab.effects.opening), None)
        if opener:
            opener.effects.note_opened()
        return opener

    def _refusal(self, url: str, *, is_document: bool, is_page: bool) -> Refusal | None:
        """Return why the rules for files, metadata services and hosts refuse a request; None if they do not.

        `is_page`: the document is for a main frame, not for an iframe.
        """
        params = self._running.params
        if url.startswith("file:"):
            workspace = params.workspace
            return files.refuse_url(url, workspace, is_document=is_document) if workspace else _NO_FILES
        if self._refuses_metadata and (refusal := metadata.refuse_host(url)):
            return refusal
        rules = params.settings.hosts
        if rules is None:
            return None
        return rules.refuse_page(url) if is_page else rules.refuse_resource(url)

    def _check_arrived_document(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Page.frameNavigated`: blank the page if a forbidden document came unchecked (prefetched)."""
        rules, frame = self._running.params.settings.hosts, event["frame"]
        if rules is None or target.kind == IFRAME:
            return
        is_page = frame["id"] == target.id
        refusal = rules.refuse_page(frame["url"]) if is_page else rules.refuse_resource(frame["url"])
        if refusal is None or "unreachableUrl" in frame:
            return
        self._blank(target)
        if tab := self._traffic.tab_of(target.page):
            tab.note_refusal(RefusedRequest(frame["url"], refusal, is_page=True, after=BLANKED))

    def _refuse_unresolved(self, url: str) -> Refusal | None:
        """Return the refusal for a URL whose host did not resolve, if a rule forbids this host; else None.

        Chromium cannot resolve refused hosts: `--host-resolver-rules` maps them to `~NOTFOUND`.
        """
        settings = self._running.params.settings
        refusal = None if settings.allows_metadata else metadata.refuse_host(url)
        return refusal or (settings.hosts.refuse_resource(url) if settings.hosts else None)

    def _check_server_address(self, target: Target, address: str) -> Refusal | None:
        """Refuse a response from the address of a cloud metadata service, and blank the page; None for others."""
        if not metadata.is_metadata_address(address) or self._running.params.settings.allows_metadata:
            return None
        self._blank(target)
        return metadata.create_refusal(f"was answered by {address},")

    def _blank(self, target: Target) -> None:
        """Replace the page that contains a target by a blank one."""
        with suppress(ProtocolError):  # the page is gone
            page = self._running.connection.targets.get(target.page)
            for method, params in (("Page.stopLoading", {}), ("Page.navigate", {"url": "about:blank"})):
                page.session.notify(method, params)


async def ignore_certificate_errors(tab: Tab, session: Session, hosts: Sequence[AllowedHost]) -> None:
    """Let a tab load pages and subresources from `hosts` despite untrusted certificates.

    `session`: one with the tab's page. Chromium asks about each certificate that it does not trust. It remembers the answer for the
    host until the browser context is closed. Raises ProtocolError.
    """

    def decide(event: dict[str, Any]) -> None:
        action = "continue"
        if not matches_any_host(event["requestURL"], hosts):
            action, tab.distrusted = "cancel", f"net::{event['errorType'].removeprefix('net::')}"
        session.notify("Security.handleCertificateError", {"eventId": event["eventId"], "action": action})

    session.on("Security.certificateError", decide)
    await session.send("Security.enable")
    await session.send("Security.setOverrideCertificateErrors", {"override": True})
