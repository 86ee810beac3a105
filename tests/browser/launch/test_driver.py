"""Test a driver that is started before Playwright is.

What Playwright has to be like for that, and how the driver ends.
"""

import asyncio
import gc
import json
import os
import signal
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import psutil
import pytest
from playwright._impl import _driver, out_of_process
from playwright._repo_version import version
from playwright.async_api import async_playwright

from gstack_browse import settings
from gstack_browse.browser.cdp import adoption, playwright_internals
from gstack_browse.browser.cdp import pipe as pipe_module
from gstack_browse.browser.launch import ahead, driver, driver_process, launch, pipe_launcher
from gstack_browse.browser.launch.pipe_launcher import PipeLauncher, PipeUnusable
from gstack_browse.browser.launch.scratch import Scratch
from tests import chromiums
from tests.processes import setting, words


def drivers(scratch: Scratch) -> list[psutil.Process]:
    children = psutil.Process().children()
    return [child for child in children if setting(child, "TMPDIR") == str(scratch.path)]


def spawn() -> driver_process.Driver:
    ready = driver_process.spawn()
    assert ready, "an update of Playwright has another inside: see gstack_browse/browser/launch/driver.py"
    return ready


def test_driver_is_started_with_playwright_s_command_and_environment() -> None:
    scratch = Scratch()
    assert playwright_internals.driver_command() == [*_driver.compute_driver_executable(), "run-driver"]
    assert driver_process.driver_environment(scratch) == {
        **_driver.get_driver_env(),
        **driver_process.own_variables(scratch),
    }
    scratch.remove()


async def test_playwright_takes_the_driver_that_is_ready_and_has_a_small_heap() -> None:
    """Look at its environment once it is started: before that it may have none of its own yet."""
    ready = spawn()
    playwright = await driver.start(ready.scratch, ready)
    assert [process.pid for process in drivers(ready.scratch)] == [ready.pid], "it started no other"
    assert os.path.isabs(playwright.chromium.executable_path)
    assert driver_process.HEAP.items() <= psutil.Process(ready.pid).environ().items()
    assert not driver_process.HEAP.keys() & os.environ.keys(), "nobody else inherits how"
    await playwright.stop()
    assert not psutil.pid_exists(ready.pid)
    ready.scratch.remove()


async def test_a_start_that_is_given_up_leaves_nothing_that_fails_later() -> None:
    stray: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: stray.append(context))
    ready = spawn()
    os.kill(ready.pid, signal.SIGSTOP)  # else it may be quicker than we are
    starting = asyncio.create_task(driver.start(ready.scratch, ready))
    process = psutil.Process(ready.pid)
    while not is_initializing():  # noqa: ASYNC110 - what is waited for tells nobody
        await asyncio.sleep(0)
    starting.cancel()
    await asyncio.wait([starting])
    process.kill()
    process.wait()
    while is_initializing():  # noqa: ASYNC110 - the same
        await asyncio.sleep(0)
    del starting
    gc.collect()
    assert not stray
    ready.scratch.remove()


def is_initializing() -> bool:
    """Whether the driver is being asked for all there is."""
    coroutines = [task.get_coro() for task in asyncio.all_tasks()]
    return any(getattr(coroutine, "__name__", "") == "initialize_playwright" for coroutine in coroutines)


async def test_a_playwright_that_starts_its_driver_elsewhere_does_so(monkeypatch: pytest.MonkeyPatch) -> None:
    init = out_of_process.PlaywrightClient.__init__
    unaware = FunctionType(init.__code__, dict(vars(out_of_process)), argdefs=init.__defaults__)
    monkeypatch.setattr(out_of_process.PlaywrightClient, "__init__", unaware)
    ready = spawn()
    playwright = await driver.start(ready.scratch, ready)
    assert not psutil.pid_exists(ready.pid)
    assert len(drivers(ready.scratch)) == 1
    assert os.path.isabs(playwright.chromium.executable_path)
    await playwright.stop()
    ready.scratch.remove()


def test_one_that_is_not_needed_leaves_nothing() -> None:
    ready = spawn()
    ready.discard()
    assert not psutil.pid_exists(ready.pid)
    assert not ready.scratch.path.exists()


def test_driver_without_node_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", "/no/such/node")
    before = set(os.listdir("/proc/self/fd")) if sys.platform == "linux" else set()
    assert driver_process.spawn() is None
    assert sys.platform != "linux" or set(os.listdir("/proc/self/fd")) == before


async def test_a_browser_that_answers_nobody_after_its_start_is_told_with_both_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipe_launcher, "HANDSHAKE_SECONDS", 0.3)
    async with async_playwright() as playwright:
        before = set(psutil.Process().children(recursive=True))
        async with PipeLauncher(tmp_path, chromiums.usual()) as launcher:
            browser = await playwright.chromium.launch(executable_path=launcher.program, args=["--no-sandbox"])
            started = set(psutil.Process().children(recursive=True)) - before
            piped = {process for process in started if "--remote-debugging-pipe" in words(process)}
            # A fork has the words of its parent at first.
            [chromium] = [process for process in piped if process.parent() not in piped]
            chromium.suspend()
            with pytest.raises(PipeUnusable) as failure:
                await launcher.connect(browser)
            chromium.resume()
        await browser.close()
    assert browser.version in str(failure.value)
    assert version in str(failure.value)
    assert "no answer within 0.3 s" in str(failure.value)


@pytest.mark.pipe
async def test_a_page_made_ahead_is_told_what_the_driver_tells_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what only asks, and what reports on frames: the driver asks for both when it comes."""
    asked: list[dict[str, Any]] = []
    whole = pipe_module.Pipe._route_driver_messages

    def noting(self: pipe_module.Pipe, messages: bytes) -> bytes:
        asked.extend(json.loads(message) for message in messages.split(b"\0") if message)
        return whole(self, messages)

    monkeypatch.setattr(pipe_module.Pipe, "_route_driver_messages", noting)
    running = await launch.start(settings.read(), lambda line: None, lambda what: None)
    context = await running.new_context(
        None, {}, {"viewport": {"width": 1280, "height": 720}, "device_scale_factor": 1}, name=""
    )
    await context.new_page()
    await running.close()
    told = {
        request["method"]: {
            name: value for name, value in request.get("params", {}).items() if name != "worldName"
        }
        for request in asked
        if request.get("sessionId")
    }
    for question in (
        "Browser.getWindowForTarget",
        "Page.getFrameTree",
        "Page.setLifecycleEventsEnabled",
        "Page.createIsolatedWorld",
    ):
        del told[question]
    ours = {method: json.loads(parameters) for method, parameters in ahead.PAGE_REQUESTS}
    del (
        told["Browser.setWindowBounds"]["windowId"],
        ours["Browser.setWindowBounds"]["windowId"],
    )  # any, in a full Chromium
    assert ours["Page.addScriptToEvaluateOnNewDocument"].pop("worldName") == playwright_internals.OWN_WORLD
    assert told == ours
    browsers = {request["method"]: request.get("params") for request in asked if not request.get("sessionId")}
    assert browsers["Target.setAutoAttach"] == adoption.AUTO_ATTACH
    assert browsers["Target.createBrowserContext"] == {"disposeOnDetach": True}
