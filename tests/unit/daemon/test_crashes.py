"""Browsers that end in a row, as daemons that follow each other count them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gstack_browse.daemon.crashes import Crashes
from gstack_browse.state import WritableStateDir, open_state_dir


@pytest.fixture
def state(tmp_path: Path) -> Iterator[WritableStateDir]:
    state = open_state_dir(str(tmp_path), {})
    yield state
    state.close()


def test_the_second_of_a_kind_is_told(state: WritableStateDir) -> None:
    Crashes(state).note("Chromium")
    assert Crashes(state).failure() is None
    Crashes(state).note("Chromium")
    told = Crashes(state).failure()
    assert told
    assert told.message == "Chromium has ended 2 times in a row before it had done anything"
    assert ".gstack/browse-daemon.log has its last words" in told.hint
    assert "BROWSE_WIRE=0 gbrowse goto <url>" in told.hint


def test_another_kind_begins_anew(state: WritableStateDir) -> None:
    Crashes(state).note("Chromium")
    Crashes(state).note("the Playwright driver")
    assert Crashes(state).failure() is None


def test_success_ends_the_row(state: WritableStateDir) -> None:
    Crashes(state).note("Chromium")
    Crashes(state).forget()
    assert not (Path(str(state.path)) / "browse-crash.json").exists()
    Crashes(state).note("Chromium")
    assert Crashes(state).failure() is None


@pytest.mark.parametrize("planted", [b"", b"[]", b"x", b'{"what":7,"count":9}', b'{"what":"a"}', b"0" * 2000])
def test_malformed_record_of_crashes_is_ignored(state: WritableStateDir, planted: bytes) -> None:
    state.write_file("browse-crash.json", planted)
    crashes = Crashes(state)
    assert crashes.failure() is None
    crashes.note("Chromium")
    assert crashes.failure() is None
