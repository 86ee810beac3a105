"""Stands in for Playwright's `Page` on the first page of a cold start, until Playwright is loaded.

Offers the part of `Page` that is used until then, and emits the same events, taken from `cdp.adoption`. Other members
are promises that Playwright's page fulfils later. Once that page is in the tab, this one emits nothing;
a command that began with this one continues with it.
"""

import inspect
from collections.abc import Awaitable, Callable, Generator
from typing import Any

from gstack_browse.browser.cdp.adoption import Adoption
from gstack_browse.browser.cdp.driver_types import Page
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import Session

Handler = Callable[[Any], object]

BLANK = "about:blank"


class EarlyDialog:
    """A dialog of the page. Its methods raise ProtocolError when it is gone."""

    def __init__(self, page: "EarlyPage", session: Session, event: dict[str, Any]) -> None:
        self.page = page
        self.type: str = event["type"]
        self.message: str = event["message"]
        self.default_value: str = event.get("defaultPrompt", "")
        self._session = session

    async def accept(self, prompt_text: str = "") -> None:
        """Accept the dialog, with a text for a prompt."""
        await self._session.send("Page.handleJavaScriptDialog", {"accept": True, "promptText": prompt_text})

    async def dismiss(self) -> None:
        """Dismiss the dialog."""
        await self._session.send("Page.handleJavaScriptDialog", {"accept": False})


class Promised:
    """A member of Playwright's page that is used before Playwright is loaded.

    `await page.locator("a").click()` waits for Playwright, then does the call. Members that return a plain value at once
    cannot be promised: do not use them.
    """

    def __init__(self, get: Callable[[], Awaitable[Any]]) -> None:
        self._get = get

    def __getattr__(self, name: str) -> "Promised":
        if name.startswith("_"):
            raise AttributeError(name)

        async def attribute() -> Any:
            return getattr(await self._get(), name)

        return Promised(attribute)

    def __call__(self, *words: Any, **options: Any) -> "Promised":
        async def called() -> Any:
            answer = (await self._get())(*words, **options)
            return await answer if inspect.isawaitable(answer) else answer

        return Promised(called)

    def __await__(self) -> Generator[Any, None, Any]:
        return self._get().__await__()

    def __bool__(self) -> bool:
        raise TypeError("Playwright is not there yet: this can only be awaited")


class EarlyPage:
    """The early page, which is its own main frame.

    `asked` is called with each dialog; `until_adopted` waits for Playwright.
    """

    parent_frame = None

    def __init__(
        self, adoption: Adoption, asked: Callable[[Any], None], until_adopted: Callable[[], Awaitable[None]]
    ) -> None:
        self.main_frame = self
        self.frames = [self]
        self._until_adopted = until_adopted
        self._page: Page | None = None
        self._session = adoption.page
        self._browser = adoption.browser
        self._target = adoption.target
        self._asked = asked
        self._handlers: dict[str, list[Handler]] = {}
        adoption.listeners |= {
            "Page.javascriptDialogOpening": self._asks,
            "Inspector.targetCrashed": lambda event: self._emit("crash", self),
            "Target.detachedFromTarget": lambda event: self._emit("close", self),
        }

    @property
    def url(self) -> str:
        """Return the address of the page's document."""
        return self._target.url or BLANK

    def __getattr__(self, name: str) -> Promised:
        """Promise a member that Playwright's `Page` has, or its page and frame have in common."""
        promised: Promised = getattr(Promised(self._playwrights), name)
        return promised

    def __eq__(self, other: object) -> bool:
        return other is self or (self._page is not None and other in (self._page, self._page.main_frame))

    __hash__ = object.__hash__

    async def _playwrights(self) -> Page:
        await self._until_adopted()
        if self._page is None:
            raise ProtocolError("Target closed")
        return self._page

    def become(self, page: Page) -> None:
        """Note that Playwright's `page` is there."""
        self._page = page

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` with the argument that Playwright would give it."""
        self._handlers.setdefault(event, []).append(handler)

    def is_closed(self) -> bool:
        """Return False: a tab shows the page."""
        return False

    def is_detached(self) -> bool:
        """Return False: the main frame lives as long as the page."""
        return False

    async def close(self, *, run_before_unload: bool = False) -> None:
        """Close the page without asking its scripts. Raises ProtocolError if it has closed before."""
        await self._browser.send("Target.closeTarget", {"targetId": self._target.id})

    def _emit(self, event: str, value: object) -> None:
        for handler in self._handlers.get(event, []):
            handler(value)

    def _asks(self, event: dict[str, Any]) -> None:
        self._asked(EarlyDialog(self, self._session, event))
