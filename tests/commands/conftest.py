"""Run commands as a user types them, in one real Chromium for all tests.

Each begins in a fresh browser context, or, where the file says `same_session`, in that of the test before: see `shell`.

    await visit("form.html")                      a page of tests/site
    await show("<button>Go</button>")             a page made for this test
    assert await run("click button") == "Clicked button"
    reply = await fails("click '#nope'", NoMatch)
    await check({"text h1": "Sign in", "js 1 + 1": "2", "click '#nope'": NoMatch})

Words are split as a shell would; further arguments are words as they are: `run("fill input", "it's")`.
There is no socket: the request goes straight to the daemon's dispatch line.
"""

import asyncio
import os
import re
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from gstack_browse import settings
from gstack_browse.browser.context.listener import Logs
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.downloads import DownloadFolder, Downloads
from gstack_browse.browser.launch.ahead import EarlyChromium, plan_start
from gstack_browse.browser.tab.effects import Effects
from gstack_browse.browser.tab.tab import Tab, TakenPictures
from gstack_browse.browser.tab.table import TabNumbers
from gstack_browse.daemon.base.boot import BootState
from gstack_browse.daemon.request.dispatch import Dispatch
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.socket.server import Server
from gstack_browse.daemon.succession.handover import Handover
from gstack_browse.daemon.succession.upgrader import Upgrader
from gstack_browse.errors import BrowseError
from gstack_browse.flows.feed import TypedSecrets
from gstack_browse.flows.log import FlowLog
from gstack_browse.protocol import Reply, Request
from gstack_browse.settings import DownloadLimits
from gstack_browse.snapshot.numbers import RefNumbers
from gstack_browse.workspace.state import open_state_dir
from tests.commands import whole_state
from tests.commands.image_stand_in import StandIn
from tests.commands.tidying import tidy
from tests.commands.web import Web

HERE = Path(__file__).parent
WARM = {
    "test_goto_gives_up_at_its_deadline": "its deadline of a second has begun before",
    "test_the_control_lane_answers_while_a_page_hangs": "its first command has a deadline of its own",
    "test_numbers_go_on_after_a_restart_and_with_another_user_agent": "opens a session of its own beside",
    "test_a_page_that_answers_late_keeps_its_session_storage": "captures the session itself",
    "test_a_board_keeps_the_daemon_and_status_names_it": "a start keeps upgrades waiting, too",
    "test_recording_delays_an_upgrade_and_its_end_is_told": "a start keeps upgrades waiting, too",
    "test_a_document_that_is_not_read_in_time": "its deadline has begun before",
    "test_the_time_that_code_is_given_is_all_that_it_gets": "its deadlines have begun before",
    "test_blank_popup_is_told_with_where_it_is_led_or_as_blank": "who attaches later hears of the address of the document that wrote it",
    "test_garbage_of_contexts_left_alone_is_collected": "a start has the browser answer hundreds of other questions meanwhile",
}
"""Tests that make no sense where the browser starts with their first command, and why."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser belongs to one event loop, so all of these tests run in it."""
    for item in items:
        why = WARM.get(item.name) or WARM.get(item.name.partition("[")[0])
        if why and os.environ.get("BROWSE_TEST_COLD"):
            item.add_marker(pytest.mark.skip(f"in a browser that starts: {why}"))
        if HERE in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


