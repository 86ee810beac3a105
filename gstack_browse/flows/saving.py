"""Make a flow of the commands that a session has run.

Secrets become variables, refs become selectors, and the effects of a command become expectations.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from gstack_browse.flows import identity
from gstack_browse.flows.calls import (
    complete_label,
    mark_variables,
    parse_marked_variables,
    parse_selected_labels,
)
from gstack_browse.flows.file import Flow, Step, Variable
from gstack_browse.flows.identity import Identity
from gstack_browse.flows.log import (
    ACTIONS,
    FAILED_REQUEST,
    LOOKS,
    ActedOn,
    DoneCommand,
    FlowLog,
    selects_by_position,
)
from gstack_browse.flows.secret_variables import (
    SHORTEST_DECLARED,
    SHORTEST_PART,
    SecretVariables,
    place_between,
    replace_values,
    unused_name,
)
from gstack_browse.flows.words import Part, Word, literal
from gstack_browse.flows.words import Variable as InWord

_WITHOUT_NOTE = LOOKS | {"expect", "wait"}
"""Commands that act on nothing: what they name may be missing, and may have changed."""
_KEYS = "press, several times"
_TYPING = frozenset({"fill", "type", "paste", "press"})
_FOR_FOCUSED = re.compile(r"(?:.*\+)?(?:Enter|Space|Delete|Backspace)|.")
"""A key that the focused element takes. Shortcuts and arrows may be the page's: what has the focus then is chance."""
_NOW_AT = "→ now at "
_EFFECT_TAB = re.compile(r"→ opened tab ([0-9]+)\b")
_OPENED_TAB = re.compile(r"Opened tab ([0-9]+)\b")
_EFFECT_DIALOG = re.compile(r'→ (?:alert|confirm|prompt) "((?:[^"\\]|\\.)*)": ')
_EFFECT_MESSAGE = re.compile(r'→ says "((?:[^"\\]|\\.)*)"\Z')
_FAILED = "→ failed: "
_IS_MESSAGE = re.compile(r"(?![=/]).*\w{3}")
"""A pattern for a text that has a word, and no other meaning than that text."""
_IS_DATE = re.compile(r"(?:\S+ ){0,2}\S*(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])\S*")
"""A month or a day, as a calendar says it: `May 2027`. On another day it says another one."""
_NUMBERED_FILE = re.compile(r"-[1-9][0-9]?((?:\.[A-Za-z0-9]+){0,2})\Z")
_EFFECT_DOWNLOAD = re.compile(r'→ downloaded (?:.*/)?([^/*{}"]+)"?\Z')
_CHANGING_SEGMENT = re.compile(r"[0-9]+|(?=[^/]*[0-9])[0-9a-f]{8,}|[0-9a-f]{8}-[0-9a-f-]{27}", re.IGNORECASE)
"""A part of a path that another run has differently: a number, or a long hexadecimal one."""
_REF_IN_CODE = re.compile(r"@[ec][1-9][0-9]*\b")


@dataclass(frozen=True)
class Saved:
    """A flow, what was left out of it and why, and values that could be variables.

    The values are pairs of value and name.
    """

    flow: Flow
    left_out: list[str]
    proposals: list[tuple[str, str]]
    remark: str = ""
    """What the flow presupposes; "" for nothing."""


