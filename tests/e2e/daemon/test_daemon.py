"""Test the daemon's life: one per workspace, stop, restart, upgrade, idleness, logs and manners."""

import contextlib
import json
import os
import re
import resource
import signal
import stat
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from tests import chromiums
from tests.browser.launch import stand_in
from tests.e2e.daemon.harness import Completed, DaemonHarness, Site, is_daemon, until
from tests.faults import fault
from tests.processes import internet_connections, words


@pytest.fixture
def cold(lasting: DaemonHarness) -> DaemonHarness:
    """A workspace in which no daemon runs, and nothing was lost."""
    lasting.run("stop")
    lasting.until_gone()
    return lasting


@pytest.mark.both_browsers
@fault("Kills", "the daemon is killed while it starts", "no process is left; the next one removes its files")
def test_a_daemon_that_is_killed_while_it_starts_takes_chromium_along(
    cold: DaemonHarness, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kill where Chromium is started before the imports, then where it is started after them."""
    left: set[Path] = set()
    for persists in ("0", "1"):
        monkeypatch.setitem(cold.env, "BROWSE_PERSIST", persists)
        first = cold.start("goto", site("/"))
        chromium = until(
            lambda: next((one for one in cold.leftovers() if "--remote-debugging-pipe" in words(one)), None)
        )
        left.update(cold.temporary.iterdir())
        chromium.parent().kill()
        _, err = first.communicate(timeout=60)
        assert first.returncode in (0, 6, 8, 9), err
        if first.returncode == 0:
            cold.run("stop")  # the client had sent nothing yet, and has started another daemon
        cold.until_gone()
    cold.run("goto", site("/"))
    until(lambda: not left & set(cold.temporary.iterdir()))


@pytest.mark.both_browsers
@fault("Races", "stop, while the browser is starting", "everything ends; no process is left")
def test_stop_while_the_browser_is_still_starting(cold: DaemonHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop a browser whose messages are held back, so that its start does not end before that."""
    starting = stand_in.write(cold.workspace / "starting", chromiums.usual(), stand_in.KEEPS_STARTING)
    monkeypatch.setitem(cold.env, "BROWSE_CHROMIUM", str(starting))
    cold.must("status")
    first = cold.start("url")
    until(lambda: "Browser: starting" in cold.status())
    assert cold.must("stop") == "Server stopped"
    _, err = first.communicate(timeout=60)
    assert (first.returncode, err.splitlines()[0]) == (6, "Error: url was interrupted: the daemon was stopped")
    cold.until_gone()
    assert not list(cold.temporary.iterdir())


@fault("Races", "stop and restart at once", "each is answered")
def test_stop_and_restart_at_once_are_all_answered(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    words = ["stop", "restart", "url", "status"]
    with ThreadPoolExecutor(len(words)) as threads:
        done = dict(zip(words, threads.map(lasting.run, words), strict=True))
    assert [done[word].returncode for word in ("stop", "restart", "status")] == [0] * 3, done
    assert done["url"].returncode == (6 if "url was interrupted" in done["url"].stderr else 0), done
    lasting.run("stop")
    lasting.until_gone()


def test_a_daemon_that_another_client_stops_as_soon_as_it_listens_is_started_again(cold: DaemonHarness) -> None:
    """The client that has started that daemon is held up until the daemon has gone."""
    starting = cold.start("status")
    client = psutil.Process(starting.pid)
    until(lambda: any(map(is_daemon, client.children())) and client.status() == psutil.STATUS_SLEEPING)
    starting.send_signal(signal.SIGSTOP)
    until(cold.listens)
    daemon = cold.daemon()
    cold.ask("stop")
    until(lambda: not daemon.is_running() or daemon.status() == psutil.STATUS_ZOMBIE)
    starting.send_signal(signal.SIGCONT)
    _, err = starting.communicate(timeout=60)
    assert (starting.returncode, err) == (0, "")


HALVES = "[localStorage.half, sessionStorage.half].map((text) => text.charCodeAt(0)).join()"


def test_restart_carries_tabs_cookies_and_storage_and_stop_leaves_nothing(
    cold: DaemonHarness, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Have the page of a tab that is not the active one not come back until that one was asked."""
    home = cold
    site.release.set()
    home.must("goto", site("/"))
    home.must("newtab", site("/two"))
    home.must("js", "localStorage.setItem('kept', 'yes'), sessionStorage.setItem('near', 'too'), 1")
    home.must("js", "localStorage.half = sessionStorage.half = '\\ud800'; 1")
    home.must("newtab")
    home.must("load-html", "-", stdin="<title>Piped</title>")
    for address in (site("/hold?4"), site("/hold?5")):
        home.must("newtab", address)
    home.must("closetab", "4")
    home.must("tab", "2")
    home.must("har-start")
    home.must("coverage-start")
    home.must("screenshot", "a.png")
    home.must("board-compare", "a.png", "--no-wait")
    before = home.processes()
    site.release.clear()
    assert home.must("restart").splitlines() == [
        "Server restarted",
        "→ 4 tabs and 1 cookie carried over",
        "→ still open: board 1",
        "→ ended: the recording of 0 requests, the coverage of tab 2",
    ]
    kept = home.must("js", "localStorage.kept + sessionStorage.near + document.cookie")
    assert kept == "yestoosession=chocolate-chip"
    assert home.must("js", HALVES) == "55296,55296", "halves of characters, which JavaScript's strings may hold"
    site.release.set()
    assert home.must("--tab", "5", "text") == "held"
    assert home.must("tabs").splitlines() == [
        f"  [1] Home — {site('/')}",
        f"→ [2] Two — {site('/two')}",
        f"  [3] Piped — {home.workspace.as_uri()}/.stdin-1.html",
        f"  [5] {site('/hold?5').removeprefix('http://')} — {site('/hold?5')}",
    ]
    until(lambda: not any(process.is_running() and process in home.leftovers() for process in before.values()))
    home.must("closetab")
    assert home.must("newtab") == "Opened tab 6", "numbers are never used again"
    home.must("har-start")
    running = home.start("wait", "30000")
    until(lambda: "wait on tab" in home.status())
    assert home.must("stop") == "Server stopped\n→ ended: the recording of 0 requests, board 1"
    assert not home.is_locked(), "it has ended: a script may unmount its directory now"
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err.splitlines()[0]) == (
        6,
        "Error: wait was interrupted: the daemon was stopped",
    )
    assert err.endswith("It may have been half done. Run 'status' to see where things stand\n")
    home.until_gone()
    assert not home.socket.exists()
    assert not (home.workspace / ".gstack/browse.json").exists()
    assert not list(home.temporary.iterdir())
    assert home.must("stop") == "Server stopped"
    assert not home.leftovers(), "without a daemon it starts none"
    monkeypatch.setitem(home.env, "BROWSE_PORT", "9400")
    said = home.must("status").splitlines()
    assert "Ignored: BROWSE_PORT (nothing listens on a port): set, but without meaning here" in said
    assert not [line for line in said if line.startswith("Lost")], "what was stopped on purpose is not lost"


@fault("Races", "clients keep asking during a restart", "each gets its answer")
def test_clients_during_a_restart_all_get_their_answer(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    wire = lasting.connect()
    with ThreadPoolExecutor(6) as threads:
        asked = [threads.submit(lasting.run, "url") for _ in range(12)]
        restart = threads.submit(lasting.run, "restart")
        answers: list[Completed] = [item.result() for item in asked]
        assert (restart.result().returncode, restart.result().stderr) == (0, "")
    assert {(item.returncode, item.stdout) for item in answers} == {(0, site("/") + "\n")}, answers
    assert wire.rest() == b"", "an idle connection is closed"
    until(lambda: sum(map(is_daemon, lasting.leftovers())) == 1)  # the last one that was replaced is leaving


def test_idle_daemon_ends_and_the_next_command_reports_the_loss(home: DaemonHarness, site: Site) -> None:
    home.env["BROWSE_IDLE_TIMEOUT"] = "2000"
    with home.start("goto", site("/hold")) as first:
        until(lambda: "/hold" in site.hits)
        wire = home.connect()
        wait = {"cmd": "wait", "args": ["2500"], "reply": "json"}
        wire.send(wait, {"cmd": "url", "reply": "json"})  # behind the goto, so that nobody has to be quick
        site.release.set()
        assert first.communicate(timeout=60)[0] == f"Navigated to {site('/hold')} (200)\n"
    replies = [wire.line()["text"] for _ in range(2)]
    assert replies == ["Waited 2500ms", site("/hold")], "it counts from the end of the last command"
    wire.close()
    home.until_gone(30)
    assert not list(home.temporary.iterdir())
    told = home.fails(6, "text")
    assert told.splitlines() == [
        f"Error: browser state was lost (1 tab, last at {site('/hold')})",
        "The daemon had ended because nobody used it for long (BROWSE_IDLE_TIMEOUT). Run 'goto <url>' to begin again",
    ]


def test_open_files_of_the_daemon_are_not_inherited(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    processes = lasting.processes()
    assert re.search(r"^Memory: .*, browser [\d.]+ MB \(PSS\)$", lasting.status(), re.M)
    lock = os.stat(lasting.workspace / ".gstack/browse.lock").st_ino
    for process in processes["daemon"].children(recursive=True):
        for entry in Path(f"/proc/{process.pid}/fd").glob("*"):
            with contextlib.suppress(FileNotFoundError):
                assert entry.stat().st_ino != lock
                assert ".gstack" not in os.readlink(entry) or entry.name == "2"
    assert processes["daemon"].cwd() == "/"
    own = {entry.name: os.readlink(entry) for entry in Path(f"/proc/{processes['daemon'].pid}/fd").iterdir()}
    assert (own["0"], own["1"]) == ("/dev/null", "/dev/null")
    assert own["2"].endswith("/.gstack/browse-daemon.log")
    arguments = words(processes["chromium"])
    assert "--remote-debugging-pipe" in arguments
    assert not {"--disable-ipc-flooding-protection", "--disable-popup-blocking"} & set(arguments)
    assert not [line for line in internet_connections(processes["daemon"]) if line.status == psutil.CONN_LISTEN]


def test_thousands_of_requests_leave_nothing_behind(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    daemon = lasting.daemon()
    wire = lasting.connect()

    def ask(count: int) -> tuple[int, int]:
        for _ in range(count // 50):
            wire.send(*[{"cmd": "url", "reply": "json"}] * 50)
            assert all(wire.line()["ok"] for _ in range(50))
        return daemon.memory_info().rss, daemon.num_fds()

    rounds = [ask(2000) for _ in range(3)]  # in the first of them the daemon may still be getting things ready
    grown = [after[0] - before[0] for before, after in pairwise(rounds)]
    assert min(grown) < 600_000, grown
    descriptors = rounds[-1][1]
    assert descriptors <= max(opened for _, opened in rounds[:-1])
    for _ in range(100):
        text = lasting.connect()
        text.send(b'{"cmd":"url"}\n')
        text.rest()
        text.close()
    until(lambda: daemon.num_fds() <= descriptors)


def test_tabs_that_come_and_go_leave_no_process_and_no_descriptor(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    daemon = lasting.daemon()
    wire = lasting.connect()

    def come_and_go() -> None:
        for _ in range(3):
            number = wire.ask("newtab", site("/two"))["text"].split()[2]
            wire.ask("closetab", number)

    lasting.processes()  # once Chromium runs
    come_and_go()
    descriptors, processes = daemon.num_fds(), len(daemon.children(recursive=True))
    come_and_go()
    until(lambda: daemon.num_fds() <= descriptors)  # a log may be open that is being written
    until(lambda: len(daemon.children(recursive=True)) <= processes)


def test_logs_are_on_disk_soon_and_secrets_are_in_no_file(lasting: DaemonHarness, site: Site) -> None:
    """Log the cookies of a page, go to an address with a password, and send a header with a token."""
    home = lasting
    home.begin(site("/two"))
    state = home.workspace / ".gstack"
    console, network = state / "browse-console.log", state / "browse-network.log"
    before = console.read_text() if console.exists() else ""
    home.must("goto", site("/noise"))
    until(lambda: console.exists() and "line 19" in console.read_text().removeprefix(before))
    written = console.read_text().removeprefix(before)
    assert len(written.splitlines()) == 20
    assert re.match(r"\S+ tab \d+ ", written)
    home.run("goto", site("/").replace("http://", "http://ann:hunter2@"))
    home.must("goto", site("/two"))
    home.must("cookie-set", "sid", "s3cret-of-ann")
    home.must("js", "console.log(document.cookie.match(/sid=[^;]*/)[0], 'logged now') || 1")
    home.must("js", "fetch('/?last', {headers: {Authorization: 'Bearer hunter2'}}).then(() => 1)")
    until(lambda: "logged now" in console.read_text())
    until(lambda: network.exists() and site("/?last") in network.read_text())
    assert "sid=[redacted]" in console.read_text()
    assert f"GET {site('/noise')} → 200" in network.read_text()
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in state.glob("*.log")} == {0o600}
    for entry in filter(Path.is_file, state.iterdir()):
        found = [
            secret for secret in ("hunter2", "chocolate-chip", "s3cret-of-ann") if secret in entry.read_text()
        ]
        assert found == [], entry.name


@fault(
    "Planted files", "a link takes the place of a file in .gstack while the daemon runs", "it is not followed"
)
def test_link_planted_while_it_runs_is_not_followed(lasting: DaemonHarness, site: Site, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("untouched")
    state = lasting.workspace / ".gstack"
    places = [state / name for name in ("browse-console.log", "browse-session.json", "browse.json")]

    def plant(place: Path) -> None:
        """Put a link there in one step: the daemon may be writing that file."""
        link = lasting.workspace / "link"
        link.symlink_to(precious)
        link.replace(place)

    lasting.begin(site("/"))
    for planted in places:
        plant(planted)
    lasting.must("goto", site("/noise"))
    until((state / "browse-network.log").exists)
    refused = lasting.fails(1, "restart")
    assert refused.startswith("Error: The new daemon did not start: Refused: ")
    assert refused.partition(" is a symbolic link")[0].endswith(tuple(map(str, places)))
    lasting.run("stop")
    assert precious.read_text() == "untouched"
    assert [planted.is_symlink() for planted in places] == [True] * 3
    for planted in places:
        planted.unlink()


def test_two_state_files_of_one_directory_with_a_long_path_are_two_daemons(home: DaemonHarness) -> None:
    """Start no browser: it would be twice the cost."""
    home.workspace = home.workspace.joinpath(*["d" * 100] * 3)
    (home.workspace / ".git").mkdir(parents=True)
    own = home.workspace / "own"

    def process_of(name: str) -> str:
        """Return the process of the daemon with that state file, which is started if need be."""
        home.env["BROWSE_STATE_FILE"] = name
        pid = re.search(r"^PID: (\d+)$", home.must("status"), re.M)
        assert pid
        return pid[1]

    mine = process_of(str(own / "mine.json"))
    yours = process_of("own/yours.json")  # relative to where the commands are typed
    assert home.must("restart").startswith("Server restarted")
    assert len({mine, yours, process_of("own/yours.json")}) == 3
    assert process_of("own/mine.json") == mine
    described = json.loads((own / "mine.json").read_text())
    assert (str(described["pid"]), described["socket"]) == (mine, str(own / "mine.sock"))
    home.must("stop")
    assert not (own / "mine.json").exists()
    assert [path.name for path in own.glob("*.sock")] == ["yours.sock"]
    home.env["BROWSE_STATE_FILE"] = "own/yours.json"
    home.must("stop")
    assert not list(own.glob("*.sock"))


@fault("Environments", "Chromium cannot start", "it is explained, and tried again with the next command")
def test_a_chromium_that_cannot_start_is_explained_and_tried_again(home: DaemonHarness) -> None:
    home.env["BROWSE_CHROMIUM"] = "/bin/false"
    done = home.fails(1, "url")
    assert done.startswith("Error: /bin/false did not start: ")
    assert "Set BROWSE_CHROMIUM" in done
    assert len(done.splitlines()) == 2
    assert home.run("url").stderr == done
    assert not list(home.temporary.iterdir())


@fault("Environments", "too few open files are allowed", "it is named as what is wrong")
def test_too_few_open_files_are_named_as_what_is_wrong(home: DaemonHarness, site: Site) -> None:
    few = (100, 100)
    process = home.start("goto", site("/"), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, few))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, "")
    assert err.splitlines() == [
        "Error: Chromium needs more open files than are allowed here: 100",
        "Allow more, then have a new daemon: ulimit -n 4096; gbrowse stop",
    ]
