"""The score of a QA report, from its findings: weights, deductions, and what has changed since a baseline. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gstack_browse.errors import UsageError

WEIGHTS = {
    "console": 15, "links": 10, "visual": 10, "functional": 20, "ux": 15, "performance": 10, "content": 5, "accessibility": 15,
}  # fmt: skip
DEDUCTIONS = {"critical": 25, "high": 15, "medium": 8, "low": 3}
_BROKEN_LINK = 15
_CONSOLE = ((0, 100), (3, 70), (10, 40))
_CONSOLE_MORE = 10

assert sum(WEIGHTS.values()) == 100


class Issue(NamedTuple):
    """One finding. `evidence` are paths of pictures and logs, as the file names them."""

    title: str
    severity: str
    category: str
    page: str = ""
    steps: tuple[str, ...] = ()
    expected: str = ""
    actual: str = ""
    evidence: tuple[str, ...] = ()
    id: str = ""


class Findings(NamedTuple):
    """What was found on one visit."""

    url: str
    issues: tuple[Issue, ...]
    console_errors: int
    broken_links: int
    mode: str = ""
    pages: tuple[str, ...] = ()


def findings(fields: Any) -> Findings:
    """The findings in a file's JSON. Raises UsageError naming the field that is wrong."""
    if not isinstance(fields, dict) or not isinstance(fields.get("url"), str):
        raise UsageError('The findings are no object with a "url"', _FORM)
    listed = fields.get("issues", [])
    if not isinstance(listed, list):
        raise UsageError('"issues" is no list', _FORM)
    issues = tuple(_issue(item, number) for number, item in enumerate(listed, 1))
    of_console = sum(issue.category == "console" for issue in issues)
    of_links = sum(issue.category == "links" for issue in issues)
    return Findings(
        url=fields["url"],
        issues=issues,
        console_errors=_count(fields, "console_errors", of_console),
        broken_links=_count(fields, "broken_links", of_links),
        mode=str(fields.get("mode", "")),
        pages=_texts(fields.get("pages", [])),
    )


_FORM = (
    'Write {"url": "…", "console_errors": 0, "broken_links": 0, "issues": [{"title": "…", "severity": "high", "category": "ux", '
    '"page": "…", "evidence": ["….png"]}]}'
)


def _issue(item: Any, number: int) -> Issue:
    if not isinstance(item, dict) or not isinstance(item.get("title"), str) or not item["title"].strip():
        raise UsageError(f"Issue {number} has no title", _FORM)
    for name, known in (("severity", DEDUCTIONS), ("category", WEIGHTS)):
        if item.get(name) not in known:
            raise UsageError(
                f"Issue {number}: {name} is {str(item.get(name))[:40]!a}", f"One of {', '.join(known)}"
            )
    return Issue(
        title=item["title"].strip(),
        severity=item["severity"],
        category=item["category"],
        page=str(item.get("page", "")),
        steps=_texts(item.get("steps", [])),
        expected=str(item.get("expected", "")),
        actual=str(item.get("actual", "")),
        evidence=_texts(item.get("evidence", [])),
        id=str(item.get("id") or f"ISSUE-{number:03}"),
    )


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),) if value else ()


def _count(fields: Mapping[str, Any], name: str, default: int) -> int:
    value = fields.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise UsageError(f'"{name}" is no number of them', _FORM)
    return max(value, default)


def scores(found: Findings) -> dict[str, int]:
    """Each category's score, 0 to 100."""
    result = {}
    for category in WEIGHTS:
        lost = sum(DEDUCTIONS[issue.severity] for issue in found.issues if issue.category == category)
        result[category] = max(0, 100 - lost)
    result["console"] = next((score for most, score in _CONSOLE if found.console_errors <= most), _CONSOLE_MORE)
    result["links"] = max(0, 100 - _BROKEN_LINK * found.broken_links)
    return result


def health(by_category: Mapping[str, int]) -> int:
    """The weighted sum, rounded half up."""
    return (sum(by_category[name] * weight for name, weight in WEIGHTS.items()) + 50) // 100


class Regression(NamedTuple):
    """What has changed since the baseline. Issues are the same by category, page and title; ids may have moved."""

    difference: int
    fixed: tuple[str, ...]
    new: tuple[str, ...]


def regression(found: Findings, baseline: Any) -> Regression:
    """Compare with a baseline file's JSON. Raises UsageError where that is none."""
    if not isinstance(baseline, dict) or not isinstance(baseline.get("health"), int):
        raise UsageError(
            "The baseline is no file that qa-report wrote", "Make one: gbrowse qa-report <findings.json>"
        )
    before = {_identity(item): item for item in baseline.get("issues", []) if isinstance(item, dict)}
    now = {_identity(issue._asdict()): issue for issue in found.issues}
    fixed = tuple(_named(item) for key, item in before.items() if key not in now)
    new = tuple(_named(issue._asdict()) for key, issue in now.items() if key not in before)
    return Regression(health(scores(found)) - baseline["health"], fixed, new)


def _identity(issue: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(issue.get(name, "")).strip().casefold() for name in ("category", "page", "title"))


def _named(issue: Mapping[str, Any]) -> str:
    return f"{issue.get('id', '')} {issue.get('title', '')} ({issue.get('severity', '')})".strip()


def by_severity(issues: Sequence[Issue]) -> list[Issue]:
    """The worst first."""
    order = list(DEDUCTIONS)
    return sorted(issues, key=lambda issue: order.index(issue.severity))
