"""A running browser, the setup of each new target in it, and its browser contexts.

Pages of a browser context share cookies, storage and emulation.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.cdp.targets import Target, enable_events
from gstack_browse.browser.devtools.emulation_commands import (
    TargetCommand,
    filter_commands,
    make_context_commands,
)
from gstack_browse.browser.devtools.page import Dialog, Emitter, Page

_IN_EFFECT = "already in effect"
"""Chromium's error if another target of the same process has the same override."""
ATTACH_SECONDS = 10.0
"""Time limit for attaching to a page that Chromium has opened."""
_CLOSED = "Target page, context or browser has been closed"


class BrowserContext(Emitter):
    """A browser context. Emits `page` (Page), `dialog` (Dialog) and `close` (BrowserContext).

    `is_default`: it is the browser's own, which cannot be closed.
    """

    def __init__(
        self, connection: Connection, context_id: str, options: dict[str, Any], *, is_default: bool = False
    ) -> None:
        super().__init__()
        self._connection = connection
        self._is_default = is_default
        self.id = context_id
        self.options = options
        """Emulation of its targets: see `emulation_commands.make_context_commands`."""
        self._pages: dict[str, Page] = {}
        self._setups: dict[str, asyncio.Future[Any]] = {}
        """Page → future of the responses to its emulation commands."""
        self._awaited_pages: dict[str, asyncio.Future[Page]] = {}
        """Page for which `new_page` waits → future of it."""
        self._is_closed = False

    @property
    def pages(self) -> list[Page]:
        """Return the open pages, oldest first."""
        return list(self._pages.values())

    def page(self, target_id: str) -> Page | None:
        """Return the open page with that target id, or None."""
        return self._pages.get(target_id)

    async def new_page(self) -> Page:
        """Open a blank page and return it. Raises ProtocolError, also if Chromium refuses an emulation option."""
        target_id = await self._connection.create_target(self.id)
        page = self._pages.get(target_id)
        if page is None:
            if self._is_closed:
                raise ProtocolError(_CLOSED)
            awaited = self._awaited_pages[target_id] = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout(ATTACH_SECONDS):
                    page = await awaited
            except TimeoutError:
                raise ProtocolError(_CLOSED) from None  # the page closed before we had attached to it
            finally:
                self._awaited_pages.pop(target_id, None)
        try:
            await self._setups[target_id]
        except ProtocolError:
            self._connection.root.notify("Target.closeTarget", {"targetId": target_id})
            raise
        return page

    async def close(self) -> None:
        """Close the context with its pages. The default context stays, and only its pages close.

        Raises ProtocolError if it has closed before.
        """
        if self._is_default:
            for page in self.pages:
                await page.close()
            return
        await self._connection.close_context(self.id)
        self._mark_closed()

    async def close_page(self, target_id: str) -> None:
        """Close a page. Raises ProtocolError if it has closed before."""
        await self._connection.close_target(target_id)

    # called by `browser`

    def set_up_target(self, target: Target) -> None:
        """Send a new target of the context its emulation commands, before its first script runs."""
        commands = filter_commands(target.kind, make_context_commands(self.options))
        responses = [target.session.send(command.method, command.params) for command in commands]
        setup = asyncio.ensure_future(_await_responses(commands, responses))
        setup.add_done_callback(consume_exception)
        if target.kind == "page":
            self.add_page(target, setup)

    def add_page(self, target: Target, setup: "asyncio.Future[Any]") -> Page:
        """Add and return the page of a new target. `setup`: future of the responses to its emulation commands."""
        page = self._pages[target.id] = Page(self, target)
        self._setups[target.id] = setup
        target.session.on("close", lambda session: self._remove_page(page))
        return page

    def report_page(self, target: Target) -> None:
        """Report a new page, whose scripts run now, to the caller of `new_page` and to the handlers of "page"."""
        page = self._pages[target.id]
        if awaited := self._awaited_pages.pop(target.id, None):
            awaited.set_result(page)
        self.emit("page", page)

    def on_dialog(self, dialog: Dialog) -> None:
        """Pass a dialog that a page has opened to the handlers of "dialog". Dismiss it if there are none."""
        if not self.emit("dialog", dialog):
            asyncio.ensure_future(dialog.dismiss()).add_done_callback(consume_exception)

    def _remove_page(self, page: Page) -> None:
        """Remove a page that has closed from the context."""
        if self._pages.pop(page.target.id, None):
            self._setups.pop(page.target.id, None)
            page.mark_closed()

    def _mark_closed(self) -> None:
        """Mark the context and its pages as closed. Fail waiting calls of `new_page`, and emit "close" once."""
        if self._is_closed:
            return
        self._is_closed = True
        for page in self.pages:
            self._remove_page(page)
        for awaited in self._awaited_pages.values():
            awaited.set_exception(ProtocolError(_CLOSED))
            consume_exception(awaited)
        self._awaited_pages.clear()
        self.emit("close", self)


