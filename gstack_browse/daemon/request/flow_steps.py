"""Record what commands did in the context's flow log, from which `flow-save` makes a script."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gstack_browse.browser.actions.acted_on import ActedOnElements
from gstack_browse.browser.engine.world import World
from gstack_browse.flows.log import ACTIONS, LOOKS, DoneCommand, shorten_reply
from gstack_browse.registry.values.targets import Files, FormField, FormFields, StoredSecret

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageCommand
    from gstack_browse.daemon.contexts.agent_context import AgentContext
    from gstack_browse.registry import BoundCall

_INTO_THE_FOCUS = frozenset({"type", "press", "paste"})


class StepRecorder:
    """Records one command for the flow log: the elements before it acts, the rest after it has succeeded."""

    def __init__(self, context: "AgentContext") -> None:
        self._context = context
        self._elements = ActedOnElements()
        self._world: World | None = None
        self._url = ""
        self._tab = 0

    async def begin(self, page: "PageCommand", bound: "BoundCall") -> None:
        """Make the page record on which elements the command acts, for the flow log.

        Record the focused element at once if the command types into that.
        """
        self._url, self._tab, self._world = page.tab.url, page.tab.id, page.world
        name = bound.command.name
        if name in ACTIONS:
            page.acted_on = self._elements
        if name in _INTO_THE_FOCUS and not bound.options.get("into") and page.tab.gone_error() is None:
            await self._elements.add_focused(page)

    def end(self, bound: "BoundCall", words: Sequence[str], reply: str) -> None:
        """Add the finished command to the flow log. `words`: those after its name; `reply`: its output."""
        if not bound.wants_help and bound.command.name in ACTIONS | LOOKS:
            self._context.flow.add(self.make_entry(bound, words, reply))
            if self._world and not self._elements.is_complete:
                self._context.schedule_flow_completion(partial(self._elements.complete, self._world))

    def make_entry(self, bound: "BoundCall", words: Sequence[str], reply: str) -> DoneCommand:
        """Return the finished command's entry of the flow log: its words, elements, secrets and addresses.

        `words`: those after its name; `reply`: its output.
        """
        browser = self._context.browser
        fields = [field for each in bound.positional if isinstance(each, FormFields) for field in each]
        return DoneCommand(
            [bound.command.name, *words],
            targets=self._elements.elements,
            focused=self._elements.focused,
            secrets=bound.secrets,
            fields=list(_split_fields(fields)),
            reply=shorten_reply(reply),
            url=self._url,
            url_after=tab.url if browser and (tab := browser.tabs.get(self._tab)) else "",
            tab=self._tab,
        )


def _split_fields(fields: list[FormField]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield each field of `fill-form` as: target, the command that fills it alone, that one's other words."""
    for target, value in fields:
        if isinstance(value, bool):
            yield target, "check" if value else "uncheck", ()
        elif isinstance(value, StoredSecret):
            yield target, "fill", ("--secret", value.name)
        elif isinstance(value, Files):
            yield target, "upload", tuple(map(str, value.paths))
        elif isinstance(value, str):
            yield target, "fill", (value,)
        else:
            yield target, "select", tuple(value)
