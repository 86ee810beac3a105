"""Whether a page listens for keys where its focus is. A page that does not is told nothing by the press of a key."""

from functools import cache
from pathlib import Path

from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, send


async def ask(context: ExecutionContext) -> None:
    """Find out, and note the answer in `context.hears_keys`: True until it is there, and where the page is in the way. Never raises."""
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
    except (PageScriptError, FrameGone, Error):
        return
    context.hears_keys = told.get("value") is not False


@cache
def _script() -> str:
    """`key-listeners.js` without what only people read: it goes along with many a `fill`."""
    lines = Path(__file__).with_name("key-listeners.js").read_text(encoding="utf-8").splitlines()
    return "\n".join(line.strip() for line in lines if not line.startswith("//"))
