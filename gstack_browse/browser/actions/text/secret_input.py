"""Put a secret into a field, at once or key by key.

The value reaches no document but that of the field that its source was asked about.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from gstack_browse.browser.actions.input import at_once, field_settling, keyboard, text_input
from gstack_browse.browser.actions.locate.find import Element
from gstack_browse.browser.actions.readiness import EDIT, Probe, wait_until_ready
from gstack_browse.browser.actions.text import filling, writing
from gstack_browse.browser.actions.text.filling import NormalisedValue
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import FieldContent
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.errors import ActionFailed, NotInteractable

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

Reveal = Callable[[Element], Awaitable[str]]
"""Returns the secret for a field; raises for a field that must not get it."""


async def fill_secret(
    page: "PageSession", target: str, reveal: Reveal
) -> tuple[Element, NormalisedValue | None]:
    """Fill a field with the secret that `reveal` returns for it, and read the field back.

    Returns the field, and how the page changed the secret; None if it did not. The value reaches no document
    but that of the element that `reveal` was called with: everything else refers to the node's id, which means
    nothing in another document.
    """
    element, probe = await wait_until_ready(page, target, EDIT)
    _require_text_field(probe)
    value = await reveal(element)
    await element.ask("excludeFromReports")
    before = await element.ask("fieldContent")
    field = field_settling.WrittenField(element, probe, value, before)
    await field.read(await writing.replace_text(element, probe, value))
    return field.element, await filling.verify_value(field)


async def type_secret(
    page: "PageSession", target: str, reveal: Reveal, *, clear: bool = False, pause: float = 0.0
) -> str:
    """Type a field's secret at the end of its content. Returns why it does not show; "" if it does.

    `reveal`: returns the secret. A page may move the focus on, as from digit to digit of a code, but only
    within the document of the field: before each key the document is asked whether it gets the key.
    """
    element, probe = await wait_until_ready(page, target, EDIT)
    _require_text_field(probe)
    value = await reveal(element)
    await element.ask("excludeFromReports")
    await keyboard.place_caret(page, element, probe, clear=clear)
    before: FieldContent | None = await element.ask("fieldContent")
    for character in value:
        if not await element.ask("getsKeys"):
            raise ActionFailed(
                f"The focus left the document of {target}: the rest of the secret was not typed",
                "Look at the page: snapshot -i",
            )
        text_input.refuse_held_paste(page, character)
        await keyboard.send_keys(page, page.keyboard.type(character, pause=pause))
        if page.tab.question:
            raise ActionFailed(
                "A dialog opened meanwhile: the rest of the secret was not typed", "Answer it first"
            )
    with suppress(FrameGone, ProtocolError):  # the last key navigated: the observer reports it
        after: FieldContent | None = await at_once.unless_leaving(page, element.ask("fieldContent"))
        return f"the value of {probe.text} did not change" if before and after == before else ""
    return ""


def _require_text_field(probe: Probe) -> None:
    """Raise NotInteractable unless the element is a text field."""
    if probe.fill not in ("text", "rich", "value"):
        raise NotInteractable(f"{probe.text} takes no secret: it is no text field", failures.SEE_ELEMENTS)
