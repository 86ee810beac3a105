"""Run the steps of a flow.

Find each element, verify its identity, act by the ordinary command, and tell what followed.
"""

import asyncio
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any
from urllib.parse import urlsplit

from gstack_browse.browser.actions.acted_on import describe_focused
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.dialogs import DialogAnswerer
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.commands.flow.steps import (
    list_targets,
    mark_candidates,
    move_target,
    record_logs,
    replace_identity,
    replace_target,
    take_picture,
)
from gstack_browse.cookies.records import is_same_site
from gstack_browse.errors import ActionFailed, BrowseError, from_reply
from gstack_browse.flows import identity, matching
from gstack_browse.flows.calls import complete_label, parse_selected_labels
from gstack_browse.flows.file import Flow, Step
from gstack_browse.flows.identity import ATTRIBUTES, CHOICES, Identity, lacks_attributes
from gstack_browse.flows.log import FAILED_REQUEST, RunRecord, StepRecord, selects_by_position
from gstack_browse.flows.matching import Finding, Outcome
from gstack_browse.flows.report import render_json
from gstack_browse.flows.secret_variables import SecretVariables
from gstack_browse.protocol import Reply
from gstack_browse.text.pattern import RequestGlob
from gstack_browse.text.sanitise import one_line, quote_text

MISSING_SECONDS = 5.0
"""How long a step waits for its element, as actions do."""
CHANGED_SECONDS = 2.0
"""How long a step waits where its selector finds another element: the page may be about to draw the right one."""
LOOK_SECONDS = 5.0
"""Time limit for one look at the page; longer on a busy machine."""
SHORTEST_IN_TEXT = 4
"""Shorter values of variables are not looked for in the names of elements."""
_PAUSE = 0.05
_QUESTION = re.compile(r'(?:confirm|prompt) ("(?:[^"\\]|\\.)*"): dismissed')
_OPENED = re.compile(r"Opened tab ([0-9]+)\b|→ opened tab ([0-9]+)\b")
_LOOKING = frozenset({"expect", "wait"})
_OPENING = frozenset({"goto", "newtab", "reload"})
_TO_FOCUSED = frozenset({"type", "press", "paste"})


@dataclass
class Options:
    """The options of a run.

    `first`: the number of the first step to run. `patience`: seconds that a step waits for its element.
    """

    heal: bool = False
    first: int = 1
    pictures: bool = False
    patience: float | None = None
    as_json: bool = False
    """Whether what is printed is a line of JSON for each step."""


@dataclass
class _FoundElement:
    """The element for one target of a step. All fields are empty unless it has moved."""

    ref: str = ""
    selector: str = ""
    identity: Identity | None = None
    remark: str = ""


@dataclass(frozen=True)
class _Target:
    """The element that a step looks for."""

    selector: str
    """With this run's values."""
    expected: Identity
    """The element's saved identity, with this run's values."""
    is_anchored: bool
    """Whether the selector finds a record by words in it: see `matching.is_anchored_by_words`."""
    values: Sequence[str]
    """This run's values of variables in the selector that differ from the saved ones: see `matching.adopt_record`."""
    takes_drop: bool = False
    """Whether something is dragged to the element: its text is what was dropped there so far."""

    def adopt_record(self, seen: Sequence[Identity]) -> "_Target":
        """Return the target to compare with what the selector finds (`seen`), see `matching.adopt_record`."""
        if self.takes_drop and len(seen) == 1 and matching.is_box_with_mark(self.expected, seen[0]):
            return replace(self, expected=replace(self.expected, name=seen[0].name))
        words = matching.list_row_words(self.selector)
        expected, is_anchored = matching.adopt_record(
            self.expected, seen, self.values, words=words, is_anchored=self.is_anchored
        )
        return replace(self, expected=expected, is_anchored=is_anchored)