def save(
    log: FlowLog,
    last: int | None,
    *,
    with_reads: bool,
    as_variables: Mapping[str, str],
    known_secrets: Sequence[str] = (),
) -> Saved:
    """Make a flow of the last commands, by default of those since the flow was started.

    last: how many commands; None: all since the start
    with_reads: also take commands that only read, such as `text`
    as_variables: value → name of the variable that is to stand for it
    known_secrets: further values that must not be in it
    """
    everything = _join_secret_key_presses(list(log.done)[len(log.done) - log.commands_since_start :])
    chosen = [done for done in everything if with_reads or done.command in ACTIONS]
    chosen = chosen if last is None else chosen[len(chosen) - min(last, len(chosen)) :]
    secrets = collect_secrets(log, known_secrets, chosen)
    kept = [_StepMaker(done, secrets).make_steps() for done in chosen]
    steps, left_out = _make_steps(kept, as_variables)
    remark = ""
    # commands such as `route` need no page, and have no address
    on_page = (each for each in kept if not each.problem and (each.url or each.command in _OPENING))
    first_on_page = next(on_page, None)
    if steps and first_on_page and first_on_page.command not in _OPENING:
        is_address = first_on_page.url.startswith(("http://", "https://", "file:"))
        start = [_make_step("goto", secrets.replace_secrets(first_on_page.url))] if is_address else []
        steps[:0] = [_insert_variables(each, as_variables) for each in start]
        first = next((done for done in log.done if done.command in ACTIONS), None)
        remark = _describe_start(start, is_part=chosen[0] is not first)
    flow = Flow(tuple(steps), _declare_variables(steps, secrets, as_variables))
    return Saved(flow, left_out, _propose_variables(kept), remark)


_OPENING = frozenset({"goto", "newtab", "load-html"})


def _describe_start(start: Sequence[Step], *, is_part: bool) -> str:
    """Return a remark on how a saved flow begins, and what must be done before a run; "" for nothing.

    `start`: a `goto` step to the first command's page, or nothing. `is_part`: earlier commands on that page are not in the flow.
    """
    if not start:
        return "its first step acts on a page that no address leads to: open that before a run"
    if is_part:
        return f"it begins with '{start[0].text}'; what was done on that page before is not in it"
    return ""


def collect_secrets(log: FlowLog, further: Sequence[str], first: Iterable[DoneCommand] = ()) -> SecretVariables:
    """Return the secrets of `first`, of the logged commands, and `further` ones; named in that order."""
    secrets = SecretVariables()
    for done in (*first, *_join_secret_key_presses(list(log.done))):
        _assign_secret_variables(done, secrets)
    for value in further:
        secrets.assign_variable(value, "secret")
    return secrets


def describe(done: DoneCommand, secrets: SecretVariables) -> str:
    """Describe a command for people: as lines of a flow joined by "; ", with variables for secrets."""
    if _may_type_part_of_secret(done):
        return f"{done.command} (a key)"
    _assign_secret_variables(done, secrets)
    steps = _StepMaker(done, secrets).make_steps().steps
    return "; ".join(step.text for step in steps if step.command != "expect" or done.command == "expect")


def _may_type_part_of_secret(done: DoneCommand) -> bool:
    """Return whether a command typed one character into what may be a field for secrets."""
    if done.command in ("keydown", "keyup"):  # nobody asked which field has the focus
        return len(done.words[-1]) == 1
    is_secret_field = done.focused is None or done.focused.is_secret
    return done.command == "press" and is_secret_field and any(len(word) == 1 for word in done.words[1:])


def _join_secret_key_presses(every: Sequence[DoneCommand]) -> list[DoneCommand]:
    """Return the commands, with single keys pressed in a field for secrets joined into one `type`."""
    found: list[DoneCommand] = []
    for done in every:
        is_key = done.command == "press" and len(done.words[1]) == 1 and done.focused and done.focused.is_secret
        if not is_key:
            found.append(done)
            continue
        before = found[-1] if found and found[-1].words[0] == _KEYS else None
        typed = (before.words[1] if before else "") + done.words[1]
        joined = replace(done, words=[_KEYS, typed], secrets=[typed], reply="")
        found[len(found) - bool(before) :] = [joined]
    return [
        replace(done, words=["type", *done.words[1:]]) if done.words[0] == _KEYS else done for done in found
    ]


