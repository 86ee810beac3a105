"""Test the live view and the report, also with contents that are hostile, broken or gone."""

import io
import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evals import report
from tests.evals.cli import main
from tests.evals.compare import compared
from tests.evals.result import Result, ToolCall
from tests.evals.run import Run, Setting
from tests.evals.store import Store
from tests.evals.watch import STILL_SECONDS, frame, watch
from tests.unit.evals.made import outcome, run_of
from tests.unit.hostile import tried

SETTING = Setting(agent="scripted")
HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J\u202e"


def running(*tests: Result, **facts: object) -> Run:
    process = psutil.Process()
    run = replace(run_of(*tests, partial=True), total=40, pid=process.pid, born=process.create_time())
    return replace(run, **facts)


def test_a_view_tells_how_far_a_run_is_and_warns() -> None:
    run = running(outcome("a"), outcome("b", passed=False, exit_reason="timeout", error="no order"))
    began = run.when.timestamp()
    said = frame(run, "gbrowse/shop gbrowse click @e3", began + 90, began + 100)
    for words in ("scripted 1m40s", "2 of 40 tests, 1 failed", "gbrowse/shop gbrowse click @e3, 10.0s ago"):
        assert words in said
    assert re.search(r"✗ +gbrowse/b .*timeout: no order", said)
    assert "Nothing has moved" not in said
    said = frame(running(), "", began, began + STILL_SECONDS)
    assert "Nothing has moved for 10m00s: look at e2e-runs/" in said
    assert f"or end process {os.getpid()}" in said
    many = running(outcome("bad", passed=False), *(outcome(f"t{number}") for number in range(50)))
    assert "gbrowse/bad" in frame(many, "", began, began)
    killed = replace(running(outcome(HOSTILE, passed=False, error=HOSTILE)), born=0)
    said = frame(killed, "", began, began) + frame(running(), HOSTILE, began, began)
    assert "was ended before it was over" in said
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_watch_ends_when_the_run_does_and_shows_its_results(tmp_path: Path) -> None:
    screen = io.StringIO()
    assert watch(tmp_path, screen=screen) == 1
    store = Store(tmp_path, SETTING)
    store.progress("gbrowse/order begins")
    assert watch(tmp_path, once=True, screen=screen) == 0
    assert "gbrowse/order begins, 0.0s ago" in screen.getvalue()
    store.add(outcome(), 5)
    store.finish()
    assert watch(tmp_path, screen=screen) == 0
    assert "the last one, e2e-" in screen.getvalue()


def nothing(test: str, kind: str) -> bytes:
    return b""


class Page(HTMLParser):
    """Tags and attributes that a browser would find on a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data


def test_a_report_shows_failures_with_transcript_and_picture(tmp_path: Path) -> None:
    store = Store(tmp_path, SETTING)
    calls = (ToolCall("gbrowse", "gbrowse click @e3", 90, 5, 4),)
    failed = outcome("bad", passed=False, error="no order", tool_calls=calls, browse_errors=("exit 6",))
    store.keep_lines(
        failed.key, json.dumps({"prompt": "Order a hat", "text": "I look"}).encode() + b"\nnot json\n"
    )
    (tmp_path / "shot.png").write_bytes(b"\x89PNG")
    store.keep_picture(failed.key, tmp_path / "shot.png")
    run = store.run.with_test(outcome(), 10).with_test(failed, 20)
    path = report.written(tmp_path, run, None, (), tmp_path / "e2e-runs" / run.name / "report.html")
    page = Page(path.read_text())
    for words in ("1 of 2", "gbrowse/bad", "no order", "Order a hat", "I look", "not json", "exit 6", "exit 4"):
        assert words in page.words
    assert ("src", "data:image/png;base64,iVBORw==") in page.attributes
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_report_names_what_differs_and_asks_nothing_of_the_network() -> None:
    before, after = run_of(outcome("a")), run_of(outcome("a", passed=False), after_minutes=1)
    page = Page(report.html(after, compared(before, after), ("gbrowse/x",), nothing))
    assert "REGRESSION: gbrowse/a" in page.words
    assert "flaky: gbrowse/x" in page.words
    page = Page(report.html(run_of(outcome()), None, (), nothing))
    assert not [value for name, value in page.attributes if name in ("src", "href") and "//" in (value or "")]
    assert ("content", "default-src 'none'; img-src data:; style-src 'unsafe-inline'") in page.attributes


@tried
@given(words=st.text(min_size=1) | st.just(HOSTILE))
def test_text_of_pages_and_models_is_escaped_in_the_report_which_is_bounded(words: str) -> None:
    failing = outcome("x", passed=False, error="e", tool_calls=(ToolCall("a", "b"),))
    plain = report.html(run_of(failing), None, (), lambda test, kind: b"y" * (kind == "ndjson"))
    failed = replace(failing, name=words, error=words, tool_calls=(ToolCall(words, words),))
    said = (json.dumps({"said": words}) + words).encode("utf-8", "replace")
    run = run_of(failed, branch=words, model=words)
    page = Page(report.html(run, None, (words,), lambda test, kind: said * (kind == "ndjson")))
    assert page.tags == Page(plain).tags
    assert "script" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    for length in (0, report.MOST_TRANSCRIPT + 10):
        page_of = report.html(run_of(failing), None, (), lambda test, kind: b"y" * length * (kind == "ndjson"))  # noqa: B023
        assert len(page_of) < report.MOST_TRANSCRIPT + 20_000


def test_runs_of_different_seeds_are_not_compared_and_broken_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GSTACK_EVAL_DIR", str(tmp_path))
    folder = tmp_path / "evals"
    folder.mkdir(parents=True)
    runs = [replace(run_of(outcome(), after_minutes=at), seed=seed) for at, seed in enumerate((7, 8, 8))]
    for run in runs:
        (folder / f"{run.name}.json").write_text(json.dumps(run.to_json()))
    names = [run.name for run in runs]
    assert main(["compare", names[0], names[1]]) == 2
    said = capsys.readouterr().err
    assert f"{names[0]} has the seed 7 and {names[1]} 8: their tasks have other names and numbers" in said
    assert said.rstrip().endswith("bin/evals run --seed 7")
    assert main(["compare", names[1], names[2]]) == 0
    (folder / "e2e-broken.json").write_text("{")
    capsys.readouterr()
    assert main(["list"]) == 0
    assert f"{folder / 'e2e-broken.json'}: cannot be read: " in capsys.readouterr().out
