"""Test that replies tell of what Chromium would ask a person, and that it is refused or granted."""

import pytest

from tests import chromiums
from tests.commands.conftest import Run, Show
from tests.commands.web import Web
from tests.each import each
from tests.faults import fault

pytestmark = [pytest.mark.same_session, pytest.mark.both_browsers]

NEW_KEY = """{ rp: { name: 'Shop' }, user: { id: new Uint8Array(4), name: 'ann', displayName: 'Ann' }, challenge: new Uint8Array(16),
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }, { type: 'public-key', alg: -257 }] }"""
ASKS = {
    "passkey": "navigator.credentials.get({ publicKey: { challenge: new Uint8Array(16) } })",
    "new passkey": f"navigator.credentials.create({{ publicKey: {NEW_KEY} }})",
    "screen": "navigator.mediaDevices.getDisplayMedia({ video: true })",
    "wallet": "navigator.credentials.get({ digital: { requests: [{ protocol: 'openid4vp-v1-unsigned', data: {} }] } })",
}
ASKED = "".join(
    f"<button id='b{at}' onclick=\"ask(() => {code})\">{name}</button>"
    for at, (name, code) in enumerate(ASKS.items())
)
PAGE = f"""{ASKED}<button id=save onclick="heard.push('save')">Save</button><input id=field><script>
heard = []; answers = [];
ask = async (question) => {{
  try {{ await question(); answers.push('given') }} catch (error) {{ answers.push(error.name) }}
}};
</script>"""
ALLOWED = "publickey-credentials-get; publickey-credentials-create; display-capture; digital-credentials-get"
REFUSED = {"NotAllowedError", "NotSupportedError", "TypeError"}


@fault(
    "Hangs",
    "a page or a frame asks for a passkey, for the screen, for a digital credential",
    "it is refused at once; the page hears input",
)
@each(["page", "frame"])
async def test_page_that_has_a_person_asked_is_refused_and_hears_input(
    where: str, run: Run, show: Show, web: Web
) -> None:
    page = web.show_elsewhere(PAGE)
    if where == "frame":
        await show(f"<iframe allow='{ALLOWED}' src='{page}'></iframe>")
        await run("frame iframe")
    else:
        await run(f"goto {page}")
    for at, name in enumerate(ASKS):
        for line in (
            f"click #b{at}", f"wait --js 'answers.length > {at}'", "click #save", "fill #field x", "press y",
        ):  # fmt: skip
            await run(line)
        assert await run("js 'heard.length + field.value'") == f"{at + 1}xy", name
        assert await run("js 'answers.at(-1)'") in REFUSED, name


@each(["perf --trace t.json", "styles #b0; coverage-start; coverage"])
async def test_passkey_is_refused_after_commands_with_own_sessions(commands: str, run: Run, web: Web) -> None:
    await run(f"goto {web.show_elsewhere(PAGE)}")
    for command in (*commands.split("; "), "click #b1", "wait --js 'answers.length'"):
        await run(command)
    assert await run("js 'answers[0]'") in REFUSED


CALLS = {
    "camera": "navigator.mediaDevices.getUserMedia({ video: true })", "clipboard-read": "navigator.clipboard.readText()",
    "geolocation": "navigator.geolocation.getCurrentPosition(() => {})", "idle-detection": "IdleDetector.requestPermission()",
    "local-fonts": "queryLocalFonts()", "microphone": "navigator.mediaDevices.getUserMedia({ audio: true })",
    "midi": "navigator.requestMIDIAccess()", "notifications": "Notification.requestPermission()", "window-management": "getScreenDetails()",
}  # fmt: skip


def grants(name: str) -> str:
    """Return the command that grants a permission."""
    return "emulate --geo 52.52,13.4" if name == "geolocation" else f"emulate --grant {name}"


PERMISSIONS = "".join(
    f"<button id={name} onclick='Promise.resolve({call}).catch(() => 0)'>{name}</button>"
    for name, call in CALLS.items()
)


async def test_action_whose_page_asks_for_a_permission_tells_what_grants_it(run: Run, show: Show) -> None:
    await show(PERMISSIONS)
    for name in CALLS:
        told = f"→ asks for permission: {name} (not granted: {grants(name)})"
        assert await run(f"click '#{name}'") == f"Clicked #{name}\n{told}"
    assert await run("click '#camera'") == "Clicked #camera"
    for name in ("camera", "geolocation"):
        await run(grants(name))
        await run("reload")
        assert await run(f"click '#{name}'") == f"Clicked #{name}"
        await run("emulate --reset")


async def test_permissions_asked_for_by_a_page_that_loads_and_by_its_frame(run: Run, web: Web) -> None:
    """Name in the command what is granted already: it ends what it does not name."""
    inner = web.show_elsewhere(PERMISSIONS)
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


async def test_action_whose_page_wants_to_be_printed_tells_what_makes_a_file_of_it(
    run: Run, show: Show
) -> None:
    """Pages print by a frame of theirs, too."""
    told = "Clicked button\n→ asks to be printed: 'pdf' makes a file of it"
    for printing in ("print(); print()", "document.querySelector('iframe').contentWindow.print()"):
        await show(f'<iframe srcdoc=Invoice></iframe><button onclick="{printing}">Print</button>')
        for _ in range(2):
            assert await run("click button") == told


async def test_grant_that_gives_pages_nothing_says_why(run: Run, show: Show) -> None:
    chromiums.need_shell("a full Chromium shows notifications")
    await show(PERMISSIONS)
    assert (await run("emulate --grant geolocation,notifications")).splitlines()[1:] == [
        "→ no page is told a place: add one with --geo",
        "→ Chromium's headless shell shows no notification, and Notification.permission stays denied",
    ]
    await run("emulate --reset")


async def test_functions_that_ask_answer_pages_as_before(run: Run, show: Show) -> None:
    """MIDI is refused unless system messages are granted, or the machine has none."""
    await show(PERMISSIONS)
    foreign = "try { navigator.geolocation.getCurrentPosition.call({}, () => {}) } catch (error) { return error.message }"
    assert await run("js", foreign) == "Illegal invocation"
    names = "[Notification.requestPermission.name, typeof __gbrowseAsks].join()"
    assert await run("js", names) == "requestPermission,undefined"
    ask = "navigator.requestMIDIAccess().then(() => '', error => error.name)"
    assert await run("js", ask) == "NotAllowedError"
    await run("emulate --grant midi")
    assert await run("js", ask) != "NotAllowedError"
    await run("emulate --reset")
