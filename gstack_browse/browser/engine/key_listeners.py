"""Finds out whether a page listens for keys where its focus is. Other pages do not notice a key press."""

from functools import cache
from pathlib import Path

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, send


async def ask(context: ExecutionContext) -> None:
    """Note in `context.hears_keys` whether the page listens for keys. Never raises.

    True until the answer is there, and if the page prevents it.
    """
    context.hears_keys = True
    page = context.target.page_contexts.get(context.frame_id)
    if page is None:
        return
    try:
        told = await send(
            context,
            "Runtime.evaluate",
            expression=_script(),
            uniqueContextId=page,
            includeCommandLineAPI=True,
            returnByValue=True,
            throwOnSideEffect=True,
        )
    except (PageScriptError, FrameGone, ProtocolError):
        return
    context.hears_keys = told.get("value") is not False


@cache
def _script() -> str:
    """Return `key-listeners.js` without comments and indentation: many calls of `fill` send it."""
    lines = Path(__file__).with_name("key-listeners.js").read_text(encoding="utf-8").splitlines()
    return "\n".join(line.strip() for line in lines if not line.startswith("//"))
