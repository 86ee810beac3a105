import json
from pathlib import Path
from typing import Any

import pytest

from gstack_browse.agent.local.checks import health
from gstack_browse.errors import FileFailed, UsageError
from tests.each import each, each_row
from tests.unit.agent.local.conftest import Place

URL = "http://localhost:3000/shop"


def issue(
    title: str = "It breaks", severity: str = "high", category: str = "functional", **more: Any
) -> dict[str, Any]:
    return {"title": title, "severity": severity, "category": category, **more}


def findings_of(*issues: dict[str, Any], **more: Any) -> health.Findings:
    return health.parse_findings({"url": URL, "issues": list(issues), **more})


def test_health_is_the_weighted_sum_and_compared_with_a_baseline() -> None:
    assert health.health_score(health.category_scores(findings_of())) == 100
    assert health.health_score(health.category_scores(findings_of(issue()))) == 97  # 15 lost of 20 %
    worst = findings_of(
        *(issue(category=name, severity="critical") for name in health.WEIGHTS for _ in range(4)),
        console_errors=99,
        broken_links=9,
    )
    assert health.health_score(health.category_scores(worst)) == 2  # the console keeps 10 of 15 %
    before = {"health": 90, "issues": [issue("A", page="/", id="ISSUE-001"), issue("B", id="ISSUE-002")]}
    change = health.compare_with_baseline(findings_of(issue(" b "), issue("C", category="ux")), before)
    assert change == (95 - 90, ("ISSUE-001 A (high)",), ("ISSUE-002 C (high)",))


@each_row(
    (findings_of(issue()), "functional", 85),
    (findings_of(*(issue(severity=one) for one in ("critical", "medium", "low"))), "functional", 64),
    (findings_of(*[issue(severity="critical")] * 5), "functional", 0),
    (findings_of(issue(category="ux")), "functional", 100),
    (findings_of(console_errors=1), "console", 70),
    (findings_of(console_errors=3), "console", 70),
    (findings_of(console_errors=4), "console", 40),
    (findings_of(console_errors=10), "console", 40),
    (findings_of(console_errors=11), "console", 10),
    (findings_of(issue(category="console")), "console", 70),
    (findings_of(issue(category="console"), console_errors=11), "console", 10),
    (findings_of(broken_links=2), "links", 70),
    (findings_of(broken_links=9), "links", 0),
    (findings_of(issue(category="links", severity="low")), "links", 85),
)
def test_the_score_of_a_category(findings: health.Findings, category: str, score: int) -> None:
    assert health.category_scores(findings)[category] == score


@each_row(
    ([], "no object"),
    ({"issues": []}, 'no object with a "url"'),
    ({"url": URL, "issues": {}}, '"issues" is no list'),
    ({"url": URL, "issues": [{}]}, "Issue 1 has no title"),
    ({"url": URL, "issues": [issue(), issue(severity="bad")]}, "Issue 2: severity is 'bad'"),
    ({"url": URL, "issues": [issue(category=3)]}, "Issue 1: category is '3'"),
    ({"url": URL, "console_errors": "many"}, '"console_errors" is no number'),
    ({"url": URL, "broken_links": -1}, '"broken_links" is no number'),
)
def test_malformed_findings_are_refused_with_a_reason(fields: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        health.parse_findings(fields)


def write(place: Place, *issues: dict[str, Any], **more: Any) -> None:
    (place.workspace / "findings.json").write_text(json.dumps({"url": URL, "issues": list(issues), **more}))


def test_a_report_with_its_pictures_and_a_baseline(place: Place) -> None:
    shots = place.workspace / ".gstack/qa-reports/screenshots"
    shots.mkdir(parents=True)
    (place.workspace / ".gstack").chmod(0o700)
    (shots / "a b.png").write_bytes(b"png")
    (place.workspace / "log.txt").write_text("x")
    evidence = [".gstack/qa-reports/screenshots/a b.png", "log.txt"]
    write(
        place,
        issue("Broken <b>", "low", page="/cart", steps=["Open", "Press"], actual="500", evidence=evidence),
        issue(severity="critical"),
        pages=["/", "/cart"],
    )
    said = place("qa-report", "findings.json")
    report = Path(said.partition("report: ")[2].partition("\n")[0])
    assert report.parent == place.workspace / ".gstack/qa-reports"
    assert report.name.startswith("qa-report-localhost-3000-20")
    text = report.read_text()
    assert "![.gstack/qa-reports/screenshots/a b.png](screenshots/a%20b.png)" in text
    assert "[log.txt](../../log.txt)" in text
    assert "ISSUE-001: Broken \\<b\\>" in text
    assert text.index("ISSUE-002") < text.index("ISSUE-001")  # the worst first
    assert "| functional | 72 | 20 % |" in text
    assert said.splitlines()[0] == "health: 94"
    baseline = json.loads((report.parent / "baseline.json").read_text())
    assert baseline.keys() == {"date", "url", "health", "categories", "issues"}
    assert baseline["issues"][0].keys() == {"id", "title", "severity", "category", "page", "evidence"}
    assert {path.stat().st_mode & 0o777 for path in report.parent.iterdir() if path.is_file()} == {0o600}
    assert (place.workspace / ".gstack/.gitignore").read_text() == "*\n"


def test_a_later_run_is_compared_with_the_baseline_it_replaces(place: Place) -> None:
    write(place, issue("Old"), issue("Stays"))
    place("qa-report", "findings.json")
    write(place, issue("Stays"))
    said = place("qa-report", "findings.json", "--baseline", ".gstack/qa-reports/baseline.json").splitlines()
    assert "since the baseline: +3, 1 fixed, 0 new" in said
    assert "fixed: ISSUE-001 Old (high)" in said
    assert json.loads((place.workspace / ".gstack/qa-reports/baseline.json").read_text())["health"] == 97


@each(["missing.png", "/etc/hostname", "../outside.png", "link.png"])
def test_evidence_is_in_the_workspace_or_the_issue_is_refused(evidence: str, place: Place) -> None:
    (place.workspace.parent / "outside.png").touch()
    (place.workspace / "link.png").unlink(missing_ok=True)
    (place.workspace / "link.png").symlink_to("/etc/hostname")
    write(place, issue(evidence=[evidence]))
    with pytest.raises(FileFailed, match="Evidence is missing"):
        place("qa-report", "findings.json")
    assert not (place.workspace / ".gstack").exists()


def test_folders_that_a_shell_made_for_its_group_are_closed_to_it(place: Place) -> None:
    (place.workspace / ".gstack").mkdir(mode=0o700)
    folder = place.workspace / ".gstack/qa-reports"
    folder.mkdir()
    folder.chmod(0o2775)
    write(place)
    place("qa-report", "findings.json")
    assert folder.stat().st_mode & 0o7777 == 0o2755


def test_a_planted_report_folder_is_not_written_through(place: Place) -> None:
    (place.workspace.parent / "elsewhere").mkdir()
    (place.workspace / ".gstack").mkdir(mode=0o700)
    (place.workspace / ".gstack/qa-reports").symlink_to("../../elsewhere")
    write(place)
    assert place.reply("qa-report", "findings.json").code == 7
    assert list((place.workspace.parent / "elsewhere").iterdir()) == []


@each(["{", "[" * 100_000, '"\\ud800"'])
def test_findings_that_are_no_json_are_said(text: str, place: Place) -> None:
    (place.workspace / "findings.json").write_text(text)
    assert place.reply("qa-report", "findings.json").code in (1, 2)
