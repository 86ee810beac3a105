"""Commands that wait for a person (`BROWSE_CONFIRM`), with a real daemon and a real terminal."""

import os
import pty

from tests.e2e.daemon.harness import DaemonHarness
from tests.faults import fault


def _at_terminal(home: DaemonHarness, *words: str) -> tuple[int, str, str]:
    """Run the words at a terminal; return exit code, standard output and standard error."""
    ours, theirs = pty.openpty()
    try:
        with home.start(*words, stdin=theirs) as process:
            out, err = process.communicate(timeout=60)
    finally:
        os.close(ours)
        os.close(theirs)
    return process.returncode, out, err


def _token(home: DaemonHarness, *words: str) -> str:
    done = home.run(*words)
    assert done.returncode == 7, done
    assert "waits for a person to confirm it (BROWSE_CONFIRM): " in done.stderr
    return done.stderr.splitlines()[0].rpartition(": ")[2]


@fault(
    "Files and hosts that pages must not reach",
    "a command that BROWSE_CONFIRM names, typed, in a chain and over the socket; then confirmed by a person, and without a terminal",
    "refused (7) with a token; goes through once, for the person only",
)
def test_a_command_waits_for_a_person_and_goes_through_once(home: DaemonHarness) -> None:
    home.env["BROWSE_CONFIRM"] = "js, upload"
    home.must("goto", "about:blank")
    token = _token(home, "js", "1 + 1")
    assert home.must("confirm") == f"{token}  js '1 + 1' (at about:blank)"
    for words in (["confirm", token], ["chain", f'[["confirm", "{token}"]]']):
        done = home.run(*words)
        assert done.returncode == 7, done
        assert "for a person at a terminal" in done.stderr + done.stdout
    assert _token(home, "chain", '[["js", "1 + 1"]]') == token
    wire = home.connect()
    assert wire.ask("js", "2 + 2", cwd=str(home.workspace))["code"] == 7
    wire.close()
    assert _at_terminal(home, "confirm", token) == (0, "Let through once: js '1 + 1' (at about:blank)\n", "")
    assert home.must("js", "1 + 1") == "2"
    assert _token(home, "js", "1 + 1") != token
    home.must("js", "--help")
