"""What a page may want a person to be asked in a window of Chromium's: it is refused at once, and the page goes on hearing input."""

import pytest

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


@each(["memory", "perf --trace t.json", "styles #b0", "coverage-start; coverage"])
async def test_passkey_is_refused_after_commands_with_own_sessions(commands: str, run: Run, web: Web) -> None:
    await run(f"goto {web.show_elsewhere(PAGE)}")
    for command in (*commands.split("; "), "click #b1", "wait --js 'answers.length'"):
        await run(command)
    assert await run("js 'answers[0]'") in REFUSED
