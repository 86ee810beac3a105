"""Test a daemon of which any part dies at any time.

A clear answer, nothing left behind, the loss said once, and the next command works.
"""

import itertools
import re
import signal
import subprocess

import psutil
import pytest

from tests.e2e.daemon.harness import DaemonHarness, Site, until
from tests.faults import fault
from tests.processes import words as words_of

VICTIMS = ("chromium", "driver", "daemon")


def kill(home: DaemonHarness, victim: str) -> None:
    """Kill one of the three, and wait until none of them is left."""
    processes = home.processes()
    processes[victim].send_signal(signal.SIGKILL)
    home.until_gone()


@fault(
    "Kills",
    "Chromium, driver or daemon is killed while nobody asks",
    "the next page command says once what was lost (6), the one after it works; no process is left",
)
@pytest.mark.parametrize("victim", VICTIMS)
def test_after_a_death_in_idleness_the_next_page_command_says_what_was_lost(
    lasting: DaemonHarness, site: Site, victim: str
) -> None:
    lasting.begin(site("/"))
    lasting.must("newtab", site("/two"))
    until(lambda: b"/two" in (lasting.workspace / ".gstack/browse-session.json").read_bytes())
    kill(lasting, victim)

    told = lasting.run("text")
    assert told.returncode == 6
    assert told.stderr.splitlines() == [
        f"Error: browser state was lost (2 tabs, last at {site('/two')})",
        "The browser before this one ended unexpectedly. Run 'goto <url>' to begin again",
    ]
    assert lasting.must("url") == "about:blank", "it is said once"


@fault(
    "Kills",
    "the browser dies, and an old ref or the number of an old tab is used in the next one",
    "the ref is stale (5), and the number is of no tab any more (6), whatever was printed or opened since",
)
def test_refs_and_tab_numbers_of_a_killed_session_are_refused_in_the_next(
    lasting: DaemonHarness, site: Site
) -> None:
    lasting.must("stop")
    lasting.must("goto", site("/"))
    refs = [lasting.must("snapshot").split()[0]]
    lasting.must("newtab", site("/two"))
    for victim, first, tab in (("daemon", "@e101", 4), ("chromium", "@e201", 6)):
        kill(lasting, victim)
        assert lasting.run("click", refs[-1]).returncode == 6, "the loss is said"
        lasting.must("goto", site("/"))
        refs.append(lasting.must("snapshot").split()[0])
        assert refs[-1] == first
        for old in refs[:-1]:
            refused = lasting.run("click", old)
            assert (refused.returncode, "before the browser's state was lost" in refused.stderr) == (5, True)
        assert lasting.must("newtab", site("/two")).startswith(f"Opened tab {tab} ")
        refused = lasting.run("--tab", "2", "url")
        assert (refused.returncode, "before the browser's state was lost" in refused.stderr) == (6, True)
        assert lasting.run("tab", "1").returncode == 6
    lasting.must("restart")
    assert lasting.must("newtab", site("/")).startswith("Opened tab 7 ")
    assert lasting.must("snapshot").split()[0] == "@e201", "another tab is no older than the session"
    assert lasting.run("--tab", "2", "url").returncode == 6
    lasting.must("stop")
    lasting.must("goto", site("/"))
    assert lasting.must("snapshot").split()[0] == refs[0], "what was stopped on purpose is over"
    assert "[1]" in lasting.must("tabs")


NEEDS_WHAT_WAS = (
    "console --errors", "network --failed", "request 1", "dialog", "downloads", "cookies", "cookie-delete user", "routes", "headers",
    "init-scripts", "har-stop page.har", "closetab",
)  # fmt: skip


