"""Record what a person does in the window of a handoff, as commands for `flow-save`.

`person.js` reports from our isolated world. Clicks, typed text, choices, Enter and addresses become steps; other keys, scrolling, drags
and answers to dialogs do not. What happens while a command of ours acts in the tab is that command's doing, and not recorded.
"""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.engine.bundle import engine_source
from gstack_browse.flows.log import ACTIONS, MOST_KEPT, ActedOn, DoneCommand
from gstack_browse.text.json_bytes import decode

if TYPE_CHECKING:
    from gstack_browse.browser.context.open_context import OpenContext
    from gstack_browse.browser.tab.tab import Tab

BINDING = "__gbrowsePerson"
FRAMES_SECONDS = 2.0
"""Time limit for the ways to the frames of all steps, at the end."""
_FIRST_REF = 1_000_000
"""Stands for an element in a recorded command, as a ref does. Nobody was told it."""
_ACTING = ACTIONS - {"js", "eval", "expect", "wait", "init-script", "frame"}
"""Commands that make input or navigations: what happens while they run is theirs."""
_REQUESTED = "Page.frameRequestedNavigation"


@dataclass
class _Step:
    """A recorded step. `node`: the engine's id of its element, 0 for none.

    `frames`: task that finds the selectors of the frames around the element. `arrived`: URL that the step led to; "" for none.
    """

    done: DoneCommand
    node: int = 0
    arrived: str = ""
    frames: asyncio.Task[tuple[str, ...]] | None = None


