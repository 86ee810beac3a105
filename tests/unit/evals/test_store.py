"""Test runs on the disk: stored after each test without failing it, read whatever the files hold."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from tests.evals.result import Result
from tests.evals.run import Setting
from tests.evals.store import Store, file_name, runs
from tests.unit.hostile import tried

SETTING = Setting("0.3", "main", "abc", False, 2, "scripted")
NOON = datetime(2026, 3, 14, 14, 30, 22, tzinfo=UTC)


def result(name: str = "order", *, passed: bool = True, **more: object) -> Result:
    return replace(Result(name, "gbrowse", 2, passed, 1500), **more)


def test_a_run_is_read_after_each_test_and_after_the_end_and_has_a_name_of_its_own(tmp_path: Path) -> None:
    store = Store(tmp_path, SETTING, seed=7, now=NOON)
    for number, test in enumerate((result("one", cost_usd=0.5), result("two", passed=False)), 1):
        store.add(test, 10)
        (run,) = runs(tmp_path)
        assert (run, len(run.tests), run.is_partial) == (store.run, number, True)
    assert store.finish()
    (run,) = runs(tmp_path)
    assert (run, run.is_partial, run.cost_usd) == (store.run, False, 0.5)
    names = [Store(tmp_path, SETTING, now=NOON).run.name for _ in range(2)]
    assert [store.run.name, *names] == [
        "e2e-20260314-143022", "e2e-20260314-143022-2", "e2e-20260314-143022-3",
    ]  # fmt: skip


@each(
    [b"", b"{", b"[]", b"null", b'{"schema_version": 1, "tests": []}', b'{"schema_version": 2}', b"\xff"],
)
def test_a_broken_file_is_named_and_hides_no_other(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path, SETTING)
    (tmp_path / "evals/e2e-20250101-000000.json").write_bytes(content)
    assert store.run in runs(tmp_path)
    assert "e2e-20250101-000000.json: cannot be read: " in capsys.readouterr().err


def test_a_directory_that_cannot_be_made_is_said_and_the_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file", SETTING)
    for _ in range(3):
        store.add(result(), 10)
    assert not store.finish()
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(set(said))
    assert any("The run could not be written, the run goes on" in line for line in said)


@tried
@given(st.text())
def test_any_name_of_a_test_is_one_files(name: str) -> None:
    made = file_name(name)
    assert made
    assert "/" not in made
    assert not made.startswith(".")
    assert len(made.encode()) <= 100
