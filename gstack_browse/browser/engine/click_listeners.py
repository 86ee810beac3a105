"""Who listens for clicks in documents that are small, asked when a snapshot shows something new. How it is asked is in reveal.py."""

import asyncio

from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.browser.cdp.targets import Context
from gstack_browse.browser.engine import closed_roots
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.engine.world import World

SMALL = 1500
"""Lines of a document that is asked."""
_MOST_LISTENING = 300
_MOST_DOCUMENTS = 50


class ClickListeners:
    """The elements that listen in the documents of a tab.

    One message where the tree is another one than at the last question, and more only where an element listens that did not
    before. Shadow trees, and documents in which hundreds listen, are left to `snapshot -C`.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._objects: dict[str, str] = {}
        """The page's own object for the document of a context; "" where too many listen."""
        self._known: dict[str, set[int]] = {}
        self._seen: dict[str, int] = {}

    def is_news(self, context: Context, told: bytes) -> bool:
        """Whether the walk of a document answered something else than the last that was asked about."""
        return self._seen.get(context.id) != hash(told)

    def saw(self, context: Context, told: bytes) -> None:
        """Note what the walk answered."""
        self._seen[context.id] = hash(told)

    async def unmarked(self, context: Context) -> list[int]:
        """Backend ids of elements with click listeners that the engine does not know yet."""
        try:
            if context.id not in self._objects:
                await self._meet(context)
            if not (document := self._objects[context.id]):
                return []
            found = set(await closed_roots.listening(context, document))
        except (Error, FrameGone):
            return []  # the document has gone since
        if len(found) > _MOST_LISTENING:
            self._objects[context.id] = ""
            return []
        return list(found - self._known.get(context.id, set()))

    async def mark(self, context: Context, backend_ids: list[int]) -> None:
        """Tell the engine of elements that listen."""
        self._known.setdefault(context.id, set()).update(backend_ids)
        nodes = await asyncio.gather(*(closed_roots.resolve(context, one) for one in backend_ids))
        if living := [node for node in nodes if node]:
            await closed_roots.mark(context, living[0], living)
        await closed_roots.release(context)

    async def _meet(self, context: Context) -> None:
        if len(self._objects) >= _MOST_DOCUMENTS:
            for known in (self._objects, self._known, self._seen):
                known.clear()
        document = await self._world.evaluate(context, "document", group=closed_roots.GROUP)
        self._objects[context.id] = await closed_roots.own_object(context, document["objectId"])
