"""Write the report of a QA session, and the baseline for the next one, below `.gstack/qa-reports/`."""

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gstack_browse.agent.local.checks import health
from gstack_browse.agent.local.checks.health import Findings, Regression
from gstack_browse.errors import FileFailed
from gstack_browse.text.addresses import site_of
from gstack_browse.workspace.private_files import open_in_workspace

FOLDER = "qa-reports"
BASELINE = "baseline.json"
MAX_BYTES = 5_000_000
_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg")


def write_report(findings: Path, baseline: Path | None, workspace: Path) -> str:
    """Write the report on a QA session's `findings` (a JSON file), and the baseline for the next one.

    Both go into the workspace's FOLDER. Return the reply's text. `baseline`: of an earlier session, to report changes.
    Raises UsageError for malformed findings, FileFailed for missing evidence or files that cannot be read.
    """
    found = health.parse_findings(_read_json(findings))
    change = health.compare_with_baseline(found, _read_json(baseline)) if baseline else None
    place = open_in_workspace(workspace)
    folder = place.path_of("", folder=FOLDER)
    evidence = {
        path: _locate_evidence(path, workspace, findings.parent)
        for issue in found.issues
        for path in issue.evidence
    }
    shown = {path: os.path.relpath(target, folder) for path, target in evidence.items()}
    now = time.strftime("%Y-%m-%d", time.localtime())
    report = place.write(
        report_file_name(found.url, now), render_report(found, change, shown, now).encode(), folder=FOLDER
    )
    kept = place.write(BASELINE, render_baseline(found, now).encode(), folder=FOLDER)
    return "\n".join([*_summary_lines(found, change), f"report: {report}", f"baseline: {kept}"])


def _read_json(path: Path) -> Any:
    """Read a JSON file. Raises FileFailed if it cannot be read or parsed."""
    try:
        with open(path, "rb") as file:
            return json.loads(file.read(MAX_BYTES + 1))
    except (OSError, ValueError, RecursionError) as error:
        raise FileFailed(f"{path.name} cannot be read as JSON: {error}") from None


def _locate_evidence(evidence: str, workspace: Path, beside: Path) -> Path:
    """Return an evidence file's full path. Raises FileFailed unless it exists and is in the workspace.

    `evidence` is relative to the workspace, to `beside` (the findings' directory) or to the reports' directory.
    """
    root = Path(os.path.realpath(workspace))
    for place in (workspace, beside, workspace / ".gstack" / FOLDER):
        path = Path(os.path.realpath(place / evidence))
        if path.is_file() and root in path.parents:
            return path
    raise FileFailed(
        f"Evidence is missing: {evidence[:200]}",
        "Name a file in the workspace, or take the issue out: what is not seen is not reported",
    )


def report_file_name(url: str, date: str) -> str:
    """Return the name of a report's file, such as `qa-report-shop.example-2026-03-01.md`."""
    host = re.sub(r"[^a-z0-9.-]+", "-", (site_of(url).partition("://")[2] or "page").lower()).strip("-.")
    return f"qa-report-{host[:80] or 'page'}-{date}.md"


def _summary_lines(found: Findings, change: Regression | None) -> list[str]:
    """Return scores, numbers of issues, and changes since the baseline as lines of the reply."""
    scores = health.category_scores(found)
    counts = [
        f"{count} {severity}"
        for severity in health.DEDUCTIONS
        if (count := sum(issue.severity == severity for issue in found.issues))
    ]
    lines = [
        f"health: {health.health_score(scores)}",
        "scores: " + ", ".join(f"{name} {score}" for name, score in scores.items()),
    ]
    lines.append("issues: " + (", ".join(counts) or "none"))
    if change:
        lines.append(
            f"since the baseline: {change.difference:+d}, {len(change.fixed)} fixed, {len(change.new)} new"
        )
        lines += [f"fixed: {name}" for name in change.fixed] + [f"new: {name}" for name in change.new]
    return lines


def render_baseline(found: Findings, date: str) -> str:
    """Render findings and their scores as the JSON of a baseline, with which a later session is compared."""
    scores = health.category_scores(found)
    kept = ("id", "title", "severity", "category", "page", "evidence")
    fields = {
        "date": date,
        "url": found.url,
        "health": health.health_score(scores),
        "categories": scores,
        "issues": [{name: issue._asdict()[name] for name in kept} for issue in found.issues],
    }
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


def render_report(found: Findings, change: Regression | None, shown: dict[str, str], date: str) -> str:
    """Render the QA report as Markdown. `change`: since the baseline, if there is one.

    Texts of pages are escaped: they may contain Markdown and HTML of their own. `shown` maps evidence to its path
    relative to the report.
    """
    scores = health.category_scores(found)
    mode = f", {_escape_markdown(found.mode)}" if found.mode else ""
    lines = [f"# QA report: {_escape_markdown(found.url)}", "", f"{date}{mode}", ""]
    lines += [f"**Health {health.health_score(scores)}** of 100; {len(found.issues)} issues.", ""]
    lines += ["| category | score | weight |", "|---|---|---|"]
    lines += [f"| {name} | {score} | {health.WEIGHTS[name]} % |" for name, score in scores.items()]
    lines += ["", f"Console errors: {found.console_errors}. Broken links: {found.broken_links}."]
    if found.pages:
        lines += ["", "## Pages", "", *(f"- {_escape_markdown(page)}" for page in found.pages)]
    if change:
        lines += ["", "## Since the baseline", "", f"Score {change.difference:+d}.", ""]
        lines += [f"- fixed: {_escape_markdown(name)}" for name in change.fixed]
        lines += [f"- new: {_escape_markdown(name)}" for name in change.new]
    lines += ["", "## Issues", ""]
    worst_first = list(health.DEDUCTIONS)
    for issue in sorted(found.issues, key=lambda issue: worst_first.index(issue.severity)):
        lines += [*_render_issue(issue, shown), ""]
    return "\n".join(lines if found.issues else [*lines, "None."]).rstrip() + "\n"


def _render_issue(issue: health.Issue, shown: dict[str, str]) -> Iterator[str]:
    """Yield the Markdown lines of one issue. `shown`: evidence → its path relative to the report."""
    yield f"### {_escape_markdown(issue.id)}: {_escape_markdown(issue.title)}"
    yield ""
    yield f"{issue.severity}, {issue.category}{', ' + _escape_markdown(issue.page) if issue.page else ''}"
    if issue.steps:
        yield ""
        yield from (f"{number}. {_escape_markdown(step)}" for number, step in enumerate(issue.steps, 1))
    for label, text in (("Expected", issue.expected), ("Actual", issue.actual)):
        if text:
            yield ""
            yield f"{label}: {_escape_markdown(text)}"
    for path in issue.evidence:
        target = quote(shown[path])
        yield ""
        yield (
            f"![{_escape_markdown(path)}]({target})"
            if path.lower().endswith(_PICTURES)
            else f"[{_escape_markdown(path)}]({target})"
        )


def _escape_markdown(text: str) -> str:
    """Return a text on one line, at most 2000 characters, with Markdown and HTML escaped."""
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", " ".join(text.split())[:2000])
