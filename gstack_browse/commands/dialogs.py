"""Dialogs: how alerts, confirmations and prompts are answered."""

import json

from gstack_browse.browser.dialogs import DialogPolicy
from gstack_browse.browser.session import BrowserSession
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import Rest


@command(META, examples=["dialog-accept", "dialog-accept 'Ann Smith'"])
async def dialog_accept(browser: BrowserSession, text: Rest | None = None) -> str:
    """Accept the next dialogs; a prompt gets the text, or keeps the page's own suggestion.

    This is the default. Every dialog is told in the reply of the command that raised it, and in 'dialog'.
    """
    browser.dialogs = DialogPolicy(accept=True, reply=text)
    with_text = "" if text is None else f" with text: {json.dumps(text, ensure_ascii=False)}"
    return f"Dialogs will be accepted{with_text}"


@command(META, examples=["dialog-dismiss"])
async def dialog_dismiss(browser: BrowserSession) -> str:
    """Dismiss the next dialogs, as Escape does. Leaving a page is still confirmed."""
    browser.dialogs = DialogPolicy(accept=False)
    return "Dialogs will be dismissed"
