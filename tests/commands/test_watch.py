"""The watch page as a visitor gets it over its web socket, and a turn of a person."""

import asyncio
import io
import json
import re
import zipfile
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio
from PIL import Image

from gstack_browse.browser.transfer import context_transfer
from gstack_browse.documents.film.take import read_records
from gstack_browse.documents.film.timeline import read_timeline
from gstack_browse.local_pages.watch import server
from tests.commands.conftest import Run, Shell, Show, until
from tests.commands.in_page import crash
from tests.commands.test_film import NOTICED, NOTICES
from tests.faults import fault

pytestmark = pytest.mark.same_session

FORM = """<body style="margin:0;background:rgb(255,0,0)"><input id=name style="position:absolute;left:20px;top:20px;width:200px">
<button style="position:absolute;left:20px;top:80px" onclick="document.body.style.background='rgb(0,0,255)'">Blue</button>"""
BUTTON = {"x": 40 / 1280, "y": 90 / 720, "button": "left", "clicks": 1}
FIELD = {"x": 60 / 1280, "y": 30 / 720, "button": "left", "clicks": 1}
RED, BLUE = (255, 0, 0), (0, 0, 255)


class Window:
    """A visitor's window. `state` is the last one that it was sent."""

    def __init__(self, client: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.client = client
        self.socket = socket
        self.state: dict[str, Any] = {}
        self.colour: tuple[int, int, int] | None = None
        self.commands: dict[int, dict[str, Any]] = {}

    async def send(self, do: str, **fields: Any) -> None:
        await self.socket.send_str(json.dumps({"do": do, **fields}))

    async def until(self, condition: Callable[[], object]) -> None:
        """Read until the condition holds."""
        async with asyncio.timeout(60):
            while not condition():
                await self._read()

    async def _read(self) -> None:
        message = await self.socket.receive()
        assert message.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY), message
        if message.type is aiohttp.WSMsgType.BINARY:
            await self.send("drawn")
            picture = Image.open(io.BytesIO(message.data)).convert("RGB")
            self.colour = tuple(round(part / 255) * 255 for part in picture.getpixel((600, 300)))  # type: ignore[assignment, union-attr]
        elif "state" in (told := json.loads(message.data)):
            self.state = told["state"]
        else:
            self.commands[told["command"]] = told

    async def until_closed(self, code: int) -> None:
        """Read until the daemon closes the socket, with that code."""
        async with asyncio.timeout(60):
            while (await self.socket.receive()).type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                pass
        assert self.socket.close_code == code

    async def close(self) -> None:
        await self.socket.close()

    def lines(self) -> list[str]:
        return [command["line"] for command in self.commands.values()]


Open = Callable[..., Any]


@pytest_asyncio.fixture(loop_scope="session")
async def window(shell: Shell, run: Run) -> AsyncIterator[Open]:
    """Open the page of a `watch` with these options, in a window."""
    clients: list[aiohttp.ClientSession] = []

    async def open_window(*options: str) -> Window:
        address = address_in(await run(" ".join(["watch", *options])))
        client = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
        clients.append(client)
        async with client.get(address) as response:
            assert response.status == 200
        return await connect(client, address)

    yield open_window
    for client in clients:
        await client.close()
    await shell.service.watch.close("over")


def address_in(reply: str) -> str:
    first = reply.splitlines()[0]
    assert first.startswith("Watch: http://127.0.0.1:")
    return first.removeprefix("Watch: ")


async def connect(client: aiohttp.ClientSession, address: str) -> Window:
    parts = urlsplit(address)
    origin = f"{parts.scheme}://{parts.netloc}"
    socket = await client.ws_connect(f"{origin}{parts.path}live", headers={"Origin": origin}, max_msg_size=0)
    return Window(client, socket)


async def test_pictures_commands_and_tabs_come_as_they_change(
    shell: Shell, run: Run, show: Show, window: Open
) -> None:
    await show(FORM)
    watching: Window = await window()
    await watching.until(lambda: watching.colour == RED)
    await run("click button")
    await watching.until(lambda: watching.colour == BLUE)
    await run("fill #name", "no secret, but typed")
    await shell.send("text '#nothing'")
    await watching.until(lambda: [command.get("code") for command in watching.commands.values()] == [0, 0, 4])
    click, fill, failed = watching.commands.values()
    assert (click["line"], click["code"], click["reply"]) == ("click button", 0, "Clicked button")
    assert fill["line"] == "fill '#name' '[redacted]'"
    assert (failed["code"], failed["reply"].splitlines()[0]) == (4, "No element matches #nothing")
    first = shell.browser.tabs.active
    await run("newtab")
    await watching.until(lambda: watching.state.get("shown") == shell.browser.tabs.active != first)
    await watching.send("show", tab=first)
    await watching.until(lambda: watching.state["shown"] == first and not watching.state["follows"])
    await run("closetab", str(first))
    await watching.until(lambda: watching.state["follows"] and watching.state["shown"] != first)
    assert "a person watches" in await run("status")
    assert await run("watch --off") == "The watch page is closed"
    assert await run("watch --off") == "Nobody could watch"
    assert not shell.service.feed, "nothing is made for nobody"


