import asyncio

import pytest

from gstack_browse.browser import dialogs
from gstack_browse.browser.engine import world
from gstack_browse.browser.state.context_state import HandoffState
from gstack_browse.browser.transfer import capture
from gstack_browse.errors import ActionFailed, DialogOpen
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

CHOICE = " (dialog-dismiss refuses later ones, dialog-hold leaves them open)"
SCOPE = ", in every tab, until another dialog command"
ANSWERS = "dialog-accept or dialog-dismiss"
ASKS = """<button id=c onclick="out.textContent = confirm('Sure?')">Confirm</button>
<button id=p onclick="out.textContent = prompt('Name?', 'Bob')">Prompt</button><output id=out></output>"""


async def test_dialog_after_the_reply_is_told_with_the_next(
    shell: Shell, run: Run, show: Show, web: Web
) -> None:
    """Tell it beside what a command only reads. Beside an action: test_tabs.py."""
    await show("<button onclick=\"fetch('/gate/late').then(() => alert('Saved'))\">Save</button>")
    assert await run("click button") == "Clicked button\n→ still loading: 1 request"
    web.gate("late").set()
    log = shell.service.default_context.logs.dialog
    await until(lambda: any(entry.message == "Saved" for entry in log))
    await run("text")
    assert shell.replies[-1].notes == ['earlier: alert "Saved": accepted']


async def test_dialog_accept_and_dismiss_answer_later_dialogs(run: Run, show: Show) -> None:
    """Accept by default, and say once for each page how to choose."""
    await show(ASKS + "<button id=a onclick=alert('Hi')>Alert</button>")
    assert await run("click '#a'") == 'Clicked #a\n→ alert "Hi": accepted', "it cannot be refused"
    assert await run("click '#c'") == f'Clicked #c\n→ confirm "Sure?": accepted{CHOICE}'
    assert await run("text '#out'") == "true"
    assert await run("click '#c'") == 'Clicked #c\n→ confirm "Sure?": accepted'
    assert '→ prompt "Name?": accepted "Bob"' in (await run("click '#p'")).splitlines()
    assert await run("text '#out'") == "Bob"
    await run("reload")
    assert await run("dialog-accept Ann Smith") == f'Dialogs will be accepted, prompts with "Ann Smith"{SCOPE}'
    assert await run("click '#c'") == 'Clicked #c\n→ confirm "Sure?": accepted', "who has chosen knows how"
    assert '→ prompt "Name?": accepted "Ann Smith"' in (await run("click '#p'")).splitlines()
    assert await run("text '#out'") == "Ann Smith"
    assert '"Name?" → accepted "Ann Smith"' in await run("dialog")
    answers = {"dialog-accept": ("accepted", "Bob"), "dialog-accept ''": ('accepted, prompts with ""', "")}
    answers |= {"dialog-dismiss": ("dismissed", "")}  # null, which the page writes as nothing
    for command, (told, text) in answers.items():
        assert await run(command) == f"Dialogs will be {told}{SCOPE}"
        await run("click '#p'")
        assert await run("text '#out'") == text
    assert '→ confirm "Sure?": dismissed' in (await run("click '#c'")).splitlines()
    assert await run("text '#out'") == "false"


# ── left open ────────────────────────────────────────────────────────────────────────────────────────────────


async def test_dialog_is_held_open_until_it_is_answered(
    run: Run, fails: Fails, show: Show, shell: Shell
) -> None:
    """Let no newer code take over meanwhile: the dialog would be dismissed."""
    url = await show(ASKS)
    upgrader = shell.upgrader
    assert await run("dialog-hold") == f"Dialogs will be left open{SCOPE}"
    assert not upgrader.find_obstacle()
    assert await run("click '#c'") == f'Clicked #c\n→ confirm "Sure?" is open: {ANSWERS}'
    assert upgrader.find_obstacle()
    for command in ("text", "click '#p'", "js 1", "screenshot", "goto about:blank", "url"):
        reply = await fails(command, DialogOpen, timeout=2000)
        assert reply.message == 'confirm "Sure?" is open in tab 1'
        assert reply.hint.startswith(f"Answer it: {ANSWERS}")
    assert await run("tabs") == f'→ [1] Test (confirm "Sure?" is open) — {url}'
    assert 'Dialogs: left open; confirm "Sure?" is open in tab 1' in await run("status")
    assert '"Sure?" → left open' in await run("dialog")
    assert await run("dialog-dismiss") == 'Dismissed confirm "Sure?"'
    assert not upgrader.find_obstacle()
    assert await run("text '#out'") == "false"
    assert '"Sure?" → dismissed' in await run("dialog")
    assert "is open" not in await run("tabs") + await run("status")
    await run("click '#c'")
    assert await run("dialog-accept") == 'Accepted confirm "Sure?"', "answering one does not end the holding"
    assert await run("text '#out'") == "true"
    ways = "dialog-accept [TEXT] or dialog-dismiss"
    assert await run("click '#p'") == f'Clicked #p\n→ prompt "Name?" (suggests "Bob") is open: {ways}'
    assert await run("dialog-accept Ann Smith") == 'Accepted prompt "Name?" with "Ann Smith"'
    assert await run("text '#out'") == "Ann Smith"
    assert '"Name?" → accepted "Ann Smith"' in await run("dialog")
    await run("click '#p'")
    assert await run("dialog-accept") == 'Accepted prompt "Name?" with "Bob"'
    assert await run("dialog-accept") == f"Dialogs will be accepted{SCOPE}"
    assert "accepted" in await run("click '#c'")