@fault(
    "Kills",
    "the daemon is killed before a command that tells of its pages, or keeps what they have",
    "the command fails with what was lost (6): no empty log is printed, and no saved login overwritten",
)
def test_command_about_lost_pages_fails_with_the_loss(lasting: DaemonHarness, site: Site) -> None:
    """Each in a context of its own: one death is as many losses."""
    lasting.begin(site("/"))
    commands = {f"c{number}": line.split() for number, line in enumerate(NEEDS_WHAT_WAS)}
    for name in (*commands, "forgets", "begins"):
        lasting.must("--as", name, "goto", site("/"))
    lasting.must("js", "document.cookie = 'user=ann'")
    lasting.must("state-save", "login.json")
    saved = (lasting.workspace / "login.json").read_bytes()
    kill(lasting, "daemon")
    lost = f"Error: browser state was lost (1 tab, last at {site('/')})\n"
    told = lasting.run("state-save", "login.json")
    assert (told.returncode, told.stdout, told.stderr.startswith(lost)) == (6, "", True), told
    assert (lasting.workspace / "login.json").read_bytes() == saved
    for name, words in commands.items():
        told = lasting.run("--as", name, *words)
        assert (told.returncode, told.stdout, told.stderr.startswith(lost)) == (6, "", True), (words, told)
    assert lasting.must("--as", "c0", "console", "--errors") == "(no console errors)", "it is said once"
    assert lasting.must("--as", "forgets", "console", "--clear") == "Cleared 0 console messages"
    assert lasting.run("--as", "forgets", "console").returncode == 6, "to forget tells nobody"
    begun = lasting.run("--as", "begins", "tabs")
    assert (begun.returncode, begun.stderr) == (
        0,
        f"Note: browser state was lost (1 tab, last at {site('/')})\n",
    )
    assert lasting.must("state-load", "login.json").startswith("State loaded")


