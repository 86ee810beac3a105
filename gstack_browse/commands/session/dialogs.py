"""Dialogs: how alerts, confirmations and prompts are answered."""

from gstack_browse.browser import dialogs
from gstack_browse.browser.command.page import PageOpener
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.dialogs import DialogPolicy
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import Rest
from gstack_browse.text.sanitise import quote_text

GO_ON_SECONDS = 1.0
"""How long the rest of what a dialog had interrupted is waited for, such as the second press of a double click."""
SCOPE = "in every tab, until another dialog command"


@command(META, examples=["dialog-accept", "dialog-accept 'Ann Smith'"])
async def dialog_accept(opener: PageOpener, text: Rest | None = None) -> str:
    """Accept the dialog that is open; where none is, all later ones.

    A prompt gets the text, else its own suggestion. Later dialogs are accepted by default. What is said of them
    holds for every tab and every dialog until the next dialog command, over a restart, too. Every dialog is
    told in the reply of the command that raised it, and in 'dialog'.
    """
    if done := await _answer_open_dialog(opener, accept=True, text=text):
        return done
    opener.context.dialogs.policy = DialogPolicy(accept=True, reply=text, is_chosen=True)
    with_text = "" if text is None else f", prompts with {quote_text(text)}"
    return f"Dialogs will be accepted{with_text}, {SCOPE}"


@command(META, examples=["dialog-dismiss"])
async def dialog_dismiss(opener: PageOpener) -> str:
    """Dismiss the dialog that is open, as Escape does; where none is, all later ones.

    Whether a page may be left is confirmed all the same.
    """
    if done := await _answer_open_dialog(opener, accept=False, text=None):
        return done
    opener.context.dialogs.policy = DialogPolicy(accept=False, is_chosen=True)
    return f"Dialogs will be dismissed, {SCOPE}"


@command(META, examples=["dialog-hold"], fresh=True)
async def dialog_hold(browser: OpenContext) -> str:
    """Leave later dialogs open: the reply shows the question.

    'dialog-accept [TEXT]' or 'dialog-dismiss' answers it. Until then its page does nothing, and every command
    that needs the page fails at once with the question. What the answer leads to is in its reply. goto, back,
    forward and reload leave a page without asking.
    """
    browser.dialogs.policy = DialogPolicy(hold=True, is_chosen=True)
    return f"Dialogs will be left open, {SCOPE}"


async def _answer_open_dialog(opener: PageOpener, *, accept: bool, text: str | None) -> str:
    """Answer the dialog that is open. Return the reply, with what the page did next; "" if none is open.

    `accept`: OK, not Cancel. `text`: the answer to a prompt; None for its default.
    """
    question = dialogs.find_open_dialog(opener.context.tabs, opener.meant)
    if question is None:
        return ""
    async with opener.in_tab(opener.context.tab(question.tab)) as page:
        async with page.action() as after:
            done = await dialogs.answer_open_dialog(opener.context.tabs, question, accept=accept, text=text)
            await page.tab.work.wait_until_done(GO_ON_SECONDS)
        return after.report(done)