async def test_effect_of_an_answered_dialog_is_in_its_reply(run: Run, show: Show, web: Web) -> None:
    """Press a second time when the first one's question is answered, however late."""
    await show(
        "<i onclick=\"confirm('Q')\">Twice</i>"
        "<button onclick=\"if (confirm('One?') && confirm('Two?')) location = '/plain.html'\">Go</button>"
    )
    await run("dialog-hold")
    asks = f'→ confirm "Q" is open: {ANSWERS}'
    assert await run("click i --double") == f"Clicked i\n{asks}"
    assert await run("dialog-dismiss") == f'Dismissed confirm "Q"\n{asks}'
    assert await run("dialog-dismiss") == 'Dismissed confirm "Q"'
    assert await run("click button") == f'Clicked button\n→ confirm "One?" is open: {ANSWERS}'
    assert await run("dialog-accept") == f'Accepted confirm "One?"\n→ confirm "Two?" is open: {ANSWERS}'
    assert await run("dialog-accept") == f'Accepted confirm "Two?"\n→ now at {web.url}/plain.html'
    assert await run("text h1") == "A plain page"


TYPED = "Typed 2 characters\n→ the rest is typed once the dialog is answered"
OPENING = {
    "in time": {
        "fill input x": "Filled input", "click button --button right": "Clicked button", "type xy --delay 20": TYPED, "hover i": "Hovered i",
    },
    "on a busy machine": {
        "click button --double": "Clicked button", "type xy": TYPED, "press x": "Pressed x", "select select B": 'Selected "B" in select',
    },
}  # fmt: skip
"""Commands that open a dialog, and what they say first. On a busy machine the grace is over before the command has time."""


