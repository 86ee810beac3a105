"""Permissions that pages ask for and that are not granted."""

import pytest

from tests import chromiums
from tests.commands.conftest import Run, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

CALLS = {
    "camera": "navigator.mediaDevices.getUserMedia({ video: true })", "clipboard-read": "navigator.clipboard.readText()",
    "geolocation": "navigator.geolocation.getCurrentPosition(() => {})", "idle-detection": "IdleDetector.requestPermission()",
    "local-fonts": "queryLocalFonts()", "microphone": "navigator.mediaDevices.getUserMedia({ audio: true })",
    "midi": "navigator.requestMIDIAccess()", "notifications": "Notification.requestPermission()", "window-management": "getScreenDetails()",
}  # fmt: skip


def grants(name: str) -> str:
    """Return the command that grants a permission."""
    return "emulate --geo 52.52,13.4" if name == "geolocation" else f"emulate --grant {name}"


PAGE = "".join(
    f"<button id={name} onclick='Promise.resolve({call}).catch(() => 0)'>{name}</button>"
    for name, call in CALLS.items()
)


@pytest.mark.both_browsers
async def test_action_whose_page_asks_for_a_permission_tells_what_grants_it(run: Run, show: Show) -> None:
    await show(PAGE)
    for name in CALLS:
        told = f"→ asks for permission: {name} (not granted: {grants(name)})"
        assert await run(f"click '#{name}'") == f"Clicked #{name}\n{told}"
        assert await run(f"click '#{name}'") == f"Clicked #{name}"
    for name in ("camera", "geolocation"):
        await run(grants(name))
        await run("reload")
        assert await run(f"click '#{name}'") == f"Clicked #{name}"
        await run("emulate --reset")


@pytest.mark.both_browsers
async def test_permissions_asked_for_by_a_page_that_loads_and_by_its_frame(run: Run, web: Web) -> None:
    """Name in the command what is granted already: it ends what it does not name."""
    inner = web.show_elsewhere(PAGE)
    call = "navigator.mediaDevices.getUserMedia({ audio: true, video: true }).catch(() => 0)"
    await run("emulate --grant midi")
    reply = await run("goto", web.show(f"<script>{call}</script><iframe allow='local-fonts' src='{inner}'></iframe>"))  # fmt: skip
    assert reply.splitlines()[1:] == [
        "→ asks for permission: camera, microphone (not granted: emulate --grant camera,microphone,midi)"
    ]
    await run("frame iframe")
    assert (await run("click '#local-fonts'")).splitlines()[1:] == [
        "→ asks for permission: local-fonts (not granted: emulate --grant local-fonts,midi)"
    ]
    await run("frame main")
    await run("emulate --reset")


async def test_grant_that_gives_pages_nothing_says_why(run: Run, show: Show) -> None:
    chromiums.need_shell("a full Chromium shows notifications")
    await show(PAGE)
    assert (await run("emulate --grant geolocation,notifications")).splitlines()[1:] == [
        "→ no page is told a place: add one with --geo",
        "→ Chromium's headless shell shows no notification, and Notification.permission stays denied",
    ]
    assert await run("js", "Notification.permission") == "denied"
    await run("emulate --reset")


@pytest.mark.both_browsers
async def test_functions_that_ask_answer_pages_as_before(run: Run, show: Show) -> None:
    """Answer as without our script.

    MIDI is refused unless system messages are granted, or the machine has none.
    """
    await show(PAGE)
    foreign = "try { navigator.geolocation.getCurrentPosition.call({}, () => {}) } catch (error) { return error.message }"
    assert await run("js", foreign) == "Illegal invocation"
    names = "[Notification.requestPermission.name, typeof __gbrowseAsks].join()"
    assert await run("js", names) == "requestPermission,undefined"
    ask = "navigator.requestMIDIAccess().then(() => '', error => error.name)"
    assert await run("js", ask) == "NotAllowedError"
    await run("emulate --grant midi")
    assert await run("js", ask) != "NotAllowedError"
    await run("emulate --reset")
