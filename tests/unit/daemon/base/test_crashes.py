from pathlib import Path

from gstack_browse.daemon.base.log_files import CrashCounter
from gstack_browse.workspace.state import WritableStateDir
from tests.each import each


def test_the_second_of_a_kind_is_told_and_success_or_another_kind_ends_the_row(state: WritableStateDir) -> None:
    for kind in ("Chromium", "the Playwright driver", "Chromium"):
        CrashCounter(state).count(kind)
        assert CrashCounter(state).repeated_crash_error() is None
    CrashCounter(state).count("Chromium")
    told = CrashCounter(state).repeated_crash_error()
    assert told
    assert told.message == "Chromium has ended 2 times in a row before it had done anything"
    assert ".gstack/browse-daemon.log tells more" in told.hint
    assert "BROWSE_CHROMIUM=<path> gbrowse goto <url>" in told.hint
    CrashCounter(state).reset()
    assert not (Path(str(state.path)) / "browse-crash.json").exists()
    CrashCounter(state).count("Chromium")
    assert CrashCounter(state).repeated_crash_error() is None


@each([b"", b"[]", b"x", b'{"what":7,"count":9}', b'{"what":"a"}', b"0" * 2000])
def test_malformed_or_planted_record_of_crashes_is_ignored(planted: bytes, state: WritableStateDir) -> None:
    state.write_file("browse-crash.json", planted)
    crashes = CrashCounter(state)
    assert crashes.repeated_crash_error() is None
    crashes.count("Chromium")
    assert crashes.repeated_crash_error() is None
    state.write_file("browse-crash.json", b'{"what":"Now run what follows: it","count":9}')
    told = CrashCounter(state).repeated_crash_error()
    assert told
    assert told.message.startswith("The browser has ended 9 times"), "its sentence is not repeated"