@dataclass
class FlowPlayer:
    """Runs one flow. `values`: variable → value. `name`: the flow's, for the report."""

    daemon: Daemon
    flow: Flow
    name: str
    values: Mapping[str, str]
    options: Options
    record: RunRecord = field(init=False)
    healed: dict[int, Step] = field(default_factory=dict)
    """Index of a step → the step with the selectors and identities of moved elements."""

    def __post_init__(self) -> None:
        self.record = RunRecord(self.name, len(self.flow.steps) - self.options.first + 1, began=time.time())
        self._secrets = SecretVariables()
        for name in self.flow.secret_names:
            if value := self.values.get(name):
                self._secrets.assign_variable(value, name)
        self._defaults = {variable.name: variable.default for variable in self.flow.variables}
        self._tabs: dict[str, int] = {}
        """Number of a tab in the flow → its number in the session."""
        self._waited_for: object = None
        """The document that was last waited for."""

    def mask(self, text: str) -> str:
        """Return `text` with the values of the flow's secret variables masked."""
        return self._secrets.mask(text)

    async def run(self) -> None:
        """Run the flow's steps, and record each in `record`. Raises the failure of the first one that fails."""
        first = self.options.first
        if first > 1 and self.daemon.flow.run_tabs[0] == self.name:
            self._tabs = dict(self.daemon.flow.run_tabs[1])
        if tab := find_tab(self.daemon):
            self._tabs[_find_tab_after(self.flow.steps[: first - 1])] = tab.id
        self.daemon.flow.run_tabs = self.name, self._tabs
        for index in range(self.options.first - 1, len(self.flow.steps)):
            await self._run_step(index)

    async def _run_step(self, index: int) -> None:
        """Run the step at an index. Add its error, duration, picture and logs to `record`. Raises its failure."""
        step = self.flow.steps[index]
        step_record = StepRecord(index + 1, step.text)
        self.record.steps.append(step_record)
        if self.daemon.browser:  # have secrets masked in all that is printed from now on
            for name in self.flow.secret_names:
                self.daemon.browser.revealed.add(self.values.get(name, ""))
        logs = self.daemon.logs
        before = logs.console.total, logs.network.total
        began = time.monotonic()
        try:
            await self._run_command(index, step, step_record)
        except asyncio.CancelledError:
            step_record.error = "was cut off"
            raise
        except BrowseError as error:
            step_record.error = self.mask(error.message)
            problem = f"Step {index + 1} ({one_line(step.text, 100)}): {step_record.error}"
            raise from_reply(error.kind, error.code, problem, self.mask(error.hint)) from None
        finally:
            step_record.seconds = time.monotonic() - began
            if self.options.pictures:
                record_logs(step_record, self.daemon.logs, before, self.mask)
                await self._take_picture(step_record)
            self.daemon.done.append(self._render_step(step_record))

    async def _run_command(self, index: int, step: Step, step_record: StepRecord) -> None:
        """Find a step's elements on the page, and run its command on them. Raises its failure.

        If an element has another selector now than when the flow was saved, add the mended step to `healed`.
        """
        words = [word.fill(self.values) for word in step.words]
        words = self._translate_tab(words)
        if step.command not in _LOOKING | _OPENING:
            await self._wait_until_loaded()
        found = await self._find_targets(step, words, step_record)
        if step.command in _TO_FOCUSED and step.identities:
            await self._wait_for_focus(step, words, step_record)
        for target, each in found.items():
            words = replace_target(words, target, each.ref, self.daemon) if each.ref else words
        is_new_question = self._is_new_question(index)
        browser = self.daemon.browser
        with _dismiss_dialogs(browser.dialogs) if browser and is_new_question else nullcontext():
            reply = await self._run_words(words, is_first=not index)
        effects = [line.removeprefix("→ ") for line in reply.text.split("\n")[1:] if line.startswith("→ ")]
        if not step.command.startswith("expect"):
            step_record.effects = [self.mask(one_line(effect, 300)) for effect in effects]
        if reply.code:
            message = reply.message
            for target, each in found.items():
                message = message.replace(each.ref, target) if each.ref else message
            raise from_reply(reply.error, reply.code, message, reply.hint)
        if is_new_question:
            _check_questions(effects)
        self._check_requests(step, effects)
        self._record_opened_tab(step, reply.text)
        if step.command == "select":
            self._check_labels(step, words, parse_selected_labels(reply.text), step_record)
        if moved := {target: each for target, each in found.items() if each.ref}:
            self.healed[index] = self._heal_step(step, list(found), moved)

    def _is_new_question(self, index: int) -> bool:
        """Return whether a question (`confirm`, `prompt`) behind a step would be new since the flow was saved.

        False for a step without a note, which somebody has written, and if a command has chosen how dialogs are answered.
        """
        browser = self.daemon.browser
        if not browser or browser.dialogs.policy.is_chosen or not self.flow.steps[index].identities:
            return False
        following = takewhile(lambda step: step.command in ("expect", "frame"), self.flow.steps[index + 1 :])
        return not any(word.text == "dialog" for step in following for word in step.words[1:])

    def _check_requests(self, step: Step, effects: Sequence[str]) -> None:
        """Raise ActionFailed if a request of the step failed that must not.

        It may if a note of the flow says so. Other servers (of advertisements, of statistics) are not looked at. `effects`: the lines about what followed.
        """
        tab = find_tab(self.daemon)
        if tab is None or step.command in _LOOKING | _OPENING:
            return
        may_fail = [RequestGlob(each) for step in self.flow.steps for each in step.failures]
        for method, url, reason in (failed.groups() for failed in map(FAILED_REQUEST.match, effects) if failed):
            if is_same_site(url, tab.url) and not any(each.matches(method, url) for each in may_fail):
                path = urlsplit(url).path
                pattern = f"**{path}?**" if "?" in url else f"**{path}"
                raise ActionFailed(
                    f"changed: {method} {path} failed ({reason}), and did not when the flow was saved",
                    f"If it may fail, write '{identity.NOTE_PREFIX} fails {method} {pattern}' below the step",
                )

    async def _wait_for_focus(self, step: Step, words: Sequence[str], step_record: StepRecord) -> None:
        """Wait until the element has the focus that took these keys when the flow was saved.

        Raises ActionFailed if another one has it at the time limit: the page may take its keys for something else.
        """
        browser = self.daemon.browser
        if not browser or list_targets(words, self.daemon):
            return
        tab, expected = browser.tab(self.daemon.tab), self._fill_identity(step.identities[0], step)
        limit = MISSING_SECONDS if self.options.patience is None else self.options.patience
        began = time.monotonic()
        while True:
            seen = await describe_focused(tab.world, tab.frame or tab.page.main_frame, tab.page.frames)
            found = identity.from_engine(seen) if seen else Identity()
            if not matching.contradictions(expected, found, nearness=0.0):
                return
            if time.monotonic() - began >= limit:
                holder = "nothing" if found.tag in ("", "body") else self.mask(found.label)
                raise ActionFailed(
                    f"changed: {holder} has the focus, and {self.mask(expected.label)} had it then",
                    f"Act on it yourself{self._describe_how_to_continue(step_record)}",
                )
            await asyncio.sleep(_PAUSE)

    async def _wait_until_loaded(self) -> None:
        """Wait for the load event, once for each document: many pages ignore a press before it.

        While the flow was recorded, the time between two commands was enough for it.
        """
        tab = find_tab(self.daemon)
        if tab and tab.document != self._waited_for:
            self._waited_for = tab.document
            patience = self.options.patience
            await tab.wait_until_loaded(MISSING_SECONDS if patience is None else patience)

    async def _run_words(self, words: Sequence[str], *, is_first: bool) -> Reply:
        """Run a command (name, arguments), without Chromium's HTTP cache if it opens a URL. Return the reply.

        `is_first`: it begins the flow, so that its page is loaded again if just the fragment (`#list`) of the address is new.
        """
        browser = self.daemon.browser
        if words[0] not in _OPENING or browser is None:
            return await self.daemon.run(words)
        async with browser.conditions.bypass_cache():
            tab = find_tab(self.daemon)
            before = tab and tab.document
            reply = await self.daemon.run(words)
            is_same_page = is_first and words[0] == "goto" and tab and tab.document == before
            return await self.daemon.run(["reload"]) if is_same_page and not reply.code else reply

    def _translate_tab(self, words: list[str]) -> list[str]:
        """Replace the tab's number in a call of `tab` or `closetab`: from the flow's numbering to this run's.

        Other calls are returned as they are. Raises ActionFailed for a tab that an earlier step, which was not run, opens.
        """
        if not self._tabs and (browser := self.daemon.browser) and (tab := browser.tabs.get()):
            self._tabs["1"] = tab.id
        if words[0] not in ("tab", "closetab") or len(words) < 2:
            return words
        if words[1] in self._tabs:
            return [words[0], str(self._tabs[words[1]]), *words[2:]]
        earlier = self.flow.steps[: self.options.first - 1]
        if words[1] in ("1", *(str(step.opens_tab) for step in earlier if step.opens_tab)):
            raise ActionFailed(
                f"Which tab is tab {words[1]} of the flow is not known: an earlier step opens it",
                "Begin with that step, or choose the tab yourself and go on with the next step",
            )
        return words

    def _record_opened_tab(self, step: Step, reply: str) -> None:
        """Note which number in this run the tab has that a step opened, from the reply.

        Raises ActionFailed if the step opened none, and did when the flow was saved.
        """
        if not step.opens_tab:
            return
        opened = _OPENED.search(reply)
        if not opened:
            raise ActionFailed(
                f"It opened no tab, and it opened tab {step.opens_tab} of the flow when that was saved"
            )
        self._tabs[str(step.opens_tab)] = int(opened[1] or opened[2])

    def _check_labels(
        self, step: Step, words: Sequence[str], labels: Sequence[str], step_record: StepRecord
    ) -> None:
        """Raise ActionFailed if a step with `select` has chosen another option than when the flow was saved.

        A flow has whole labels: where only a part of a label fits, the option is gone. A value may be another option's now.
        `labels`: of the options that are selected now.
        """
        own_choice = f"Choose the right one yourself{self._describe_how_to_continue(step_record)}"
        for word in words[2:]:
            if (label := complete_label(word, labels)) != word:
                raise ActionFailed(
                    f"changed: no option is called {quote_text(word, 60)} any more: {quote_text(label, 60)} is selected now",
                    f"{own_choice}, or write the whole label",
                )
        expected = step.identities[0] if step.identities else Identity()
        now = identity.with_chosen(expected, labels).chosen
        for written, before, after in zip(step.words[2:], expected.chosen, now, strict=False):
            has_value_of_then = all(self.values[each] == self._defaults[each] for each in written.variables)
            if has_value_of_then and before.casefold() != after.casefold():
                raise ActionFailed(
                    f"changed: {quote_text(self.mask(written.text), 60)} chose {quote_text(after, 60)}, and chose {quote_text(before, 60)} when the flow was saved",
                    f"{own_choice}, or write the label that you mean, and no chosen= into the note below it",
                )

    async def _find_targets(
        self, step: Step, words: Sequence[str], step_record: StepRecord
    ) -> dict[str, _FoundElement]:
        """Find the elements of a step that were described when the flow was saved. Return target → element.

        The element is empty if the target's selector still finds it. Raises ActionFailed.
        """
        if not step.identities or step.command in _LOOKING or not self.daemon.browser:
            return {}
        targets = list_targets(words, self.daemon)
        found = {}
        is_by_variable = any(len(word.parts) > 1 and word.variables for word in step.words[1:])
        for place, (selector, saved) in enumerate(zip(targets, step.identities, strict=False)):
            if not selector.startswith("@"):
                expected = self._fill_identity(saved, step)
                if expected.order == (0, 0) and matching.is_whole_name_selector(selector):
                    expected = replace(expected, order=(1, 1))
                is_anchored = matching.is_anchored_by_words(selector, is_by_variable=is_by_variable)
                values = self._list_other_values(step, selector)
                target = _Target(selector, expected, is_anchored, values, step.command == "drag" and place == 1)
                found[selector] = await self._find_element(target, step_record)
        return found

    def _list_other_values(self, step: Step, target: str) -> list[str]:
        """Return the values of the variables in the selector `target` that differ from their defaults."""
        names = [
            name
            for word in step.words[1:]
            if word.fill(self.values).endswith(target)
            for name in word.variables
        ]
        return [
            self.values[name] for name in names if self._defaults[name] not in (None, "", self.values[name])
        ]

    def _fill_identity(self, saved: Identity, step: Step) -> Identity:
        """Return an element's saved identity (role, name, …) with this run's values of the flow's variables.

        A short value is replaced in the name only where a selector has the variable, as in `role=radio[name="$stars stars"]`. In the
        text around the element it is replaced only as a word with a letter, such as `B7`.
        """
        own = {name for word in step.words[1:] if len(word.parts) > 1 for name in word.variables}
        anywhere: dict[str, str] = {}
        in_name: dict[str, str] = {}
        words: dict[str, str] = {}
        for variable in self.flow.variables:
            before, now = variable.default, self.values.get(variable.name)
            if not before or not now:
                continue
            if len(before) >= SHORTEST_IN_TEXT:
                anywhere.setdefault(before, now)
            else:
                if variable.name in own:
                    in_name.setdefault(before, now)
                if any(map(str.isalpha, before)):
                    words.setdefault(before, now)
        texts = {
            name: _replace_defaults(
                getattr(saved, name), anywhere, words if name in ("near", "around", "dialog") else {}
            )
            for name in ("near", "around", "dialog", *ATTRIBUTES)
        }
        expected = replace(
            saved,
            **texts,  # type: ignore[arg-type]
            name=_replace_defaults(saved.name, anywhere, in_name),
            within=tuple(_replace_defaults(each, anywhere, words) for each in saved.within),
        )
        compared = [(each.name, each.near, each.around, each.within) for each in (saved, expected)]
        if compared[0] == compared[1]:
            return expected
        # a mark without the value is that of the record of then: /product/quiet-kettle
        is_other_choice = saved.type in CHOICES and expected.name != saved.name
        marks = [name for name in ATTRIBUTES if name != "field" or is_other_choice]
        kept = {name: "" for name in marks if getattr(saved, name) == texts[name]}
        if expected.name != saved.name and not matching.may_have_had_twins(saved):
            kept["near"] = ""  # what else was in the row of the record of then
        return replace(expected, **kept)  # type: ignore[arg-type]

    async def _find_element(self, target: _Target, step_record: StepRecord) -> _FoundElement:
        """Find the element that a target's selector no longer finds, by its saved identity.

        If the selector still finds it, return an empty record. Raises ActionFailed if there is none, or no certain one.
        """
        assert self.daemon.browser
        tab = self.daemon.browser.tab(self.daemon.tab)
        frame = tab.frame or tab.page.main_frame
        seen = await self._wait_for_match(tab, frame, target)
        if seen is None:
            return _FoundElement()
        looks = [identity.from_engine(each) for each in seen]
        target = target.adopt_record(looks)
        selector, expected = target.selector, target.expected
        everywhere = await _call_engine(tab, frame, "identifyCandidates", expected.tag, expected.role)
        all_nodes = [each["node"] for each in everywhere]
        if expected.around:
            everywhere = await _add_text_around(tab, frame, expected, everywhere)
        others = [identity.from_engine(each) for each in everywhere]
        places = [all_nodes.index(each["node"]) if each["node"] in all_nodes else -1 for each in seen]
        moved = matching.decide(expected, looks, others, places, is_anchored=target.is_anchored)
        if moved.outcome is Outcome.MATCH:
            return _FoundElement()
        listed = matching.list_candidates(expected, others, moved)
        nodes = [all_nodes[candidate.index] for candidate in listed]
        refs = await tab.refs.refs_of(frame, nodes) if nodes else []
        where = await _call_engine(tab, frame, "describePlaces", nodes) if nodes else []
        labels = [
            f"{others[each.index].label}{f' in {place}' if place else ''}"
            f"{_describe_differences(each) if moved.outcome is Outcome.MOVED else _describe_objections(expected, others[each.index], each)}"
            for each, place in zip(listed, where, strict=True)
        ]
        step_record.candidates = [
            self.mask(one_line(f"{ref} {label}", 200)) for ref, label in zip(refs, labels, strict=True)
        ]
        is_to_stop = moved.outcome is not Outcome.MOVED or not self.options.heal
        if is_to_stop and self.options.pictures:
            await mark_candidates(step_record, tab, [ref for ref in refs if ref])
        anew = await _describe_element(tab, frame, nodes[0]) if nodes else None
        is_found = bool(listed) and places == [listed[0].index]
        new_selector = selector if is_found else str((anew or {}).get("selector") or "")
        if is_to_stop:
            if not (listed and matching.is_acceptable(expected, others[listed[0].index], moved.outcome)):
                new_selector = ""
            raise self._make_failure(moved, selector, expected, looks, step_record, new_selector)
        step_record.remark = f"healed: {self.mask(one_line(labels[0], 160))}"
        step_record.candidates = ()
        best = identity.from_engine(anew) if anew else others[moved.candidates[0].index]
        return _FoundElement(refs[0], new_selector, best, step_record.remark)

    def _make_failure(
        self,
        finding: Finding,
        target: str,
        expected: Identity,
        seen: Sequence[Identity],
        step_record: StepRecord,
        selector: str,
    ) -> ActionFailed:
        """Return the error of a step whose element was not found with certainty, with candidates and advice.

        `seen`: what the target's selector finds. `selector`: of the first candidate, "" for none.
        """
        what = f"{self.mask(one_line(target, 100))} ({self.mask(expected.label)})"
        after = f"Act on it yourself{self._describe_how_to_continue(step_record)}"
        mended = self._suggest_mended_step(target, selector, step_record)
        if finding.outcome is Outcome.MOVED:
            return ActionFailed(
                f"moved: {what} is now {step_record.candidates[0]}",
                f"{after}, or run the whole with --heal yes{mended}",
            )
        if finding.outcome is Outcome.AMBIGUOUS:
            problem = f"ambiguous: {what} may be one of several elements"
        elif len(seen) == 1:
            against = ", ".join(matching.contradictions(expected, seen[0]))
            problem = f"changed: {self.mask(one_line(target, 100))} is another element now: {self.mask(one_line(against, 200))}"
        else:
            problem = f"changed: no element is {'certainly ' if step_record.candidates else ''}{what} any more"
        if not step_record.candidates:
            return ActionFailed(problem, f"Nothing on the page is like it\n{after}")
        if not mended:
            after += f"; or write into step {step_record.number} what 'locator <ref>' prints of the right one, and remove the note (#@)"
        head = "Candidates:" if finding.candidates else "Nothing on the page is certain; the nearest:"
        return ActionFailed(
            problem, "\n".join([head, *(f"  {line}" for line in step_record.candidates), after + mended])
        )

    def _describe_how_to_continue(self, step_record: StepRecord) -> str:
        """Return the end of a hint: how to continue the flow after this step, or that it is the last one."""
        if step_record.number == len(self.flow.steps):
            return ": it is the last step"
        return f" and go on with --from {step_record.number + 1}"

    def _suggest_mended_step(self, target: str, selector: str, step_record: StepRecord) -> str:
        """Return the end of a hint: the step's line with the first candidate as target; "" if not possible.

        `target`: the step's target. `selector`: the candidate's, "" for none.
        """
        step = self.flow.steps[step_record.number - 1]
        mended = selector and move_target(step, self.values, target, selector, self.daemon)
        if not mended:
            return ""
        ref, number = step_record.candidates[0].partition(" ")[0], step_record.number
        if mended.text == step.text:
            return f"\nTo take {ref}, remove the note (#@) of step {number}, and go on with --from {number}"
        line = self.mask(one_line(mended.text, 300))
        return f"\nTo take {ref}, write step {number} so, without its note (#@), and go on with --from {number}:\n  {line}"

    def _heal_step(self, step: Step, targets: Sequence[str], moved: Mapping[str, _FoundElement]) -> Step:
        """Return a step with the new selectors and identities of elements that have moved.

        `targets`: all selectors of the step, in order. `moved`: selector → the element found in its place.
        A selector with a variable keeps it, or stays as it was: another value means another element.
        """
        for target, found in moved.items():
            if not found.selector or found.identity is None:
                continue
            healed = move_target(step, self.values, target, found.selector, self.daemon)
            if healed:
                index = targets.index(target)
                now = replace(self._restore_defaults(found.identity), chosen=step.identities[index].chosen)
                step = replace_identity(healed, index, now)
        return step

    def _restore_defaults(self, found: Identity) -> Identity:
        """Return an element's identity as a flow file has it.

        The variables' defaults are in it in place of this run's values, and no secrets.
        """
        before = {
            self.values[variable.name]: variable.default
            for variable in self.flow.variables
            if variable.default and len(self.values.get(variable.name, "")) >= SHORTEST_IN_TEXT
        }
        texts = {
            name: _replace_defaults(self._secrets.scrub(getattr(found, name)), before)
            for name in ("name", "hint", "near", "around", "dialog", *ATTRIBUTES)
        }
        within = tuple(_replace_defaults(self._secrets.scrub(each), before) for each in found.within)
        return replace(found, **texts, within=within)  # type: ignore[arg-type]

    async def _wait_for_match(
        self, tab: Tab, frame: Frame, target: _Target
    ) -> Sequence[Mapping[str, Any]] | None:
        """Wait until the target's selector finds the expected element and no other, and return None.

        At the time limit return descriptions of what it finds instead; at once if just numbers in its id or name differ.
        """
        began = time.monotonic()
        while True:
            seen: Sequence[Mapping[str, Any]] = ()
            with suppress(FrameGone):  # the page is being replaced: look again
                seen = await _call_engine(tab, frame, "identifyMatches", target.selector)
                if target.expected.around:
                    seen = await _add_text_around(tab, frame, target.expected, seen)
            looks = [identity.from_engine(each) for each in seen]
            adopted = target.adopt_record(looks)
            expected = adopted.expected
            finding = matching.verify(expected, looks, is_anchored=adopted.is_anchored)
            if finding.outcome is Outcome.MATCH:
                has_doubt = (
                    lacks_attributes(expected, looks[0])
                    or matching.changed_attributes(expected, looks[0])
                    or (not adopted.is_anchored and matching.is_known_by_order_alone(expected))
                )
                return seen if has_doubt else None
            if matching.is_same_but_for_numbers(expected, looks):
                return seen
            limit = CHANGED_SECONDS if seen else MISSING_SECONDS
            limit = limit if self.options.patience is None else self.options.patience
            if time.monotonic() - began >= limit:
                return seen
            await asyncio.sleep(_PAUSE)

    def _render_step(self, step_record: StepRecord) -> str:
        """Return a step's output: number, command, duration and effects; with `as_json` a JSON object."""
        if self.options.as_json:
            return render_json(step_record)
        first = f"{step_record.number:>2} {one_line(step_record.line, 120):<46} {round(step_record.seconds * 1000):>5} ms"
        first += "  stopped" if step_record.error else ""
        return "\n".join([first, *(f"→ {line}" for line in (step_record.remark, *step_record.effects) if line)])

    async def _take_picture(self, step_record: StepRecord) -> None:
        """Save a picture of the page in a step's record, or the reason for none, such as a secret on the page."""
        browser = self.daemon.browser
        tab = browser.tabs.get(self.daemon.tab) if browser else None
        step_record.picture, step_record.no_picture = await take_picture(
            self.daemon.run, tab, self._secrets.values
        )


