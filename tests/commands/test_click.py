import asyncio
import re
from typing import Any

import pytest

from gstack_browse.browser.actions.locate import candidates
from gstack_browse.browser.command import page_settling
from gstack_browse.browser.engine.world import World
from gstack_browse.errors import (
    ActionFailed,
    Covered,
    ManyMatches,
    NoMatch,
    NotInteractable,
    TimedOut,
    UsageError,
)
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

COUNT = "<output id=n>0</output><script>let n = 0; const hit = () => document.querySelector('#n').value = ++n</script>"
"""What counts the clicks of `onclick=hit()`."""


async def test_click_by_every_kind_of_target_and_in_every_way(run: Run, show: Show) -> None:
    await show("""<button id=go class=a>Go on</button><script>heard = []; for (const type of ['dblclick', 'contextmenu', 'auxclick', 'click'])
        go.addEventListener(type, event => { event.preventDefault()
          heard.push(`${type} ${event.button}${event.shiftKey ? 'S' : ''}${event.ctrlKey ? 'C' : ''}`) })</script>""")
    await run("snapshot -i")
    targets = "#go | text=Go on | role=button[name='Go on'] | button.a | xpath=//button | @e1 | css=#go"
    for target in targets.split(" | "):
        assert await run("click", target) == f"Clicked {target}"
        assert await run("js heard.splice(0).join()") == "click 0", target
    ways = {"--double": "dblclick 0", "--button right": "contextmenu 2", "--button=middle": "auxclick 1"}
    for how, event in {**ways, "--modifiers Shift,ctrl": "click 0SC"}.items():
        await run(f"click button {how}")
        assert event in (await run("js heard.splice(0).join()")).split(","), how


async def test_both_presses_of_a_double_click_arrive(run: Run, show: Show) -> None:
    """Send the second press once what the first one opens is open: Chromium drops it before."""
    told = "document.title += ` ${event.type} ${event.detail}`"
    for opens in ("alert(1)", "window.open('/plain.html')"):
        await show(f"<button onmousedown='{told}' ondblclick='{told}' onclick=\"{told}; {opens}\">Go</button>")
        await run("click button --double")
        heard = await run("js document.title", tab=1)
        assert heard == "Test mousedown 1 click 1 mousedown 2 click 2 dblclick 2"


async def test_link_is_opened_in_a_new_tab(run: Run, show: Show, web: Web, fails: Fails, shell: Shell) -> None:
    """Open tabs of links that know their opener, and of those that do not."""
    link = f"<a href={web.url}/plain.html style='display:block'>Link</a>"
    page = await show(
        f"<div id=same>{link}</div><iframe src={web.show_elsewhere(link)}></iframe>"
        f"<a id=kept href=/plain.html onclick='event.preventDefault()'>Kept</a><button>Button</button>"
        "<a id=a href=/plain.html target=_blank>Go</a><a id=b href=/plain.html target=_blank rel='noopener noreferrer'>Go</a>"
    )
    opened = "→ opened tab %d: " + f"{web.url}/plain.html"
    assert await run("click '#a'") == f"Clicked #a\n{opened % 2}"
    assert await run("tabs") == f"→ [1] Test — {page}\n  [2] Plain — {web.url}/plain.html"
    assert await run("click '#b'") == f"Clicked #b\n{opened % 3}"
    assert await run("click '#same a' --new-tab --at 5,5") == f"Clicked #same a\n{opened % 4}"
    await run("frame iframe")
    assert await run("click a --new-tab") == f"Clicked a\n{opened % 5}"
    assert shell.browser.tabs.active == 1
    await run("frame main")
    assert (await fails("click '#kept' --new-tab", ActionFailed)).message.startswith("#kept was clicked")
    assert "is no link" in (await fails("click button --new-tab", NotInteractable)).message
    await fails("click '#same a' --new-tab --double", UsageError)


