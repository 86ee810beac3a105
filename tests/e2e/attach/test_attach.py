"""`gbrowse attach`: other programs in the live browser, and where they are refused."""

import os
import re
import socket
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path

import playwright
import pytest
from playwright.sync_api import Browser, Error, Playwright

from tests.e2e.attach.conftest import EXAMPLES
from tests.e2e.daemon.harness import DaemonHarness, until
from tests.processes import run_program

SOCKET = ".gstack/cdp.sock"
DRIVER = Path(playwright.__file__).with_name("driver")
"""Playwright's Node, and its package for that, which the package for Python brings along."""


@pytest.fixture
def address(page: DaemonHarness) -> str:
    return page.must("attach")


def test_the_socket_is_private_and_goes_with_detach_and_what_is_planted_there_is_left_alone(
    page: DaemonHarness, address: str
) -> None:
    path = page.workspace / SOCKET
    assert address == f"ws+unix://{path}:/default"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert page.must("attach") == address
    assert page.must("--as", "ann", "attach") == address.replace("default", "ann")
    page.must("--as", "ann", "detach")
    page.must("context-close", "ann")
    assert page.must("detach") == "No program was attached; none can attach now"
    assert not path.exists()
    assert page.must("detach") == "No program could attach"
    path.symlink_to("/etc/passwd")
    page.fails(7, "attach")
    assert path.is_symlink()
    path.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(os.path.relpath(path))
        other.listen()
        assert "is in use by process" in page.run("attach").stderr
    assert page.must("attach")  # a socket at which nobody listens is replaced
    (path.parent / "other").write_text("planted")
    (path.parent / "other").rename(path)
    page.must("stop")
    page.until_gone()
    assert path.read_text() == "planted"
    path.unlink()


def test_playwright_and_commands_work_side_by_side(page: DaemonHarness, playwright: Playwright) -> None:
    browser = playwright.chromium.connect_over_cdp(page.must("attach", "--tcp"))
    context = browser.contexts[0]
    (shown,) = context.pages
    page.must("click", "text=Sign in")
    assert shown.title() == "Signed in"
    assert re.search(r"^Attached: a client over TCP for \d+s; 127.0.0.1:\d+ is open", page.must("status"), re.M)
    # dialogs: ours while a command runs, else the program's
    assert 'confirm "Really?": accepted' in page.must("click", "#ask")
    shown.once("dialog", lambda dialog: dialog.dismiss())
    shown.click("#ask")
    assert shown.title() == "false"
    other = playwright.chromium.connect_over_cdp(page.must("attach", "--tcp"))
    shown.once("dialog", lambda dialog: dialog.dismiss())
    other.contexts[0].pages[0].on("dialog", lambda dialog: None)
    shown.click("#ask")
    assert 'confirm "Really?": accepted' in page.must("click", "#ask")
    page.must("dialog-hold")
    with other.contexts[0].pages[0].expect_event("dialog"):
        shown.evaluate("setTimeout(() => document.querySelector('#ask').click())")
    for _ in ("the open one", "those that come"):
        page.must("dialog-accept")
    assert 'confirm "Really?": accepted' in page.must("click", "#ask")
    other.close()
    # downloads: in both places
    with shown.expect_download() as begun:
        shown.click("#file")
    assert Path(begun.value.path()).read_text() == "abc"
    assert "facts.txt" in page.run("downloads").stdout
    # tabs: those of either are those of both
    made = context.new_page()
    made.goto(shown.url)
    _, line = page.must("tabs").splitlines()
    with made.expect_event("close"):
        page.must("closetab", re.findall(r"\[(\d+)\]", line)[0])
    assert len(context.pages) == 1
    # a trace: no other context is open
    browser.start_tracing(page=shown)
    assert browser.stop_tracing()
    # a context of the program's own
    own = browser.new_context().new_page()
    own.goto(shown.url)
    assert len(page.must("tabs").splitlines()) == 1
    # what it emulates
    shown.set_viewport_size({"width": 320, "height": 200})
    assert page.run("js", "innerWidth").stdout == "320\n"  # and a note on the download
    browser.close()
    assert "nobody" in page.must("status")
    assert page.must("js", "innerWidth") == "1280"


