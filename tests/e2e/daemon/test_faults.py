"""Test a daemon of which any part dies at any time.

A clear answer, nothing left behind, the loss said once, and the next command works.

Nearly every death here costs a start of a browser: each test begins in the daemon that the death before has had started.
"""

import json
import os
import re
import subprocess
from typing import Any

import psutil
import pytest

from tests.e2e.daemon.harness import PAGES, DaemonHarness, Site, until
from tests.faults import fault
from tests.processes import words as words_of


def kill(home: DaemonHarness, victim: str) -> None:
    """Kill one of them, and wait until none of them is left."""
    home.processes()[victim].kill()
    home.until_gone()


@fault(
    "Kills",
    "Chromium or the daemon is killed while nobody asks",
    "the next page command says once what was lost (6), and newtab notes it; old refs are stale (5), numbers of old tabs are of"
    " none (6), whatever was printed or opened since; no process and no temporary file is left",
)
def test_deaths_in_idleness_are_said_once_and_make_old_refs_and_tabs_stale(
    lasting: DaemonHarness, site: Site
) -> None:
    lasting.run("stop")  # refs and numbers of tabs begin at 1
    lasting.must("goto", site("/"))
    refs = [lasting.ask("snapshot").split()[0]]
    lasting.must("newtab", site("/two"))
    lost = f"browser state was lost (2 tabs, last at {site('/two')})"
    for count, victim in enumerate(("chromium", "daemon"), start=1):
        until(lambda: b"/two" in (lasting.workspace / ".gstack/browse-session.json").read_bytes())
        left = set(lasting.temporary.iterdir())
        kill(lasting, victim)
        if victim == "chromium":
            assert (
                "Chromium was killed by signal 9"
                in (lasting.workspace / ".gstack/browse-daemon.log").read_text()
            )
        if victim == "daemon":
            done = lasting.run("newtab", site("/"))
            assert (done.returncode, done.stderr) == (0, f"Note: {lost}\n")
        else:
            told = lasting.fails(6, "click", refs[-1])
            why = "The browser before this one ended unexpectedly. Run 'goto <url>' to begin again"
            assert told == f"Error: {lost}\n{why}\n"
            assert lasting.must("goto", site("/")), "it is said once"
        until(lambda left=left: not left & set(lasting.temporary.iterdir()))
        assert len(list(lasting.temporary.iterdir())) == 1, "the next one's own"

        refs.append(lasting.ask("snapshot").split()[0])
        assert refs[-1] == f"@e{count}01"
        gone = lasting.reply("url", tab=2)
        assert (gone["code"], "is of an earlier daemon" in gone["text"]) == (6, True), gone
        for old in refs[:-1]:
            stale = lasting.reply("click", old)
            assert (stale["code"], "before the browser's state was lost" in stale["text"]) == (5, True), stale
        assert lasting.reply("tab", "1")["code"] == 6
        assert lasting.ask("newtab", site("/two")).startswith("Opened tab ")
    lasting.must("stop")
    record = lasting.workspace / ".gstack/browse-session.json"
    assert not record.exists(), "what was stopped on purpose is over: refs and numbers begin at 1 again"
    lasting.must("goto", site("/"))
    until(record.exists)
    kill(lasting, "daemon")
    lasting.must("stop")
    assert not record.exists(), "nor is a daemon's that was killed before"


NEEDS_WHAT_WAS = (
    "console --errors", "network --failed", "request 1", "dialog", "downloads", "cookies", "cookie-delete user", "routes", "headers",
    "init-scripts", "har-stop page.har", "closetab",
)  # fmt: skip