def _assign_secret_variables(done: DoneCommand, secrets: SecretVariables) -> None:
    """Assign a variable to each secret value among a command's arguments."""
    if done.command == "fill-form":
        acted = {each.target: each for each in done.targets}
        for target, command, values in done.fields:
            field = acted.get(target, ActedOn(target, None))
            if command == "fill" and values[0] and values[0] != "--secret" and field.is_secret:
                secrets.assign_variable(values[0], _name_field(field.description))
    elif done.command in _TYPING:
        for value in _list_secret_values(done):
            secrets.assign_variable(value, _name_field(_find_typed_field(done).description))
    else:
        for value in done.secrets:
            named = done.words[1] if len(done.words) > 1 and done.words[1] != value else ""
            secrets.assign_variable(value, f"{done.command} {named}", shortest=SHORTEST_DECLARED)


def _find_typed_field(done: DoneCommand) -> ActedOn:
    """Return the field that a command typed into: the one it names, else the one with the focus."""
    return done.targets[0] if done.targets else done.focused or ActedOn("", None)


def _list_secret_values(done: DoneCommand) -> Sequence[str]:
    """Return the secret values among a command's arguments.

    What it typed counts only if the field is one for secrets.
    """
    is_secret = done.command not in _TYPING or _find_typed_field(done).is_secret
    return [value for value in done.secrets if value and is_secret]


@dataclass(frozen=True)
class _KeptCommand:
    """The steps made from one command, or the reason why it cannot be repeated."""

    steps: tuple[Step, ...]
    url: str
    tab: int
    command: str
    proposals: tuple[str, ...] = ()
    """For each step a name for the value that it types; "" for none."""
    problem: str = ""


