from tests.commands.conftest import Run, Show
from tests.commands.web import Web

ASKS = """<button id=c onclick="out.textContent = confirm('Sure?')">Confirm</button>
<button id=p onclick="out.textContent = prompt('Name?', 'Bob')">Prompt</button><output id=out></output>"""


async def test_dialogs_are_accepted_by_default_and_told(run: Run, show: Show) -> None:
    await show(ASKS)
    assert '→ confirm "Sure?": accepted' in (await run("click '#c'")).splitlines()
    assert await run("text '#out'") == "true"
    assert '→ prompt "Name?": accepted "Bob"' in (await run("click '#p'")).splitlines()
    assert await run("text '#out'") == "Bob"


async def test_dialog_accept_answers_prompts(run: Run, show: Show) -> None:
    await show(ASKS)
    assert await run("dialog-accept Ann Smith") == 'Dialogs will be accepted with text: "Ann Smith"'
    assert '→ prompt "Name?": accepted "Ann Smith"' in (await run("click '#p'")).splitlines()
    assert await run("text '#out'") == "Ann Smith"
    assert '"Name?" → accepted "Ann Smith"' in await run("dialog")
    assert await run("dialog-accept") == "Dialogs will be accepted"
    await run("click '#p'")
    assert await run("text '#out'") == "Bob"


async def test_an_empty_answer_is_an_answer(run: Run, show: Show) -> None:
    await show(ASKS)
    assert await run("dialog-accept ''") == 'Dialogs will be accepted with text: ""'
    await run("click '#p'")
    assert await run("text '#out'") == ""


async def test_dialog_dismiss_says_no(run: Run, show: Show) -> None:
    await show(ASKS)
    assert await run("dialog-dismiss") == "Dialogs will be dismissed"
    assert '→ confirm "Sure?": dismissed' in (await run("click '#c'")).splitlines()
    assert await run("text '#out'") == "false"
    await run("click '#p'")
    assert await run("text '#out'") in ("", "null")


async def test_dismissing_does_not_keep_a_page_from_being_left(run: Run, show: Show, web: Web) -> None:
    await show("<script>onbeforeunload = event => event.preventDefault()</script><button>Touch</button>")
    await run("click button")
    await run("dialog-dismiss")
    assert (await run("goto", f"{web.url}/plain.html")).startswith(f"Navigated to {web.url}/plain.html (200)")
