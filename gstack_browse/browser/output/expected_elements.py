"""Expectations of elements: a state, a field's value, an attribute, a count."""

import json
from typing import TYPE_CHECKING, Literal

from gstack_browse.browser.engine.answers import Focused
from gstack_browse.browser.input import candidates
from gstack_browse.browser.input.find import ask, count_matches
from gstack_browse.browser.output import read
from gstack_browse.browser.output.expecting import ActualState, Expectation, matches
from gstack_browse.errors import NoMatch
from gstack_browse.text.columns import format_count
from gstack_browse.text.pattern import ANYTHING, Pattern
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

State = Literal["visible", "hidden", "enabled", "disabled", "checked", "focused", "editable"]
OPPOSITES: dict[State, str] = {
    "visible": "hidden",
    "hidden": "visible",
    "enabled": "disabled",
    "disabled": "enabled",
    "checked": "not checked",
    "focused": "not focused",
    "editable": "not editable",
}
_MOST_CHARACTERS = 200


class ElementState(Expectation):
    """An element is in one of the states of `is`. A missing element is hidden, and in no other state."""

    def __init__(self, page: "PageSession", state: State, target: str) -> None:
        super().__init__(page)
        self.state = state
        self.target = target
        self._is_missing = False

    def phrase(self, *, negated: bool) -> str:
        return f"{_shorten(self.target)} {'not ' if negated else ''}{self.state}"

    async def check(self) -> bool:
        self._is_missing = False
        try:
            return await read.state(self.page, self.state, self.target, again=True)
        except NoMatch:
            self._is_missing = True
            if self.state in ("visible", "hidden"):
                return self.state == "hidden"
            raise

    async def describe_actual(self, *, negated: bool) -> ActualState:
        if self._is_missing:
            return ActualState(
                f"no element matches {_shorten(self.target)}", await candidates.similar(self.page, self.target)
            )
        if self.state == "focused" and not negated:
            return await self._describe_focus()
        is_now = self.state if negated else OPPOSITES[self.state]
        return ActualState(
            f"it is {is_now}", "Run 'snapshot -i' to see the page, or 'screenshot' to look at it"
        )

    async def _describe_focus(self) -> ActualState:
        focused: Focused = await self.page.world.call("focused", frame=self.page.frame)
        return ActualState(f"the focus is on {focused['text']}" if focused["text"] else "nothing has the focus")


class FieldValue(Expectation):
    """A field has a value, as `value` prints it: secrets are masked."""

    def __init__(self, page: "PageSession", target: str, pattern: Pattern) -> None:
        super().__init__(page)
        self.target = target
        self.pattern = pattern

    def phrase(self, *, negated: bool) -> str:
        return f"value {'not ' if negated else ''}{self.pattern} in {_shorten(self.target)}"

    async def check(self) -> bool:
        return await matches(self.page, self.pattern, await read.value(self.page, self.target, again=True))

    async def describe_actual(self, *, negated: bool) -> ActualState:
        return ActualState(f"it holds {_quoted(await read.value(self.page, self.target))}")


class ElementAttribute(Expectation):
    """An element has an attribute, and with a pattern its value matches. Secrets are masked."""

    def __init__(self, page: "PageSession", target: str, name: str, pattern: Pattern = ANYTHING) -> None:
        super().__init__(page)
        self.target = target
        self._name = name
        self.pattern = pattern

    def phrase(self, *, negated: bool) -> str:
        says = "" if self.pattern is ANYTHING else f" {self.pattern}"
        attribute = f"attribute {one_line(self._name, 60)}{says}"
        return f"{'no ' if negated else ''}{attribute} on {_shorten(self.target)}"

    async def check(self) -> bool:
        value = await self._value()
        return value is not None and await matches(self.page, self.pattern, value)

    async def _value(self) -> str | None:
        _, found = await ask(self.page, self.target, "attrs", again=True)
        if found is None:
            raise NoMatch(f"{self.target} disappeared")
        value: str | None = found.get(self._name)
        return value

    async def describe_actual(self, *, negated: bool) -> ActualState:
        value = await self._value()
        hint = f"Run 'attrs {self.target}' to see its attributes"
        return ActualState("there is none" if value is None else f"it is {_quoted(value)}", hint)


class ElementCount(Expectation):
    """A selector matches so many elements, hidden ones too."""

    def __init__(self, page: "PageSession", target: str, number: int) -> None:
        super().__init__(page)
        self.target = target
        self._number = number
        self._found = 0

    def phrase(self, *, negated: bool) -> str:
        return f"{'not ' if negated else ''}{format_count(self._number, 'element')} matching {_shorten(self.target)}"

    async def check(self) -> bool:
        self._found = await count_matches(self.page, self.target)
        return self._found == self._number

    async def describe_actual(self, *, negated: bool) -> ActualState:
        if self._found or negated:
            return ActualState(f"there {'is' if self._found == 1 else 'are'} {self._found:,}")
        return ActualState("there are none", await candidates.similar(self.page, self.target))


def _shorten(target: str) -> str:
    return one_line(target, _MOST_CHARACTERS)


def _quoted(text: str) -> str:
    return json.dumps(one_line(text, _MOST_CHARACTERS), ensure_ascii=False) if text else "nothing"