class _StepMaker:
    """Makes the steps of one command."""

    def __init__(self, done: DoneCommand, secrets: SecretVariables) -> None:
        self._done = done
        self._secrets = secrets
        self._command = done.words[0]

    def make_steps(self) -> _KeptCommand:
        """Return steps that repeat the command and expect its effects, or why it cannot be repeated."""
        steps = list(self._make_form_steps() if self._command == "fill-form" else self._make_own_steps())
        problem = self._find_problem(steps)
        proposals = tuple(self._propose_name(step) for step in steps)
        if steps and not problem:
            last = max(place for place, step in enumerate(steps) if step.command != "frame" or place == 0)
            steps[last] = replace(
                steps[last], opens_tab=self._find_opened_tab(), failures=tuple(self._list_failures())
            )
            steps += self._make_expectations()
        proposals += ("",) * (len(steps) - len(proposals))
        return _KeptCommand(tuple(steps), self._done.url, self._done.tab, self._command, proposals, problem)

    def _make_own_steps(self) -> Iterator[Step]:
        """Yield the command as a flow step, with the identities of its elements.

        If it acts in a frame, steps before it enter the frame, and one after it returns to the main frame.
        """
        words = self._join_secret_words()
        identities = []
        for acted in sorted(self._done.targets, key=self._find_word_index):
            words = [_replace_target(word, acted) for word in words]
            if acted.description and self._command not in _WITHOUT_NOTE:
                identities.append(self._make_identity(acted.description))
        if identities and self._command == "select":
            labels = [self._secrets.scrub(label) for label in parse_selected_labels(self._done.reply)]
            identities[0] = identity.with_chosen(identities[0], labels)
        identities += self._identify_focused()
        rendered = tuple(
            self._secrets.replace_secrets(word, _list_secret_values(self._done)) if place else literal(word)
            for place, word in enumerate(words)
        )
        yield from self._wrap_in_frame(Step(rendered, tuple(identities)))

    def _identify_focused(self) -> Iterator[Identity]:
        """Yield the identity of the element that took the keys of the command.

        Yield nothing if none did, or if it has no name but its text.
        """
        focused, is_key = self._done.focused, self._command == "press"
        if self._done.targets or not focused or not focused.description or focused.description["tag"] == "body":
            return
        found = self._make_identity(focused.description)
        if (found.role or not found.name) and not (is_key and not _FOR_FOCUSED.fullmatch(self._done.words[1])):
            yield found

    def _find_word_index(self, acted: ActedOn) -> int:
        """Return the index of the command's word that names the element `acted`, to sort elements by it.

        Commands may look for their targets in another order than they were typed. The word is the target itself, a ref without
        `@`, or ends with `=` and the target. If no word names the element, return the number of words, so that it sorts last.
        """
        for place, word in enumerate(self._done.words):
            if acted.target in (word, f"@{word}") or word.endswith(f"={acted.target}"):
                return place
        return len(self._done.words)

    def _join_secret_words(self) -> list[str]:
        """Return the command's words; a secret that was typed as several words is one.

        Labels of `select` are completed: a part of one may be a part of another one tomorrow.
        """
        words = list(self._done.words)
        for value in self._done.secrets:
            count = len(value.split(" "))
            for start in range(1, len(words) - count + 1):
                if count > 1 and " ".join(words[start : start + count]) == value:
                    words[start : start + count] = [value]
                    break
            if "-" in words[1:] and value not in words:
                words[words.index("-", 1)] = value
        if words[0] == "select":  # a part of a label may be a part of another one tomorrow
            labels = parse_selected_labels(self._done.reply)
            words[2:] = [complete_label(word, labels) for word in words[2:]]
        return words

    def _make_form_steps(self) -> Iterator[Step]:
        """Yield a step for each field of a `fill-form` command, in the order of the fields."""
        for target, command, values in self._done.fields:
            acted = next((each for each in self._done.targets if each.target == target), ActedOn(target, None))
            if command == "fill" and acted.description and acted.description.get("tag") == "select":
                command = "select"
            words = [command, _replace_target(target, acted), *values]
            identities = (self._make_identity(acted.description),) if acted.description else ()
            own = values if acted.is_secret and command == "fill" else ()
            rendered = tuple(self._secrets.replace_secrets(word, own) for word in words)
            yield from self._wrap_in_frame(Step(rendered, identities), acted)

    def _wrap_in_frame(self, step: Step, acted: ActedOn | None = None) -> Iterator[Step]:
        """Yield `frame` steps that choose the elements' frame, then the step, then `frame main`.

        `acted`: the element of the step; by default, all of the command.
        """
        frames = {each.frames for each in ([acted] if acted else self._done.targets)} - {()}
        if len(frames) != 1 or self._command == "frame":
            yield step
            return
        for selector in ("main", *frames.pop()):
            yield _make_step("frame", selector)
        yield step
        yield _make_step("frame", "main")

    def _make_identity(self, description: Mapping[str, Any]) -> Identity:
        """Make an identity of the engine's description of an element, with secrets masked."""
        found, scrub = identity.from_engine(description), self._secrets.scrub
        names = ("name", "href", "hint", "near", "around", "dialog", "id", "testid", "field")
        texts: dict[str, Any] = {name: scrub(getattr(found, name)) for name in names}
        return replace(found, **texts, within=tuple(map(scrub, found.within)))

    def _find_problem(self, steps: Sequence[Step]) -> str:
        """Return why the command cannot be repeated; "" if it can."""
        if self._done.problem:
            return self._done.problem
        words = [word.text for step in steps for word in step.words[1:]]
        if any(_REF_IN_CODE.match(word) for word in words):
            return "no selector leads to its element"
        if len({acted.frames for acted in self._done.targets}) > 1 or any(
            "" in acted.frames for acted in self._done.targets
        ):
            return "no selector leads to its frame, or its elements are in several"
        if self._command in ("js", "eval") and any(_REF_IN_CODE.search(word) for word in words):
            return "its code names a ref"
        if "-" in words and self._command in ("eval", "js", "load-html", "upload", "paste", "drop"):
            return "it read what was piped in"
        return ""

    def _propose_name(self, step: Step) -> str:
        """Return a variable's name for the value that a step types, from its field; "" for other steps."""
        if step.command not in ("fill", "type", "select") or not step.identities:
            return ""
        return _name_field(step.identities[0].__dict__)

    def _find_opened_tab(self) -> int:
        """Return the number of the tab that the command has opened; 0 for none."""
        match = _OPENED_TAB.match(self._done.reply) or _EFFECT_TAB.search(self._done.reply)
        return int(match[1]) if match else 0

    def _list_failures(self) -> Iterator[str]:
        """Yield a pattern (`POST **/check`) for each request that failed behind the command.

        Such requests may fail in a run, too.
        """
        for line in self._done.reply.split("\n")[1:]:
            if (failed := FAILED_REQUEST.match(line.removeprefix("→ "))) and (
                pattern := self._make_url_pattern(failed[2])
            ):
                yield f"{failed[1]} {pattern}"

    def _make_expectations(self) -> Iterator[Step]:
        """Yield an `expect` for each effect that a later run must have, too."""
        if self._command in ("goto", "expect", "wait", "newtab", "tab", "frame"):
            return
        effects = self._done.reply.split("\n")[1:]
        for line in effects:
            if line.startswith(_NOW_AT) and (pattern := self._make_url_pattern(self._done.url_after)):
                yield _make_step("expect", "url", pattern)
            elif match := _EFFECT_DIALOG.match(line):
                message = json.loads(f'"{match[1]}"') if "\\" in match[1] else match[1]
                if message and not message.endswith("…"):
                    dialog_pattern = self._secrets.replace_secrets(_make_dialog_pattern(message))
                    yield _make_step("expect", "dialog", dialog_pattern)
            elif match := _EFFECT_DOWNLOAD.match(line):
                # a file of the same name may have existed: `report*.csv` for `report-2.csv`
                name = self._secrets.replace_secrets(_NUMBERED_FILE.sub(r"*\1", match[1]))
                yield _make_step("expect", "downloads", name)
        yield from self._expect_message(effects)

    def _expect_message(self, effects: Sequence[str]) -> Iterator[Step]:
        """Yield an `expect` for the last message of the page behind an action, or nothing.

        `effects`: the lines of the reply. Another page may show its message to everybody, and that of a failed request says
        what went wrong. What ends with "…" is a message of progress, or was cut off.
        """
        if any(line.startswith((_NOW_AT, _FAILED)) for line in effects):
            return
        messages = [match[1] for line in effects if (match := _EFFECT_MESSAGE.match(line))]
        if messages and not messages[-1].endswith("…") and not _IS_DATE.fullmatch(messages[-1]):
            yield _make_step("expect", "text", self._secrets.replace_secrets(json.loads(f'"{messages[-1]}"')))

    def _make_url_pattern(self, url: str) -> str:
        """Return a pattern for an address in later runs: its path, with `*` for segments such as numbers.

        "" for addresses that are not http or https.
        """
        try:
            parts = urlsplit(url)
        except ValueError:
            return ""
        path = self._secrets.mask(parts.path)
        if parts.scheme not in ("http", "https") or re.search(r"[*{}\[\]]", path):
            return ""
        segments = ["*" if _CHANGING_SEGMENT.fullmatch(each) else each for each in path.split("/")]
        has_query = "?" in url.partition("#")[0]  # also an empty one, which `urlsplit` drops
        return f"**{'/'.join(segments) or '/'}{'?**' if has_query else '#**' if parts.fragment else ''}"


