"""What axe-core has found, as lines and as JSON. Pure; `browser/output/audit.py` asks axe-core."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any, NamedTuple

from gstack_browse.text.columns import counted
from gstack_browse.text.sanitise import one_line

IMPACTS = ("critical", "serious", "moderate", "minor")
"""Worst first."""
MOST_SHOWN = 10
"""Elements of one rule."""
_MESSAGE_CHARACTERS = 300
_TAG = r"""</?([A-Za-z][\w:-]*)(?:[^<>"]|"[^"]*")*>"""


class AuditedElement(NamedTuple):
    """One element that breaks a rule. `what` is a line, `said` what axe's checks say, `any_of` those of which one would do."""

    ref: str
    name: str
    html: str
    target: Any
    what: str
    said: list[str]
    any_of: list[str]

    @property
    def line(self) -> str:
        shown = _quoted(self.name) if self.name else _as_it_reads(self.html)
        return f"{' '.join(filter(None, [self.ref, shown]))}: {self.what}"


class BrokenRule(NamedTuple):
    """A rule of axe-core with the elements that break it, or that it cannot decide on; `total` is of all of these."""

    id: str
    impact: str
    help: str
    help_url: str
    tags: list[str]
    total: int
    elements: list[AuditedElement]

    def lines(self, most: int) -> Iterator[str]:
        """A line for each element, at most so many."""
        shown = self.elements[:most]
        for element in shown:
            yield f"{self.impact} {self.id} {element.line}"
        if more := self.total - len(shown):
            yield f"… {counted(more, 'more element')} of {self.id}" + (
                "" if most > MOST_SHOWN else ": audit --all"
            )


@dataclass
class AuditReport:
    """What axe-core says of a page: what is wrong, what it cannot decide, and how many rules are kept everywhere."""

    violations: list[BrokenRule]
    incomplete: list[BrokenRule]
    passed: int
    version: str
    frames_left_out: int = 0

    @property
    def count(self) -> int:
        """How many elements break a rule, each once for every rule."""
        return sum(rule.total for rule in self.violations)

    @property
    def undecided(self) -> int:
        """How many elements axe-core cannot decide on."""
        return sum(rule.total for rule in self.incomplete)

    def summary(self) -> str:
        """How much is wrong, in one line."""
        if not self.violations:
            return f"axe-core found no problems ({counted(self.passed, 'rule')} passed)"
        found: Counter[str] = Counter()
        for rule in self.violations:
            found[rule.impact] += rule.total
        parts = ", ".join(f"{found[impact]:,} {impact}" for impact in IMPACTS if found[impact])
        return f"axe-core found {counted(self.count, 'problem')}: {parts}"


def lines(rules: list[BrokenRule], *, all: bool) -> list[str]:
    """A line for each element, the worst first; of each rule the first few, unless `all`."""
    most = 1_000_000 if all else MOST_SHOWN
    return [line for rule in rules for line in rule.lines(most)]


def as_json(report: AuditReport) -> str:
    """All that is known, without what is only for a line."""
    told = {
        "violations": [_plain(rule) for rule in report.violations],
        "incomplete": [_plain(rule) for rule in report.incomplete],
        "passed": report.passed,
        "framesLeftOut": report.frames_left_out,
        "axe": report.version,
    }
    return json.dumps(told, ensure_ascii=False, indent=1)


def reported(told: Mapping[str, Any], named: Mapping[tuple[int, int], tuple[str, str]]) -> AuditReport:
    """The report from what `finish-audit.js` answers; `named` has ref and name of the elements."""

    def rules(kind: str) -> list[BrokenRule]:
        found = [_rule(rule, named) for rule in told[kind]]
        return sorted(found, key=lambda rule: (IMPACTS.index(rule.impact), -rule.total, rule.id))

    return AuditReport(rules("violations"), rules("incomplete"), told["passed"], told["version"])


def _rule(told: Mapping[str, Any], named: Mapping[tuple[int, int], tuple[str, str]]) -> BrokenRule:
    elements = [_audited(element, told["help"], named) for element in told["elements"]]
    impact = told["impact"] if told["impact"] in IMPACTS else IMPACTS[-1]
    return BrokenRule(told["id"], impact, told["help"], told["helpUrl"], told["tags"], told["count"], elements)


def _audited(
    told: Mapping[str, Any], help: str, named: Mapping[tuple[int, int], tuple[str, str]]
) -> AuditedElement:
    ref, name = named.get(tuple(told["where"]), ("", "")) if told["where"] else ("", "")
    said = [check["message"] for check in told["checks"]]
    any_of = [check["message"] for check in told["anyOf"]]
    return AuditedElement(
        ref, name, told["html"], told["target"], _what(told, said, any_of, help), said, any_of
    )


def _what(told: Mapping[str, Any], said: list[str], any_of: list[str], help: str) -> str:
    """The contrast where that is too low; else what has to be changed, or where there are several ways, what the rule wants."""
    for check in (*told["anyOf"], *told["checks"]):
        if check["contrast"] and check["needed"]:
            return f"{check['contrast']}:1, needs {check['needed']}"
    found = said or (any_of if len(any_of) == 1 else [])
    return one_line("; ".join(found) or help, _MESSAGE_CHARACTERS)


def _quoted(text: str) -> str:
    return json.dumps(one_line(text, 60), ensure_ascii=False)


def _as_it_reads(html: str) -> str:
    """Of an element without a name its tag and the first words in it, or where it has none its markup."""
    tag = re.match(_TAG, html)
    words = " ".join(re.sub(rf"{_TAG}|<[^<]*\Z", " ", html[tag.end() :]).split()) if tag else ""
    return f"<{tag[1]}> {_quoted(unescape(words))}" if tag and words else one_line(html, 60)


def _plain(rule: BrokenRule) -> dict[str, Any]:
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
