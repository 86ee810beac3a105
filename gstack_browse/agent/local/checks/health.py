"""The health score of a QA report: weights, deductions, and changes since a baseline. Pure."""

from collections.abc import Mapping
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
    """An issue found by QA. `evidence`: paths of pictures and logs, as the findings' file names them."""

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
    """The findings of one QA session."""

    url: str
    issues: tuple[Issue, ...]
    console_errors: int
    broken_links: int
    mode: str = ""
    pages: tuple[str, ...] = ()


def parse_findings(fields: Any) -> Findings:
    """Convert the parsed JSON of a findings' file. Raises UsageError, which names the malformed field."""
    if not isinstance(fields, dict) or not isinstance(fields.get("url"), str):
        raise UsageError('The findings are no object with a "url"', _FORM)
    listed = fields.get("issues", [])
    if not isinstance(listed, list):
        raise UsageError('"issues" is no list', _FORM)
    issues = tuple(_parse_issue(item, number) for number, item in enumerate(listed, 1))
    of_console = sum(issue.category == "console" for issue in issues)
    of_links = sum(issue.category == "links" for issue in issues)
    return Findings(
        url=fields["url"],
        issues=issues,
        console_errors=_parse_count(fields, "console_errors", of_console),
        broken_links=_parse_count(fields, "broken_links", of_links),
        mode=str(fields.get("mode", "")),
        pages=_to_texts(fields.get("pages", [])),
    )


_FORM = (
    'Write {"url": "…", "console_errors": 0, "broken_links": 0, "issues": [{"title": "…", "severity": "high", "category": "ux", '
    '"page": "…", "evidence": ["….png"]}]}'
)


def _parse_issue(item: Any, number: int) -> Issue:
    """Convert the JSON of one issue; `number` (from 1) gives it an `id` if it has none. Raises UsageError."""
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
        steps=_to_texts(item.get("steps", [])),
        expected=str(item.get("expected", "")),
        actual=str(item.get("actual", "")),
        evidence=_to_texts(item.get("evidence", [])),
        id=str(item.get("id") or f"ISSUE-{number:03}"),
    )


def _to_texts(value: Any) -> tuple[str, ...]:
    """Return the items of a JSON list as strings; a tuple of one for a single value, () for an empty one."""
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),) if value else ()


def _parse_count(fields: Mapping[str, Any], name: str, default: int) -> int:
    """Return the number in field `name`, but at least `default`. Raises UsageError if it is no number."""
    value = fields.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise UsageError(f'"{name}" is no number of them', _FORM)
    return max(value, default)


def category_scores(found: Findings) -> dict[str, int]:
    """Return category (of WEIGHTS) → its score, 0 to 100: 100 without the deductions for its issues."""
    result = {}
    for category in WEIGHTS:
        lost = sum(DEDUCTIONS[issue.severity] for issue in found.issues if issue.category == category)
        result[category] = max(0, 100 - lost)
    result["console"] = next((score for most, score in _CONSOLE if found.console_errors <= most), _CONSOLE_MORE)
    result["links"] = max(0, 100 - _BROKEN_LINK * found.broken_links)
    return result


def health_score(by_category: Mapping[str, int]) -> int:
    """Return the mean of the categories' scores (0 to 100), weighted by WEIGHTS and rounded half up."""
    return (sum(by_category[name] * weight for name, weight in WEIGHTS.items()) + 50) // 100


class Regression(NamedTuple):
    """Changes since the baseline. Issues are matched by category, page and title, as ids may change."""

    difference: int
    fixed: tuple[str, ...]
    new: tuple[str, ...]


def compare_with_baseline(found: Findings, baseline: Any) -> Regression:
    """Compare findings with an earlier baseline (parsed JSON). Raises UsageError if it is no baseline."""
    if not isinstance(baseline, dict) or not isinstance(baseline.get("health"), int):
        raise UsageError(
            "The baseline is no file that qa-report wrote", "Make one: gbrowse qa-report <findings.json>"
        )
    before = {_issue_key(item): item for item in baseline.get("issues", []) if isinstance(item, dict)}
    now = {_issue_key(issue._asdict()): issue for issue in found.issues}
    fixed = tuple(_describe_issue(item) for key, item in before.items() if key not in now)
    new = tuple(_describe_issue(issue._asdict()) for key, issue in now.items() if key not in before)
    return Regression(health_score(category_scores(found)) - baseline["health"], fixed, new)


def _issue_key(issue: Mapping[str, Any]) -> tuple[str, ...]:
    """Return an issue's category, page and title in lower case: issues with equal keys count as the same."""
    return tuple(str(issue.get(name, "")).strip().casefold() for name in ("category", "page", "title"))


def _describe_issue(issue: Mapping[str, Any]) -> str:
    """Return an issue's id, title and severity on one line."""
    return f"{issue.get('id', '')} {issue.get('title', '')} ({issue.get('severity', '')})".strip()