def _make_step(*words: str | Word) -> Step:
    """Return a step without a note. Texts are words without variables."""
    return Step(tuple(word if isinstance(word, Word) else literal(word) for word in words))


def _make_dialog_pattern(message: str) -> str:
    """Return a pattern for a dialog's message in later runs: all of it, or the part before a number.

    What follows the number in "Refund 51.79 euros to Chen Zeller?" differs in another run, too.
    """
    before, *after = re.split(r"\b[\w.,-]*[0-9]", message, maxsplit=1)
    if not after:
        return f"={message}"
    words = before.strip()
    return words if words and words[0] not in "=/" else "/./"


def _longest_part_without_number(message: Word) -> Word:
    """Return the longest part of a message between its numbers, which differ in another run.

    Numbers in the values of variables do not count: a run fills in its own.
    """
    pieces: list[list[Part]] = [[]]
    for part in message.parts:
        if isinstance(part, InWord):
            pieces[-1].append(part)
        else:
            first, *others = re.split(r"\S*[0-9]\S*", part)
            pieces[-1].append(first)
            pieces += [[text] for text in others]
    return max((_strip(piece) for piece in pieces), key=lambda word: len(word.text))


def _strip(parts: Sequence[Part]) -> Word:
    """Return a word of these parts, without blanks at its ends."""
    stripped = list(parts)
    for place, strip in ((0, str.lstrip), (-1, str.rstrip)):
        if stripped and isinstance(end := stripped[place], str):
            stripped[place] = strip(end)
    return Word(tuple(filter(None, stripped)))