async def _await_responses(
    commands: Sequence[TargetCommand], responses: "Sequence[asyncio.Future[dict[str, Any]]]"
) -> None:
    """Await the responses to the commands sent to a target. Raises ProtocolError for the first failed.

    An error is ignored if the command `may_fail` and Chromium says that the setting is in effect already.
    """
    for response in responses:
        response.add_done_callback(consume_exception)
    for command, response in zip(commands, responses, strict=True):
        try:
            await response
        except ProtocolError as error:
            if not (command.may_fail and _IN_EFFECT in error.message):
                raise


@dataclass(frozen=True)
class FirstPage:
    """Ids of the page that `launch.ahead` has opened and set up."""

    context: str
    target: str


class Browser:
    """A running browser. Make one by `open`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.version = ""
        """Chromium's version; "" until its response has come."""
        self.default_context = BrowserContext(connection, "", {}, is_default=True)
        """The browser's default context, with the storage of its profile."""
        self.first_context: BrowserContext | None = None
        """The context of the page that was open before; None without one."""
        self._contexts: dict[str, BrowserContext] = {}
        self._first_target = ""
        connection.events.on_new_target = self._set_up_target
        connection.events.on_ready_target = self._resume_target

    @classmethod
    async def open(
        cls,
        connection: Connection,
        first_page: FirstPage | None = None,
        unread: bytes = b"",
        options: Mapping[str, Any] | None = None,
    ) -> "Browser":
        """Attach to all present and future targets of a browser. Raises ProtocolError.

        Args:
            connection: the browser's
            first_page: a page that is set up already, in a browser that already attaches to new targets
            unread: messages of the protocol that were received before, not handled yet
            options: emulation of the default context: see `emulation_commands.make_context_commands`
        """
        browser = cls(connection)
        browser.default_context.options.update(options or {})
        if first_page:
            context = browser.add_context(first_page.context, {})
            browser._first_target = first_page.target
            connection.pipe.feed(unread)
            browser.first_context = context if context.pages else None  # no pages: it has closed
            connection.root.send("Browser.getVersion").add_done_callback(browser._set_version)
        else:
            browser.default_context.id = await connection.default_context()
            browser._contexts[browser.default_context.id] = browser.default_context
            version = connection.root.send("Browser.getVersion")
            version.add_done_callback(browser._set_version)
            await connection.open()
            await version
        return browser

    @property
    def contexts(self) -> list[BrowserContext]:
        """Return the open contexts, oldest first."""
        return list(self._contexts.values())

    async def new_context(self, **options: Any) -> BrowserContext:
        """Create and return a browser context. Raises ProtocolError. `options`: see `make_context_commands`."""
        return self.add_context(await self.connection.create_context(), options)

    def add_context(self, context_id: str, options: dict[str, Any]) -> BrowserContext:
        """Register and return a context that exists in the browser. `options`: see `make_context_commands`."""
        context = self._contexts[context_id] = BrowserContext(self.connection, context_id, options)
        context.on("close", lambda context: self._contexts.pop(context.id, None))
        return context

    async def close(self) -> None:
        """Close the browser. Raises ProtocolError if it has ended."""
        await self.connection.close_browser()

    def _find_context(self, target: Target) -> BrowserContext | None:
        """Return the browser context that a target belongs to; None for an unknown one."""
        return self._contexts.get(target.browser_context)

    def _set_up_target(self, target: Target) -> None:
        """Enable the events of a new, paused target, and send it its context's emulation commands."""
        context = self._find_context(target)
        if target.id == self._first_target and context:  # `launch.ahead` has set it up
            is_set_up = asyncio.get_running_loop().create_future()
            is_set_up.set_result(None)
            context.add_page(target, is_set_up)
            return
        enable_events(target)
        if context is None:
            return
        context.set_up_target(target)
        page = context.page(target.page)
        if page and target.kind == "iframe":
            page.add_frame_target(target)

    def _resume_target(self, target: Target) -> None:
        """Let a new target that is set up run, and report it if it is a page."""
        self.connection.resume(target)
        context = self._find_context(target)
        if context and target.kind == "page":
            context.report_page(target)

    def _set_version(self, version: "asyncio.Future[dict[str, Any]]") -> None:
        """Set the browser's version from the response to `Browser.getVersion`."""
        if not version.cancelled() and not version.exception():
            self.version = version.result()["product"].partition("/")[2]
