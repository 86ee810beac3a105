import asyncio
import re
from itertools import product

import pytest

from gstack_browse.browser.input import candidates
from gstack_browse.browser.tabs import observer, popup_windows
from gstack_browse.errors import (
    ActionFailed,
    Covered,
    ManyMatches,
    NoMatch,
    NotInteractable,
    StaleRef,
    UnknownRef,
    UsageError,
)
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

COUNT = "<output id=n>0</output><script>let n = 0; const hit = () => document.querySelector('#n').value = ++n</script>"
"""What counts the clicks of `onclick=hit()`."""


async def test_click_says_what_it_clicked(run: Run, show: Show) -> None:
    await show(f"<button onclick=hit()>Go</button>{COUNT}")
    assert await run("click button") == "Clicked button"
    assert await run("text '#n'") == "1"


async def test_click_by_every_kind_of_target(run: Run, show: Show) -> None:
    await show(f"<button id=go class=a onclick=hit()>Go on</button>{COUNT}")
    await run("snapshot -i")
    for target in (
        "#go",
        "text=Go on",
        "role=button[name='Go on']",
        "button.a",
        "xpath=//button",
        "@e1",
        "css=#go",
    ):
        assert await run("click", target) == f"Clicked {target}"
    assert await run("text '#n'") == "7"


@pytest.mark.parametrize(
    "first", ["window.open('/plain.html')", "alert(1)", "while (performance.now() < end);"]
)
async def test_both_presses_of_a_double_click_arrive(run: Run, show: Show, first: str) -> None:
    """Chromium drops a press that is sent while the page opens a window or a dialog for the one before."""
    told = "document.title += ` ${event.type} ${event.detail}`"
    await show(
        f"<button onmousedown='{told}' ondblclick='{told}'"
        f' onclick="{told}; const end = performance.now() + 50; {first}">Go</button>'
    )
    await run("click button --double")
    title = await run("js document.title", tab=1)
    assert title == "Test mousedown 1 click 1 mousedown 2 click 2 dblclick 2"


async def test_a_link_is_opened_in_a_new_tab(
    run: Run, show: Show, web: Web, fails: Fails, shell: Shell
) -> None:
    link = f"<a href={web.url}/plain.html style='display:block'>Link</a>"
    await show(
        f"<div id=same>{link}</div><iframe src={web.show(link).replace(web.url, web.other)}></iframe>"
        f"<a id=kept href=/plain.html onclick='event.preventDefault()'>Kept</a><button>Button</button>"
    )
    opened = "→ opened tab %d: " + f"{web.url}/plain.html"
    assert await run("click '#same a' --new-tab") == f"Clicked #same a\n{opened % 2}"
    assert await run("click '#same a' --new-tab --at 5,5") == f"Clicked #same a\n{opened % 3}"
    await run("frame iframe")
    assert await run("click a --new-tab") == f"Clicked a\n{opened % 4}"
    assert shell.browser.tabs.active == 1
    await run("frame main")
    assert (await fails("click '#kept' --new-tab", ActionFailed)).message.startswith("#kept was clicked")
    assert "is no link" in (await fails("click button --new-tab", NotInteractable)).message
    await fails("click '#same a' --new-tab --double", UsageError)