def _replace_target(word: str, acted: ActedOn) -> str:
    """Return the selector of the element `acted` for a word that names it by a ref or its position.

    Other words are returned as they are.
    """
    selector = str(acted.description.get("selector") or "") if acted.description else ""
    is_needed = acted.needs_selector or acted.target.startswith("@")
    if not selector or not (
        is_needed or (selects_by_position(acted.target) and not selects_by_position(selector))
    ):
        return word
    if word in (acted.target, acted.target.removeprefix("@")):
        return selector
    option, equals, value = word.partition("=")
    return f"{option}={selector}" if option.startswith("--") and equals and value == acted.target else word


def _name_field(description: Mapping[str, Any] | None) -> str:
    """Return a name for what is typed into a field: its attribute `name`, its label, its id or its type.

    `description`: the engine's; "secret" without one.
    """
    if not description:
        return "secret"
    return str(next(filter(None, map(description.get, ("field", "name", "id", "type"))), "value"))


def _make_steps(
    chosen: Sequence[_KeptCommand], as_variables: Mapping[str, str]
) -> tuple[list[Step], list[str]]:
    """Return the steps of all these commands, and messages about commands that were left out.

    `as_variables`: value → name. Tabs are numbered anew: the first step's is 1.
    """
    left_out = [f"{kept.command}: {kept.problem}" for kept in chosen if kept.problem]
    tabs: dict[int, int] = {}
    current = 0
    is_in_frame = False
    steps: list[Step] = []
    for kept in (kept for kept in chosen if not kept.problem):
        if kept.tab and kept.command not in ("tab", "newtab", "closetab"):
            tabs.setdefault(kept.tab, len(tabs) + 1)
            if current and tabs[kept.tab] != current:
                steps.append(_make_step("tab", str(tabs[kept.tab])))
            current = tabs[kept.tab]
        for step in kept.steps:
            if step.command == "frame":
                is_in_frame = step.words[-1].text != "main"
            if step.opens_tab:
                tabs.setdefault(kept.tab, len(tabs) + 1)
                step = replace(step, opens_tab=tabs.setdefault(step.opens_tab, len(tabs) + 1))
            if step.command in ("tab", "closetab") and len(step.words) > 1 and step.words[1].text.isdigit():
                number = tabs.setdefault(int(step.words[1].text), len(tabs) + 1)
                step = replace(step, words=(step.words[0], literal(str(number))))
                current = number if step.command == "tab" else 0
            if step.command == "newtab":
                current = step.opens_tab
            step = _insert_variables(step, as_variables)
            is_message = kept.command != "expect" and step.command == "expect" and step.words[1].text == "text"
            if is_message:
                part = _longest_part_without_number(step.words[2])
                step = replace(step, words=(*step.words[:2], part))
                if is_in_frame or not _IS_MESSAGE.match(part.text):
                    continue  # a message is in the main frame
            steps.append(step)
    return _drop_repeats(steps), left_out


def _insert_variables(step: Step, as_variables: Mapping[str, str]) -> Step:
    """Replace values in a step's arguments by variables. `as_variables`: value → name of the variable."""
    if not as_variables:
        return step
    anywhere = {value: name for value, name in as_variables.items() if len(value) >= SHORTEST_PART}
    words = []
    for word in step.words[1:]:
        pieces: list[Part] = []
        for part in word.parts:
            if isinstance(part, InWord):
                pieces.append(part)
            elif part in as_variables:
                pieces.append(InWord(as_variables[part]))
            else:
                pieces += replace_values(part, anywhere).parts
        for value, name in as_variables.items():
            pieces = [piece for part in pieces for piece in _split_at_whole_text(part, value, name)]
        words.append(_narrow_row(Word(tuple(pieces))))
    return replace(step, words=(step.words[0], *words))