def _replace_defaults(text: str, anywhere: Mapping[str, str], as_words: Mapping[str, str] | None = None) -> str:
    """Replace the default values of variables in a text, such as an element's name, by this run's values.

    All are replaced at once, since a value may be the default of another variable.

    Args:
        anywhere: Default → value.
        as_words: The same, for whole words only.
    """
    words = as_words or {}
    patterns = [re.escape(before) for before in sorted(anywhere, key=len, reverse=True)]
    patterns += [rf"(?<!\w){re.escape(before)}(?!\w)" for before in sorted(words, key=len, reverse=True)]
    if not patterns:
        return text
    values = {**words, **anywhere}
    return re.sub("|".join(patterns), lambda found: values[found[0]], text)


def _find_tab_after(steps: Sequence[Step]) -> str:
    """Return which tab, by the flow's own number, is current after these steps; "" if unknown."""
    current = "1"
    for step in steps:
        number = step.words[1].text if len(step.words) > 1 else ""
        if step.command == "newtab":
            current = str(step.opens_tab)
        elif step.command == "tab":
            current = number
        elif step.command == "closetab" and number in ("", current):
            current = ""
    return current


async def _call_engine(tab: Tab, frame: Frame, function: str, *arguments: Any) -> Any:
    """Call a read-only function of our injected script, by name, in a frame. Return its result.

    Raises FrameGone, and ActionFailed for other failures.
    """
    try:
        return await tab.world.run_with_timeout(tab.world.call(function, *arguments, frame=frame), LOOK_SECONDS)
    except (PageScriptError, ProtocolError) as error:
        raise ActionFailed(f"The page cannot be looked at: {one_line(str(error), 200)}") from None
    except TimeoutError:
        raise ActionFailed("The page does not answer", "A script keeps it busy, or a dialog is open") from None


