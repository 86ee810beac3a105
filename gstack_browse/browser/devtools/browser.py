"""A running browser: its browser contexts, and the setup of each new target in them."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.targets import Target, enable_events
from gstack_browse.browser.devtools.context import BrowserContext


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
            first_page: a page that is set up already, in a browser that attaches to new targets already
            unread: all messages that the browser has sent so far
            options: emulation of the default context, whose first page may be open already: see `emulation_commands.context_commands`
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
        """Create a browser context. Raises ProtocolError.

        Args:
            options: see `emulation_commands.context_commands`
        """
        return self.add_context(await self.connection.create_context(), options)

    def add_context(self, context_id: str, options: dict[str, Any]) -> BrowserContext:
        """Add and return a context that was just created in the browser."""
        context = self._contexts[context_id] = BrowserContext(self.connection, context_id, options)
        context.on("close", lambda context: self._contexts.pop(context.id, None))
        return context

    async def close(self) -> None:
        """Close the browser. Raises ProtocolError if it has ended."""
        await self.connection.close_browser()

    def _find_context(self, target: Target) -> BrowserContext | None:
        """Return the browser context of a target; None for an unknown one."""
        return self._contexts.get(target.browser_context)

    def _set_up_target(self, target: Target) -> None:
        """Enable a new target's events, and send the emulation of its context."""
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
        """Let a new target run, and report it if it is a page."""
        self.connection.resume(target)
        context = self._find_context(target)
        if context and target.kind == "page":
            context.report_page(target)

    def _set_version(self, version: "asyncio.Future[dict[str, Any]]") -> None:
        """Note the browser's version once it has answered."""
        if not version.cancelled() and not version.exception():
            self.version = version.result()["product"].partition("/")[2]
