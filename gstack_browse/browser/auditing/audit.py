"""Audit the page that a tab shows with axe-core, in every frame, and print the report."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any, NamedTuple

from gstack_browse.browser.actions.locate.find import locate_first
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.engine.messages import FrameGone, JsonValue, NoDocument, PageScriptError
from gstack_browse.browser.reading import page_scripts
from gstack_browse.browser.reading.page_scripts import AXE
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry.suggest import nearest
from gstack_browse.text.sanitise import one_line, quote_text
from gstack_browse.text.units import format_count

IMPACTS = ("critical", "serious", "moderate", "minor")
"""Worst first."""
MOST_SHOWN = 10
"""Limit of elements shown of one rule."""
_MESSAGE_CHARACTERS = 300
_TAG = r"""</?([A-Za-z][\w:-]*)(?:[^<>"]|"[^"]*")*>"""


class AuditedElement(NamedTuple):
    """An element that breaks a rule.

    `what`: the problem on one line; `all_of`: messages of checks that must all pass; `any_of`: of those of which one must.
    """

    ref: str
    name: str
    html: str
    target: Any
    what: str
    all_of: list[str]
    any_of: list[str]

    @property
    def line(self) -> str:
        """Return the element's line in the report: ref, name or markup, and what is wrong with it."""
        shown = _quote_name(self.name) if self.name else _describe_markup(self.html)
        return f"{' '.join(filter(None, [self.ref, shown]))}: {self.what}"


class BrokenRule(NamedTuple):
    """A rule of axe-core with the elements that break it or that it cannot decide on; `total` counts all."""

    id: str
    impact: str
    help: str
    help_url: str
    tags: list[str]
    total: int
    elements: list[AuditedElement]

    def render(self, most: int) -> Iterator[str]:
        """Yield a line for each of the first `most` elements, and a last one with the number of the others."""
        shown = self.elements[:most]
        for element in shown:
            yield f"{self.impact} {self.id} {element.line}"
        if more := self.total - len(shown):
            yield f"… {format_count(more, 'more element')} of {self.id}" + (
                "" if most > MOST_SHOWN else ": audit --all"
            )


@dataclass
class AuditReport:
    """The result of axe-core: broken rules, undecided ones, and the number of passed rules."""

    violations: list[BrokenRule]
    incomplete: list[BrokenRule]
    passed: int
    version: str
    frames_left_out: int = 0

    @property
    def count(self) -> int:
        """Return the number of problems: elements, counted once for each rule that they break."""
        return sum(rule.total for rule in self.violations)

    @property
    def undecided(self) -> int:
        """Return for how many elements axe-core could not decide whether they break a rule."""
        return sum(rule.total for rule in self.incomplete)

    def summary(self) -> str:
        """Return the number of problems by impact: `axe-core found 3 problems: 1 critical, 2 minor`."""
        if not self.violations:
            return f"axe-core found no problems ({format_count(self.passed, 'rule')} passed)"
        found: Counter[str] = Counter()
        for rule in self.violations:
            found[rule.impact] += rule.total
        parts = ", ".join(f"{found[impact]:,} {impact}" for impact in IMPACTS if found[impact])
        return f"axe-core found {format_count(self.count, 'problem')}: {parts}"


def render_findings(rules: list[BrokenRule], *, all: bool) -> list[str]:
    """Render broken rules, worst first: a line for each element, at most MOST_SHOWN a rule unless `all`."""
    most = 1_000_000 if all else MOST_SHOWN
    return [line for rule in rules for line in rule.render(most)]


def render_json(report: AuditReport) -> str:
    """Render the broken rules and the undecided ones, with their elements, as JSON."""
    answer = {
        "violations": [_rule_json(rule) for rule in report.violations],
        "incomplete": [_rule_json(rule) for rule in report.incomplete],
        "passed": report.passed,
        "framesLeftOut": report.frames_left_out,
        "axe": report.version,
    }
    return json.dumps(answer, ensure_ascii=False, indent=1)


def parse_report(
    answer: Mapping[str, Any], names_by_node: Mapping[tuple[int, int], tuple[str, str]]
) -> AuditReport:
    """Parse axe-core's result for all frames. `names_by_node`: (frame number, node id) → (ref, name)."""

    def rules(kind: str) -> list[BrokenRule]:
        found = [_parse_rule(rule, names_by_node) for rule in answer[kind]]
        return sorted(found, key=lambda rule: (IMPACTS.index(rule.impact), -rule.total, rule.id))

    return AuditReport(rules("violations"), rules("incomplete"), answer["passed"], answer["version"])


def _parse_rule(
    answer: Mapping[str, Any], names_by_node: Mapping[tuple[int, int], tuple[str, str]]
) -> BrokenRule:
    """Parse a rule of axe-core's result, with the elements that break it or that axe cannot decide about.

    `names_by_node`: (frame number, node id) → (ref, name).
    """
    elements = [_parse_element(element, answer["help"], names_by_node) for element in answer["elements"]]
    impact = answer["impact"] if answer["impact"] in IMPACTS else IMPACTS[-1]
    return BrokenRule(
        answer["id"], impact, answer["help"], answer["helpUrl"], answer["tags"], answer["count"], elements
    )


def _parse_element(
    answer: Mapping[str, Any], help: str, names_by_node: Mapping[tuple[int, int], tuple[str, str]]
) -> AuditedElement:
    """Parse an element that breaks a rule, or that axe-core cannot decide about.

    Args:
        help: the rule's title, for checks without a message
        names_by_node: (frame number, node id) → (ref, name)
    """
    ref, name = names_by_node.get(tuple(answer["where"]), ("", "")) if answer["where"] else ("", "")
    all_of = [check["message"] for check in answer["checks"]]
    any_of = [check["message"] for check in answer["anyOf"]]
    return AuditedElement(
        ref,
        name,
        answer["html"],
        answer["target"],
        _describe_problem(answer, all_of, any_of, help),
        all_of,
        any_of,
    )


def _describe_problem(answer: Mapping[str, Any], all_of: list[str], any_of: list[str], help: str) -> str:
    """Return what is wrong with an element, in words: its contrast, else what must change, else `help`.

    Args:
        answer: the element in axe-core's result
        all_of: messages of the checks that must all be mended
        any_of: messages of the checks of which one must be mended
        help: the rule's title
    """
    for check in (*answer["anyOf"], *answer["checks"]):
        if check["contrast"] and check["needed"]:
            return f"{check['contrast']}:1, needs {check['needed']}"
    found = all_of or (any_of if len(any_of) == 1 else [])
    return one_line("; ".join(found) or help, _MESSAGE_CHARACTERS)


def _quote_name(text: str) -> str:
    """Return an element's name in quotes, shortened to 60 characters."""
    return json.dumps(one_line(text, 60), ensure_ascii=False)


def _describe_markup(html: str) -> str:
    """Describe an element without a name by its tag and first words; if it has no text, by its markup."""
    tag = re.match(_TAG, html)
    words = " ".join(re.sub(rf"{_TAG}|<[^<]*\Z", " ", html[tag.end() :]).split()) if tag else ""
    return f"<{tag[1]}> {_quote_name(unescape(words))}" if tag and words else one_line(html, 60)


def _rule_json(rule: BrokenRule) -> dict[str, Any]:
    """Convert a broken rule to a JSON object."""
    elements = [
        {
            "ref": one.ref,
            "name": one.name,
            "target": one.target,
            "html": one.html,
            "what": one.what,
            "mustChange": one.all_of,
            "oneOf": one.any_of,
        }
        for one in rule.elements
    ]
    return {
        "id": rule.id,
        "impact": rule.impact,
        "help": rule.help,
        "helpUrl": rule.help_url,
        "tags": rule.tags,
        "count": rule.total,
        "elements": elements,
    }


MOST_ELEMENTS = 5_000
"""Elements of one audit that are reported with refs; all are counted."""
MOST_FRAMES = 100
_IS_LOADED_EXPRESSION = "typeof globalThis.axe?.runPartial === 'function'"
_TAGS = "JSON.stringify([...new Set(axe.getRules().flatMap((rule) => rule.tags))].sort())"


@dataclass
class _Audit:
    """An audit in progress. Frames are in the order in which axe-core merges their results."""

    page: PageCommand
    options: JsonValue
    contexts: list[ExecutionContext] = field(default_factory=list)
    partials: list[str | None] = field(default_factory=list)
    """Axe's result for each frame except the first; None for one that could not be audited."""

    async def audit_frame(
        self, context: ExecutionContext, *, node: int = 0, axe_context: JsonValue = None
    ) -> None:
        """Audit the document of a frame, or its element `node`, with all frames inside. Adds to `partials`.

        `axe_context`: what axe-core returned for this frame in its parent; None for the outermost. Raises FrameGone,
        PageScriptError, or ProtocolError.
        """
        await page_scripts.load_library(context, AXE, _IS_LOADED_EXPRESSION)
        number = len(self.contexts)
        argument = {"number": number, "node": node, "context": axe_context, "options": self.options}
        result = await page_scripts.call_script(context, "auditFrame", argument)
        if result is None:
            raise FrameGone("The element is gone")
        self.contexts.append(context)
        if number:
            self.partials.append(result["partial"])
        for iframe, inner_context in result["frames"]:
            await self._audit_child(context, iframe, inner_context)

    async def _audit_child(self, context: ExecutionContext, node: int, axe_context: JsonValue) -> None:
        """Audit an iframe's document. If that fails, add None to `partials`: axe expects a result for each.

        Args:
            context: of the document that contains the iframe
            node: node id of the iframe there
            axe_context: what axe-core returned for it
        """
        audited = len(self.contexts)
        try:
            child = (
                await self.page.world.frames.child_context(context, node)
                if node and audited < MOST_FRAMES
                else None
            )
            if child is None:
                raise NoDocument
            await self.audit_frame(child, axe_context=axe_context)
        except (FrameGone, PageScriptError, ProtocolError):
            if self.page.tab.page.is_closed():
                raise
            if len(self.contexts) == audited:
                self.partials.append(None)


async def audit(page: PageCommand, target: str | None, tags: list[str]) -> AuditReport:
    """Audit the accessibility of an element, or of the current frame if `target` is None, by axe-core.

    `tags`: use only rules that have one of these, such as "wcag2aa"; [] for all.

    Raises UsageError for an unknown tag, ActionFailed if axe-core itself fails.
    """
    element = await locate_first(page, target) if target else None
    try:
        await page.tab.refs.take_snapshot()
        context = await page.world.frames.context_of(element.frame if element else page.frame)
        await page_scripts.load_library(context, AXE, _IS_LOADED_EXPRESSION)
        await _check_tags(context, tags)
        run = _Audit(page, _build_options(tags))
        await run.audit_frame(context, node=element.node if element else 0)
        result = await page_scripts.call_script(
            context, "finishAudit", {"partials": run.partials, "options": run.options, "most": MOST_ELEMENTS}
        )
        report = parse_report(result, await _name_elements(page, run.contexts, result))
    except PageScriptError as error:
        raise ActionFailed(
            f"axe-core failed: {one_line(str(error), 300)}", "Audit a part of the page: audit main"
        ) from None
    report.frames_left_out = run.partials.count(None)
    return report


def _build_options(tags: list[str]) -> dict[str, JsonValue]:
    """Return axe's options: rules with one of the tags ([]: all), and no descriptions of rules that pass."""
    options: dict[str, JsonValue] = {"resultTypes": ["violations", "incomplete"]}
    return {**options, "runOnly": {"type": "tag", "values": tags}} if tags else options


async def _check_tags(context: ExecutionContext, tags: list[str]) -> None:
    """Raise UsageError for a tag that no rule has. `context`: a document in which axe-core is loaded."""
    if not tags:
        return
    known: list[str] = await page_scripts.evaluate_json(context, _TAGS)
    for tag in tags:
        if tag not in known:
            near = nearest(tag, known)
            shown = ", ".join(name for name in known if name.startswith(("wcag2", "best", "section508")))
            hint = f"Did you mean {near}?" if near else f"For example {one_line(shown, 600)}"
            raise UsageError(f"No rule of axe-core has the tag {quote_text(tag, 60)}", hint)


async def _name_elements(
    page: PageCommand, contexts: list[ExecutionContext], result: dict[str, Any]
) -> dict[tuple[int, int], tuple[str, str]]:
    """Return (frame number, node id) → (ref, name) for all elements in axe-core's `result`.

    `contexts`: those of the audited documents, by frame number. Elements of a frame that was removed are left out.
    """
    nodes_by_frame: dict[int, dict[int, None]] = {}
    for rule in (*result["violations"], *result["incomplete"]):
        for element in rule["elements"]:
            if element["where"]:
                number, node = element["where"]
                nodes_by_frame.setdefault(number, {})[node] = None
    names: dict[tuple[int, int], tuple[str, str]] = {}
    for number, nodes in nodes_by_frame.items():
        try:
            found = await page.tab.refs.refs_and_names(contexts[number], list(nodes))
        except FrameGone:
            continue  # what was found is told without refs
        names |= {(number, node): name for node, name in zip(nodes, found, strict=True)}
    return names
