"""Test boards that a person has open while their daemon is replaced or dies.

What a person does on them is in tests/e2e/test_board.py.
"""

import re
from collections.abc import Iterator

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.e2e.daemon.harness import DaemonHarness
from tests.e2e.visitor import open_board, visiting

SENT = "Sent. You can close this page."


@pytest.fixture(scope="module")
def visitor() -> Iterator[Browser]:
    with visiting() as browser:
        yield browser


@pytest.fixture
def board_home(home: DaemonHarness) -> DaemonHarness:
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
    board_home: DaemonHarness, visitor: Browser
) -> None:
    waiting = board_home.start("board-compare", "a.png", "b.png", "--title", "Which?", "--timeout", "60000")
    assert waiting.stderr
    found = re.match(r'Board (\d+) "Which\?": (\S+)', waiting.stderr.readline())
    assert found
    number, address = found.groups()
    unopened, its_address = ask(board_home, "b.png")
    answered, at_once = ask(board_home, "a.png")
    page, done = opened(visitor, address), opened(visitor, at_once)
    done.get_by_role("button", name="More like A").click()
    expect(done.get_by_role("status")).to_have_text(SENT)
    said = board_home.must("board-answer", answered)
    page.get_by_role("radio", name="Choose B").check()

    assert board_home.must("restart") == f"Server restarted\n→ still open: board {number}, board {unopened}"

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
    assert board_home.must("board-answer", number).splitlines()[:2] == [
        f'Chosen: B b.png (board {number}: "Which?")',
        '→ A a.png no stars: "went on"',
    ]
    assert board_home.must("board-answer", answered) == said
    page = opened(visitor, its_address)
    expect(page.get_by_role("img", name="A: b.png")).to_have_js_property("naturalWidth", 120)
    page.close()
    closed = board_home.run("board-answer", unopened)
    assert (closed.returncode, "closed by the person" in closed.stderr) == (1, True)
    assert ask(board_home, "a.png")[0] not in (number, unopened, answered)


def test_boards_of_an_ended_daemon_are_reported_by_the_next_one(
    board_home: DaemonHarness, visitor: Browser
) -> None:
    (number, address), (answered, its_address) = (
        ask(board_home, "a.png", "--title", "Which?"),
        ask(board_home, "b.png"),
    )
    page, done = opened(visitor, address), opened(visitor, its_address)
    done.get_by_role("button", name="More like A").click()
    expect(done.get_by_role("status")).to_have_text(SENT)
    written = re.findall(r"→ written: (.+)", board_home.must("board-answer", answered))[0]
    board_home.kill_daemon()
    expect(page.get_by_role("status")).to_contain_text("The board is closed")
    lost = board_home.run("board-answer", number)
    assert (lost.returncode, lost.stderr.splitlines()[0]) == (
        1,
        f'Error: Board {number} "Which?" was closed without an answer: its daemon has ended',
    )
    told = board_home.run("board-answer")
    assert (told.returncode, told.stderr.splitlines()) == (
        1,
        [
            f"Error: Board {answered} was answered, and its daemon has ended since",
            f"Read the answer: cat {written}",
        ],
    )
    others = board_home.run("--as", "bob", "board-answer", number)
    assert (others.returncode, others.stderr.splitlines()[0]) == (1, f"Error: There is no board {number}")
    assert int(ask(board_home, "a.png")[0]) == int(answered) + 1, "no number is given twice"
