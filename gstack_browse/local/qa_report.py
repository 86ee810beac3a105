"""Writes the report of a QA session, with its pictures, and the baseline for the next one: below `.gstack/qa-reports/`, 0600."""

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gstack_browse.errors import FileFailed
from gstack_browse.local import health
from gstack_browse.local.health import Findings, Regression
from gstack_browse.local.private import in_workspace

FOLDER = "qa-reports"
BASELINE = "baseline.json"
MAX_BYTES = 5_000_000
_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg")


def write(findings: Path, baseline: Path | None, workspace: Path) -> str:
    """Write both files. Returns what the caller is told. Raises UsageError for the file's form, FileFailed for evidence that is missing."""
    found = health.findings(_json(findings))
    change = health.regression(found, _json(baseline)) if baseline else None
    place = in_workspace(workspace)
    folder = place.path_of("", folder=FOLDER)
    evidence = {
        path: _located(path, workspace, findings.parent) for issue in found.issues for path in issue.evidence
    }
    shown = {path: os.path.relpath(target, folder) for path, target in evidence.items()}
    now = time.strftime("%Y-%m-%d", time.localtime())
    report = place.write(
        report_name(found.url, now), report_text(found, change, shown, now).encode(), folder=FOLDER
    )
    kept = place.write(BASELINE, baseline_text(found, now).encode(), folder=FOLDER)
    return "\n".join([*_summary(found, change), f"report: {report}", f"baseline: {kept}"])


def _json(path: Path) -> Any:
    try:
        with open(path, "rb") as file:
            return json.loads(file.read(MAX_BYTES + 1))
    except (OSError, ValueError, RecursionError) as error:
        raise FileFailed(f"{path.name} cannot be read as JSON: {error}") from None


def _located(evidence: str, workspace: Path, beside: Path) -> Path:
    """The file that is meant, which must be there and in the workspace."""
    root = Path(os.path.realpath(workspace))
    for place in (workspace, beside, workspace / ".gstack" / FOLDER):
        path = Path(os.path.realpath(place / evidence))
        if path.is_file() and root in path.parents:
            return path
    raise FileFailed(
        f"Evidence is missing: {evidence[:200]}",
        "Name a file in the workspace, or take the issue out: what is not seen is not reported",
    )


def _netloc(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:  # "http://[x"
        return ""


def report_name(url: str, date: str) -> str:
    """The name of a report's file, after the host of the site."""
    host = re.sub(r"[^a-z0-9.-]+", "-", (_netloc(url).rpartition("@")[2] or "page").lower()).strip("-.")
    return f"qa-report-{host[:80] or 'page'}-{date}.md"


def _summary(found: Findings, change: Regression | None) -> list[str]:
    scores = health.scores(found)
    counts = [
        f"{count} {severity}"
        for severity in health.DEDUCTIONS
        if (count := sum(issue.severity == severity for issue in found.issues))
    ]
    lines = [
        f"health: {health.health(scores)}",
        "scores: " + ", ".join(f"{name} {score}" for name, score in scores.items()),
    ]
    lines.append("issues: " + (", ".join(counts) or "none"))
    if change:
        lines.append(
            f"since the baseline: {change.difference:+d}, {len(change.fixed)} fixed, {len(change.new)} new"
        )
        lines += [f"fixed: {name}" for name in change.fixed] + [f"new: {name}" for name in change.new]
    return lines


def baseline_text(found: Findings, date: str) -> str:
    """The file that a later run is compared with."""
    scores = health.scores(found)
    kept = ("id", "title", "severity", "category", "page", "evidence")
    fields = {
        "date": date,
        "url": found.url,
        "health": health.health(scores),
        "categories": scores,
        "issues": [{name: issue._asdict()[name] for name in kept} for issue in found.issues],
    }
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


def report_text(found: Findings, change: Regression | None, shown: dict[str, str], date: str) -> str:
    """The report as Markdown. What comes from pages is quoted as text: it may hold Markdown and HTML of its own."""
    scores = health.scores(found)
    lines = [
        f"# QA report: {_text(found.url)}",
        "",
        f"{date}{', ' + _text(found.mode) if found.mode else ''}",
        "",
    ]
    lines += [f"**Health {health.health(scores)}** of 100; {len(found.issues)} issues.", ""]
    lines += ["| category | score | weight |", "|---|---|---|"]
    lines += [f"| {name} | {score} | {health.WEIGHTS[name]} % |" for name, score in scores.items()]
    lines += ["", f"Console errors: {found.console_errors}. Broken links: {found.broken_links}."]
    if found.pages:
        lines += ["", "## Pages", "", *(f"- {_text(page)}" for page in found.pages)]
    if change:
        lines += ["", "## Since the baseline", "", f"Score {change.difference:+d}.", ""]
        lines += [f"- fixed: {_text(name)}" for name in change.fixed] + [
            f"- new: {_text(name)}" for name in change.new
        ]
    lines += ["", "## Issues", ""]
    for issue in health.by_severity(found.issues):
        lines += [*_issue_lines(issue, shown), ""]
    return "\n".join(lines if found.issues else [*lines, "None."]).rstrip() + "\n"


def _issue_lines(issue: health.Issue, shown: dict[str, str]) -> Iterator[str]:
    yield f"### {_text(issue.id)}: {_text(issue.title)}"
    yield ""
    yield f"{issue.severity}, {issue.category}{', ' + _text(issue.page) if issue.page else ''}"
    if issue.steps:
        yield ""
        yield from (f"{number}. {_text(step)}" for number, step in enumerate(issue.steps, 1))
    for label, text in (("Expected", issue.expected), ("Actual", issue.actual)):
        if text:
            yield ""
            yield f"{label}: {_text(text)}"
    for path in issue.evidence:
        target = _target(shown[path])
        yield ""
        yield (
            f"![{_text(path)}]({target})" if path.lower().endswith(_PICTURES) else f"[{_text(path)}]({target})"
        )


def _text(text: str) -> str:
    """One line in which nothing is Markdown or HTML."""
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", " ".join(text.split())[:2000])


def _target(path: str) -> str:
    from urllib.parse import quote

    return quote(path)