async def test_a_person_takes_over_while_commands_wait_and_gives_back(
    shell: Shell, run: Run, show: Show, window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show(FORM)
    watching: Window = await window("--control")
    await watching.until(lambda: watching.colour == RED)
    await watching.send("down", **BUTTON)
    await watching.send("take")
    await watching.until(lambda: watching.state.get("control") == "person")
    refused = await shell.send("text body", timeout=50)
    assert (refused.code, "a person acts in tab" in refused.message) == (3, True)
    assert "'watch --off' takes it back" in refused.hint
    number = shell.browser.tabs.active
    assert (await shell.send("newtab")).code == 0
    kept = await shell.send("closetab", tab=number, timeout=50)
    assert (kept.code, "a person acts in tab" in kept.message) == (3, True), kept
    monkeypatch.setattr(context_transfer, "BUSY_SECONDS", 0.05)
    moved = await shell.send("useragent Probe/7")
    assert (moved.code, moved.message) == (3, f"A person acts in tab {number}, in 'watch'")
    await run("closetab")
    assert shell.browser.tabs.active == number
    assert "handoff" not in (await shell.send("text body", timeout=50)).hint
    status = await run("status")
    assert "has taken over" in status
    assert re.search(rf"Running: +a person acts in tab {number} \(watch\)", status)
    assert shell.browser.is_in_use_by_person
    waiting = asyncio.ensure_future(shell.send("value #name"))
    await until(lambda: shell.browser.tabs.get().lock.waiting)
    for kind in ("down", "up"):
        await watching.send(kind, **FIELD)
    for letter in "Zoë":
        await watching.send("keydown", key=letter, code="", number=ord(letter.upper()) % 256)
        await watching.send("keyup", key=letter, code="", number=ord(letter.upper()) % 256)
    await watching.send("paste", text=" B")
    nonsense: list[object] = [{"do": "down", "x": "no", "y": None}, {"do": "keydown", "key": 7}, [], 7]
    for odd in (*nonsense, {"do": "wheel", "dx": 1e300}):
        await watching.socket.send_str(json.dumps(odd))
    for kind in ("move", "down", "up"):
        await watching.send(kind, **BUTTON)
    await watching.until(lambda: watching.colour == BLUE)
    assert not waiting.done()
    await watching.send("give")
    reply = await waiting
    assert reply.text == "Zoë B"
    assert any("A person had tab" in note for note in reply.notes)
    await watching.until(lambda: watching.state["control"] == "none")
    assert not shell.browser.is_in_use_by_person
    await watching.send("take")
    await watching.until(lambda: watching.state["control"] == "person")
    closing = asyncio.ensure_future(shell.send("closetab", tab=number))
    assert (await shell.send("value #name", tab=number, timeout=50)).code == 3
    assert not closing.done()
    await watching.send("give")
    closed = await closing
    assert closed.text.startswith(f"Closed tab {number}")
    assert any("A person had tab" in note for note in closed.notes)


async def test_replies_shown_to_a_person_mask_a_typed_password(
    shell: Shell, run: Run, show: Show, window: Open
) -> None:
    secret, keyed = "s3cret-of-mine", "4711ab"
    await show("<input id=pin type=password>")
    watching: Window = await window()
    await run("trace-start")
    await run("fill #pin", secret)
    assert await run("js pin.value") == secret, "who asked is told"
    await run("fill #pin", "")
    for key in keyed:
        await run("press", key)
    await run("js", "pin.value + '!'")
    await run("js", f"'of {secret}'.length")
    commands = watching.commands.values()
    await watching.until(lambda: any("length" in one["line"] and one["code"] == 0 for one in commands))
    shown = json.dumps(list(watching.commands.values()))
    assert secret not in shown
    assert f"{keyed}!" not in shown
    assert shown.count("[redacted]") >= 4
    await run("trace-stop t.zip")
    with zipfile.ZipFile(shell.workspace / "t.zip") as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist())
    assert secret.encode() not in whole
    assert f"{keyed}!".encode() not in whole


async def test_film_has_turns_of_person_in_filmed_tab(run: Run, show: Show, shell: Shell, window: Open) -> None:
    await show(FORM)
    watching: Window = await window("--control")
    await watching.until(lambda: watching.colour == RED)
    await run("film-start film.webp --size 320x180 --discard")
    for has_tab in ("person", "none"):
        await watching.send("take" if has_tab == "person" else "give")
        await watching.until(lambda has_tab=has_tab: watching.state.get("control") == has_tab)
    film = shell.browser.film
    assert film
    await film.end()
    with shell.service.default_context.take.open() as file:
        turns = read_timeline(read_records(file)).turns
    assert [turn.began <= turn.ended < film.now() for turn in turns] == [True]
    await run("film-stop")


