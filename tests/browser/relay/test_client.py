"""What a program sees and may do that speaks the protocol through the relay."""

import asyncio
import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.devtools.browser import Browser
from gstack_browse.browser.devtools.page import Dialog
from gstack_browse.browser.launch.chromium import is_headless_shell
from gstack_browse.browser.relay import client as relay_client
from gstack_browse.browser.relay.client_channel import DialogState
from tests.browser.conftest import open_page
from tests.browser.relay.conftest import Ours
from tests.browser.relay.raw_client import Failed
from tests.chromiums import usual

AUTO = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


async def test_a_client_sees_and_names_targets_of_its_browser_context_only(ours: Ours) -> None:
    """Widen nothing in a session of a page, either."""
    client = await ours.connect()
    assert await client.pages() == [ours.target]
    await client.ask("Target.setDiscoverTargets", discover=True)
    await client.event("Target.targetCreated")
    seen = {event["targetInfo"]["targetId"] for event in client.heard("Target.targetCreated")}
    assert ours.target in seen
    contexts = await client.ask("Target.getBrowserContexts")
    assert contexts["browserContextIds"] == []
    for method in ("Target.attachToTarget", "Target.closeTarget", "Target.getTargetInfo"):
        with pytest.raises(Failed, match="No target with given id"):
            await client.ask(method, targetId=ours.other)
    told = await client.ask("Target.getTargetInfo", targetId=ours.target)
    assert told["targetInfo"]["targetId"] == ours.target
    session = await client.attach(ours.target)
    for method, params in (
        ("Target.attachToTarget", {"targetId": ours.other, "flatten": True}),
        ("Target.setAutoAttach", AUTO),
        ("Target.setDiscoverTargets", {"discover": True}),
        ("Target.getTargets", {}),
    ):
        with suppress(Failed):
            assert ours.other not in str(await client.ask(method, session, **params))
    again = await client.ask("Target.attachToBrowserTarget")
    assert ours.other not in str(await client.ask("Target.getTargets", again["sessionId"]))
    assert ours.other not in str(client.events)


async def test_requests_without_a_context_are_about_the_client_s(ours: Ours, connection: Connection) -> None:
    client = await ours.connect()
    cookie = {"name": "a", "value": "1", "domain": "example.com", "path": "/"}
    await client.ask("Storage.setCookies", cookies=[cookie])
    kept = await connection.root.send("Storage.getCookies", {"browserContextId": ours.id})
    assert [each["name"] for each in kept["cookies"]] == ["a"]
    told = await client.ask("Storage.getCookies")
    assert [each["value"] for each in told["cookies"]] == ["1"]
    made = await client.ask("Target.createTarget", url="about:blank")
    info = await client.ask("Target.getTargetInfo", targetId=made["targetId"])
    assert info["targetInfo"]["browserContextId"] == ours.id
    with pytest.raises(Failed, match="Failed to find browser context"):
        await client.ask("Storage.getCookies", browserContextId="0" * 32)


OF_THE_BROWSER = [
    "Browser.close", "Browser.crash", "Browser.getHistograms", "Emulation.addScreen", "Emulation.setVirtualTimePolicy", "PWA.install",
    "SystemInfo.getInfo", "Target.exposeDevToolsProtocol", "Tracing.start",
]  # fmt: skip
OF_PAGES = ["Fetch.enable", "Security.enable", "Storage.getUsageAndQuota", "Memory.getDOMCounters"]


async def test_methods_about_the_whole_browser_are_refused(ours: Ours, connection: Connection) -> None:
    client = await ours.connect()
    child = (await client.ask("Target.attachToBrowserTarget"))["sessionId"]
    page = await client.attach(ours.target)
    for session, methods in (
        ("", OF_THE_BROWSER + OF_PAGES),
        (child, OF_THE_BROWSER + OF_PAGES),
        (page, OF_THE_BROWSER),
    ):
        for method in methods:
            with pytest.raises(Failed, match=f"{method} is refused"):
                await client.ask(method, session)
    for method in OF_PAGES[:2]:
        await client.ask(method, page)
    with pytest.raises(Failed, match="refused: the browser context is gbrowse's"):
        await client.ask("Target.disposeBrowserContext", browserContextId=ours.id)
    other = await connection.root.send("Browser.getWindowForTarget", {"targetId": ours.other})
    with pytest.raises(Failed, match="Browser window not found"):
        await client.ask("Browser.getWindowBounds", windowId=other["windowId"])
    window = (await client.ask("Browser.getWindowForTarget", targetId=ours.target))["windowId"]
    assert (await client.ask("Browser.getWindowBounds", windowId=window))["bounds"]