class PersonRecorder:
    """Records what the person does in one handoff."""

    def __init__(self, browser: "OpenContext") -> None:
        self._browser = browser
        self._recorded: list[_Step] = []
        self._known_tabs: set[int] = {tab.id for tab in browser.tabs}
        self._requested: set[str] = set()
        """Pages that have asked for a navigation themselves: by a link, a form or a script."""

    def follow(self, subscriber: Subscriber) -> None:
        """Record what the person does in the pages whose events `subscriber` gets, from now on."""
        subscriber.on_target.append(_run_recorder_in)
        subscriber.on_binding(BINDING, self._on_report)
        subscriber.on(_REQUESTED, self._on_requested)
        before = subscriber.on_navigated

        def on_navigated(target: Target, event: dict[str, Any]) -> None:
            before(target, event)
            self._on_navigated(target, event)

        subscriber.on_navigated = on_navigated

    async def finish(self) -> list[DoneCommand]:
        """Return the recorded commands in order, once the selectors of their elements' frames are found.

        Call it after the handoff. It waits two seconds at most for the selectors; a command that has none by then gets `("",)` for
        them, and `flow-save` leaves it out.
        """
        finding = [each.frames for each in self._recorded if each.frames]
        if finding:
            await asyncio.wait(finding, timeout=FRAMES_SECONDS)
        return [_complete(each) for each in self._recorded]

    def _find_persons_tab(self, target: Target) -> "Tab | None":
        """Return the tab of a page if the person acts in it; None if a command does, or it is being moved."""
        tab = self._browser.traffic.tab_of(target.page)
        if tab is None or not tab.lock.is_held:
            return tab
        return tab if tab.lock.command and tab.lock.command not in _ACTING else None

    def _on_requested(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Page.frameRequestedNavigation`: a link, form or script will navigate the page's main frame."""
        if event["frameId"] == target.id and target.kind == "page":
            self._requested.add(target.id)

    def _on_navigated(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Page.frameNavigated`: record a URL that the person opened, or that the last step led to."""
        frame = event["frame"]
        if frame["id"] != target.id or target.kind != "page" or not (tab := self._find_persons_tab(target)):
            return
        url = frame["url"] + frame.get("urlFragment", "")
        if target.id not in self._requested:
            if url.startswith(("http://", "https://", "file:")):
                self._add_address(tab, url)
            return
        self._requested.discard(target.id)
        last = self._recorded[-1] if self._recorded else None
        if last and last.done.tab == tab.id and last.done.command not in ("goto", "newtab"):
            last.arrived = url

    def _add_address(self, tab: "Tab", url: str) -> None:
        """Record `goto` in a known tab, `newtab` in a new one.

        Of a tab that a page has opened, only note with the last step in another tab that it opened this one.
        """
        if tab.id in self._known_tabs:
            self._add_command(DoneCommand(["goto", url], url=url, tab=tab.id))
        elif tab.page.opener:
            self._note_opened(tab)
        else:
            self._known_tabs.add(tab.id)
            self._add_command(DoneCommand(["newtab", url], reply=f"Opened tab {tab.id}", url=url, tab=tab.id))

    def _note_opened(self, tab: "Tab") -> None:
        """Add to the last recorded step of another tab that it has opened this one."""
        self._known_tabs.add(tab.id)
        for each in reversed(self._recorded):
            if each.done.tab != tab.id:
                each.done = replace(each.done, reply=f"{each.done.reply}\n→ opened tab {tab.id}")
                return

    def _on_report(self, target: Target, payload: str, context: int) -> None:
        """Record an action that `person.js` reports as JSON. `context`: number of its execution context."""
        tab = self._find_persons_tab(target)
        if tab is None:
            return
        if tab.id not in self._known_tabs:
            self._note_opened(tab)
        kind, report, *values = decode(payload)
        step = _Step(DoneCommand([], url=tab.url, url_after=tab.url, tab=tab.id), report["node"])
        match kind:
            case "click" | "select" | "check" | "uncheck":
                self._add_step(step, report, [kind, *values])
            case "double":
                self._add_double_click(step, report)
            case "fill":
                self._add_text(step, report, values[0])
            case "enter":
                self._add_enter(step, report)
            case "upload":
                step.done = replace(step.done, problem="nobody knows which file the person chose")
                self._add_step(step, report, ["upload"])
        if self._recorded and self._recorded[-1] is step:
            step.frames = self._find_frames(tab, target, context)

    def _find_frames(self, tab: "Tab", target: Target, context: int) -> asyncio.Task[tuple[str, ...]] | None:
        """Start a task that finds selectors of the frames around an action; None for one in the main frame.

        `context`: number of the execution context in which it was reported.
        """
        found = next((each for each in target.contexts.values() if each.number == context), None)
        frame = tab.page.frame(found.frame_id) if found else None
        if frame is None or frame.parent_frame is None:
            return None
        finding: Awaitable[tuple[str, ...]] = tab.world.selectors_of_frames(frame)
        return asyncio.ensure_future(finding)

    def _add_step(
        self, step: _Step, report: Mapping[str, Any], words: Sequence[str], secrets: Sequence[str] = ()
    ) -> None:
        """Complete `step` with its command, and record it. `report`: what `person.js` sent on the element.

        `words`: the command's name, and the words after its target: ["fill", "text"]. `secrets`: values to mask.
        """
        target = f"@e{_FIRST_REF + len(self._recorded)}"
        command, *others = words
        step.done = replace(
            step.done, words=[command, target, *others], targets=[ActedOn(target, report)], secrets=secrets
        )
        self._add_recorded(step)

    def _add_double_click(self, step: _Step, report: Mapping[str, Any]) -> None:
        """Record a double click on the reported element, in place of its two clicks."""
        while (
            self._recorded
            and self._recorded[-1].node == step.node
            and self._recorded[-1].done.command == "click"
        ):
            self._recorded.pop()
        self._add_step(step, report, ["click", "--double"])

    def _add_text(self, step: _Step, report: Mapping[str, Any], text: str) -> None:
        """Record the text of the reported field, in place of its text that was recorded just before."""
        last = self._recorded[-1] if self._recorded else None
        if last and last.node == step.node and last.done.words[0] == "fill":
            self._recorded.pop()
        self._add_step(step, report, ["fill", text], [text])

    def _add_enter(self, step: _Step, report: Mapping[str, Any]) -> None:
        """Record Enter in the reported field: as `--submit` of the `fill` before, else as focus and key press."""
        last = self._recorded[-1] if self._recorded else None
        if last and last.node == step.node and last.done.command == "fill":
            last.done = replace(last.done, words=[*last.done.words, "--submit"])
            return
        self._add_step(step, report, ["focus"])
        self._add_command(replace(step.done, words=["press", "Enter"], targets=(), focused=ActedOn("", report)))

    def _add_command(self, done: DoneCommand) -> None:
        """Record a command without an element."""
        self._add_recorded(_Step(done))

    def _add_recorded(self, step: _Step) -> None:
        """Add a step to the record; drop it if there are MOST_KEPT steps already."""
        if len(self._recorded) < MOST_KEPT:
            self._recorded.append(step)


def _complete(step: _Step) -> DoneCommand:
    """Return a recorded step's command, with the URL it led to and the selectors of the frames around it."""
    done, finding = step.done, step.frames
    if step.arrived:
        done = replace(done, reply=f"{done.reply}\n→ now at {step.arrived}", url_after=step.arrived)
    if finding is None:
        return done
    is_found = finding.done() and not finding.cancelled() and not finding.exception()
    frames = finding.result() if is_found else ("",)
    return replace(done, targets=[replace(each, frames=frames) for each in done.targets])


def _run_recorder_in(target: Target) -> None:
    """Run the recording script in all documents of a target, later ones included."""
    target.run_in_isolated_world(_recorder_script(), binding=BINDING)


@cache
def _recorder_script() -> str:
    """Return the source of `person.js`, with the engine before it, which reports a person's actions."""
    return engine_source() + Path(__file__).with_name("person.js").read_text(encoding="utf-8")