@each(OPENING)
async def test_command_that_opens_a_dialog_returns(
    when: str, run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    if when == "on a busy machine":
        monkeypatch.setattr(dialogs, "GRACE_SECONDS", 0.0)
    await run("mouse move 900,600")  # the last test's may still be where the words are
    await show(
        "<button onclick=confirm('Q') oncontextmenu=confirm('Q')>Go</button> <i onmouseover=confirm('Q')>hover</i>"
        "<input autofocus oninput=confirm('Q')><select onchange=confirm('Q')><option>A<option>B</select>"
    )
    await run("dialog-hold")
    tab, asks = shell.browser.tab(), f'→ confirm "Q" is open: {ANSWERS}'
    for command, done in OPENING[when].items():
        await run("js", "const field = document.querySelector('input'); field.value = ''; field.focus()")
        said = await run(command)
        assert said.startswith(f"{done}\n→ ")
        assert said.splitlines()[-1] == asks
        said = await run("dialog-dismiss")
        if command.startswith("type"):
            assert await tab.wait_until(lambda: tab.open_dialog is not None, 60), "the next character asks, too"
            said = await run("dialog-dismiss")
        while "is open" in said:  # once for each click
            said = await run("dialog-dismiss")
        written = "xy" if command.startswith("type") else "x" if command in ("fill input x", "press x") else ""
        assert await run("js", "document.querySelector('input').value") == written


async def test_command_blocked_by_a_dialog_names_it(run: Run, fails: Fails, show: Show, web: Web) -> None:
    await show("<p>x<script>fetch('/gate/ask').then(() => confirm('Q'))</script>")
    await run("dialog-hold")
    late = "new Promise(() => setTimeout(() => confirm('Q'), 50))"
    for command, words in (("js", "confirm('Q')"), ("js", late), ("wait", "#never")):
        failing = asyncio.ensure_future(fails(command, DialogOpen, words))
        if command == "wait":
            while "wait on tab" not in await run("status"):
                pass
            web.gate("ask").set()
        reply = await failing
        assert reply.message == f'{command} did not finish: confirm "Q" is open in tab 1'
        assert await run("dialog-accept") == 'Accepted confirm "Q"'
    assert await run("text") == "x"


async def test_a_page_that_asks_as_it_loads(run: Run, web: Web) -> None:
    await run("dialog-hold")
    url = web.show("<script>confirm('Enter?')</script><p>In")
    asks = f'→ confirm "Enter?" is open: {ANSWERS}'
    assert await run(f"goto {url}", timeout=4000) == f"Navigated to {url} (200)\n{asks}"
    assert await run("dialog-accept") == 'Accepted confirm "Enter?"'
    assert await run("text") == "In"
    assert await run("reload", timeout=4000) == f"Reloaded {url}\n{asks}"
    await run("dialog-dismiss")
    assert (await run(f"newtab {url}", timeout=4000)).endswith(asks)
    assert await run("closetab", timeout=3000) == f"Closed tab 2; the active tab is now 1: {url}"
    assert await run("text") == "In"


async def test_leaving_a_page_is_asked_only_where_it_was_not_asked_for(run: Run, show: Show, web: Web) -> None:
    """Ask nothing for a command that names the next page, whatever was said of dialogs."""
    script = "<script>onbeforeunload = event => event.preventDefault()</script>"
    page = await show(f"{script}<a href=/plain.html>Away</a><input>")
    await run("dialog-hold")
    await run("fill input x")
    assert await run("click a") == f'Clicked a\n→ beforeunload "" is open: {ANSWERS}'
    assert await run("dialog-dismiss") == 'Dismissed beforeunload ""'
    assert await run("url") == page
    await run("click a")
    assert await run("dialog-accept") == f'Accepted beforeunload ""\n→ now at {web.url}/plain.html'
    for choice in ("dialog-hold", "dialog-dismiss"):
        await run(choice)
        await run(f"goto {page}")
        await run("fill input x")
        assert (await run(f"goto {web.url}/plain.html")).startswith(f"Navigated to {web.url}/plain.html (200)")


async def test_a_question_of_another_tab(
    run: Run, fails: Fails, show: Show, web: Web, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show(
        f"<button onclick=\"w = window.open('{web.show('<p>Popup')}')\">Open</button>"
        "<i onclick=\"w.setTimeout(() => w.confirm('Popup?'), 100)\">Ask there</i>"
    )
    await run("click button")
    await run("newtab", f"{web.other}/plain.html")
    await run("dialog-hold")
    await run("click i", tab=1)
    popup = shell.browser.tab(2)
    assert await popup.wait_until(lambda: popup.open_dialog is not None, 60)
    assert 'confirm "Popup?" is open in tab 2' in await run("status")
    with monkeypatch.context() as late:
        late.setattr(dialogs, "STILL_SECONDS", 0.0)
        late.setattr(world, "ANSWERS", 20_000)  # one process may stand still while others run
        assert await run("text h1") == "A plain page", "another process goes on, however late it answers"
    reply = await fails("text", DialogOpen, tab=1)
    assert reply.message == 'confirm "Popup?" is open in tab 2, and tab 1 does not answer meanwhile'
    assert reply.hint == f"Answer it: {ANSWERS} (gbrowse --tab 2 …)"
    assert await run("dialog-accept") == 'Accepted confirm "Popup?"', "the only one there is"
    assert await run("text i", tab=1) == "Ask there"


async def test_a_popup_that_asks_at_once(run: Run, show: Show, web: Web) -> None:
    await show(f"<button onclick=\"window.open('{web.show('<script>confirm(1)</script>')}')\">Open</button>")
    await run("dialog-hold")
    said = await run("click button", timeout=20_000)
    assert "opened tab 2" in said
    assert "dialog-accept" in said or 'confirm "1" is open in tab 2' in await run("status")
    assert (await run("dialog-accept", tab=2)).startswith('Accepted confirm "1"')
    assert await run("text", tab=1) == "Open"


async def test_dialog_is_left_to_the_person_with_the_window(
    run: Run, fails: Fails, show: Show, shell: Shell
) -> None:
    await show(ASKS)
    shell.browser.handoff = HandoffState("", await capture.capture_state(shell.browser))
    ways = f"{ANSWERS}, unless the person does"
    assert await run("click '#c'") == f'Clicked #c\n→ confirm "Sure?" is open: {ways}'
    assert '"Sure?" → left to the person' in await run("dialog")
    await fails("text", DialogOpen, timeout=2000)
    world = shell.browser.tab(1).world
    await world.frames.target.session.send("Page.handleJavaScriptDialog", {"accept": True})
    assert await run("text '#out'") == "true", "the person has answered"
    assert '"Sure?" → accepted' in await run("dialog")


async def test_with_several_open_it_must_be_said_which_is_meant(run: Run, fails: Fails, show: Show) -> None:
    await run("newtab", await show(ASKS))
    await run("newtab")
    await run("dialog-hold")
    for tab in (1, 2):
        await run("click '#c'", tab=tab)
    reply = await fails("dialog-accept", ActionFailed)
    assert reply.message == 'Open are confirm "Sure?" in tab 1, confirm "Sure?" in tab 2'
    assert reply.hint == "Say which is meant: gbrowse --tab 1 dialog-accept"
    assert (await fails("dialog-dismiss", ActionFailed, tab=3)).message == reply.message
    for tab in (1, 2):
        assert await run("dialog-accept", tab=tab) == 'Accepted confirm "Sure?"'