@pytest.mark.parametrize("mode", ["", "<html>"], ids=["standards", "quirks"])
async def test_click_on_frame_reaches_what_is_in_it_once(run: Run, show: Show, web: Web, mode: str) -> None:
    """Press on frames of each process, and on what lies around them: the page itself hears nothing."""
    inner = "<body style='margin:0;height:100vh'><script>n = 0; onclick = oncontextmenu = () => n++</script>"
    far = web.show_elsewhere(inner)
    await show(
        f'{mode}<iframe id=near srcdoc="{inner}"></iframe><iframe id=far src={far}></iframe><object data={far}></object>'
        f"<p style=display:inline-block><template shadowrootmode=open><iframe src={far}></iframe></template></p>"
    )
    for target, frame in {"#near": "#near", "#far": "#far", "object": "object", "p": "p iframe"}.items():
        for count, how in enumerate(("", "--at 9,9", "--button right"), 1):
            remark = "it contains a frame, which took the press: snapshot -i lists what is in that"
            assert await run(f"click {target} {how}") == f"Clicked {target}\n→ {remark}"
            await run("frame", frame)
            assert await run("js n") == str(count), (target, how)
            await run("frame main")


async def test_link_opened_apart_is_waited_for_no_longer_than_its_page_takes(
    run: Run, show: Show, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wait for the window however quiet the page is: Chromium may tell late of it. Wait for none that the page prevents."""
    ways = {"--modifiers Shift": 60, "--modifiers Control": 0}
    monkeypatch.setattr(page_settling, "WINDOW_SECONDS", 60)
    await show("<a href=/plain.html>Link</a>")
    for number, (how, quiet) in enumerate(ways.items(), 2):
        monkeypatch.setattr(page_settling, "QUIET_SECONDS", quiet)
        assert await run(f"click a {how}", tab=1) == f"Clicked a\n→ opened tab {number}: {web.url}/plain.html"
    monkeypatch.setattr(page_settling, "QUIET_SECONDS", 60)
    await run("js", "onclick = onauxclick = event => event.preventDefault(); 0", tab=1)
    for how in ("--button middle", "--modifiers Control"):
        assert await run(f"click a {how}", tab=1) == "Clicked a"


@pytest.mark.own_browser  # where a person may be, they are asked about external programs
async def test_window_in_which_nothing_can_be_shown_is_not_waited_for(
    run: Run, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Open what Chromium hands to another program, or forbids."""
    monkeypatch.setattr(page_settling, "WINDOW_SECONDS", 60)
    mail, data = "mailto:zoe@example.com", "data:text/html,x"
    await show(
        f"<a id=mail target=_blank href='{mail}'>Write</a><button id=call onclick=\"window.open('tel:123')\">Call</button>"
        f"<a id=data target=_blank href='{data}'>Show</a><button id=opens onclick=\"window.open('{data}')\">Show</button>"
    )
    for name, url in {"mail": mail, "call": "tel:123", "data": "", "opens": ""}.items():
        told = f"\n→ refused: {url} (an external program)" if url else ""
        assert await run(f"click '#{name}'") == f"Clicked #{name}{told}"


async def test_a_missing_target_names_what_is_near(
    fails: Fails, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Look for an id, and for a name that was misspelled. Name the target though nothing is found in time."""
    await show(
        "<button id=submit-order>Submit order</button><button>Save changes</button><input id=name aria-label=Name>"
    )
    reply = await fails("click '#submit-ordr' --timeout 100", NoMatch)
    assert reply.message == "No element matches #submit-ordr"
    assert 'Similar: @e1 <button#submit-order> "Submit order"' in reply.hint
    misspelt = "role=button[name='Save change'] | role=button[name=Save] | text=Save chnges | button:has-text('Save chages')"
    for target in misspelt.split(" | "):
        assert '<button> "Save changes"' in (await fails("click --timeout 50", NoMatch, target)).hint

    async def suggest_nothing(*_: object) -> str:
        return await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(candidates, "suggest_similar", suggest_nothing)
    reply = await fails("click 'text=Sign up' --timeout 50", NoMatch, timeout=2000)
    assert reply.message == "No element matches text=Sign up"
    assert "snapshot -i" in reply.hint


async def test_message_that_an_action_made_the_page_show_is_told(run: Run, show: Show, web: Web) -> None:
    """Leave out logs, invisible text, fields to choose from, and what the page showed before."""
    note = "<p role=status>Trial</p>"
    await show(f"""{note}<button>Go</button><input id=i><div id=live aria-live=polite></div><p role=status id=log></p><output id=out></output><p role=status id=month></p><script>
        const say = (text, as) => live.innerHTML = `<p role=alert>${{text}}</p>`;
        document.querySelector('button').onclick = () => fetch('/plain.html').then(() => say('Not saved: "x"'));
        i.onkeydown = () => {{ say('<i style="position:absolute;width:1px;height:1px;overflow:hidden">hid</i>'); log.textContent = 'line '.repeat(99) }};
        i.onkeyup = () => {{ out.value = 'result'; month.innerHTML = '<select><option>May<option>June</select>' }}</script>""")
    said = 'Clicked text=Go\n→ says "Not saved: \\"x\\""'
    for _ in range(2):
        assert await run("click text=Go") == said
    await run("click #i")
    assert "says" not in await run("press a")
    form = f"<form method=post action=/redirect?to={{}}><button>Send</button></form>{note}<p role=alert>Wrong password</p>"
    url = web.show("<br>")
    web.pages[url.removeprefix(web.url)] = f"{form.format(url)}<a href={url}>Again</a>", {}
    await show(f"{note}<a href={url}>Sign in</a>")
    wrong = '→ says "Wrong password"'
    assert await run("click text='Sign in'") == f"Clicked text=Sign in\n{wrong}\n→ now at {url}"
    again = f"→ now at {url}, loaded again"
    assert await run("click text=Send") == f'Clicked text=Send\n→ says "Trial"\n{wrong}\n{again}'
    assert await run("click text=Again") == f"Clicked text=Again\n{again}"
    save = "<button onclick='said.textContent = `Saved ${++count}`'>Save</button><script>count = 0</script>"
    await show(
        f"<p role=status id=said></p>{save}<iframe srcdoc='<button onclick=parent.document.querySelector(`button`).click()>In'></iframe>"
    )
    for count in range(1, 5):  # input overtakes scripts that wait in the page
        assert await run("click button") == f'Clicked button\n→ says "Saved {count}"'
    await run("frame iframe")
    assert await run("click button") == 'Clicked button\n→ says "Saved 5"'
    await run("frame main")


async def test_ref_of_a_hint_is_the_one_that_a_snapshot_prints(run: Run, fails: Fails, show: Show) -> None:
    await show(
        """<ul><li>Apple <button onclick="deleted = 'Apple'">Delete</button>
        <li>Cherry <button onclick="deleted = 'Cherry'">Delete</button></ul><a>Delete more</a>
        <button class="x" hidden>Delete all</button><x-a></x-a><script>
        document.querySelector("x-a").attachShadow({ mode: "open" }).innerHTML = "<button class=x>Inside</button><i class=x>i</i>"</script>"""
    )
    reply = await fails("click text=Delete", ManyMatches)
    assert reply.message == "text=Delete matches 2 elements"
    assert reply.hint.splitlines() == [
        "Use a ref, or a selector for one of them:",
        '  @e1 <button> "Delete" in <li> "Apple Delete"',
        '  @e2 <button> "Delete" in <li> "Cherry Delete"',
    ]
    await run("click @e2")
    assert await run("js deleted") == "Cherry"
    assert '@e2 [button] "Delete"' in await run("snapshot -i")
    reply = await fails("click .x", ManyMatches)
    assert reply.message == ".x matches 3 elements"
    assert '<button.x> "Delete all" (hidden)' in reply.hint
    hint = (await fails("click '#inside' --timeout 50", NoMatch)).hint
    assert await run("click", hint.split()[1]) == f"Clicked {hint.split()[1]}"


async def test_click_by_text_means_the_only_clickable_match(
    shell: Shell, fails: Fails, show: Show, run: Run
) -> None:
    """Take the button below a heading of the same words; none of several, and no field or other target."""
    button = "<button onclick='said = 1'><span>{}</span></button>"
    rivals = {
        "Link": "<a href=#x>Link</a>", "Field": "<label>Field<input></label>", "Cursor": "<p style='cursor:pointer'>Cursor</p>",
    }  # fmt: skip
    await show(
        f"<h1>Login</h1><p>Login</p>{button.format('Login')}<h1>Heading</h1><p>Heading</p>"
        f"<h1 class=x>By class</h1><b class=x>{button.format('By class')}</b>"
        + "".join(f"<h1>{words}</h1>{button.format(words)}{rival}" for words, rival in rivals.items())
    )
    reply = await shell.send("click", "text=Login")
    assert reply.text == "Clicked text=Login"
    assert reply.notes == ['text=Login matches 3 elements; <span> "Login" alone can be clicked']
    assert await run("js said") == "1"
    for target in (*(f"text={words}" for words in rivals), "text=Heading", ".x"):
        await fails(f"click {target} --timeout 50", ManyMatches)


async def test_similar_matches_are_told_apart_as_a_snapshot_does(fails: Fails, show: Show, run: Run) -> None:
    """Tell them by what they are near; of what is in them, by their words and not by their scripts."""
    form = "<form><table><caption>{}</caption><tr><td>Name <td><input><tr><td colspan=2><button>Create</button></table></form>"
    forms = (
        f"{form.format('Agent')}{form.format('Villain')}<p>One</p><p>One</p>"
        "<div class=a><style>i { color: red }</style><i>First</i><script>let secret = 1</script></div>"
        "<div class=a><b>Second</b></div><div class=a hidden><template>Third</template>Third</div>"
    )
    await show(forms)
    told = [line.partition("(near")[2] for line in (await run("snapshot -i")).splitlines() if "near" in line]
    assert told == [' "Name") (Agent)', ' "Name") (Villain)']

    async def matches(line: str) -> list[str]:
        hint = (await fails(f"{line} --timeout 50", ManyMatches)).hint
        return [line.split(maxsplit=1)[1] for line in hint.splitlines() if line.startswith("  @")]

    create = '<button> "Create" in <tr> "Create"'
    assert await matches("click text=Create") == [f"{create} (Agent)", f"{create} (Villain)"]
    assert [match.partition("(near")[2] for match in await matches("fill input x")] == told
    assert await matches("click p") == ['<p> "One"', '<p> "One"']
    assert await matches("click .a") == ['<div.a> "First"', '<div.a> "Second"', '<div.a> "Third" (hidden)']


async def test_target_that_cannot_be_pressed_says_why(fails: Fails, show: Show) -> None:
    """Name what is hidden, disabled, without a size or out of reach."""
    await show(
        "<button id=go style='display:none'>Go</button><button id=vis style='visibility:hidden'>V</button>"
        "<fieldset disabled><button id=in>In</button></fieldset><a role=button aria-disabled=true>Aria</a>"
        "<button id=off style='position:absolute;left:-9999px'>Off</button><i id=z style='display:block;width:0;height:0'></i>"
        "<style>.menu { display: none } li:hover > .menu, nav:hover i { display: block } .tip { visibility: hidden } li:hover > .tip { visibility: visible }</style>"
        "<ul><li>More<div class=menu><b>Deep</b></div><div class=tip><s>Tip</s></div></ul><details><summary>S</summary><u>Folded</u></details>"
    )
    why_not = {
        "#go": '<button#go> "Go" is hidden: it has display: none', "#vis": "is hidden: it has visibility: hidden", "#in": '<button#in> "In" is disabled', "a": '<a> "Aria" is disabled',
        "#off": "outside of the visible page", "#z": "is hidden: it has no size, or is cut off",
        "b": '<b> "Deep" is hidden: <div.menu> has display: none', "u": '<u> "Folded" is hidden: <details> is closed',
        "s": '<s> "Tip" is hidden: <div.tip> has visibility: hidden',
    }  # fmt: skip
    for target, why in why_not.items():
        reply = await fails(f"click '{target}' --timeout 50", NotInteractable)
        assert why in reply.message
        may_appear = 'It may appear under the pointer: hover @e1 <li> "More"' in reply.hint
        assert may_appear == (target in ("b", "s")), target


PARTS = {
    "<div role=menuitem aria-disabled=true><b>P0</b></div>": True,
    "<button disabled><b>P1</b></button>": True,
    "<label><input type=radio disabled><b>P2</b></label>": True,
    "<label for=r><b>P3</b></label><input id=r type=checkbox aria-disabled=true>": True,
    "<label><input type=radio disabled><a href=#><b>P4</b></a></label>": False,
    "<div aria-disabled=true><b>P5</b></div>": False,
    "<div role=MenuItem aria-disabled=true><b>P6</b></div>": True,
}


async def test_part_of_a_disabled_item_is_disabled(shell: Shell, run: Run, show: Show) -> None:
    """Press words such as those of an item in Handsontable's menu."""
    await show("".join(PARTS))
    for number, (markup, is_disabled) in enumerate(PARTS.items()):
        assert await run(f"is disabled 'b >> nth={number}'") == str(is_disabled).lower(), markup
        reply = await shell.send(f"click text=P{number} --timeout 50")
        assert ("is disabled" in reply.message, reply.code == 0) == (is_disabled, not is_disabled), markup


async def test_control_that_a_field_enables_as_it_is_left_is_operated(check: Check, show: Show) -> None:
    """A person's press takes the focus from the field."""
    await show(
        "<input id=a onchange='go.disabled = false'><button id=go disabled onclick='this.textContent = `sent`'>Send</button>"
        "<input id=b onblur='next.disabled = false'><input id=next disabled>"
        "<input id=c onchange='box.disabled = false'><input id=box type=checkbox disabled>"
    )
    await check({
        "fill '#a' Ann": "Filled #a", "click '#go'": "Clicked #go", "text '#go'": "sent",
        "fill '#b' Ann": "Filled #b", "fill '#next' Lee": "Filled #next", "value '#next'": "Lee",
        "fill '#c' Ann": "Filled #c", "check '#box'": "Checked #box", "is checked '#box'": "true",
    })  # fmt: skip


async def test_target_that_comes_or_gets_ready_late_is_waited_for(run: Run, show: Show) -> None:
    """Wait until it is there, enabled, shown, uncovered, and stands still."""
    await show(f"""<style>@keyframes in {{ from {{ transform: translateX(600px) }} }} #moving {{ animation: in .4s }}</style>
        <button id=moving onclick=hit()>Moving</button><button id=a disabled onclick=hit()>A</button>
        <button id=b hidden onclick=hit()>B</button><button id=c onclick=hit()>C</button>{COUNT}
        <script>const veil = Object.assign(document.createElement('i'), {{ style: 'position:fixed;inset:0' }})
        setTimeout(() => {{ a.disabled = false; b.hidden = false }}, 200)
        setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button id=late onclick=hit()>Late</button>'), 300)</script>""")
    for target in ("#moving", "#late", "#a", "#b"):
        await run("click", target)
    await run("js", "document.body.append(veil); setTimeout(() => veil.remove(), 300); 0")
    await run("click #c")
    assert await run("text '#n'") == "5"


async def test_navigation_that_is_slow_or_never_comes_is_told(
    run: Run, show: Show, fails: Fails, web: Web
) -> None:
    """Say with the next failure, too, what the page waits for."""
    await show("<a id=slow href=/gate/slow>Go</a><a id=never href=/hang>Go</a>")
    web.later(0.7, web.gate("slow").set)
    assert await run("click '#slow'") == f"Clicked #slow\n→ now at {web.url}/gate/slow"
    assert await run("text") == "slow is open"
    await run("back")
    assert await run("click '#never'", timeout=3000) == f"Clicked #never\n→ still waiting for {web.url}/hang"
    assert f"waits for {web.url}/hang" in (await fails("text", TimedOut, timeout=500)).message


LEADS = {
    "document.forms[0].submit()": "now at {page}, loaded again",
    "history.pushState({}, '', '/step/2')": "now at {site}/step/2",
    "fetch('/plain.html').then(r => r.text()).then(() => requestAnimationFrame(() => setTimeout(() => history.pushState({}, '', '/drawn'))))": "now at {site}/drawn",
    "fetch('/plain.html').then(r => r.text()).then(() => document.startViewTransition(() => history.pushState({}, '', '/moved')))": "now at {site}/moved",
    "fetch('/drop').catch(() => {})": "failed: GET {site}/drop → ERR_EMPTY_RESPONSE",
    "fetch('/status/500').then(() => fetch('/status/500'))": "failed: GET {site}/status/500 → 500 (2 times)",
    "fetch('/api').then(() => location = '/plain.html')": "now at {site}/plain.html",
    "location = '/status/500'": "now at {site}/status/500\n→ failed: GET {site}/status/500 → 500",
}
"""What a button does, and what the reply says of it. Only the last two leave the page."""


async def test_navigation_and_failed_request_are_told(run: Run, show: Show, web: Web) -> None:
    buttons = "".join(f'<button onclick="{does}">Go</button>' for does in LEADS)
    page = await show(f"<form method=post></form>{buttons}")
    for number, told in enumerate(LEADS.values()):
        target = f"button >> nth={number}"
        told = told.format(site=web.url, page=page)
        assert await run("click", target) == f"Clicked {target}\n→ {told}"
        if number == len(LEADS) - 2:
            await run("goto", page)


async def test_a_request_whose_answer_nobody_reads_is_over_all_the_same(run: Run, show: Show) -> None:
    """Read the status only, as pages that save do: Chromium never says that an unread body has ended."""
    await show("<button onclick=\"fetch('/uncached').then(r => { window.saved = r.status })\">Save</button>")
    assert await run("click button") == "Clicked button"
    assert await run("wait --networkidle --timeout 5000") == "Network idle"
    assert re.fullmatch(r"#\d+ GET .*/uncached → 200 \(\d+ms, 15B\)", (await run("network")).splitlines()[-1])


NO_SELECTORS = {
    "button[": 'unexpected "[" in CSS "button["',
    "a { color: red }": '"{" is no CSS, in "a { color: red }"',
    "li:has(p": 'unexpected end in CSS "li:has(p"',
    ":nope()": '":nope()" is no CSS, in ":nope()"',
    "li:has-text(Save)": 'unexpected "S" in CSS "li:has-text(Save)"',
    "role=": "role= needs the name of a role, as in role=button",
    'role=button[name="Go]': 'role= takes what stands in brackets, as [name="Go"] or [checked], in "button[name=\\"Go]"',
    "role=button[chekced]": 'unknown attribute "chekced": there are name, description, level, checked, pressed, selected, expanded, disabled, include-hidden',
    "role=button[pressed=maybe]": '[pressed] is true, false, mixed, not "maybe"',
    "role=heading[level=top]": "[level] takes a number, as in [level=2]",
    "text=/(/": "Invalid regular expression: /(/: Unterminated group",
    ">>": 'there is nothing on one side of a >> in ">>"',
    "foo=bar": 'unknown engine "foo" in "foo=bar"',
    "xpath=//[": '"//[" is no XPath of nodes',
    "p >> nth=x": 'nth= takes a whole number, not "x"',
    "p >> visible=maybe": "visible= is true or false",
    "_react=Button": "_react= is known to Playwright only: use role=, text=, label= or CSS",
    "p >> internal:text=a": "internal:text= is known to Playwright only: use role=, text=, label= or CSS",
    "p:left-of(b)": ":left-of is known to Playwright only: use role=, text=, label= or CSS",
}
"""What is refused, and why."""


async def test_malformed_selector_is_a_usage_error_with_its_reason(show: Show, fails: Fails) -> None:
    await show("<button>Save</button>")
    said = {target: (await fails("click", UsageError, target)).message for target in NO_SELECTORS}
    assert said == {target: f"Not a selector: {reason}" for target, reason in NO_SELECTORS.items()}
    for command in ("count", "attrs", "is visible", "wait"):
        await fails(command, UsageError, "button[")


async def test_selector_is_resolved_in_one_question(
    run: Run, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show("<form><button>Save <b>it</b></button><label>Mail <input></label></form>")
    group = (await run("snapshot -s form")).split()[0]
    asked: list[str] = []
    call = World.call

    async def recorded(world: World, function: str, *args: Any, **options: Any) -> Any:
        asked.append(function)
        return await call(world, function, *args, **options)

    monkeypatch.setattr(World, "call", recorded)
    targets = f'text=save | role=button[name="Save it"] | form >> label=mail | button:has(b):visible | {group} >> text=save'
    for target in targets.split(" | "):
        asked.clear()
        await run("attrs", target)
        assert asked == ["findAndCall"], target


async def test_words_that_let_presses_through_are_pressed_in_their_item(
    run: Run, show: Show, fails: Fails
) -> None:
    await show(
        """<div role=menuitem><div id=row><div class=w style='pointer-events:none'>Export</div><i></i></div></div><div>Both <b style='pointer-events:none'>Words</b></div>
        <div style='position:relative'><div style='pointer-events:none'>Please select</div><input style='position:absolute;inset:0;opacity:0' onclick="document.title = 'field'"></div>
        <svg height=30><g onclick="document.title = 'node'"><rect width=90 height=30 /><g style='pointer-events:none'><text y=20>Filter</text></g></g></svg>
        <style>u { display: none } a:hover + u { display: inline }</style><a href='#'>Menu</a><u>Item</u><button disabled title=Why>Go</button>
        <p><label style='pointer-events:none'><input type=checkbox><i>Agree</i></label></p><p><span role=button style='pointer-events:none'><i>Send</i></span></p>
        <script>row.onclick = () => document.title = 'pressed'; row.onmouseenter = () => document.body.dataset.over = 'row'</script>"""
    )
    for target in ("a", "button", "text=Export"):
        assert await run(f"hover {target}") == f"Hovered {target}"
        assert await run("is visible u") == str(target == "a").lower(), "a hover shows what the page shows"
    assert await run("js document.body.dataset.over") == "row"
    assert await run("click text=Export") == "Clicked text=Export"
    assert await run("js document.title") == "pressed"
    assert await run("click 'text=Please select'") == "Clicked text=Please select"
    assert await run("js document.title") == "field"
    assert await run("click text=Filter") == "Clicked text=Filter"
    assert await run("js document.title") == "node"
    for target, box in {"b": "<div>", "text=Agree": "<p>", "text=Send": "<p>"}.items():
        assert f"is covered by {box}" in (await fails(f"click {target} --timeout 100", Covered)).message


async def test_a_page_that_takes_no_presses_behind_what_is_open_says_so(show: Show, fails: Fails) -> None:
    dialog = "<dialog open style='pointer-events:auto;top:9em'>Open</dialog>"
    await show(f"<style>body {{ pointer-events: none }}</style><button>Go</button><p>Text</p>{dialog}")
    why = "it takes no presses (pointer-events: none), as behind something that is open"
    for target, name in {"button": '<button> "Go"', "p": '<p> "Text"'}.items():
        covered = (await fails(f"click {target} --timeout 100", Covered)).message
        assert covered == f"{name} is covered by the page: {why}"


NO_BOX = """<ul id=floated style='margin:0;padding:0'><li style='float:left'>Row</ul>
<div id=absolute><b style='position:absolute'>Row</b></div>
<a id=picture href='#1' style='font-size:0;line-height:0'><span style='float:left;font-size:16px;line-height:1'>Row</span></a>
<svg width=50 height=50><line id=upright x1=20 x2=20 y1=5 y2=45 stroke=black stroke-width=6 /></svg>
<svg width=50 height=50><path id=level d='M5 20H45' stroke=black stroke-width=6 /></svg>
<div id=cut style='height:0;overflow:hidden'><b>Row</b></div>
<div id=empty></div>
<div id=veiled><b style='visibility:hidden;position:absolute'>Row</b></div>
<svg width=50 height=50><line id=unpainted x1=20 x2=20 y1=5 y2=45></svg>"""


async def test_box_without_size_is_pressed_on_what_is_seen_of_it(run: Run, show: Show) -> None:
    """Call it hidden where nothing is seen."""
    boxes = "".join(f"<div style='height:50px'>{markup}</div>" for markup in NO_BOX.split("\n"))
    told = "<script>onclick = event => { document.title = event.target.closest('[id]').id }</script>"
    await show(boxes + told)
    for name in ("floated", "absolute", "picture", "upright", "level"):
        assert await run(f"is visible #{name}") == "true", name
        await run(f"click #{name}")
        assert await run("js document.title") == name
    for name in ("cut", "empty", "veiled", "unpainted"):
        assert await run(f"is visible #{name}") == "false", name