class Shell:
    """Runs commands in `workspace`. `replies` are all there were, the last one last."""

    def __init__(self, service: Service, workspace: Path) -> None:
        self.service = service
        self.workspace = workspace
        self.cwd = workspace
        self.replies: list[Reply] = []
        self.fence = False
        handover = Handover(service, Server(), -1, -1)
        self.upgrader = Upgrader(service, handover)
        self.dispatch = Dispatch(service, handover, self.upgrader)

    async def send(
        self,
        line: str,
        *words: str,
        tab: int | None = None,
        timeout: int | None = None,
        stdin: str | None = None,
        as_: str = "",
        share: str = "",
        any_download: bool = False,
    ) -> Reply:
        """Return the reply to a command, even a failure.

        `timeout`: the deadline in milliseconds. `as_`: the browser context.
        """
        cmd, *args = [*shlex.split(line), *words]
        request = Request(
            cmd,
            args,
            cwd=str(self.cwd),
            tab=tab,
            timeout=timeout,
            stdin=stdin,
            fence=self.fence,
            as_=as_,
            share=share,
            any_download=any_download,
        )
        request.send = self._read
        reply = await self.dispatch.answer(request, lambda note: None)
        self.replies.append(reply)
        return reply

    async def _read(self, part: str) -> None:
        """Read a part of a reply as it comes."""

    @property
    def browser(self) -> OpenContext:
        browser = self.service.browser.default_browser
        if browser is None:
            pytest.skip("in a browser that starts: changes the session before its first command")
        return browser