@pytest.mark.parametrize("how", ["--new-tab", "--button middle", "--modifiers Shift"])
async def test_who_opens_a_link_apart_waits_no_longer_than_for_its_page(
    how: str, run: Run, show: Show, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium does not say who has opened such a window."""
    monkeypatch.setattr(observer, "QUIET_SECONDS", 60)
    monkeypatch.setattr(observer, "WINDOW_SECONDS", 60)
    await show("<a href=/plain.html>Link</a>")
    assert await run(f"click a {how}") == f"Clicked a\n→ opened tab 2: {web.url}/plain.html"


@pytest.mark.parametrize("how", ["--new-tab", "--button middle", "--modifiers Shift"])
async def test_a_tab_that_the_page_does_not_prevent_is_waited_for(
    how: str, run: Run, show: Show, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine Playwright tells late of the window, of which the page hears nothing."""
    monkeypatch.setattr(observer, "QUIET_SECONDS", 0)
    await show("<a href=/plain.html>Link</a>")
    assert await run(f"click a {how}") == f"Clicked a\n→ opened tab 2: {web.url}/plain.html"


@pytest.mark.parametrize("how", ["--button middle", "--modifiers Control"])
async def test_a_tab_that_the_page_prevents_is_not_waited_for(
    how: str, run: Run, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observer, "QUIET_SECONDS", 60)
    await show(
        "<a href=/plain.html>Link</a><script>for (const type of ['click', 'auxclick'])"
        " document.addEventListener(type, event => event.preventDefault())</script>"
    )
    assert await run(f"click a {how}") == "Clicked a"


@pytest.mark.parametrize("url", ["mailto:zoe@example.com", "tel:123", "some-app:open", "data:text/html,x"])
async def test_a_window_in_which_nothing_can_be_shown_is_not_waited_for(
    url: str, run: Run, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium hands what it asks for to another program, or forbids it."""
    monkeypatch.setattr(observer, "WINDOW_SECONDS", 60)
    await show(
        f"<a target=_blank href='{url}'>Write</a><button onclick=\"window.open('{url}')\">Write</button>"
    )
    told = "" if url.startswith("data:") else f"\n→ refused: {url} (an external program)"
    assert await run("click a") == f"Clicked a{told}"
    assert await run("click button") == f"Clicked button{told}"


async def test_double_right_middle_and_modified_clicks(run: Run, show: Show) -> None:
    await show("""<button>b</button><ol id=log></ol><script>
        for (const type of ['dblclick', 'contextmenu', 'auxclick', 'click']) document.querySelector('button').addEventListener(type, event => {
          log.insertAdjacentHTML('beforeend', `<li>${type} ${event.button} ${event.shiftKey ? 'S' : ''}${event.ctrlKey ? 'C' : ''}`); event.preventDefault() })
        </script>""")
    await run("click button --double")
    assert (await run("text ol")).split("\n")[-1] == "dblclick 0"
    await run("click button --button right")
    assert "contextmenu 2" in await run("text ol")
    await run("click button --button=middle")
    assert "auxclick 1" in await run("text ol")
    await run("click button --modifiers Shift,ctrl")
    assert (await run("text ol")).endswith("click 0 SC")


async def test_a_missing_target_names_what_is_near(fails: Fails, show: Show) -> None:
    await show("<button id=submit-order>Submit order</button>")
    reply = await fails("click '#submit-ordr' --timeout 100", NoMatch)
    assert reply.message == "No element matches #submit-ordr"
    assert 'Similar: @e1 <button#submit-order> "Submit order"' in reply.hint


async def test_a_missing_target_is_named_though_what_is_near_comes_too_late(
    fails: Fails, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine takes longer to look for that than the deadline leaves."""

    async def similar(*_: object) -> str:
        return await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(candidates, "similar", similar)
    await show("<button>Sign in</button>")
    reply = await fails("click 'text=Sign up' --timeout 50", NoMatch, timeout=4000)
    assert reply.message == "No element matches text=Sign up"
    assert "snapshot -i" in reply.hint


async def test_what_is_near_is_found_by_the_name_that_was_meant(fails: Fails, show: Show) -> None:
    await show("<button>Save changes</button><input id=name aria-label=Name>")
    for target in ("role=button[name='Save change']", "text=Save chnges", "button:has-text('Save chages')"):
        assert '<button> "Save changes"' in (await fails("click --timeout 50", NoMatch, target)).hint


async def test_several_matches_are_counted_and_shown(fails: Fails, show: Show) -> None:
    await show("<button>One</button><button>Two</button><button>Three</button>")
    reply = await fails("click button", ManyMatches)
    assert reply.message == "button matches 3 elements"
    assert reply.hint.splitlines() == [
        "Use a ref, or a selector for one of them:",
        '  @e1 <button> "One"',
        '  @e2 <button> "Two"',
        '  @e3 <button> "Three"',
    ]


async def test_a_ref_of_a_hint_works_and_is_the_one_that_a_snapshot_prints(
    run: Run, fails: Fails, show: Show
) -> None:
    await show(
        """<ul><li>Apple <button onclick="deleted = 'Apple'">Delete</button>
        <li>Cherry <button onclick="deleted = 'Cherry'">Delete</button></ul>
        <button class="x" hidden>Delete all</button><x-a></x-a><script>
        document.querySelector("x-a").attachShadow({ mode: "open" }).innerHTML = "<button class=x>Inside</button><i class=x>i</i>"</script>"""
    )
    hint = (await fails("click text=Delete", ManyMatches)).hint.splitlines()
    assert hint[1:] == [
        '  @e1 <button> "Delete" in <li> "Apple Delete"',
        '  @e2 <button> "Delete" in <li> "Cherry Delete"',
    ]
    await run("click @e2")
    assert await run("js deleted") == "Cherry"
    assert '@e2 [button] "Delete"' in await run("snapshot -i")
    assert '<button.x> "Delete all" (hidden)' in (await fails("click .x", ManyMatches)).hint
    hint = (await fails("click '#inside' --timeout 50", NoMatch)).hint
    assert await run("click", hint.split()[1]) == f"Clicked {hint.split()[1]}"


async def test_matches_that_are_alike_are_told_apart_as_a_snapshot_does(
    fails: Fails, show: Show, run: Run
) -> None:
    form = "<form><table><caption>{}</caption><tr><td>Name <td><input><tr><td colspan=2><button>Create</button></table></form>"
    await show(form.format("Agent") + form.format("Villain"))
    hint = (await fails("click text=Create", ManyMatches)).hint.splitlines()
    assert [line.partition(">")[2] for line in hint[1:]] == [
        ' "Create" in <tr> "Create" (Agent)',
        ' "Create" in <tr> "Create" (Villain)',
    ]
    hint = (await fails("fill input x", ManyMatches)).hint.splitlines()
    told = [line.partition("(near")[2] for line in (await run("snapshot -i")).splitlines() if "near" in line]
    assert told == [' "Name") (Agent)', ' "Name") (Villain)']
    assert [line.partition("(near")[2] for line in hint[1:]] == told
    await show("<p>One</p><p>One</p>")
    assert [line.split()[1:] for line in (await fails("click p", ManyMatches)).hint.splitlines()[1:]] == [
        ["<p>", '"One"']
    ] * 2


async def test_a_hint_in_a_frame_of_another_site_has_refs_that_work(
    run: Run, fails: Fails, show: Show, web: Web
) -> None:
    inner = web.show("<button onclick='hit = 1'>One</button><button onclick='hit = 2'>Two</button>")
    await show(f'<button>One</button><iframe src="{inner.replace(web.url, web.other)}"></iframe>')
    await run("frame iframe")
    hint = (await fails("click button", ManyMatches)).hint
    ref = next(line for line in hint.splitlines() if "Two" in line).split()[0]
    assert await run("click", ref) == f"Clicked {ref}"
    assert await run("js hit") == "2"


async def test_a_text_means_what_can_be_seen_and_says_just_that(run: Run, show: Show) -> None:
    await show(
        """<p hidden>All</p> <a>Show all items</a> <button onclick="said = 'All'">All</button>
        <button onclick="said = 'all'">all</button> <input type=button value="Over all" onclick="said = value">
        <label>Small <input></label>"""
        + "<i>ball</i>" * 60
    )
    for target, said in (
        ("text=All", "All"),
        ("text=all", "all"),
        ("body >> text=All", "All"),
        ("text=Over", "Over all"),
        ("role=button[name='all']", "all"),
    ):
        await run("click", target)
        assert await run("js said") == said


async def test_a_text_that_is_hidden_in_one_place_is_the_one_in_the_other(run: Run, show: Show) -> None:
    await show(
        """<nav hidden><button id=small>Sign in</button></nav> <button id=large>Sign in</button>
        <nav hidden><p>Saved</p></nav> <p hidden id=saved>Saved</p>"""
    )
    await run("click 'text=Sign in'")
    assert await run("is visible 'text=Sign in'") == "true"
    assert '"id": "large"' in await run("attrs 'text=Sign in'")
    await run("js 'setTimeout(() => { saved.hidden = false }, 50); 0'")
    assert await run("wait text=Saved") == "Element text=Saved appeared"


async def test_several_that_fit_alike_are_still_ambiguous(fails: Fails, show: Show) -> None:
    await show(
        "<button>All</button><a>Show all</a><button>All</button><b hidden>All</b>"
        "<button class=x hidden>x</button><b class=x>x</b><i class=x>x</i>"
    )
    assert (await fails("click text=All", ManyMatches)).message == "text=All matches 2 elements"
    assert (await fails("click .x", ManyMatches)).message == ".x matches 3 elements"


async def test_a_hidden_target_says_so(fails: Fails, show: Show) -> None:
    await show(
        "<button id=go style='display:none'>Go</button><button id=vis style='visibility:hidden'>V</button>"
    )
    assert (await fails("click '#go' --timeout 100", NotInteractable)).message == '<button#go> "Go" is hidden'
    assert "is hidden" in (await fails("click '#vis' --timeout 100", NotInteractable)).message


@pytest.mark.parametrize(
    ("markup", "is_disabled"),
    [
        ("<div role=menuitem aria-disabled=true><b>Cut</b></div>", True),
        ("<button disabled><b>Cut</b></button>", True),
        ("<ul role=listbox><li role=option aria-disabled=true><i><b>Cut</b></i></ul>", True),
        ("<label><input type=radio disabled><b>Cut</b></label>", True),
        ("<label for=r><b>Cut</b></label><input id=r type=checkbox aria-disabled=true>", True),
        ("<label><input type=radio disabled><a href=#><b>Cut</b></a></label>", False),
        ("<div role=menuitem aria-disabled=false><b>Cut</b></div>", False),
        ("<div aria-disabled=true><b>Cut</b></div>", False),
    ],
)
async def test_a_part_of_a_disabled_item_is_disabled(
    fails: Fails, run: Run, show: Show, markup: str, is_disabled: bool
) -> None:
    """As the words of an item in Handsontable's menu."""
    await show(markup)
    assert await run("is disabled b") == str(is_disabled).lower()
    if is_disabled:
        assert "is disabled" in (await fails("click text=Cut --timeout 100", NotInteractable)).message
    else:
        assert (await run("click text=Cut")).startswith("Clicked text=Cut")


async def test_a_disabled_target_says_so(fails: Fails, show: Show) -> None:
    await show("<fieldset disabled><button>In</button></fieldset><a role=button aria-disabled=true>Aria</a>")
    assert (await fails("click button --timeout 100", NotInteractable)).message == '<button> "In" is disabled'
    assert (await fails("click a --timeout 100", NotInteractable)).message == '<a> "Aria" is disabled'


async def test_a_covered_target_names_what_covers_it(fails: Fails, show: Show) -> None:
    await show("<button>Go</button><div id=veil style='position:fixed;inset:0;background:#0008'>Loading</div>")
    reply = await fails("click button --timeout 100", Covered)
    assert reply.message == '<button> "Go" is covered by <div#veil> "Loading"'


async def test_it_waits_for_a_target_that_comes_late(run: Run, show: Show) -> None:
    await show(
        f"{COUNT}<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button onclick=hit()>Late</button>'), 300)</script>"
    )
    await run("click button")
    assert await run("text '#n'") == "1"


async def test_it_waits_for_a_target_that_is_enabled_shown_or_uncovered_late(run: Run, show: Show) -> None:
    await show(f"""<button id=a disabled onclick=hit()>A</button><button id=b hidden onclick=hit()>B</button>
        <button id=c onclick=hit()>C</button><i id=veil style='position:fixed;inset:0'></i>{COUNT}
        <script>setTimeout(() => {{ a.disabled = false; b.hidden = false }}, 200); setTimeout(() => veil.remove(), 300)</script>""")
    for target in ("#a", "#b", "#c"):
        await run("click", target)
    assert await run("text '#n'") == "3"


async def test_it_clicks_a_moving_target_when_it_stands_still(run: Run, show: Show) -> None:
    await show(f"""<style>@keyframes in {{ from {{ transform: translateX(600px) }} }} button {{ animation: in .4s }}</style>
        <button onclick=hit()>Go</button>{COUNT}""")
    await run("click button")
    assert await run("text '#n'") == "1"


async def test_a_link_that_wraps_over_two_lines(run: Run, show: Show) -> None:
    await show(
        f"""<div style='width:200px;font:20px monospace'>xxxx xxxxxxx <a href='#x' onclick=hit()>wrapped link</a></div>{COUNT}"""
    )
    await run("click a")
    assert await run("text '#n'") == "1"


async def test_a_target_under_a_sticky_header_is_scrolled_clear(run: Run, show: Show) -> None:
    await show(f"""<div style='position:sticky;top:0;height:150px;background:#eee'>Header</div>
        <div style='height:3000px'></div><button onclick=hit()>Go</button><div style='height:3000px'></div>{COUNT}""")
    await run("js", "scrollTo(0, document.querySelector('button').offsetTop - 20)")
    await run("click button")
    assert await run("text '#n'") == "1"


async def test_a_target_in_a_scroll_container(run: Run, show: Show) -> None:
    await show(
        f"""<div style='height:100px;overflow:auto'><div style='height:2000px'></div><button onclick=hit()>Go</button></div>{COUNT}"""
    )
    await run("click button")
    assert await run("text '#n'") == "1"


async def test_a_label_of_a_hidden_checkbox(run: Run, show: Show) -> None:
    await show(
        "<style>input { position:absolute; opacity:0; width:1px; height:1px }</style><label>Agree <input type=checkbox id=c></label>"
    )
    await run("click 'text=Agree'")
    assert await run("is checked '#c'") == "true"
    await run("click '#c'")
    assert await run("is checked '#c'") == "false"


async def test_a_checkbox_without_a_box_is_clicked_through_its_label(run: Run, show: Show) -> None:
    await show("<label style='padding:9px'><input type=checkbox id=c style='display:none'> Agree</label>")
    assert await run("click '#c'") == "Clicked #c\n→ through its label"
    assert await run("is checked '#c'") == "true"


async def test_a_switch_whose_slider_lies_over_the_checkbox(run: Run, show: Show) -> None:
    await show("""<label style='position:relative;display:inline-block;width:60px;height:30px'>
        <input type=checkbox id=c style='opacity:0'><span style='position:absolute;inset:0;background:#ccc'></span></label>""")
    await run("click '#c'")
    assert await run("is checked '#c'") == "true"


async def test_a_click_on_an_option_selects_it(run: Run, show: Show) -> None:
    await show(
        "<select onchange='out.value = this.value'><option value=1>One<option value=2>Two</select><output id=out></output>"
    )
    await run("snapshot -i")
    assert await run("click", "option >> nth=1") == 'Clicked option >> nth=1\n→ selected "Two"'
    assert await run("text '#out'") == "2"


async def test_a_click_in_an_open_shadow_root(run: Run, show: Show) -> None:
    await show(f"""{COUNT}<my-app></my-app><script>
        document.querySelector('my-app').attachShadow({{mode: 'open'}}).innerHTML = '<button onclick=hit()>Deep</button>'</script>""")
    await run("click 'text=Deep'")
    await run("snapshot -i")
    await run("click @e1")
    assert await run("text '#n'") == "2"


@pytest.mark.both_browsers
async def test_a_ref_in_an_iframe_is_clicked(run: Run, show: Show, web: Web) -> None:
    inner = web.show("<button onclick=\"this.textContent = 'Hit'\">Deep</button>").replace(web.url, web.other)
    await show(f"<div style='height:900px'></div><iframe src='{inner}'></iframe>")
    listing = await run("snapshot -i")
    ref = next(
        word for line in listing.splitlines() if "Deep" in line for word in line.split() if word[0] == "@"
    )
    assert await run("click", ref) == f"Clicked {ref}"
    assert "Hit" in await run("text", ref)


async def test_a_navigation_is_waited_for_and_told(run: Run, show: Show, web: Web) -> None:
    await show("<a href=/plain.html>Go</a>")
    assert await run("click a") == f"Clicked a\n→ now at {web.url}/plain.html"
    assert await run("text h1") == "A plain page"


async def test_a_slow_navigation_is_waited_for(run: Run, show: Show, web: Web) -> None:
    await show("<a href=/gate/slow>Go</a>")
    gate = web.gate("slow")
    web.later(0.7, gate.set)
    assert await run("click a") == f"Clicked a\n→ now at {web.url}/gate/slow"
    assert await run("text") == "slow is open"


async def test_a_navigation_after_a_request_is_waited_for(run: Run, show: Show, web: Web) -> None:
    await show("<button onclick=\"fetch('/api').then(() => location = '/plain.html')\">Go</button>")
    assert await run("click button") == f"Clicked button\n→ now at {web.url}/plain.html"


async def test_a_page_that_is_loaded_again_is_told(run: Run, show: Show, web: Web) -> None:
    url = await show("<form method=post><button>Save</button></form>")
    assert await run("click button") == f"Clicked button\n→ now at {url}, loaded again"


async def test_what_was_done_in_time_is_told_though_playwright_has_not_heard_of_it_yet(
    run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show(f"<button onclick=hit()>Go</button>{COUNT}")
    monkeypatch.setattr(shell.browser.tab().world, "effects_known", asyncio.Event().wait)
    assert await run("click button", timeout=1000) == "Clicked button"
    assert await run("text '#n'", timeout=1000) == "1"


async def test_a_change_within_the_document_is_told(run: Run, show: Show, web: Web) -> None:
    await show("<button onclick=\"history.pushState({}, '', '/step/2')\">Go</button>")
    assert await run("click button") == f"Clicked button\n→ now at {web.url}/step/2"


async def test_a_navigation_that_never_comes_is_told(run: Run, show: Show, fails: Fails, web: Web) -> None:
    await show("<a href=/hang>Go</a>")
    assert await run("click a", timeout=3000) == f"Clicked a\n→ still waiting for {web.url}/hang"
    reply = await shell_late(fails)
    assert f"waits for {web.url}/hang" in reply


async def shell_late(fails: Fails) -> str:
    from gstack_browse.errors import TimedOut

    return (await fails("text", TimedOut, timeout=500)).message


async def test_the_status_of_a_page_that_failed_is_told(run: Run, show: Show, web: Web) -> None:
    await show("<a href=/status/500>Go</a>")
    assert (await run("click a")).splitlines() == [
        "Clicked a", f"→ now at {web.url}/status/500", f"→ failed: GET {web.url}/status/500 → 500"
    ]  # fmt: skip


async def test_a_failed_api_request_is_told(run: Run, show: Show, web: Web) -> None:
    await show("<button onclick=\"fetch('/api/422', {method: 'POST'})\">Save</button><img src=/status/404>")
    assert await run("click button") == f"Clicked button\n→ failed: POST {web.url}/api/422 → 422"


async def test_a_request_that_gets_no_answer_is_told(run: Run, show: Show, web: Web) -> None:
    await show("<button onclick=\"fetch('/drop').catch(() => {})\">Save</button>")
    assert await run("click button") == f"Clicked button\n→ failed: GET {web.url}/drop → ERR_EMPTY_RESPONSE"


async def test_a_request_whose_answer_nobody_reads_is_over_all_the_same(run: Run, show: Show, web: Web) -> None:
    """A page that saves something looks at the status only. Of a body that is there, and unread, Chromium never says that it has ended."""
    await show("<button onclick=\"fetch('/uncached').then(r => { window.saved = r.status })\">Save</button>")
    assert await run("click button") == "Clicked button"
    assert await run("wait --networkidle --timeout 5000") == "Network idle"
    assert re.fullmatch(r"#\d+ GET .*/uncached → 200 \(\d+ms, 15B\)", (await run("network")).splitlines()[-1])


async def test_a_request_that_takes_long_is_told(run: Run, show: Show) -> None:
    await show("<button onclick=\"fetch('/hang')\">Save</button>")
    assert await run("click button") == "Clicked button\n→ still loading: 1 request"


async def test_a_new_tab_is_told_with_its_url(run: Run, show: Show, web: Web) -> None:
    await show("<a href=/plain.html target=_blank>Go</a>")
    assert await run("click a") == f"Clicked a\n→ opened tab 2: {web.url}/plain.html"
    assert await run("tabs") == f"→ [1] Test — {await run('url')}\n  [2] Plain — {web.url}/plain.html"


async def test_a_window_opened_by_script_is_told(run: Run, show: Show, web: Web) -> None:
    await show("<button onclick=\"window.open('/plain.html')\">Go</button>")
    assert await run("click button") == f"Clicked button\n→ opened tab 2: {web.url}/plain.html"


async def test_a_window_without_opener_is_told(run: Run, show: Show, web: Web) -> None:
    await show("<a href=/plain.html target=_blank rel='noopener noreferrer'>Go</a>")
    assert await run("click a") == f"Clicked a\n→ opened tab 2: {web.url}/plain.html"


async def test_control_click_opens_a_tab(run: Run, show: Show, web: Web) -> None:
    await show("<a href=/plain.html>Go</a>")
    assert await run("click a --modifiers Control") == f"Clicked a\n→ opened tab 2: {web.url}/plain.html"


async def test_dialogs_are_told(run: Run, show: Show) -> None:
    await show(
        "<button onclick=\"out.value = confirm('Sure?') + prompt('Name?', 'Ann')\">Go</button><output id=out></output>"
    )
    assert (await run("click button")).splitlines() == [
        "Clicked button",
        '→ confirm "Sure?": accepted (dialog-dismiss refuses later ones, dialog-hold leaves them open)',
        '→ prompt "Name?": accepted "Ann"'
    ]  # fmt: skip
    assert await run("text '#out'") == "trueAnn"


async def test_a_page_that_closes_itself_is_told(run: Run, show: Show) -> None:
    await show("<button onclick='window.open(\"/plain.html\")'>Go</button>")
    await run("click button")
    await run("tab 2")
    await run("js", "document.body.innerHTML = '<button onclick=window.close()>Bye</button>'; 1")
    said = await run("click button")
    assert said.startswith("Clicked button\n→ the page closed itself; the active tab is now 1: http")
    assert (await run("tabs")).startswith("→ [1]")


async def test_a_ref_of_a_removed_element_is_stale_at_once(run: Run, show: Show, fails: Fails) -> None:
    await show("<button>Save</button>")
    await run("snapshot -i")
    await run("js", "document.querySelector('button').remove()")
    reply = await fails("click @e1", StaleRef)
    assert '@e1 ([button] "Save") is stale' in reply.message


async def test_a_ref_that_was_never_given(show: Show, fails: Fails) -> None:
    await show("<button>Save</button>")
    await fails("click @e99", UnknownRef)
    await fails("click @x1", UsageError)


async def test_what_is_no_selector_is_a_usage_error(show: Show, fails: Fails) -> None:
    await show("<button>Save</button>")
    for target in ("button[", "role=", ">>", "foo=bar", ":nope()", "xpath=//["):
        reply = await fails("click", UsageError, target)
        assert "gbrowse=" not in reply.message


async def test_an_element_without_size_or_outside_says_so(show: Show, fails: Fails) -> None:
    await show(
        "<button style='position:absolute;left:-9999px'>Off</button><i id=z style='display:block;width:0;height:0'></i>"
    )
    assert "outside of the visible page" in (await fails("click button --timeout 100", NotInteractable)).message
    assert "is hidden" in (await fails("click '#z' --timeout 100", NotInteractable)).message


async def test_what_a_reply_says_of_an_element_is_no_script(show: Show, fails: Fails) -> None:
    await show(
        "<div class=a><style>p { color: red }</style><p>First</p><script>let secret = 1</script></div><div class=a><p>Second</p></div>"
        "<div class=a hidden><template>Third</template>Third</div>"
    )
    lines = (await fails("click .a --timeout 50", ManyMatches)).hint.splitlines()[1:]
    assert [line.split(maxsplit=1)[1] for line in lines] == [
        '<div.a> "First"',
        '<div.a> "Second"',
        '<div.a> "Third" (hidden)',
    ]


async def test_a_target_inside_what_ignores_the_pointer(show: Show, fails: Fails) -> None:
    await show("<div id=back>x<button style='pointer-events:none'>Go</button></div>")
    reply = await fails("click button --timeout 100", Covered)
    assert (
        reply.message
        == '<button> "Go" is covered by <div#back> "x Go", which it is in: it takes no presses (pointer-events: none)'
    )
    assert "--timeout 10000" not in reply.hint


async def test_words_that_let_presses_through_are_pressed_in_what_they_are_the_words_of(
    run: Run, show: Show, fails: Fails
) -> None:
    await show(
        """<div role=menuitem><div id=row><div class=w style='pointer-events:none'>Export</div><i></i></div></div><div>Both <b style='pointer-events:none'>Words</b></div>
        <div style='position:relative'><div style='pointer-events:none'>Please select</div><input style='position:absolute;inset:0;opacity:0' onclick="document.title = 'field'"></div>
        <script>row.onclick = () => document.title = 'pressed'; row.onmouseenter = () => document.body.dataset.over = 'row'</script>"""
    )
    assert await run("hover text=Export") == "Hovered text=Export"
    assert await run("js document.body.dataset.over") == "row"
    assert await run("click text=Export") == "Clicked text=Export"
    assert await run("js document.title") == "pressed"
    assert await run("click 'text=Please select'") == "Clicked text=Please select"
    assert await run("js document.title") == "field"
    assert "is covered by <div>" in (await fails("click b --timeout 100", Covered)).message


async def test_a_page_that_takes_no_presses_behind_what_is_open_says_so(show: Show, fails: Fails) -> None:
    await show(
        "<style>body {pointer-events: none}</style><button>Go</button><dialog open style='pointer-events:auto;top:9em'>Open</dialog>"
    )
    reply = await fails("click button --timeout 100", Covered)
    assert reply.message == (
        '<button> "Go" is covered by the page: it takes no presses (pointer-events: none), as behind something that is open'
    )


@pytest.mark.fresh_session
async def test_tab_option_acts_elsewhere_without_switching(run: Run, show: Show, shell: Shell) -> None:
    await show(f"<button onclick=hit()>Go</button>{COUNT}")
    await run("newtab")
    assert await run("click button", tab=1) == "Clicked button"
    assert await run("text '#n'", tab=1) == "1"
    assert shell.browser.tabs.active == 2


async def test_hover_shows_what_the_page_shows(run: Run, show: Show) -> None:
    await show(
        "<style>b { display:none } a:hover + b { display:inline }</style><a href='#'>Menu</a><b>Item</b>"
    )
    assert await run("hover a") == "Hovered a"
    assert await run("is visible b") == "true"


async def test_hover_works_on_what_is_disabled(run: Run, show: Show) -> None:
    await show("<button disabled title=Why>Go</button>")
    assert await run("hover button") == "Hovered button"


@each(
    product(
        ["click --double", "click --button middle", "click --modifiers Shift", "click"],
        ["/empty", "/download", "/drop"],
        [False, True],
    )
)
async def test_a_document_that_never_arrives_is_not_waited_for(
    case: tuple[str, str, bool], run: Run, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the click is made, in the page or in a frame of it."""
    for name in ("QUIET_SECONDS", "WINDOW_SECONDS"):
        monkeypatch.setattr(observer, name, 0.1)  # how long a window is waited for is another test's subject
    monkeypatch.setattr(popup_windows, "OPENING_SECONDS", 0.1)
    how, path, framed = case
    link = f"<a id=a href={path}>Go</a>"
    await show(f"<iframe srcdoc='{link}'></iframe>" if framed else link)
    if framed:
        await run("frame iframe")
    assert (await run(f"{how} '#a'", timeout=20_000)).startswith("Clicked #a")
    await run("frame main")
    assert await run("js 1+1", timeout=20_000) == "2"


@pytest.mark.parametrize("framed", [False, True])
async def test_a_label_is_pressed_for_a_control_that_cannot_be_seen(
    run: Run, show: Show, web: Web, shell: Shell, framed: bool
) -> None:
    (shell.workspace / "a.txt").write_text("hello")
    markup = """<div><template shadowrootmode=open><label>Switch <input type=checkbox style="display:none"></label></template></div>
        <label for=f>Upload</label><input id=f type=file hidden onchange="document.title = f.files[0].name">"""
    await show(f"<iframe src='{web.show(markup)}'></iframe>" if framed else markup)
    switch, upload = (await run("snapshot -i")).splitlines()
    assert switch == '@c1 [generic] "Switch" [label]'
    assert await run("click @c1") == "Clicked @c1"
    assert '@c1 [generic] "Switch" [label] [checked]' in await run("snapshot -i")
    assert upload == '@c2 [generic] "Upload" [label]'
    assert await run("upload @c2 a.txt") == "Chose a.txt (5B)"


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_a_press_beside_what_runs_away_and_comes_back_is_no_click(
    shell: Shell, run: Run, show: Show, mode: str
) -> None:
    await show(f"""<x-b></x-b><p id=log>not</p><script>
        const root = document.querySelector('x-b').attachShadow({{ mode: '{mode}' }})
        root.innerHTML = '<style>button {{ position: absolute; top: 50px }} button:hover {{ top: 300px }}</style><button>Go</button>'
        root.lastChild.onpointerdown = () => log.textContent = 'pressed'</script>""")
    ref = (await run("snapshot -i")).split()[0]
    reply = await shell.send(f"click {ref} --timeout 1000")
    is_said = reply.code == 0 or "was pressed and not clicked" in reply.message
    assert is_said == (await run("text '#log'") == "pressed"), reply


NO_BOX = {
    "floated children": "<ul id=t style='margin:0;padding:0' onclick='document.title=1'><li style='float:left'>Row</ul>",
    "an absolute child": "<div id=t onclick='document.title=1'><b style='position:absolute'>Row</b></div>",
    "a picture in a link": "<a id=t href='#1' style='font-size:0;line-height:0' onclick='document.title=1'><span style='float:left;font-size:16px;line-height:1'>Row</span></a>",
    "an upright line": "<svg width=50 height=50><line id=t x1=20 x2=20 y1=5 y2=45 stroke=black stroke-width=6 onclick='document.title=1'/></svg>",
    "a level line": "<svg width=50 height=50><path id=t d='M5 20H45' stroke=black stroke-width=6 onclick='document.title=1'/></svg>",
}


@pytest.mark.parametrize("kind", NO_BOX)
async def test_what_is_seen_of_a_box_without_size_is_pressed(kind: str, run: Run, show: Show) -> None:
    await show(NO_BOX[kind])
    assert await run("is visible #t") == "true"
    await run("click #t")
    assert await run("js document.title") == "1"


@pytest.mark.parametrize(
    "markup",
    [
        "<div id=t style='height:0;overflow:hidden'><b>Row</b></div>",
        "<div id=t></div>",
        "<div id=t><b style='visibility:hidden;position:absolute'>Row</b></div>",
        "<svg width=50 height=50><line id=t x1=20 x2=20 y1=5 y2=45></svg>",
    ],
)
async def test_a_box_without_size_and_nothing_seen_of_it_is_hidden(markup: str, run: Run, show: Show) -> None:
    await show(markup)
    assert await run("is visible #t") == "false"


@pytest.mark.both_browsers
@pytest.mark.parametrize(
    ("how", "event"),
    [("--double", "dblclick"), ("--button middle", "auxclick"), ("--button right", "contextmenu")],
)
async def test_click_whose_page_takes_long_to_handle_it_is_made_whole(
    run: Run, show: Show, how: str, event: str
) -> None:
    """Two seconds for each press: longer than Playwright gets to begin with one."""
    await show("<button>Go</button>")
    await run(
        "js",
        "const busy = () => { for (const end = performance.now() + 2000; performance.now() < end;); }, go = document.querySelector('button');"
        f"seen = []; go.onmousedown = busy; go.on{event} = () => {{ seen.push('{event}') }}; 1",
    )
    assert await run(f"click button {how}") == "Clicked button"
    assert await run("js seen.join()") == event