@fault(
    "Kills",
    "the daemon is killed before a command that tells of its pages, or keeps what they have; so is the next one",
    "the command fails with what was lost (6), before a browser is started: no empty log is printed, and no saved login overwritten",
)
def test_command_about_lost_pages_fails_with_the_loss_before_a_browser_is_started(
    lasting: DaemonHarness, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in a context of its own, which the record is given: one death is as many losses."""
    lasting.begin(site("/"))
    commands = {f"c{number}": line.split() for number, line in enumerate(NEEDS_WHAT_WAS)}
    lasting.must("js", "document.cookie = 'user=ann'")
    lasting.must("state-save", "login.json")
    saved = (lasting.workspace / "login.json").read_bytes()
    kill(lasting, "daemon")
    record = lasting.workspace / ".gstack/browse-session.json"
    one = json.loads(record.read_text())
    contexts = {name: {"tabs": 1, "last": site("/")} for name in (*commands, "late", "forgets", "begins")}
    record.write_text(json.dumps(one | {"contexts": contexts}))
    lost = f"browser state was lost (1 tab, last at {site('/')})\n"
    with monkeypatch.context() as environment:
        environment.setitem(lasting.env, "BROWSE_CHROMIUM", "/bin/false")
        assert f"Lost: 1 tab, last at {site('/')}" in lasting.must("status")
        told = lasting.run("state-save", "login.json")
        assert (told.returncode, told.stdout, told.stderr.startswith(f"Error: {lost}")) == (6, "", True), told
        assert (lasting.workspace / "login.json").read_bytes() == saved
        for name, words in commands.items():
            told = lasting.run("--as", name, *words)
            said = (told.returncode, told.stdout, told.stderr.startswith(f"Error: {lost}"))
            assert said == (6, "", True), (words, told)
    lasting.kill_daemon()
    lasting.until_gone()
    assert lasting.run("--as", "late", "text").returncode == 6, "a loss that nobody has heard of is kept"
    assert lasting.must("--as", "c0", "console", "--errors") == "(no console errors)", "it is said once"
    assert lasting.must("--as", "forgets", "console", "--clear") == "Cleared 0 console messages"
    assert lasting.run("--as", "forgets", "console").returncode == 6, "to forget tells nobody"
    begun = lasting.run("--as", "begins", "tabs")
    assert (begun.returncode, begun.stderr) == (0, f"Note: {lost}")
    assert lasting.must("state-load", "login.json").startswith("State loaded")


@fault("Kills", "Chromium is killed at the moment of a goto", "the goto works in the next browser")
def test_goto_into_browser_that_is_just_dying_goes_on_in_next_one(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    lasting.processes()["chromium"].kill()
    done = lasting.run("goto", site("/two"))
    assert (done.returncode, done.stdout) == (0, f"Navigated to {site('/two')} (200)\n")
    assert done.stderr == f"Note: browser state was lost (1 tab, last at {site('/')})\n"


@fault(
    "Kills",
    "Chromium is killed under a goto and a chain",
    "both end at once with 6; what the chain had done is printed; the loss is said once; no process is left",
)
def test_death_in_mid_command_ends_each_command_with_the_loss(lasting: DaemonHarness, site: Site) -> None:
    """See what a client does whose daemon dies in tests/e2e/client/test_conversation.py."""
    lasting.begin(site("/"))
    lasting.must("newtab", site("/two"))
    chain = lasting.start("chain", '[["text","h1"],["wait","#never","20000"]]')
    goto = lasting.start(
        "--tab", lasting.ask("tabs").partition("[")[2].partition("]")[0], "goto", site("/hold")
    )
    until(lambda: "wait on tab" in lasting.status() and "/hold" in site.hits)
    lasting.processes()["chromium"].kill()
    out, err = chain.communicate(timeout=60)
    goto_out, goto_err = goto.communicate(timeout=60)
    assert (chain.returncode, goto.returncode, goto_out) == (6, 6, "")
    assert out.startswith("[text] Second\n[wait] failed"), out
    lost = f"Error: Chromium ended: browser state was lost (2 tabs, last at {site('/two')})"
    assert (err + goto_err).count(lost) == 1, (err, goto_err)
    lasting.until_gone()
    assert lasting.must("url") == "about:blank", "it is said once"


@fault(
    "Kills",
    "the daemon is terminated (SIGTERM)",
    "no process, socket or temporary file is left; the loss is said (6)",
)
def test_sigterm_ends_everything_and_the_loss_is_said(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    until(lambda: len(list(lasting.temporary.iterdir())) == 1)  # the death before may have left another
    lasting.daemon().terminate()
    lasting.until_gone()
    assert not lasting.socket.exists()
    assert not list(lasting.temporary.iterdir())
    assert lasting.run("text").returncode == 6


@fault(
    "Kills",
    ".gstack is moved, or its socket is removed",
    "the daemon leaves, a command that runs says why (6); the next one says once what was lost: a page command fails (6), goto notes it",
)
@pytest.mark.parametrize("is_moved", [True, False], ids=["moved", "without its socket"])
def test_daemon_whose_directory_is_taken_away_leaves_and_the_loss_is_said(
    lasting: DaemonHarness, site: Site, is_moved: bool
) -> None:
    """The next command comes after the daemon's end, or at once."""
    lasting.begin(site("/"))
    running = lasting.start("wait", "--js", "void (window.asked ??= fetch('/clicked'))")
    until(lambda: "/clicked" in site.hits)  # `status` names a command before anything of it has happened
    lost = f"browser state was lost (1 tab, last at {site('/')})\n"
    if is_moved:
        (lasting.workspace / ".gstack").rename(lasting.workspace / "elsewhere")
        lasting.until_gone()
        done = lasting.run("goto", site("/two"))
        assert (done.stdout, done.stderr) == (f"Navigated to {site('/two')} (200)\n", f"Note: {lost}")
    else:
        lasting.socket.unlink()
        told = lasting.run("text")
        assert (told.returncode, told.stderr.startswith(f"Error: {lost}")) == (6, True), told
        assert lasting.must("url") == "about:blank", "it is said once"
    _, err = running.communicate(timeout=60)
    assert running.returncode == 6
    assert err.startswith("Error: wait was interrupted: the daemon's directory was removed or replaced\n")


@fault("Kills", "the workspace is removed", "the daemon leaves, and leaves nothing behind")
def test_a_workspace_that_is_removed_is_not_made_anew_and_leaves_nothing(
    lasting: DaemonHarness, site: Site
) -> None:
    lasting.begin(site("/"))
    assert os.listdir(lasting.runtime / "gbrowse")
    lasting.remove(lasting.workspace)
    lasting.until_gone()
    assert not lasting.workspace.exists()
    assert not os.listdir(lasting.runtime / "gbrowse")
    (lasting.workspace / ".git").mkdir(parents=True)


def hang(home: DaemonHarness, *words: str, as_: str = "default") -> subprocess.Popen[str]:
    """A command whose script never ends, and its page with it."""
    running = home.start("--as", as_, *words, "js", "while (true);")
    until(lambda: "js on tab" in home.ask("status", **{"as": as_}))
    return running


@fault(
    "Hangs",
    "a script never ends",
    "its command ends at its deadline (3) and the script is stopped; the page can be left, other commands work meanwhile;"
    " closetab closes the tab, and the command in it says so (6)",
)
def test_a_page_that_hangs_in_a_script_can_be_left_and_closed(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    lasting.ask("newtab", site("/two"))
    running = hang(lasting, "--timeout", "1000")  # a script that never ends keeps a processor busy
    tabs = re.sub(r"\d+\] ", "] ", lasting.ask("tabs").rstrip())
    assert tabs == f"  [] Home — {site('/')}\n→ [] Two — {site('/two')}"
    _, err = running.communicate(timeout=60)
    assert running.returncode == 3
    assert err.startswith("Error: js did not finish in 1s: the page is stuck in a script, which was stopped\n")
    assert lasting.must("goto", site("/")) == f"Navigated to {site('/')} (200)"
    running = hang(lasting)
    assert lasting.must("closetab").startswith("Closed tab ")
    _, err = running.communicate(timeout=60)
    assert (running.returncode, "closed" in err) == (6, True)


@fault(
    "Hangs",
    "restart and stop, while a script never ends in one context and a dialog is left open in another",
    "both work; restart carries tabs, cookies and storage over; no process is left",
)
def test_a_hanging_page_and_an_open_dialog_keep_nothing_from_restart_and_stop(
    lasting: DaemonHarness, site: Site
) -> None:
    lasting.begin(site("/"))
    lasting.must("dialog-hold")
    lasting.must("--as", "ann", "goto", site("/two"))
    lasting.must("--as", "ann", "js", "localStorage.kept = 'yes'")

    def disturb() -> subprocess.Popen[str]:
        lasting.run("js", "setTimeout(() => confirm('Stay?'), 10)")  # which may or may not hear of it
        until(lambda: 'confirm "Stay?" is open in tab' in lasting.status())
        return hang(lasting, as_="ann")

    running = disturb()
    assert re.search(
        r"\n→ 2 tabs and \d cookies? of 2 contexts carried over$", lasting.must("restart", seconds=15)
    )
    running.communicate(timeout=60)
    assert running.returncode in (1, 6), "its script was ended, or the command with it"
    assert lasting.must("text", "h1") == "Welcome"
    kept = lasting.run("--as", "ann", "js", "[localStorage.kept, document.cookie].join()")
    assert kept.stdout == "yes,session=chocolate-chip\n"
    running = disturb()
    assert lasting.must("stop", seconds=10) == "Server stopped"
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err.splitlines()[0]) == (6, "Error: js was interrupted: the daemon was stopped")
    lasting.until_gone()


@fault(
    "Kills", "the process of a page is killed while 'restart' loads the page again", "it is loaded once more"
)
def test_page_that_crashes_while_it_is_loaded_again_is_loaded_once_more(
    lasting: DaemonHarness, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PAGES, "/held", "<h1>There</h1><script src=/hold></script>")
    site.release.set()
    lasting.begin(site("/held"))
    site.release.clear()
    before = site.hits.count("/hold")
    restarting = lasting.start("restart")
    until(lambda: site.hits.count("/hold") > before)
    for process in lasting.daemon().children(recursive=True):
        if "--type=renderer" in words_of(process):
            process.kill()
    until(lambda: site.hits.count("/hold") > before + 1)
    site.release.set()
    restarting.communicate(timeout=60)
    assert lasting.must("text", "h1") == "There"


def open_tabs_until_one_fails(home: DaemonHarness, context: str) -> dict[str, Any]:
    """Return the first failed reply. Some tabs may open in processes that Chromium has forked before."""
    with home.connect() as wire:
        for _ in range(10):
            reply = wire.ask("newtab", timeout=1_000, **{"as": context})
            if not reply["ok"]:
                return reply
    raise AssertionError(f"all tabs have opened: {reply}")


@fault(
    "Kills",
    "the process is killed from which Chromium forks those of its pages",
    "pages that are open go on; what needs another one says so (3), and that restart helps, which it does",
)
def test_a_killed_zygote_is_named(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    lasting.must("newtab")  # so that nothing of the start is left to wait for below
    lasting.must("closetab")
    chromium = lasting.processes()["chromium"]
    zygotes = [child for child in chromium.children() if "--type=zygote" in words_of(child)]
    if not zygotes:
        pytest.skip("this Chromium has no zygote")
    for zygote in zygotes:
        zygote.kill()
        until(lambda zygote=zygote: zygote.status() == psutil.STATUS_ZOMBIE)
    assert lasting.must("url") == site("/")
    for context in ("default", "new"):
        failed = open_tabs_until_one_fails(lasting, context)
        assert failed["code"] == 3, str(failed)
        assert "the zygote, has ended" in failed["text"], failed
        assert "'restart'" in failed["hint"], failed
    lasting.must("restart")
    assert lasting.must("newtab", seconds=90).startswith("Opened tab ")