def test_the_loss_is_said_before_another_browser_is_started(
    lasting: DaemonHarness, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    lasting.begin(site("/"))
    kill(lasting, "daemon")
    monkeypatch.setitem(lasting.env, "BROWSE_CHROMIUM", "/bin/false")
    told = lasting.run("text")
    assert told.returncode == 6
    assert told.stderr.startswith(f"Error: browser state was lost (1 tab, last at {site('/')})")
    lasting.must("stop")  # whose browser would never start


@fault("Kills", "Chromium is killed in mid-chain", "what the chain had done is printed, then what was lost (6)")
def test_a_chain_that_loses_its_browser_shows_what_it_did(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    chromium = lasting.processes()["chromium"]
    running = lasting.start("chain", '[["text","h1"],["wait","#never","20000"]]')
    until(lambda: "wait on tab" in lasting.status())
    chromium.kill()
    out, err = running.communicate(timeout=60)
    lost = f"Chromium ended: browser state was lost (1 tab, last at {site('/')})"
    assert out == f"[text] Welcome\n[wait] Error: {lost}\n"
    assert (running.returncode, err.splitlines()[0]) == (6, f"Error: {lost}")


@fault(
    "Kills",
    "Chromium or driver is killed before a goto or newtab",
    "the command works, and notes what was lost",
)
def test_commands_that_begin_anew_go_on_and_mention_the_loss(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    kill(lasting, "chromium")
    done = lasting.run("goto", site("/two"))
    assert (done.returncode, done.stdout) == (0, f"Navigated to {site('/two')} (200)\n")
    assert done.stderr == f"Note: browser state was lost (1 tab, last at {site('/')})\n"
    kill(lasting, "driver")
    done = lasting.run("newtab", site("/"))
    assert done.stderr == f"Note: browser state was lost (1 tab, last at {site('/two')})\n"
    assert lasting.must("url") == site("/"), "it is said once"


@fault("Kills", "Chromium is killed at the moment of a goto", "the goto works in the next browser")
def test_a_goto_into_a_browser_that_is_just_dying_goes_on_in_the_next_one(
    lasting: DaemonHarness, site: Site
) -> None:
    lasting.begin(site("/"))
    lasting.processes()["chromium"].kill()
    done = lasting.run("goto", site("/two"))
    assert (done.returncode, done.stdout) == (0, f"Navigated to {site('/two')} (200)\n")
    assert done.stderr == f"Note: browser state was lost (1 tab, last at {site('/')})\n"


@fault(
    "Kills",
    "Chromium, driver or daemon is killed in mid-command",
    "the command ends at once with 6, or 9 for the daemon; the loss is said once; no process is left",
)
@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("cmd", ["goto", "wait"])
def test_a_death_in_mid_command(lasting: DaemonHarness, site: Site, victim: str, cmd: str) -> None:
    lasting.begin(site("/"))
    processes = lasting.processes()
    running = lasting.start(*{"goto": ("goto", site("/hold")), "wait": ("wait", "#never", "20000")}[cmd])
    until(lambda: "Running" in lasting.status() and (cmd != "goto" or site("/hold") in lasting.ask("network")))
    processes[victim].kill()
    out, err = running.communicate(timeout=60)
    lasting.until_gone()
    assert out == ""
    if victim == "daemon":
        assert (running.returncode, "may or may not have run" in err) == (9, True), err
        assert lasting.run("text").returncode == 6
    else:
        assert running.returncode == 6
        name = {"chromium": "Chromium", "driver": "the Playwright driver"}[victim]
        assert err.startswith(f"Error: {name} ended: browser state was lost (1 tab, last at {site('/')}")
    assert lasting.must("url") == "about:blank", "it is said once"


@fault("Kills", "the daemon is stopped (SIGSTOP)", "the client has it continue and says so; the command works")
def test_a_daemon_that_was_stopped_by_a_signal_is_continued(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    lasting.daemon().suspend()
    done = lasting.run("url")
    assert (done.returncode, done.stdout) == (0, site("/") + "\n")
    assert "had been stopped by a signal" in done.stderr


@fault("Kills", "stop, while the daemon is stopped", "it is ended all the same; no process is left")
def test_stop_ends_even_a_daemon_that_cannot_answer(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    daemon = lasting.daemon()
    daemon.suspend()
    done = lasting.run("stop")
    assert (done.returncode, done.stdout) == (0, "Server stopped\n")
    lasting.until_gone()
    lasting.remove(lasting.workspace / ".gstack")
    assert lasting.must("url") == "about:blank", "what was stopped on purpose is not lost"


@fault(
    "Kills",
    "the daemon is terminated (SIGTERM)",
    "no process, socket or temporary file is left; the loss is said (6)",
)
def test_sigterm_ends_everything_and_the_loss_is_said(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    lasting.daemon().terminate()
    lasting.until_gone()
    assert not lasting.socket.exists()
    assert not list(lasting.temporary.iterdir())
    assert lasting.run("text").returncode == 6


@fault(
    "Kills",
    ".gstack is removed, moved, or its socket is",
    "the daemon leaves; the next command starts another and notes what was lost",
)
@pytest.mark.parametrize("how", ["removed", "moved", "replaced socket"])
def test_a_daemon_whose_directory_is_taken_away_leaves(lasting: DaemonHarness, site: Site, how: str) -> None:
    lasting.begin(site("/"))
    state = lasting.workspace / ".gstack"
    if how == "removed":
        lasting.remove(state)
    elif how == "moved":
        state.rename(lasting.workspace / "elsewhere")
    else:
        lasting.socket.unlink()
    lasting.until_gone()
    done = lasting.run("goto", site("/two"))
    assert done.stdout == f"Navigated to {site('/two')} (200)\n"
    assert done.stderr == f"Note: browser state was lost (1 tab, last at {site('/')})\n"


@fault("Kills", ".gstack, or all in it, is removed", "the next page command says once what was lost (6)")
def test_removed_state_directory_is_reported_once_with_the_loss(lasting: DaemonHarness, site: Site) -> None:
    for victim, is_left in itertools.product((".gstack", ".gstack/*"), (True, False)):
        lasting.begin(site("/"))
        # The daemon may still be writing there: what it makes meanwhile keeps a directory.
        subprocess.run(
            f"until rm -rf {victim}; do :; done", shell=True, cwd=lasting.workspace, check=True, timeout=60
        )
        if is_left:
            lasting.until_gone()
        told = lasting.run("text")
        assert told.returncode == 6, (victim, is_left)
        assert told.stderr.startswith(f"Error: browser state was lost (1 tab, last at {site('/')})\n")
        assert lasting.must("url") == "about:blank", "it is said once"
    lasting.must("goto", site("/two"))
    lasting.must("stop")
    assert not list(lasting.runtime.glob("gbrowse/*"))  # beside it a full Chromium leaves a file of dconf's


def test_a_loss_that_nobody_has_heard_of_is_kept_by_the_next_daemon(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    lasting.remove(lasting.workspace / ".gstack")
    assert f"Lost: 1 tab, last at {site('/')}" in lasting.must("status")
    kill_daemon(lasting)
    assert lasting.run("text").returncode == 6
    kill_daemon(lasting)
    replied = lasting.run("text")
    assert (replied.returncode, replied.stderr) == (0, "Note: the tab is blank\n"), "and said once all the same"


@fault("Kills", "the workspace is removed", "the daemon leaves, and leaves nothing behind")
def test_a_workspace_that_is_removed_is_not_made_anew_and_leaves_nothing(
    home: DaemonHarness, site: Site
) -> None:
    home.must("goto", site("/"))
    assert len(list(home.runtime.glob("gbrowse/*"))) == 1
    home.remove(home.workspace)
    home.until_gone()
    assert not home.workspace.exists()
    assert not list(home.runtime.glob("gbrowse/*"))


def kill_daemon(home: DaemonHarness) -> None:
    home.kill_daemon()
    home.until_gone()


def test_a_command_that_runs_while_the_directory_is_removed_hears_why(
    lasting: DaemonHarness, site: Site
) -> None:
    lasting.begin(site("/"))
    running = lasting.start("wait", "--js", "void (window.asked ??= fetch('/clicked'))")
    until(lambda: "/clicked" in site.hits)  # `status` names a command before anything of it has happened
    lasting.remove(lasting.workspace / ".gstack")
    _, err = running.communicate(timeout=60)
    assert running.returncode == 6
    assert err.startswith("Error: wait was interrupted: the daemon's directory was removed or replaced\n")


@fault("Kills", "the daemon is killed, its temporary files stay", "the next daemon removes them")
def test_temporary_files_of_a_killed_daemon_are_removed_by_the_next(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    left = set(lasting.temporary.iterdir())
    assert len(left) == 1
    kill(lasting, "daemon")
    lasting.run("goto", site("/"))
    until(lambda: not left & set(lasting.temporary.iterdir()))
    assert len(list(lasting.temporary.iterdir())) == 1, "the next one's own"


@fault("Kills", "a client is killed in mid-command", "nothing of its command happens later")
def test_cancelled_command_has_no_later_effect(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/late"))
    running = lasting.start("click", "button", "--timeout", "20000")
    until(lambda: "click on tab" in lasting.status())
    running.kill()
    running.communicate()
    until(lambda: "Running" not in lasting.status())
    lasting.must("js", "enable()")
    lasting.must("click", "button")
    until(lambda: "/clicked" in site.hits)
    lasting.must("js", "1")
    assert site.hits.count("/clicked") == 1


@fault("Hangs", "restart and stop, while a dialog is left open", "both work; restart carries the tab over")
def test_an_open_dialog_keeps_nothing_from_its_end(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    lasting.must("dialog-hold")
    asks = ("js", "setTimeout(() => confirm('Stay?'), 10)")
    lasting.run(*asks)  # which may or may not hear of it
    until(lambda: 'confirm "Stay?" is open in tab' in lasting.status())
    assert "1 tab" in lasting.must("restart", seconds=15)
    assert lasting.must("text", "h1") == "Welcome"
    lasting.run(*asks)  # which may or may not hear of it
    until(lambda: 'confirm "Stay?" is open in tab' in lasting.status())
    assert lasting.must("stop", seconds=10) == "Server stopped"


def hang(home: DaemonHarness, *words: str) -> subprocess.Popen[str]:
    """A command whose script never ends, and its page with it."""
    running = home.start(*words, "js", "while (true);")
    until(lambda: "js on tab" in home.status())
    return running


@fault(
    "Hangs",
    "a script never ends",
    "its command ends at its deadline (3) and the script is stopped; the page can be left, other commands work meanwhile",
)
def test_a_page_that_hangs_in_a_script(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    lasting.must("newtab", site("/two"))
    running = hang(lasting, "--timeout", "2000")
    assert (
        re.sub(r"\d+\] ", "] ", lasting.ask("tabs").rstrip())
        == f"  [] Home — {site('/')}\n→ [] Two — {site('/two')}"
    )
    _, err = running.communicate(timeout=60)
    assert running.returncode == 3
    assert err.startswith("Error: js did not finish in 2s: the page is stuck in a script, which was stopped\n")
    assert lasting.must("goto", site("/")) == f"Navigated to {site('/')} (200)"


@fault("Hangs", "closetab, while a script never ends", "the tab is closed; the command in it says so (6)")
def test_a_hanging_page_can_be_closed(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    running = hang(lasting)
    assert lasting.must("closetab").startswith("Closed tab ")
    _, err = running.communicate(timeout=60)
    assert (running.returncode, "closed" in err) == (6, True)


@fault("Hangs", "stop, while a script never ends", "the daemon stops; no process is left")
def test_a_hanging_page_does_not_keep_the_daemon_from_stopping(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    running = hang(lasting)
    assert lasting.must("stop") == "Server stopped"
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err.splitlines()[0]) == (6, "Error: js was interrupted: the daemon was stopped")
    lasting.until_gone()


@fault("Hangs", "restart, while a script never ends", "tabs, cookies and storage are carried over")
def test_a_hanging_page_does_not_keep_restart_from_carrying_everything(
    lasting: DaemonHarness, site: Site
) -> None:
    lasting.begin(site("/two"))
    lasting.must("js", "localStorage.kept = 'yes'")
    running = hang(lasting)
    assert lasting.must("restart") == "Server restarted\n→ 1 tab and 1 cookie carried over"
    running.communicate(timeout=60)
    assert running.returncode in (1, 6), "its script was ended, or the command with it"
    assert lasting.must("js", "localStorage.kept") == "yes"


@fault(
    "Hangs",
    "Chromium is stopped (SIGSTOP)",
    "commands end at their deadline (3) and say so; restart replaces it",
)
def test_a_browser_that_does_not_answer_can_be_replaced(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    processes = lasting.processes()
    processes["chromium"].suspend()
    late = lasting.run("--timeout", "500", "text")
    assert late.returncode == 3
    assert "the browser does not answer" in late.stderr
    assert lasting.must("restart").startswith(
        "Server restarted\n→ 1 tab and 0 cookies carried over; lost, as the browser did not tell: cookies and storage"
    )
    assert processes["chromium"] not in lasting.leftovers()
    assert lasting.must("url") == site("/")


@fault(
    "Kills",
    "the process is killed from which Chromium forks those of its pages",
    "pages that are open go on; what needs another one says so (3), and that restart helps, which it does",
)
def test_a_killed_zygote_is_named(home: DaemonHarness, site: Site) -> None:
    home.must("goto", site("/"))
    home.must("newtab")  # so that nothing of the start is left to wait for below
    home.must("closetab")
    chromium = home.processes()["chromium"]
    zygotes = [child for child in chromium.children() if "--type=zygote" in words_of(child)]
    if not zygotes:
        pytest.skip("this Chromium has no zygote")
    for zygote in zygotes:
        zygote.kill()
        until(lambda zygote=zygote: zygote.status() == psutil.STATUS_ZOMBIE)
    assert home.must("url") == site("/")
    wire = home.connect()
    opened = 1
    while (reply := wire.ask("newtab", timeout=1_000))["ok"]:  # in a process that Chromium had forked before
        opened += 1
        assert opened < 10, reply
    late = wire.ask("tabs", timeout=3_000, **{"as": "ann"})
    wire.close()
    for failed in (reply, late):
        assert failed["code"] == 3, str(failed)
        assert "the zygote, has ended" in failed["text"], failed
        assert "'restart'" in failed["hint"], failed
    home.must("restart")
    assert home.must("newtab", seconds=90).startswith("Opened tab ")