async def test_events_and_answers_of_sessions_come_to_the_client_that_opened_them(ours: Ours) -> None:
    """Let two clients use the same ids at once."""
    clients = first, second = await ours.connect(), await ours.connect()
    session = await first.attach(ours.target)
    await first.ask("Runtime.enable", session)
    told = await first.ask("Runtime.evaluate", session, expression="'é\\ud800' + 1", returnByValue=True)
    assert told["result"]["value"] == "é\ud8001"
    assert (await first.event("Runtime.executionContextCreated"))["sessionId"] == session
    assert not second.events
    with pytest.raises(Failed, match="Session with given id not found"):
        await second.ask("Runtime.enable", session)
    sessions = session, await second.attach(ours.target)
    asked = [
        client.ask("Runtime.evaluate", session, expression=f"{number}+{at}")
        for number in range(50)
        for at, (client, session) in enumerate(zip(clients, sessions, strict=True))
    ]
    values = [each["result"]["value"] for each in await asyncio.gather(*asked)]
    assert values == [number + at for number in range(50) for at in (0, 1)]


async def test_targets_that_a_client_stops_go_on_without_it(
    ours: Ours, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let it forget a page of its context, and leave another one. It stops no page of another context."""
    client = await ours.connect()
    await client.ask("Target.setAutoAttach", **AUTO)
    context = await chromium.new_context()
    page = await open_page(context, chromium.connection)
    assert await page.evaluate("document.readyState") == "complete"
    await context.close()
    seen = {event["targetInfo"]["targetId"] for event in client.heard("Target.attachedToTarget")}
    assert ours.target in seen
    assert page.inner.target.id not in seen
    assert not client.heard("Target.detachedFromTarget")
    opening = asyncio.ensure_future(open_page(ours.context, chromium.connection))
    await client.event("Target.attachedToTarget", waitingForDebugger=True)
    await client.leave()
    assert await (await opening).evaluate("1") == 1
    monkeypatch.setattr(relay_client, "RELEASE_SECONDS", 0.3)
    client = await ours.connect()
    await client.ask("Target.setAutoAttach", **AUTO)
    page = await open_page(ours.context, chromium.connection)
    assert await page.evaluate("document.readyState") == "complete"
    assert await client.event("Target.attachedToTarget", waitingForDebugger=True)


async def test_client_has_contexts_of_its_own_which_end_with_it(ours: Ours, connection: Connection) -> None:
    """Make pages in a session with a page, too: they are in the context of that page."""
    client = await ours.connect()
    own = (await client.ask("Target.createBrowserContext"))["browserContextId"]
    first = (await client.ask("Target.createTarget", url="about:blank", browserContextId=own))["targetId"]
    assert (await client.ask("Target.getBrowserContexts"))["browserContextIds"] == [own]
    assert own in (await connection.root.send("Target.getBrowserContexts"))["browserContextIds"]
    for page, context in ((ours.target, ours.id), (first, own)):
        made = await client.ask("Target.createTarget", await client.attach(page), url="about:blank")
        told = await client.ask("Target.getTargetInfo", targetId=made["targetId"])
        assert told["targetInfo"]["browserContextId"] == context
        session = await client.attach(made["targetId"])
        assert "result" in await client.ask("Runtime.evaluate", session, expression="1")
    assert first in await client.pages()
    assert first not in await (await ours.connect()).pages()
    await client.leave()
    await ours.left.get()
    assert own not in (await connection.root.send("Target.getBrowserContexts"))["browserContextIds"]
    assert (ours.made, ours.closed) == ([own], [own])


async def test_a_dialog_is_the_clients_unless_a_command_runs(ours: Ours) -> None:
    """Leave the client those in a context of its own, whatever runs."""
    client = await ours.connect()
    session, other = await client.attach(ours.target), await client.attach(ours.target)
    for each in (session, other):  # as chrome-devtools-mcp does: the same dialog is reported in both
        await client.ask("Page.enable", each)
    dialogs: asyncio.Queue[Dialog] = asyncio.Queue()
    ours.context.on("dialog", dialogs.put_nowait)

    async def confirm(session: str) -> None:
        """Open a dialog and let the client accept it."""
        asked = asyncio.ensure_future(client.ask("Runtime.evaluate", session, expression="confirm('mine?')"))
        await client.event("Page.javascriptDialogOpening", message="mine?")
        await client.ask("Page.handleJavaScriptDialog", session, accept=True)
        assert (await asked)["result"]["value"] is True

    await confirm(session)
    await client.ask("Page.getFrameTree", other)  # both sessions have reported the end
    (connected,) = ours.server.connections
    assert connected.client
    assert connected.client.dialogs.take(ours.target) is DialogState.ACCEPTED
    assert connected.client.dialogs.take(ours.target) is None
    assert (await dialogs.get()).message == "mine?"
    ours.acts = True
    evaluated = asyncio.ensure_future(ours.page.evaluate("confirm('ours?')"))
    await (await dialogs.get()).accept()
    assert await evaluated is True
    assert [each["message"] for each in client.heard("Page.javascriptDialogOpening")] == ["mine?", "mine?"]
    assert len(client.heard("Page.javascriptDialogClosed")) == 2
    own = (await client.ask("Target.createBrowserContext"))["browserContextId"]
    page = await client.ask("Target.createTarget", url="about:blank", browserContextId=own)
    own_session = await client.attach(page["targetId"])
    await client.ask("Page.enable", own_session)
    client.events.clear()
    await confirm(own_session)
    ours.acts = False
    asked = asyncio.ensure_future(client.ask("Runtime.evaluate", session, expression="alert('left')"))
    await client.event("Page.javascriptDialogOpening", message="left")
    await client.ask("Target.detachFromTarget", sessionId=other)
    if not is_headless_shell(usual()):  # which dismisses the dialog then
        await client.ask("Page.handleJavaScriptDialog", session, accept=False)
    await asked
    assert connected.client.dialogs.take(ours.target) is DialogState.DISMISSED
    assert connected.client.dialogs.take(ours.target) is None
    ours.context.off("dialog", dialogs.put_nowait)


def finish_download(ours: Ours, guid: str = "G1") -> None:
    """Report a download of the context to all clients, as the daemon does."""
    for connection in ours.server.connections:
        assert connection.client
        connection.client.downloads.on_begin({"guid": guid, "suggestedFilename": "f.bin"})
        connection.client.downloads.on_progress({"guid": guid, "state": "completed", "filePath": "elsewhere"})


@pytest.mark.parametrize("is_other_disk", [False, True])
async def test_a_download_replaces_a_file_of_its_name_or_is_reported_canceled(
    ours: Ours, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_other_disk: bool
) -> None:
    def fail_to_link(*_: Any, **__: Any) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    if is_other_disk:
        monkeypatch.setattr(os, "link", fail_to_link)
    (tmp_path / "G1").write_text("new")
    (tmp_path / "wanted").mkdir()
    (tmp_path / "wanted/f.bin").write_text("old")
    client = await ours.connect()
    for directory, told in (("wanted", {"state": "completed"}), ("missing", {"state": "canceled"})):
        path = str(tmp_path / directory)
        await client.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=path, eventsEnabled=True)
        finish_download(ours)
        await client.event("Browser.downloadProgress", guid="G1", **told)
    assert (tmp_path / "wanted/f.bin").read_text() == "new"
    assert "filePath" not in client.heard("Browser.downloadProgress")[-1]


async def test_downloads_are_reported_in_the_session_that_asked_for_them(ours: Ours) -> None:
    client = await ours.connect()
    child = (await client.ask("Target.attachToBrowserTarget"))["sessionId"]
    await client.ask("Browser.setDownloadBehavior", child, behavior="default", eventsEnabled=True)
    finish_download(ours)
    await client.event("Browser.downloadProgress")
    told = [each.get("sessionId") for each in client.events if each["method"].startswith("Browser.download")]
    assert told == [child, child]
    await client.ask("Target.detachFromTarget", sessionId=child)
    await client.event("Target.detachedFromTarget")
    finish_download(ours, "G2")
    await client.ask("Browser.getVersion")
    assert len(client.heard("Browser.downloadWillBegin")) == 1