async def test_without_control_nothing_is_taken_and_no_input_sent(run: Run, show: Show, window: Open) -> None:
    await show(FORM)
    watching: Window = await window()
    await watching.until(lambda: watching.colour == RED)
    await watching.send("take")
    for kind in ("down", "up"):
        await watching.send(kind, **BUTTON)
    await run("js 1")
    await watching.until(lambda: "js 1" in watching.lines())
    assert watching.state["control"] == "off"
    assert await run("css body background-color") == "rgb(255, 0, 0)"


async def test_visitor_without_token_or_of_another_origin_is_refused_and_second_window_closes_first(
    run: Run,
) -> None:
    """Others are kept out as in tests/e2e/test_picker.py."""
    address = address_in(await run("watch --control"))
    page = address.partition("?")[0]
    socket = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    socket["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ=="
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:

        async def knock(url: str, **headers: str) -> int:
            async with client.get(url, headers=headers) as response:
                return response.status

        assert await knock(f"{page}live", **socket) == 403
        assert await knock(address, Host="evil.test") == 403, "a name that was rebound to 127.0.0.1"
        assert await knock(address) == 200
        assert await knock(f"{page}live", **socket, Origin="http://evil.test") == 403
        async with aiohttp.ClientSession() as second, second.get(address) as response:
            assert response.status == 403
            assert "Ask for a new address ('gbrowse watch" in await response.text()
        first = await connect(client, address)
        await connect(client, address)
        await first.until_closed(1008)
    await run("watch --off")


async def test_the_page_cannot_tell(run: Run, show: Show, window: Open) -> None:
    await show("<link rel=icon href='data:,'><p>Still")
    await run("js", NOTICES)
    watching: Window = await window()
    await watching.until(lambda: watching.colour)
    await run("js 2")
    await watching.until(lambda: "js 2" in watching.lines())
    assert await run("js", NOTICED) == "[true,[]]"
    await watching.close()
    await run("watch --off")
    assert await run("js", NOTICED) == "[true,[]]"


@fault(
    "Kills", "the page crashes while a person has it in `watch`", "their turn ends; commands on the tab go on"
)
async def test_a_crash_ends_the_turn(shell: Shell, run: Run, show: Show, window: Open) -> None:
    await show(FORM)
    watching = await take_over(window)
    number = shell.browser.tabs.active
    await crash(shell.browser.tab(number).page)
    await watching.until(lambda: watching.state["control"] == "none" and "crashed" in watching.state["gone"])
    assert watching.state["note"] == f"Tab {number} has crashed: it is not yours any more."
    await show(FORM)
    await watching.until(lambda: watching.state["gone"] == "")
    watching.colour = None
    await watching.until(lambda: watching.colour == RED)
    await watching.send("take")
    await watching.until(lambda: watching.state["control"] == "person")
    assert watching.state["note"] == ""
    await run("newtab")
    await shell.browser.tab(number).page.close()
    await watching.until(lambda: watching.state["control"] == "none" and watching.state["shown"] != number)
    assert watching.state["note"] == f"Tab {number} was closed: it is not yours any more."


@fault("Connections", "who has a tab in `watch` closes the window", "the tab's commands go on at once")
async def test_a_visitor_who_leaves_gives_back(shell: Shell, run: Run, show: Show, window: Open) -> None:
    await show(FORM)
    watching = await take_over(window)
    await watching.send("down", **BUTTON)
    waiting = asyncio.ensure_future(shell.send("js 1"))
    await until(lambda: shell.browser.tabs.get().lock.waiting)
    await watching.close()
    assert (await waiting).text == "1"
    await until(lambda: not shell.service.watch.is_seen)
    assert "nobody watches" in await run("status")
    watching = await take_over(window)
    await asyncio.gather(shell.service.watch.close("over"), watching.until_closed(1001))
    assert not shell.browser.tabs.get().lock.command


@fault("Connections", "a visitor of `watch` reads nothing", "commands go on; what waits for them is bounded")
async def test_a_visitor_who_does_not_read_holds_nobody_up(
    run: Run, show: Show, window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MOST_UNSENT", 20)
    await show("<p id=x>0</p><script>setInterval(() => x.textContent++, 50)</script>")
    watching: Window = await window()
    for number in range(25):
        await run(f"js '{number} + `{'long ' * 1000}`'")
    await run("js", "'the' + 'last'")
    await watching.until(lambda: any(command["reply"] == "thelast" for command in watching.commands.values()))


async def take_over(window: Open) -> Window:
    watching: Window = await window("--control")
    await watching.until(lambda: watching.state.get("shown"))
    await watching.send("take")
    await watching.until(lambda: watching.state["control"] == "person")
    return watching