async def until(condition: Callable[[], object]) -> None:
    """Look again and again, until the condition holds; fails after a minute."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0.01)


async def hang(shell: Shell, milliseconds: int) -> "asyncio.Task[Reply]":
    """Put the active tab's page into an endless loop.

    It lasts until the deadline of the command that began it.
    """
    stuck = asyncio.ensure_future(shell.send("js", "console.log('round'); for (;;);", timeout=milliseconds))
    await until(lambda: any("round" in entry.render() for entry in shell.service.default_context.logs.console))
    return stuck


Run = Callable[..., Awaitable[str]]
Fails = Callable[..., Awaitable[Reply]]
Show = Callable[..., Awaitable[str]]
As = Callable[..., Awaitable[str]]
Save = Callable[..., Awaitable[Path]]
Expected = str | type[BrowseError] | tuple[type[BrowseError], str]
Check = Callable[[Mapping[str, Expected] | Iterable[tuple[str, Expected]]], Awaitable[None]]


@pytest.fixture(scope="session")
def server() -> Iterator[Web]:
    server = Web()
    yield server
    server.close()


@pytest.fixture
def web(server: Web) -> Iterator[Web]:
    """The server, whose pages that a test names itself are gone with the test."""
    yield server
    server.forget_named()


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    """Return an image service that no request of an earlier test can reach."""
    stand_in = StandIn()
    yield stand_in
    stand_in.close()


@pytest.fixture
def own_design_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: StandIn, shell: Shell
) -> None:
    """Begin without an image service, secrets and a design document, with a stand-in that has heard nothing."""
    monkeypatch.setenv("GSTACK_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    stand_in.next, stand_in.asked = [], []
    (shell.workspace / "DESIGN.md").unlink(missing_ok=True)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    workspace = tmp_path_factory.mktemp("workspace")
    state = open_state_dir(str(workspace))
    service = Service(settings.read(), state)
    await service.browser.open(lambda note: None)
    yield service
    await service.close_browser()
    state.close()


def starts_cold(request: pytest.FixtureRequest) -> bool:
    """Return whether the test's browser starts with its first command.

    It is marked so, or all of them are, by BROWSE_TEST_COLD=1.
    """
    return bool(request.node.get_closest_marker("cold") or os.environ.get("BROWSE_TEST_COLD"))


class LastSession:
    """Session of the test before, in which the next one may go on."""

    def __init__(self) -> None:
        self.fresh: whole_state.State = {}
        """What a session knows that has just begun."""
        self.is_spent = True
        """Whether a test was in it that is not content with the session of another: cookies and storage may be its subject."""

    async def can_go_on(self, service: Service) -> bool:
        """Whether a test can go on in it: it knows what a fresh one knows, and where its pages have been."""
        if (
            self.is_spent
            or service.browser.default_browser is None
            or any(tab.requests.is_navigating for tab in service.browser.default_browser.tabs)
        ):
            return False
        await tidy(
            service.browser.default_browser, service.default_context.downloads, service.browser.tab_numbers
        )
        begin_test(service)
        return whole_state.of(service.browser.default_browser) == self.fresh

    async def begin(self, service: Service) -> None:
        await begin_session(service)
        begin_test(service)
        self.fresh = self.fresh or whole_state.of(service.browser.default_browser)


@pytest.fixture(scope="session")
def last_session() -> LastSession:
    return LastSession()


@pytest_asyncio.fixture(loop_scope="session")
async def shell(
    service: Service,
    last_session: LastSession,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> AsyncIterator[Shell]:
    """Return a browser in the middle of a session, with one blank tab and nothing in its logs.

    Or one that starts with the first command.

    With `same_session` the tab may show what the last test has left, and cookies and storage may be there. Most tests go somewhere
    first, and a new session costs as much as two pages.
    """
    if starts_cold(request):
        async with cold(tmp_path_factory.mktemp("cold")) as fresh:
            yield Shell(fresh, Path(fresh.state.workspace))
        return
    await asyncio.gather(*(service.context_opener.close(context.name) for context in service.contexts.others))
    await service.boards.close()
    is_content = goes_on(request)
    if not (is_content and await last_session.can_go_on(service)):
        await last_session.begin(service)
    last_session.is_spent = not is_content
    yield Shell(service, Path(service.state.workspace))


def goes_on(request: pytest.FixtureRequest) -> bool:
    """Whether a test is content with the session of the last one."""
    is_fresh = request.node.get_closest_marker("fresh_session")
    return not is_fresh and bool(request.node.get_closest_marker("same_session"))


async def begin_session(service: Service) -> None:
    before = service.browser.default_browser
    assert before is not None
    # Two sessions have pages for a moment, which the product takes for two agents that are to have a clipboard each.
    before.running.clipboard_starters.clear()
    before.running.has_own_clipboards = False
    service.default_context.logs = Logs()
    service.default_context.downloads = Downloads(DownloadFolder(service.state), DownloadLimits())
    service.browser.tab_numbers = TabNumbers()
    service.default_context.browser = OpenContext(
        before.running,
        service.default_context.logs,
        service.default_context.downloads,
        pictures=before.pictures,
        on_change=lambda: None,
        numbers=service.browser.tab_numbers,
        contexts=service.contexts.open_contexts,
    )
    await asyncio.gather(service.browser.default_browser.open(), before.close())


def begin_test(service: Service) -> None:
    """Clear the logs, downloads, refs and past actions, end a report, and look at the whole page."""
    service.default_context.failures_in_a_row, service.default_context.notice = 0, ""
    service.default_context.flow = FlowLog()
    service.default_context.typed = TypedSecrets(service.default_context.flow)
    service.recent_commands.clear()
    exchanges = service.browser.default_browser.traffic.exchanges
    for request_id in list(
        exchanges._chains
    ):  # also those of which nothing is in the log, as of a `data:` image
        exchanges._drop_chain(request_id)
    for log in (
        service.default_context.logs.console,
        service.default_context.logs.network,
        service.default_context.logs.dialog,
    ):
        log.remove(lambda entry: True)
        log.total = 0
    service.default_context.downloads.folder.clear()
    service.browser.default_browser.reserve.continue_from((1, 1))
    for tab in service.browser.default_browser.tabs:
        forget_refs(tab, service.browser.default_browser)
        tab.pictures, tab.acted, tab.held.at, tab.frame = TakenPictures(), 0.0, None, None
        if not tab.effects.opening:
            tab.effects = Effects()


def forget_refs(tab: Tab, browser: OpenContext) -> None:
    """The next ref is the first one again."""
    tab.numbers, tab._refs = RefNumbers(1, 1, browser.reserve), None


@asynccontextmanager
async def cold(folder: Path, context: str = "") -> AsyncIterator[Service]:
    """Run a service whose Chromium has just been started early.

    As by `goto` where no daemon runs; by `--as` that context's, if one is named.
    """
    plan = plan_start()
    assert plan, "nothing is unusual here"
    state = open_state_dir(str(folder))
    boot_state = BootState(state, -1, EarlyChromium(plan), context)
    service = Service(settings.read(), state, boot_state=boot_state)
    try:
        yield service
    finally:
        await service.close_browser()
        state.close()


@pytest.fixture
def run(shell: Shell) -> Run:
    """Return a function that returns the output of a command, which must succeed."""

    async def run(line: str, *words: str, **options: object) -> str:
        reply = await shell.send(line, *words, **options)  # type: ignore[arg-type]
        assert reply.code == 0, f"{line}: {reply.message}\n{reply.hint}"
        return reply.text

    return run


@pytest.fixture
def by(shell: Shell) -> As:
    """Run a command in a context, and return what it prints. It must succeed."""

    async def by(name: str, line: str, *words: str, **options: object) -> str:
        reply = await shell.send(line, *words, as_=name, **options)  # type: ignore[arg-type]
        assert reply.code == 0, f"{name}: {line}: {reply.message}\n{reply.hint}"
        return reply.text

    return by


@pytest.fixture
def fails(shell: Shell) -> Fails:
    """The reply of a command that must fail that way."""

    async def fails(line: str, error: type[BrowseError], *words: str, **options: object) -> Reply:
        reply = await shell.send(line, *words, **options)  # type: ignore[arg-type]
        assert reply.code, f"{line} succeeded: {reply.text}"
        assert (reply.error, reply.code) == (error.kind, error.code), f"{reply.message}\n{reply.hint}"
        return reply

    return fails


def reads(text: str, expected: str) -> bool:
    """Whether a text is the expected one, in which "…" stands for any words."""
    return bool(re.fullmatch(".*".join(map(re.escape, expected.split("…"))), text, re.S))


@pytest.fixture
def check(shell: Shell) -> Check:
    """Run lines one after the other. Each must reply what stands beside it, or fail so.

    "…" in a reply stands for any words. An error may come with its message, and its hint behind a newline. Code behind `js` needs
    no quotes.
    """

    async def check(lines: Mapping[str, Expected] | Iterable[tuple[str, Expected]]) -> None:
        for line, expected in lines.items() if isinstance(lines, Mapping) else lines:
            reply = await (shell.send("js", line[3:]) if line.startswith("js ") else shell.send(line))
            if isinstance(expected, str):
                assert reply.code == 0, f"{line}: {reply.message}\n{reply.hint}"
                assert reads(reply.text, expected), f"{line}: {reply.text!r} is not {expected!r}"
            else:
                kind, words = expected if isinstance(expected, tuple) else (expected, "…")
                told = f"{reply.message}\n{reply.hint}" if "\n" in words else reply.message
                assert (reply.error, reply.code) == (kind.kind, kind.code), f"{line}: {reply.text}{told}"
                assert reads(told, words), f"{line}: {told!r} is not {words!r}"

    return check


@pytest.fixture
def visit(run: Run, web: Web) -> Show:
    """Go to a path of the site."""

    async def visit(path: str) -> str:
        return await run("goto", f"{web.url}/{path.lstrip('/')}")

    return visit


@pytest.fixture
def show(run: Run, web: Web) -> Show:
    """Go to a page made of that markup. Returns its address."""

    async def show(markup: str, **headers: str) -> str:
        url = web.show(markup, **headers)
        await run("goto", url)
        return url

    return show


@pytest.fixture
def save(run: Run, web: Web, shell: Shell) -> Save:
    """Go to a path, run lines there, and save it all as a flow. Returns its file, of the path's name."""

    async def save(path: str, *lines: str, options: str = "") -> Path:
        file = shell.workspace / f"{path.strip('/?')}.flow"
        for line in (f"goto {web.url}{path}", *lines, f"flow-save {file} --last {len(lines) + 1} {options}"):
            await run(line)
        return file

    return save
