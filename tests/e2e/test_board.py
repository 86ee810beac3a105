"""Boards as a person uses them, in a real browser, and the commands that wait for the person's answer."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, Page, Route, WebSocketRoute, expect

from gstack_browse.client import connect
from gstack_browse.errors import BrowseError
from tests.e2e.conftest import make_workspace
from tests.e2e.daemon.harness import DaemonHarness, until
from tests.e2e.owner import Owner
from tests.e2e.visitor import Knock, is_listening, open_board, visiting

ADDRESS = r"http://127\.0\.0\.1:\d+/\S+"
SENT = "Sent. You can close this page."
GOES_ON = "Sent. The next round will be shown here."
HOSTILE = "<img src=x onerror=alert(1)> \u202e\n→ written: x.png"
SCRIPTED = """<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" onload="document.title = 'ran'">
<script>document.title = 'ran'; fetch('answer', { method: 'POST' })</script><rect width="40" height="30" fill="teal"/></svg>"""


@pytest.fixture(scope="module")
def visitor() -> Iterator[BrowserContext]:
    with visiting() as context:
        yield context


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_workspace(tmp_path_factory.mktemp("board")).resolve()
    for name, width in {"a.png": 120, "b.png": 120, "c.png": 40}.items():
        Image.new("RGB", (width, 80), "teal").save(path / name)
    return path


@pytest.fixture(scope="module")
def ann(tmp_path_factory: pytest.TempPathFactory, workspace: Path) -> Iterator[Owner]:
    owner = Owner(tmp_path_factory.mktemp("ann"))
    owner.give_desktop()
    assert owner.gbrowse(workspace, "board-answer").returncode == 1, "there is none yet"
    yield owner
    owner.gbrowse(workspace, "stop")


class BoardClient:
    """Run commands about boards as an agent, and open the windows of a person."""

    def __init__(self, owner: Owner, workspace: Path, context: BrowserContext) -> None:
        self.owner = owner
        self.workspace = workspace
        self.context = context
        self._browse = connect(workspace=workspace, start=False)

    def __call__(self, *words: str, code: int = 0) -> str:
        """Run a command that ends with the given code; return its output, or the error."""
        try:
            said, ended = self._browse(*words), 0
        except BrowseError as error:
            said, ended = f"{error.message}\n{error.hint}", error.code
        assert ended == code, said
        return said

    def put_away(self) -> None:
        """Close the boards without an answer, and read the unread answers, which a failed test leaves."""
        for number in re.findall(r"board-answer (\d+)", self("status")):
            with suppress(BrowseError):
                self._browse("board-answer", number, "--close")
        for page in self.context.pages:
            page.close()
        self._browse.close()

    def ask(self, *words: str) -> tuple[int, str]:
        """Make a board without waiting for it; return its number and address."""
        return number_and_address(self("board-compare", *words, "--no-wait"))

    def board(self, *words: str) -> tuple[int, Page]:
        number, address = self.ask(*words)
        return number, opened(self.context, address)

    @contextmanager
    def waiting(self, *words: str) -> Iterator[tuple[str, Callable[[], tuple[str, int]]]]:
        """Run a command that waits for a person.

        Yields the address that it says at once, and how to get its output and exit code.
        """
        process = self.owner.start(self.workspace, *words, "--timeout", "60000")
        assert process.stderr
        found = re.search(ADDRESS, process.stderr.readline())
        assert found

        def finished() -> tuple[str, int]:
            out, error = process.communicate(timeout=90)
            return out.strip() or error.strip(), process.returncode

        try:
            yield found[0], finished
        finally:
            process.kill()
            process.communicate()


def number_and_address(said: str) -> tuple[int, str]:
    """Return what the command says of a board that it made."""
    found = re.match(rf"Board (\d+)[^\n]*: ({ADDRESS})\n", said)
    assert found, said
    return int(found[1]), found[2]


def opened(visitor: BrowserContext, address: str) -> Page:
    page = visitor.new_page()
    open_board(page, address)
    return page


@pytest.fixture
def boards(visitor: BrowserContext, ann: Owner, workspace: Path) -> Iterator[BoardClient]:
    boards = BoardClient(ann, workspace, visitor)
    yield boards
    boards.put_away()


def press(page: Page, button: str, told: str) -> None:
    """Press a button, and wait until the page tells that."""
    page.get_by_role("button", name=button).click()
    expect(page.get_by_role("status")).to_contain_text(told)


def document(said: str) -> dict[str, object]:
    """The JSON file that an answer names."""
    found = re.search(r"^→ written: (.+)$", said, re.M)
    assert found, said
    assert os.stat(found[1]).st_mode & 0o777 == 0o600
    return json.loads(Path(found[1]).read_text())


def test_the_waiting_command_gets_exactly_what_was_clicked(boards: BoardClient) -> None:
    usable: list[int] = []

    def count_usable(route: Route) -> None:
        usable.append(
            page.locator("button:enabled, select:enabled, textarea:enabled").locator("visible=true").count()
        )
        route.continue_()

    words = ["board-compare", "a.png", "b.png", "c.png", "--title", "Landing page"]
    with boards.waiting(*words) as (address, finished):
        until(lambda: address in boards.owner.opened_addresses())
        page = opened(boards.context, address)
        expect(page).to_have_title("Landing page – gbrowse")
        page.get_by_role("group", name="Stars for A").get_by_label("2 stars").check()
        page.get_by_role("group", name="Stars for B").get_by_label("5 stars").check()
        page.get_by_role("textbox", name="Comment on A").fill("too\nbusy")
        page.get_by_label("Overall comment").fill("Larger type, please")
        press(page, "Send my choice", "Choose a picture first")
        page.get_by_role("radio", name="Choose B").check()
        page.route("**/board", count_usable)
        page.reload()
        press(page, "Send my choice", SENT)
        said, code = finished()
    assert code == 0
    assert usable == [0], "before the pictures are there"
    assert said.splitlines()[:-1] == [
        said.split(" (")[0] + f' (board {document(said)["board"]}: "Landing page")',
        '→ A a.png 2/5 stars: "too busy"',
        "→ B b.png 5/5 stars",
        "→ C c.png no stars",
        '→ in all: "Larger type, please"',
    ]
    assert said.startswith("Chosen: B b.png (")
    written = document(said)
    assert (written["verdict"], written["chosen"], written["comment"]) == ("chosen", "B", "Larger type, please")
    assert boards("board-answer", str(written["board"])) == said, "it can be asked for again"


def test_board_is_answered_by_keyboard_alone_though_its_folder_is_gone(boards: BoardClient) -> None:
    folder = boards.workspace / "gone"
    folder.mkdir()
    for name in ("a.png", "b.png"):
        (folder / name).write_bytes((boards.workspace / name).read_bytes())
    number, page = boards.board("gone/a.png", "gone/b.png")
    page.get_by_role("button", name="Zoom A: a.png, 120 by 80 pixels").focus()
    page.keyboard.press("Enter")
    zoom = page.get_by_role("dialog", name="A a.png")
    expect(zoom.get_by_role("group", name="Picture, scrolls")).to_be_focused()
    page.keyboard.press("1")
    expect(zoom.get_by_text("100 %")).to_be_visible()
    page.keyboard.press("+")
    expect(zoom.get_by_role("img")).to_have_js_property("clientWidth", 180)
    page.keyboard.press("PageDown")
    expect(page.get_by_role("dialog", name="B b.png").get_by_text("fits")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Swipe between two").press("Enter")
    expect(page.get_by_role("slider")).to_be_focused()
    page.keyboard.press("Home")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "0 % of A")
    expect(page.locator("#swipe-room .left")).to_have_css("clip-path", "inset(0px 100% 0px 0px)")
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="Choose A").press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    shutil.rmtree(folder)
    page.get_by_role("button", name="Send my choice").press("Enter")
    expect(page.get_by_role("status")).to_have_text(SENT)
    said = boards("board-answer", str(number))
    assert said.startswith(f"Chosen: B b.png (board {number})\n→ A a.png no stars\n→ B b.png 1/5 stars\n")
    assert "→ not written: Cannot write" in said


def test_lost_or_closed_window_is_told_and_may_come_back(boards: BoardClient) -> None:
    """Break the connection, as a tunnel does, and have it come back; then close the window."""
    page, is_broken = boards.context.new_page(), [False]

    def tunnel(socket: WebSocketRoute) -> None:
        if is_broken[0]:
            socket.close()
            return
        server = socket.connect_to_server()
        open_now.append((socket, server))

    open_now: list[tuple[WebSocketRoute, WebSocketRoute]] = []
    page.route_web_socket("**/window", tunnel)
    with boards.waiting("board-compare", "a.png") as (address, finished):
        open_board(page, address)
        is_broken[0] = True
        for end in open_now.pop():
            end.close()
        said, code = finished()
    assert code == 1
    assert "was closed by the person without an answer" in said
    number = re.findall(r"board-answer (\d+)", said)[-1]
    expect(page.get_by_role("status")).to_contain_text("The board is closed, or the way to it is broken")
    is_broken[0] = False
    expect(page.get_by_role("status")).to_have_text("")
    assert "no answer yet" in boards("board-answer", number, "--no-wait", code=3), (
        "who comes back is waited for"
    )
    path = page.url
    page.close()
    assert "was closed by the person" in boards("board-answer", number, code=1)
    page = opened(boards.context, path)
    press(page, "More like A", GOES_ON)
    said = boards("board-answer", number)
    assert said.startswith(f"More like: A a.png (board {number})\n")
    assert document(said)["more_like"] == "A"


def test_mix_and_again_on_two_boards_at_once_are_told_apart(boards: BoardClient) -> None:
    first, one = boards.board("a.png", "b.png", "--title", "One")
    second, two = boards.board("b.png", "--title", "Two")
    assert f'board-answer {first} ("One"), board-answer {second} ("Two")' in boards("board-answer", code=2)
    two.get_by_role("button", name="None of these: again").click()
    press(one, "Ask for this mix", "Say first what to take from which picture.")
    one.get_by_label("Layout of").select_option("A")
    one.get_by_label("Colours of").select_option("B")
    press(one, "Ask for this mix", GOES_ON)
    expect(two.get_by_role("status")).to_have_text(GOES_ON)
    said = boards("board-answer", str(first))
    assert said.startswith(f'Mix: layout of A a.png, colours of B b.png (board {first}: "One")\n')
    assert document(said)["mix"] == {"layout": "A", "colours": "B"}
    assert boards("board-answer").startswith(f'Again: none of these (board {second}: "Two")')


def test_the_next_round_is_shown_in_the_same_window(boards: BoardClient) -> None:
    number, page = boards.board("a.png", "b.png", "--title", "One")
    page.get_by_role("radio", name="Choose B").check()
    expect(page.locator("#picked")).to_have_text("We'll move forward with option B.")
    press(page, "More like A", GOES_ON)
    assert boards("board-answer", str(number)).startswith("More like: A a.png")
    opened_before = boards.owner.opened_addresses()
    said = boards("board-compare", "c.png", "--title", "Two", "--no-wait")
    assert f"→ it is shown in the window of board {number}: nobody has to open it" in said
    expect(page.get_by_role("heading", level=1)).to_have_text("Two")
    assert boards.owner.opened_addresses() == opened_before
    page.get_by_role("radio", name="Choose A").check()
    press(page, "Send my choice", SENT)
    assert boards("board-answer").startswith("Chosen: A c.png")


def test_an_answer_that_cannot_be_sent_can_be_copied(boards: BoardClient) -> None:
    number, page = boards.board("a.png", "b.png")
    page.get_by_role("textbox", name="Comment on B").fill("Calmer")
    page.get_by_role("radio", name="Choose B").check()
    boards("board-answer", str(number), "--close")
    page.get_by_role("button", name="Send my choice").click()
    field = page.get_by_role("textbox", name="Your answer, to copy")
    expect(field).to_be_visible()
    kept = json.loads(field.input_value())
    assert (kept["verdict"], kept["chosen"], kept["remarks"]["B"]["comment"]) == ("chosen", "B", "Calmer")
    boards.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(page, "Copy", "Copied.")
    for _ in range(4):  # then the page takes the daemon for lost
        page.wait_for_event("websocket")
    expect(page.get_by_role("status")).to_have_text("Copied.")


def test_hostile_names_and_drawings_and_enormous_pictures_are_only_shown(boards: BoardClient) -> None:
    for name in (HOSTILE, "-x.png"):
        (boards.workspace / name).write_bytes((boards.workspace / "a.png").read_bytes())
    (boards.workspace / "drawing.png").write_text(SCRIPTED)
    Image.new("1", (8000, 5000)).save(boards.workspace / "huge.png")
    words = [HOSTILE, "./-x.png", "drawing.png", "huge.png", "--title", "<script>alert(2)</script>\n\x1b[2J"]
    number, page = boards.board(*words)
    expect(page.get_by_role("heading", level=1)).to_have_text("<script>alert(2)</script> ␛[2J")
    expect(page.get_by_role("heading", level=2).first).to_contain_text("A '<img src=x onerror=alert(1)>")
    expect(page.locator("#pictures img")).to_have_count(4)
    expect(page.get_by_role("img", name="C: drawing.png")).to_have_js_property("naturalWidth", 40)
    drawing = boards.context.new_page()
    with drawing.expect_response("**/picture/C") as answered:
        drawing.goto(f"{page.url}picture/C")
    assert "sandbox" in answered.value.headers["content-security-policy"]
    assert drawing.evaluate("document.documentElement.tagName") == "svg"
    assert "ran" not in (page.title(), drawing.title())
    assert boards("board-answer", str(number), "--no-wait", code=3)
    huge = page.get_by_role("img", name="D: huge.png, 8000 by 5000 pixels")
    expect(huge).to_have_js_property("naturalWidth", 8000)
    page.get_by_role("button", name="Zoom D").click()
    page.keyboard.press("1")
    expect(page.locator("#zoom-room img")).to_have_js_property("clientWidth", 8000)
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="Choose A").check()
    press(page, "Send my choice", SENT)
    said = boards("board-answer", str(number))
    assert len(said.splitlines()) == 6, said
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert document(said)["title"] == "<script>alert(2)</script> ␛[2J"


def test_board_of_unusable_pictures_is_refused(boards: BoardClient, ann: Owner) -> None:
    (boards.workspace / "text.png").write_text("no picture")
    (ann.home / "private.png").write_bytes((boards.workspace / "a.png").read_bytes())
    (boards.workspace / "link.png").symlink_to("/etc/passwd")
    assert "text.png is no picture" in boards("board-compare", "a.png", "text.png", code=1)
    assert "link.png is outside" in boards("board-compare", "link.png", code=7)
    assert "Cannot read none.png" in boards("board-compare", "none.png", code=1)
    assert "at most 26 pictures" in boards("board-compare", *["a.png"] * 27, code=2)
    assert "There is no board 999" in boards("board-answer", "999", code=1)


def test_only_who_has_the_address_gets_in_and_only_answers_are_taken(boards: BoardClient) -> None:
    number, address = boards.ask("a.png")
    knock = Knock(address)
    own = f"http://127.0.0.1:{knock.port}"
    assert [knock(path).status for path in ("?token=wrong", "board", "picture/A", "window")] == [403] * 4
    assert "nobody has opened it" in boards("board-answer", str(number), "--no-wait", code=3)
    cookie = knock.cookie().partition(";")[0]
    refused = knock(f"?{knock.query}")
    assert (refused.status, b"board-compare" in refused.read()) == (403, True)
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
    foreign = {"Origin": "https://evil.test", "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==", **upgrade}
    assert knock("window", Cookie=cookie, **foreign).status == 403
    sent = {"Cookie": cookie, "Origin": own, "Content_Type": "application/json"}
    assert [knock("answer", "POST", body, **sent).status for body in ("", '{"verdict":"buy"}')] == [400, 400]
    assert knock("picture/B", Cookie=cookie).status == 404
    assert knock.query not in boards("board-answer", str(number), "--no-wait", code=3), "it works no more"
    assert knock("answer", "POST", '{"verdict":"again"}', **sent).status == 200
    assert boards("board-answer", str(number)).startswith("Again")
    assert any(not is_listening(knock.port) for _ in range(1000)), "it closes right after its answer"


def test_the_gallery_shows_what_was_answered_by_day(boards: BoardClient) -> None:
    folder = boards.workspace / "designs"
    folder.mkdir()
    for name in ("a.png", "b.png", "other.png", "<b>x.png"):
        (folder / name).write_bytes((boards.workspace / "a.png").read_bytes())
    number, page = boards.board("designs/a.png", "designs/b.png", "--title", "<i>Landing</i>")
    page.get_by_role("radio", name="Choose B").check()
    page.get_by_role("textbox", name="Comment on A", exact=True).fill("busy")
    press(page, "Send my choice", SENT)
    written = document(boards("board-answer", str(number)))
    shown = [dict(each) for each in written["pictures"]]  # type: ignore[attr-defined]
    shown[0]["file"], shown[1]["file"] = "../../../../../../etc/passwd", "../c.png"
    planted = {**written, "asked": "2020-02-29T12:00:00+00:00", "pictures": shown}
    (folder / "board-planted.json").write_text(json.dumps(planted))
    (folder / "board-nonsense.json").write_text("{")
    (folder / "link.png").symlink_to(boards.workspace / "c.png")
    (folder / "a.png").write_bytes((boards.workspace / "c.png").read_bytes())

    said = boards("board-gallery", "designs")
    days = re.split(r"^(\d{4}-\d\d-\d\d)$", said, flags=re.M)
    assert [days[1] > days[3], days[3]] == [True, "2020-02-29"]
    assert "Chosen: B b.png (board" in days[2]
    assert '→ A a.png no stars: "busy"' in days[2]
    assert "on no board: <b>x.png, other.png" in days[2]
    assert "Chosen: B ../c.png" in days[4]

    found = re.search(ADDRESS, said)
    assert found
    page = boards.context.new_page()
    page.goto(found[0])
    sections = page.get_by_role("region").or_(page.locator("section"))
    expect(sections).to_have_count(2)
    today, planted_day = sections.nth(0), sections.nth(1)
    expect(today.get_by_role("heading", level=3).first).to_contain_text("<i>Landing</i>")
    expect(today.get_by_text("Changed since it was on the board.")).to_have_count(1)
    expect(today.locator(".chosen")).to_contain_text("B b.png (chosen)")
    expect(today.get_by_role("img", name="<b>x.png")).to_have_js_property("naturalWidth", 120)
    expect(planted_day.get_by_text("This picture is not there any more.")).to_have_count(2)
    knock = Knock(page.url)
    cookies = {each["name"]: each["value"] for each in boards.context.cookies(page.url)}
    cookie = f"gbrowse-gallery={cookies['gbrowse-gallery']}"
    assert [knock(f"picture/{each}", Cookie=cookie).status for each in (0, 4, 99)] == [200, 404, 404]
    assert "There are no boards" in boards("board-gallery", ".git", code=1)
    assert "is outside" in boards("board-gallery", "/etc", code=7)
    assert "There is no directory" in boards("board-gallery", "none", code=1)


def test_our_own_snapshot_reads_it_and_an_audit_finds_nothing(boards: BoardClient) -> None:
    gallery = re.search(ADDRESS, boards("board-gallery", "."))
    _number, address = boards.ask("a.png", "b.png", "--title", "Which?")
    assert gallery
    steps = [
        ["goto", address], ["snapshot", "-i"], ["audit"], ["click", "text=Swipe between two"], ["press", "Escape"],
        ["emulate", "--color-scheme", "dark"], ["click", "#pictures .frame >> nth=0"], ["audit"], ["goto", gallery[0]], ["audit"],
    ]  # fmt: skip
    said = boards("chain", json.dumps(steps))
    for line in (
        '[radio] "Choose A"',
        '[radio] "5 stars" (Stars for B)',
        '[textbox] "Comment on B"',
        '[combobox] "Layout of"',
    ):
        assert line in said
    assert said.count("found no problems") == 3


@pytest.fixture(scope="module")
def board_home(lasting: DaemonHarness) -> DaemonHarness:
    for name in ("a.png", "b.png"):
        Image.new("RGB", (120, 80), "teal").save(lasting.workspace / name)
    return lasting


def asked(home: DaemonHarness, *words: str) -> tuple[str, str]:
    """Make a board in that workspace; return its number and address."""
    number, address = number_and_address(home.must("board-compare", *words, "--no-wait"))
    return str(number), address


def test_a_restart_carries_boards_with_their_pages_addresses_and_answers(
    board_home: DaemonHarness, visitor: BrowserContext
) -> None:
    waiting = board_home.start("board-compare", "a.png", "b.png", "--title", "Which?", "--timeout", "60000")
    assert waiting.stderr
    found = re.match(r'Board (\d+) "Which\?": (\S+)', waiting.stderr.readline())
    assert found
    number, address = found.groups()
    unopened, its_address = asked(board_home, "b.png")
    answered, at_once = asked(board_home, "a.png")
    page, done = opened(visitor, address), opened(visitor, at_once)
    press(done, "More like A", GOES_ON)
    said = board_home.must("board-answer", answered)
    page.get_by_role("radio", name="Choose B").check()

    assert board_home.must("restart") == f"Server restarted\n→ still open: board {number}, board {unopened}"

    _, error = waiting.communicate(timeout=60)
    assert (waiting.returncode, error) == (
        3,
        f'Error: Board {number} "Which?" has no answer yet, and a new daemon takes over\n'
        f"It stays open. Wait for the answer: board-answer {number}\n",
    )
    page.get_by_role("textbox", name="Comment on A").fill("went on")
    page.get_by_role("button", name="Zoom A").click()
    expect(page.locator("#zoom-room img")).to_have_js_property("naturalWidth", 120)
    page.keyboard.press("Escape")
    press(page, "Send my choice", SENT)
    assert board_home.must("board-answer", number).splitlines()[:2] == [
        f'Chosen: B b.png (board {number}: "Which?")',
        '→ A a.png no stars: "went on"',
    ]
    assert board_home.must("board-answer", answered) == said
    page = opened(visitor, its_address)
    expect(page.get_by_role("img", name="A: b.png")).to_have_js_property("naturalWidth", 120)
    page.close()
    assert "closed by the person" in board_home.fails(1, "board-answer", unopened)
    last, _ = asked(board_home, "a.png")
    assert last not in (number, unopened, answered)
    board_home.must("board-answer", last, "--close")


def test_boards_of_an_ended_daemon_are_reported_by_the_next_one(
    board_home: DaemonHarness, visitor: BrowserContext
) -> None:
    number, address = asked(board_home, "a.png", "--title", "Which?")
    answered, its_address = asked(board_home, "b.png")
    page, done = opened(visitor, address), opened(visitor, its_address)
    press(done, "More like A", GOES_ON)
    written = re.findall(r"→ written: (.+)", board_home.must("board-answer", answered))[0]
    board_home.kill_daemon()
    expect(page.get_by_role("status")).to_contain_text("The board is closed")
    lost = board_home.fails(1, "board-answer", number)
    assert lost.startswith(
        f'Error: Board {number} "Which?" was closed without an answer: its daemon has ended\n'
    )
    assert board_home.fails(1, "board-answer").splitlines() == [
        f"Error: Board {answered} was answered, and its daemon has ended since",
        f"Read the answer: cat {written}",
    ]
    others = board_home.fails(1, "--as", "bob", "board-answer", number)
    assert others.startswith(f"Error: There is no board {number}\n")
    assert int(asked(board_home, "a.png")[0]) == int(answered) + 1, "no number is given twice"
