"""Fields: check what can be checked, fill in several fields at once."""

from gstack_browse.browser.input import checking
from gstack_browse.browser.tabs.page import PageSession
from gstack_browse.registry import WRITE, command
from gstack_browse.registry.arguments import Target


@command(WRITE, examples=["check @e7", "check label=Newsletter"], waits=True)
async def check(page: PageSession, target: Target) -> str:
    """Check a checkbox, switch, toggle or radio button; nothing is pressed where it is checked already.

    Also by its label, and by an element that has just one of these in it. What the page makes of the press is looked at:
    a box that does not stay checked is an error.
    """
    return await _checked(page, target, wanted=True)


@command(WRITE, examples=["uncheck @e7", "uncheck 'role=switch[name=\"Dark mode\"]'"], waits=True)
async def uncheck(page: PageSession, target: Target) -> str:
    """Uncheck a checkbox, switch or toggle; nothing is pressed where it is unchecked already.

    A radio button that is checked is an error: check another one of its group.
    """
    return await _checked(page, target, wanted=False)


async def _checked(page: PageSession, target: str, *, wanted: bool) -> str:
    async with page.action() as after:
        was_already, remark = await checking.check(page, target, wanted=wanted)
        if remark:
            after.remark(remark)
    done = f"{'Checked' if wanted else 'Unchecked'} {target}"
    return after.report(f"{done} (it was already)" if was_already else done)