def test_a_dialog_that_a_program_leaves_open_is_closed_when_it_leaves(
    page: DaemonHarness, playwright: Playwright
) -> None:
    browser = playwright.chromium.connect_over_cdp(page.must("attach", "--tcp"))
    shown = browser.contexts[0].pages[0]
    shown.on("dialog", lambda dialog: None)
    with shown.expect_event("dialog"):  # it may come before `evaluate` returns
        shown.evaluate("setTimeout(() => document.querySelector('#ask').click())")
    assert 'confirm "Really?" is open' in page.fails(4, "text")
    browser.close()
    # once the daemon has seen it leave
    until(lambda: page.run("js", "document.title !== 'Home'").stdout == "true\n")


def test_detach_and_a_changed_context_disconnect_programs(page: DaemonHarness, playwright: Playwright) -> None:
    for command in ("detach", "useragent Probe/1.0", "restart"):
        browser = playwright.chromium.connect_over_cdp(page.must("attach", "--tcp"))
        said = page.must(*command.split())
        assert ("→ attached programs were disconnected" in said) == (command != "detach")
        with pytest.raises(Error, match="closed"):
            browser.contexts[0].pages[0].wait_for_timeout(20_000)
        until(partial(is_disconnected, browser))  # the page may be told sooner
    page.must("stop")


def is_disconnected(browser: Browser) -> bool:
    """Return whether Playwright has lost the browser, after it has read what has come."""
    with suppress(Error):
        browser.new_browser_cdp_session().detach()
    return not browser.is_connected()


def test_rules_keep_programs_out_unless_the_user_lets_them_in(home: DaemonHarness) -> None:
    home.env |= {"BROWSE_ALLOW": "localhost", "BROWSE_ALLOW_RESOURCES": "localhost", "BROWSE_CONFIRM": "upload"}
    (home.workspace / "gbrowse.toml").write_text("attach = true\n")  # the workspace is not the user
    all_rules = "BROWSE_ALLOW and BROWSE_ALLOW_RESOURCES and BROWSE_CONFIRM hold"
    for words in (("attach",), ("attach", "--tcp"), ("--as", "ann", "attach"), ("run", "-")):
        done = home.fails(7, *words, stdin="print(1)")
        assert done.startswith(f"Error: No program may attach while {all_rules}:")
        assert "'attach = true' in ~/.config" in done
    home.must("stop")
    settings = Path(home.env["XDG_CONFIG_HOME"]) / "gbrowse/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("attach = true\n")
    settings.chmod(0o600)
    assert home.must("attach").startswith("ws+unix://")


def test_examples_of_the_docs_run(page: DaemonHarness, origin: str) -> None:
    address = page.must("attach")
    script = EXAMPLES["gbrowse.py"].replace("localhost:8000", origin)
    assert page.python(script, address) == f"Signed in\nhttp://{origin}/index.html\n"
    assert page.python(EXAMPLES["attached.py"], address) == "Signed in\n"
    page.must("detach")


def run_with_node(page: DaemonHarness, packages: Path, name: str, *options: str) -> None:
    """Run an example beside its `node_modules`, by the Node of Playwright."""
    script = packages / name
    script.write_text(EXAMPLES[name])
    address = page.must("attach", *options)
    done = run_program([DRIVER / "node", script, address], env={**os.environ, "ADDRESS": address})
    assert (done.stdout, done.stderr) == ("Home\n", "")
    page.must("detach")


def test_example_for_playwright_in_node_runs(page: DaemonHarness, tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/playwright-core").symlink_to(DRIVER / "package")
    run_with_node(page, tmp_path, "playwright.mjs")


@pytest.mark.slow  # npm installs it
def test_example_for_puppeteer_runs(page: DaemonHarness, puppeteer: Path) -> None:
    run_with_node(page, puppeteer, "puppeteer.mjs", "--tcp")
    run_with_node(page, puppeteer, "puppeteer.mjs")