def _split_at_whole_text(part: Part, value: str, name: str) -> Iterator[Part]:
    """Yield the pieces of a word's part, with the variable `name` for each whole text that is `value`.

    Short values are replaced only there, as in `tr:has(:text-is("Oak"))` and `text=Oak`: elsewhere they are parts of words.
    """
    if isinstance(part, InWord):
        yield part
        return
    value = re.escape(value)
    texts = re.split(rf'(?<="){value}(?=")|(?<=^text=){value}$|(?<=^label=){value}$', part)
    yield from place_between(texts, name)


_ROW_TEXT = re.compile(
    r""":(?:has\(:)?(?:has-text|text-is)\("([^"\ue000]*)(\ue000\w+\ue001)([^"\ue000]*)"\)+"""
)
"""Matches a row's text in a selector with a marked variable in it; the groups are what is before it, the variable, what is after it."""


def _narrow_row(word: Word) -> Word:
    """Shorten a selector of a row to its variable, if the row's text also has numbers.

    These are prices and amounts, which change. A run that finds several rows stops.
    """
    if not word.variables:
        return word

    def narrow(match: re.Match[str]) -> str:
        has_number = re.search(r"[0-9]", match[1] + match[3])
        return f':has-text("{match[2]}")' if has_number else match[0]

    return parse_marked_variables(_ROW_TEXT.sub(narrow, mark_variables(word)))


_LEAVES_FRAMES = frozenset({"goto", "back", "forward", "reload", "load-html", "tab", "newtab"})


def _drop_repeats(steps: Sequence[Step]) -> list[Step]:
    """Return the steps without needless `frame` steps and without an `expect` that follows an equal one."""
    found: list[Step] = []
    wanted: list[Step] = []
    """The `frame` steps that lead to the frame of the next step."""
    chosen: list[str] = []
    """The frame that the steps so far have chosen."""
    for step in steps:
        if step.command == "frame":
            wanted = [] if step.text == "frame main" else [*wanted, step]
            continue
        if found and step.command == "expect" and step.words == found[-1].words:
            continue
        if step.command in _LEAVES_FRAMES:
            wanted, chosen = [], []
        elif chosen != [each.text for each in wanted]:
            found += [_make_step("frame", "main")] * bool(chosen) + wanted
            chosen = [each.text for each in wanted]
        found.append(step)
    return found


def _declare_variables(
    steps: Sequence[Step], secrets: SecretVariables, as_variables: Mapping[str, str]
) -> tuple[Variable, ...]:
    """Return declarations of the variables in the steps. A default is left out if it is or has a secret."""
    used = dict.fromkeys(name for step in steps for word in step.words for name in word.variables)
    defaults = {name: value for value, name in as_variables.items()}
    found = []
    for name in used:
        if name in secrets.names or name not in defaults:
            found.append(Variable(name, is_secret=True))
        else:
            value = defaults[name]
            is_plain = value == value.strip() and value.isprintable()
            found.append(Variable(name, value if is_plain and secrets.mask(value) == value else None))
    return tuple(found)


def _propose_variables(chosen: Sequence[_KeptCommand]) -> list[tuple[str, str]]:
    """Return (value, name) for values that steps type and which could become variables (`--as-var`)."""
    found: dict[str, str] = {}
    for kept in chosen:
        for step, proposal in zip(kept.steps, kept.proposals, strict=True):
            if proposal and step.command == "fill" and len(step.words) > 2 and not step.words[2].variables:
                value = step.words[2].text
                if value and len(value) <= 60 and value not in found:
                    found[value] = unused_name(proposal, list(found.values()))
    return list(found.items())
