"""Boards that a person has open while their daemon is replaced, or dies. What a person does on them is in tests/e2e/test_board.py."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.e2e.daemon.harness import DaemonHarness, until
from tests.e2e.visitor import open_board, visiting

SENT = "Sent. You can close this page."


@pytest.fixture(scope="module")
def visitor() -> Iterator[Browser]:
    with visiting() as browser:
        yield browser


@pytest.fixture
def desk(home: DaemonHarness) -> DaemonHarness:
    for name in ("a.png", "b.png"):
        Image.new("RGB", (120, 80), "teal").save(home.workspace / name)
    return home


def ask(home: DaemonHarness, *words: str) -> tuple[str, str]:
    """Number and address of a new board."""
    said = home.must("board-compare", *words, "--no-wait")
    found = re.match(r"Board (\d+)[^\n]*: (http://127\.0\.0\.1:\d+/\S+)\n", said)
    assert found, said
    return found[1], found[2]


def opened(visitor: Browser, address: str) -> Page:
    page = visitor.new_page()
    open_board(page, address)
    return page


def test_a_restart_carries_boards_with_their_pages_addresses_and_answers(
    desk: DaemonHarness, visitor: Browser
) -> None:
    waiting = desk.start("board-compare", "a.png", "b.png", "--title", "Which?", "--timeout", "60000")
    assert waiting.stderr
    found = re.match(r'Board (\d+) "Which\?": (\S+)', waiting.stderr.readline())
    assert found
    number, address = found.groups()
    unopened, its_address = ask(desk, "b.png")
    answered, at_once = ask(desk, "a.png")
    page, done = opened(visitor, address), opened(visitor, at_once)
    done.get_by_role("button", name="More like A").click()
    expect(done.get_by_role("status")).to_have_text(SENT)
    said = desk.must("board-answer", answered)
    page.get_by_role("radio", name="Choose B").check()

    assert desk.must("restart") == f"Server restarted\n→ still open: board {number}, board {unopened}"

    _, error = waiting.communicate(timeout=60)
    assert (waiting.returncode, error.splitlines()) == (
        3,
        [
            f'Error: Board {number} "Which?" has no answer yet, and a new daemon takes over',
            f"It stays open. Wait for the answer: board-answer {number}",
        ],
    )
    page.get_by_role("textbox", name="Comment on A").fill("went on")
    page.get_by_role("button", name="Zoom A").click()
    expect(page.locator("#zoom-room img")).to_have_js_property("naturalWidth", 120)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Send my choice").click()
    expect(page.get_by_role("status")).to_have_text(SENT)
    assert desk.must("board-answer", number).splitlines()[:2] == [
        f'Chosen: B b.png (board {number}: "Which?")',
        '→ A a.png no stars: "went on"',
    ]
    assert desk.must("board-answer", answered) == said
    page = opened(visitor, its_address)
    expect(page.get_by_role("img", name="A: b.png")).to_have_js_property("naturalWidth", 120)
    page.close()
    closed = desk.run("board-answer", unopened)
    assert (closed.returncode, "closed by the person" in closed.stderr) == (1, True)
    assert ask(desk, "a.png")[0] not in (number, unopened, answered)


def test_an_upgrade_carries_them_too(desk: DaemonHarness, visitor: Browser, tmp_path: Path) -> None:
    """With a copy of the package, which changes while a person looks at a board."""
    shutil.copytree(desk.package / "gstack_browse", tmp_path / "gstack_browse")
    desk.package = tmp_path
    number, address = ask(desk, "a.png")
    page, before = opened(visitor, address), desk.daemon()
    version = desk.package / "gstack_browse/__init__.py"
    version.write_text(version.read_text().replace("0.1.0", "7.7.7"))
    until(lambda: desk.daemon() != before)
    page.get_by_role("button", name="More like A").click()
    expect(page.get_by_role("status")).to_have_text(SENT)
    done = desk.run("board-answer", number)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"More like: A a.png (board {number})")


def test_what_became_of_the_boards_of_a_daemon_that_has_ended_is_said(
    desk: DaemonHarness, visitor: Browser
) -> None:
    (number, address), (answered, its_address) = ask(desk, "a.png", "--title", "Which?"), ask(desk, "b.png")
    page, done = opened(visitor, address), opened(visitor, its_address)
    done.get_by_role("button", name="More like A").click()
    expect(done.get_by_role("status")).to_have_text(SENT)
    written = re.findall(r"→ written: (.+)", desk.must("board-answer", answered))[0]
    desk.kill_daemon()
    expect(page.get_by_role("status")).to_contain_text("The board is closed")
    lost = desk.run("board-answer", number)
    assert (lost.returncode, lost.stderr.splitlines()[0]) == (
        1,
        f'Error: Board {number} "Which?" was closed without an answer: its daemon has ended',
    )
    told = desk.run("board-answer")
    assert (told.returncode, told.stderr.splitlines()) == (
        1,
        [
            f"Error: Board {answered} was answered, and its daemon has ended since",
            f"Read the answer: cat {written}",
        ],
    )
    others = desk.run("--as", "bob", "board-answer", number)
    assert (others.returncode, others.stderr.splitlines()[0]) == (1, f"Error: There is no board {number}")
    assert int(ask(desk, "a.png")[0]) == int(answered) + 1, "no number is given twice"
