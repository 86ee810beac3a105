"""A file chooser that a page has opened, and a tab's last unreported one. See `chooser_interception`."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.engine.messages import FrameGone, JsonValue

_GROUP = "gbrowse-chooser"


@dataclass(frozen=True)
class FileChooser:
    """A file chooser that a page has opened."""

    target: Target
    frame_id: str
    node: int
    """The file field, as the protocol numbers nodes; 0 for a picker of the File System Access API."""
    is_multiple: bool
    document: int
    """The number of the tab's document by then."""
    pressed: str
    """The target of the last action as it was typed; "" if it named none."""
    at: float = field(default_factory=time.monotonic)

    async def call_on_field(self, function: str, *arguments: JsonValue) -> Any:
        """Call a function in our world, with the file field as `this`, and await it. Return its value.

        Raises FrameGone, or ProtocolError.
        """
        context, send = self.target.contexts.get(self.frame_id), self.target.session.send
        if context is None:
            raise FrameGone("The document that asked for a file is gone")
        where = {"backendNodeId": self.node, "executionContextId": context.number, "objectGroup": _GROUP}
        found = await send("DOM.resolveNode", where)
        call = {
            "objectId": found["object"]["objectId"],
            "functionDeclaration": function,
            "arguments": [{"value": value} for value in arguments],
            "returnByValue": True,
            "awaitPromise": True,
        }
        told = await send("Runtime.callFunctionOn", call)
        self.target.session.notify("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
        return told["result"].get("value")


class FileChoosers:
    """The last unreported chooser of a tab. Chromium lets a page open one for each click."""

    def __init__(self) -> None:
        self.last: FileChooser | None = None
        self.pressed = ""
        """The target of the last action as it was typed; "" if it named none."""
        self.answer: Callable[[FileChooser], None] | None = None
        """Called with a chooser, which is not kept then, while `upload` waits for one."""

    def add(self, chooser: FileChooser) -> None:
        """Pass a chooser to the command that waits for it, or keep it for the next reply."""
        if self.answer:
            self.answer(chooser)
        else:
            self.last = chooser