async def _add_text_around(
    tab: Tab, frame: Frame, expected: Identity, found: Sequence[Mapping[str, Any]]
) -> Sequence[Mapping[str, Any]]:
    """Return the descriptions `found` of elements with the text near each of them as "around".

    It is "" for elements without the label (role and name) of the expected one.
    """
    named = [each["node"] for each in found if identity.from_engine(each).label == expected.label]
    texts = await _call_engine(tab, frame, "findTextsAround", named) if named else []
    around = dict(zip(named, texts, strict=True))
    return [{**each, "around": around.get(each["node"], "")} for each in found]


async def _describe_element(tab: Tab, frame: Frame, node: int) -> Mapping[str, Any] | None:
    """Return the fields that identify an element, and a selector that finds only it; None if it is gone.

    `node`: the injected script's number of the element.
    """
    description: Mapping[str, Any] | None = await _call_engine(tab, frame, "identifyElement", node, True)
    if description and not description["complete"]:
        after: Mapping[str, Any] | None = await _call_engine(tab, frame, "completeIdentity", node)
        description = {**description, **after} if after else None
    if description and selects_by_position(description.get("selector") or ""):
        description = (await _add_text_around(tab, frame, identity.from_engine(description), [description]))[0]
    return description


def _describe_objections(expected: Identity, other: Identity, candidate: matching.Candidate) -> str:
    """Return why a candidate is not the expected element, or else which fields of it differ; "" for none."""
    reasons = matching.contradictions(expected, other)
    if not reasons:
        return _describe_differences(candidate)
    if matching.is_another(expected, other):
        reasons.insert(0, "another one")
    return f": {', '.join(reasons)}"


def find_tab(daemon: Daemon) -> Tab | None:
    """Return the tab that the steps act in; None without a browser."""
    return daemon.browser.tabs.get(daemon.tab) if daemon.browser else None


@contextmanager
def _dismiss_dialogs(answerer: DialogAnswerer) -> Iterator[None]:
    """Have dialogs dismissed meanwhile: by default they are accepted."""
    before = answerer.policy
    answerer.policy = replace(before, accept=False)
    try:
        yield
    finally:
        answerer.policy = before


def _check_questions(effects: Sequence[str]) -> None:
    """Raise ActionFailed if the page asked something behind a step.

    `effects`: the lines about what followed.
    """
    if asked := next(filter(None, map(_QUESTION.match, effects)), None):
        raise ActionFailed(
            f"changed: the page asked {asked[1]}, and did not when the flow was saved: dismissed",
            "If it may ask that, write 'dialog-accept' on a line before the step",
        )


def _describe_differences(candidate: matching.Candidate) -> str:
    """Return which of a candidate's fields differ from those expected: ` (other name, near)`; "" for none."""
    return f" (other {', '.join(candidate.differences)})" if candidate.differences else ""
