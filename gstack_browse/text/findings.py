"""Render the findings of axe-core as lines and as JSON. Pure; `browser/output/audit.py` runs axe-core."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any, NamedTuple

from gstack_browse.text.columns import format_count
from gstack_browse.text.sanitise import one_line

IMPACTS = ("critical", "serious", "moderate", "minor")
"""Worst first."""
MOST_SHOWN = 10
"""Limit of elements shown of one rule."""
_MESSAGE_CHARACTERS = 300
_TAG = r"""</?([A-Za-z][\w:-]*)(?:[^<>"]|"[^"]*")*>"""


class AuditedElement(NamedTuple):
    """An element that breaks a rule.

    `what`: the problem on one line; `said`: messages of checks that must all pass; `any_of`: of those of which one must.
    """

    ref: str
    name: str
    html: str
    target: Any
    what: str
    said: list[str]
    any_of: list[str]

    @property
    def line(self) -> str:
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
        """Yield a line for each of the first `most` elements."""
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
        """The number of problems: elements, counted once for each rule that they break."""
        return sum(rule.total for rule in self.violations)

    @property
    def undecided(self) -> int:
        """The number of elements that axe-core cannot decide on."""
        return sum(rule.total for rule in self.incomplete)

    def summary(self) -> str:
        """Return the number of problems by impact, on one line."""
        if not self.violations:
            return f"axe-core found no problems ({format_count(self.passed, 'rule')} passed)"
        found: Counter[str] = Counter()
        for rule in self.violations:
            found[rule.impact] += rule.total
        parts = ", ".join(f"{found[impact]:,} {impact}" for impact in IMPACTS if found[impact])
        return f"axe-core found {format_count(self.count, 'problem')}: {parts}"


def render_findings(rules: list[BrokenRule], *, all: bool) -> list[str]:
    """Render a line for each element, the worst first; of each rule only the first few unless `all`."""
    most = 1_000_000 if all else MOST_SHOWN
    return [line for rule in rules for line in rule.render(most)]


def render_json(report: AuditReport) -> str:
    """Render all findings as JSON."""
    told = {
        "violations": [_rule_json(rule) for rule in report.violations],
        "incomplete": [_rule_json(rule) for rule in report.incomplete],
        "passed": report.passed,
        "framesLeftOut": report.frames_left_out,
        "axe": report.version,
    }
    return json.dumps(told, ensure_ascii=False, indent=1)


def parse_report(told: Mapping[str, Any], named: Mapping[tuple[int, int], tuple[str, str]]) -> AuditReport:
    """Parse the result of `finish-audit.js`. `named` maps an element to its ref and name."""

    def rules(kind: str) -> list[BrokenRule]:
        found = [_parse_rule(rule, named) for rule in told[kind]]
        return sorted(found, key=lambda rule: (IMPACTS.index(rule.impact), -rule.total, rule.id))

    return AuditReport(rules("violations"), rules("incomplete"), told["passed"], told["version"])


def _parse_rule(told: Mapping[str, Any], named: Mapping[tuple[int, int], tuple[str, str]]) -> BrokenRule:
    elements = [_parse_element(element, told["help"], named) for element in told["elements"]]
    impact = told["impact"] if told["impact"] in IMPACTS else IMPACTS[-1]
    return BrokenRule(told["id"], impact, told["help"], told["helpUrl"], told["tags"], told["count"], elements)


def _parse_element(
    told: Mapping[str, Any], help: str, named: Mapping[tuple[int, int], tuple[str, str]]
) -> AuditedElement:
    ref, name = named.get(tuple(told["where"]), ("", "")) if told["where"] else ("", "")
    said = [check["message"] for check in told["checks"]]
    any_of = [check["message"] for check in told["anyOf"]]
    return AuditedElement(
        ref, name, told["html"], told["target"], _describe_problem(told, said, any_of, help), said, any_of
    )


def _describe_problem(told: Mapping[str, Any], said: list[str], any_of: list[str], help: str) -> str:
    """Return the contrast if it is too low, else what must change, else the rule's help."""
    for check in (*told["anyOf"], *told["checks"]):
        if check["contrast"] and check["needed"]:
            return f"{check['contrast']}:1, needs {check['needed']}"
    found = said or (any_of if len(any_of) == 1 else [])
    return one_line("; ".join(found) or help, _MESSAGE_CHARACTERS)


def _quote_name(text: str) -> str:
    return json.dumps(one_line(text, 60), ensure_ascii=False)


def _describe_markup(html: str) -> str:
    """Describe an element without a name by its tag and first words, or its markup."""
    tag = re.match(_TAG, html)
    words = " ".join(re.sub(rf"{_TAG}|<[^<]*\Z", " ", html[tag.end() :]).split()) if tag else ""
    return f"<{tag[1]}> {_quote_name(unescape(words))}" if tag and words else one_line(html, 60)


def _rule_json(rule: BrokenRule) -> dict[str, Any]:
    elements = [
        {
            "ref": one.ref,
            "name": one.name,
            "target": one.target,
            "html": one.html,
            "what": one.what,
            "mustChange": one.said,
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
