"""Test commands that are cut off: each is answered at its deadline, and leaves nothing behind."""

import asyncio
import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from gstack_browse.browser.cdp.session import Session
from gstack_browse.errors import TimedOut
from tests.commands.conftest import Run, Shell, Show, hang, until
from tests.commands.drawer import standing_still
from tests.each import each, each_row

pytestmark = pytest.mark.own_browser

ANSWER_SECONDS = 30
"""A clean-up that waits for what never comes would wait for ever."""


@each_row(
    ("click button --modifiers Shift", "<button onmousedown='for (;;);'>Go</button>"),
    ("responsive", "<p>x<script>addEventListener('resize', () => { for (;;); }, { once: true })</script>"),
)
async def test_clean_up_does_not_wait_for_a_page_that_hangs(
    line: str, markup: str, run: Run, show: Show, shell: Shell
) -> None:
    await show(markup)
    async with asyncio.timeout(ANSWER_SECONDS):
        reply = await shell.send(line, timeout=2000)  # so that a busy machine has begun with it by then
    assert (reply.error, "which was stopped" in reply.message) == (TimedOut.kind, True), reply.message
    assert await run("js innerWidth") == "1280"
    assert not shell.browser.tab().held.keys


@each(["keydown Shift", "type x"])
async def test_keys_that_were_not_sent_are_not_held(line: str, run: Run, show: Show, shell: Shell) -> None:
    await show("<input autofocus>")
    await run("js", "setTimeout(() => { for (;;); }); 1")
    assert (await shell.send(line, timeout=400)).error == TimedOut.kind
    assert not shell.browser.tab().held.keys
    gc.collect()  # it warns of what was never awaited


@contextmanager
def stopping_after(holder: object, name: str, pid: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stop the browser (SIGSTOP) once the method of that name has returned; let it continue at the end."""
    method = getattr(holder, name)

    async def call_and_stop(*args: Any, **options: Any) -> Any:
        made = await method(*args, **options)
        os.kill(pid, signal.SIGSTOP)
        return made

    monkeypatch.setattr(holder, name, call_and_stop)
    try:
        yield
    finally:
        monkeypatch.undo()
        os.kill(pid, signal.SIGCONT)


@each(["memory", "styles p", "perf --trace t.json", "emulate --timezone Europe/Rome"])
async def test_clean_up_does_not_wait_for_a_browser_that_hangs(
    line: str, run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show("<p>x")
    running = shell.browser.running
    is_emulating = line.startswith("emulate")
    holder, name = (running.browser, "new_context") if is_emulating else (running.connection, "open_session")
    with stopping_after(holder, name, running.chromium_pid, monkeypatch):
        async with asyncio.timeout(ANSWER_SECONDS):
            reply = await shell.send(line, timeout=2000)
    assert reply.message.endswith("the browser does not answer"), reply.message
    assert await run("js 1") == "1"


async def test_session_that_is_opened_too_late_is_left(run: Run, show: Show, shell: Shell) -> None:
    await show("<p>x")
    await run("memory")
    sessions = shell.browser.running.connection.pipe._sessions
    before = set(sessions)
    with standing_still(shell.browser.running.chromium_pid):
        assert (await shell.send("memory", timeout=1000)).error == TimedOut.kind
    assert await run("js 1") == "1"
    assert set(sessions) == before


async def test_coverage_and_trace_that_do_not_begin_leave_nothing_running(show: Show, shell: Shell) -> None:
    await show("<p>x")
    stuck = await hang(shell, 600_000)
    sessions = shell.browser.running.connection.pipe._sessions
    before = set(sessions)
    for line in ("coverage-start", "trace-start"):
        assert (await shell.send(line, timeout=300)).error == TimedOut.kind
    await until(lambda: not shell.browser.recording)
    await until(lambda: set(sessions) == before)
    assert await shell.browser.tab().world.terminate()
    await stuck


async def test_size_is_restored_once_a_picture_is_taken_for_which_there_was_no_time(
    show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium sets the size then that was when the picture began."""
    await show("<p>x")
    late: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    sent: list[tuple[str, Any]] = []
    send = Session.send

    def answer_late(session: Session, method: str, params: dict[str, Any] | None = None) -> Any:
        sent.append((method, params))
        return late if method == "Page.captureScreenshot" else send(session, method, params)

    monkeypatch.setattr(Session, "send", answer_late)
    assert (await shell.send("responsive", timeout=2000)).error == TimedOut.kind
    sent.clear()
    late.set_result({})
    await until(lambda: ("Emulation.setDeviceMetricsOverride", shell.browser.tab().screen.metrics()) in sent)
    assert shell.browser.tab().screen.size.width == 1280


async def test_expectation_in_a_browser_that_hangs_is_not_said_to_have_failed(
    show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show("<p>x")
    with stopping_after(shell.browser.tab().world, "call", shell.browser.running.chromium_pid, monkeypatch):
        reply = await shell.send("expect visible b --timeout 300")
    assert (reply.error, reply.message) == (
        TimedOut.kind,
        "expect did not finish in 0.3s: the browser does not answer",
    )
