"""Test `expect`: a true condition is said at once, a false one is exit 1 with the actual state."""

import asyncio

import pytest

from gstack_browse.browser.reading import expectations, expecting
from gstack_browse.errors import (
    ExpectationFailed,
    ManyMatches,
    StaleRef,
    TabGone,
    TimedOut,
    UnknownRef,
    UsageError,
)
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.in_page import crash
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = """<html><title>Home page</title><h1>Orders</h1><p id=state>Saving…</p><p role=alert>Save failed: no space</p>
<p>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</p><label>Email <input id=mail value="ann@example.com" data-kind=Work></label>
<input type=password id=secret value=hunter22> <button id=save disabled>Save</button> <button id=go>Go</button>
<ul><li>a<li>b</ul> <input type=checkbox id=box checked> <p hidden id=dark>Dark</p> <textarea id=empty></textarea>"""

HOLDS = """visible '#state' | hidden '#dark' | hidden '#nope' | --not visible '#nope' | disabled '#save' | --not enabled '#save'
checked '#box' | editable '#mail' | editable text=Email | --not editable '#save' | --not focused '#mail' | visible text=Orders | visible role=alert
text Saving | text '=Saving…' | text 'Save  failed' | text /^sav.+g/im | text ann@example.com | --not text Dark
text Sav --in '#state' | text '=Saving…' --in '#state' | --not text =Sav --in '#state' | text no space --in role=alert
title Home | title '=Home page' | title /PAGE/i | --not title =Home | url '**/inline/*.html' | --not url =https://a.example/ | --not url '**/a' | url /inline/ | url '/\\d+.html$/'
value '#mail' ann | value text=Email =ann@example.com | value '#empty' '' | --not value '#mail' '' | --not value '#secret' hunter
attr '#mail' data-kind | attr '#mail' data-kind =Work | --not attr '#mail' data-kind Play | --not attr '#mail' nope
count li 2 | count '.none' 0 | --not count li 3 | --not console-errors | --not requests-failed | --not dialog x | --not downloads '*'
request 'GET **/inline/*' --status 2xx --times 1 | request /inline/ | --not request 'POST **' | --not request '**' --status failed"""


async def test_expect_of_true_conditions_succeeds(run: Run, show: Show) -> None:
    await show(PAGE)
    for line in HOLDS.replace("\n", " | ").split(" | "):
        assert (await run(f"expect {line}")).startswith("Expected: "), line


async def test_words_that_only_a_field_holds_are_told_from_what_the_page_says(run: Run, show: Show) -> None:
    await show("<form id=form><input id=name><input type=password id=secret></form><p>Saved: Bea</p>")
    await run("fill '#name' Ann")
    for line, said in {
        "text Ann": 'text "Ann", only in the field @e1 (',
        "text Ann --in '#form'": 'text "Ann" in #form, only in the field @e1 (',
        "text Bea": 'text "Bea" (',
        "--not text Carl": 'no text "Carl" (',
    }.items():
        assert (await run(f"expect {line}")).startswith(f"Expected: {said}")
    await run("fill '#name' Bea")
    assert (await run("expect text Bea")).startswith('Expected: text "Bea" (')


FAILS = [
    (
        "text Saved",
        'text "Saved"; after 0.1s the page shows "Saving…" (@e1) (near: @e2 "Save failed: no space")',
    ),
    ("--not text Saving", 'no text "Saving"; after 0.1s the page shows "Saving…" (@e1)'),
    ("text Saved --in '#state'", 'text "Saved" in #state; after 0.1s it says "Saving…"'),
    ("text Saved --in '#nope'", 'text "Saved" in #nope; after 0.1s no element matches #nope'),
    ("visible '#dark'", "#dark visible; after 0.1s it is hidden"),
    ("visible '#nope'", "#nope visible; after 0.1s no element matches #nope"),
    ("--not hidden '#nope'", "#nope not hidden; after 0.1s no element matches #nope"),
    ("--not enabled '#nope'", "#nope not enabled; after 0.1s no element matches #nope"),
    ("enabled '#save'", "#save enabled; after 0.1s it is disabled"),
    ("--not checked '#box'", "#box not checked; after 0.1s it is checked"),
    ("focused '#mail'", "#mail focused; after 0.1s nothing has the focus"),
    ("title =Home", 'title exactly "Home"; after 0.1s it is "Home page"'),
    ("value '#mail' bob", 'value "bob" in #mail; after 0.1s it holds "ann@example.com"'),
    ("value '#secret' hunter", 'value "hunter" in #secret; after 0.1s it holds "[redacted]"'),
    ("attr '#mail' data-kind Play", 'attribute data-kind "Play" on #mail; after 0.1s it is "Work"'),
    ("attr '#mail' nope", "attribute nope on #mail; after 0.1s there is none"),
    ("count li 3", "3 elements matching li; after 0.1s there are 2"),
    ("console-errors", "console errors; after 0.1s there are none"),
    ("dialog Delete", 'dialog "Delete"; after 0.1s there was none'),
    ("downloads r.csv", "download r.csv; after 0.1s there is none"),
    ("request /api/save --times 2", "request /api/save, 2 times; after 0.1s there is none"),
]


async def test_expect_of_false_conditions_tells_actual_state(fails: Fails, shell: Shell, show: Show) -> None:
    """Stop a chain there."""
    await show(PAGE)
    for line, said in FAILS:
        reply = await fails(f"expect {line} --timeout 100", ExpectationFailed)
        assert reply.message.startswith(f"Expected {said}"), reply.message
        assert reply.hint
    reply = await fails("expect url /api/ --timeout 100", ExpectationFailed)
    assert reply.message.startswith("Expected url matches /api/; after 0.1s it is http://127.0.0.1:")
    await fails("expect visible li --timeout 100", ManyMatches)
    reply = await shell.send("chain", stdin="expect text Saving\nexpect text Saved --timeout 50\ntitle")
    assert (reply.code, reply.error) == (1, ExpectationFailed.kind)
    assert reply.text.startswith("[expect] Expected: ")
    assert "Home page" not in reply.text


async def test_near_text_in_a_shadow_tree_has_a_ref(fails: Fails, show: Show) -> None:
    await show("<x-b><template shadowrootmode=open>Plain<p>Deep <b>Words</b></p></template></x-b>")
    for text, shown in {"deep words": "Deep Words", "plain": "Plain"}.items():
        reply = await fails(f"expect text '{text}' --timeout 50", ExpectationFailed)
        assert f'the page shows "{shown}" (@e' in reply.message


MALFORMED = """ | visible | visible @x | visible '#a' '#b' | text | text '' | url '' | count li | count li x | value '#mail'
attr '#mail' | console-errors now | text a --status 200 | visible a --in b | request x --status 2 | shown '#a' | checked h1
value h1 x | text '/(/' | text '/a/zz'"""


async def test_malformed_expect_is_a_usage_error(fails: Fails, show: Show) -> None:
    await show(PAGE)
    for line in MALFORMED.replace("\n", " | ").split(" | "):
        await fails(f"expect {line}", UsageError)


async def test_a_page_cannot_make_an_expression_run_for_ever(
    fails: Fails, run: Run, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expectations, "MOST_MILLISECONDS", 100)
    await show(PAGE + f"<input id=bad value={'a' * 60}>")
    for line in ("text '/(a+)+b/'", "text '/(a+)+b/' --in p:nth-of-type(3)", "value '#bad' '/^(a+)+b/'"):
        assert "takes too long" in (await fails(f"expect {line}", UsageError)).message
        assert await run("title") == "Home page", "the page answers again"


async def test_an_enormous_page_is_not_searched_for_long(fails: Fails, run: Run, show: Show) -> None:
    """5,000 texts side by side in one element: to ask each for all that is around it would take minutes."""
    await show(
        "<p id=p></p><script>for (let i = 0; i < 5e3; i++) p.append('word ' + i, new Comment())</script>"
    )
    reply = await fails("expect --not text 'word 7' --timeout 1000", ExpectationFailed)
    assert 'the page shows "word 0word 1' in reply.message
    assert await run("title") == "Test"


async def test_expect_waits_until_a_condition_is_true(run: Run, show: Show) -> None:
    """Change things that make no mutation too: a property, the focus, a style sheet, another address."""
    await show(PAGE)
    for change, line in (
        ("state.textContent = 'Saved'", "text =Saved"),
        ("save.disabled = false", "enabled '#save'"),
        ("box.checked = false", "--not checked '#box'"),
        ("mail.value = 'bob'", "value '#mail' =bob"),
        ("mail.focus()", "focused '#mail'"),
        ("document.styleSheets[0] ?? document.adoptedStyleSheets.push(new CSSStyleSheet())", "visible h1"),
        ("document.head.insertAdjacentHTML('beforeend', '<style>h1 {display: none}</style>')", "hidden h1"),
        ("history.pushState({}, '', '/app/42')", "url /app/*"),
        ("document.title = 'Done'", "title =Done"),
        ("fetch('/api/200', {method: 'POST'})", "request 'POST /api/*' --status 200"),
        ("fetch('/api/500')", "requests-failed"),
        ("console.error('no good')", "console-errors"),
        ("confirm('Delete Apple?')", "dialog 'Delete Apple?'"),
        ("go.remove()", "count '#go' 0"),
    ):
        await run("js", f"setTimeout(() => {{ {change} }}, 20); 1")
        assert (await run(f"expect {line}")).startswith("Expected: "), line


async def test_a_stale_ref_is_no_answer(run: Run, fails: Fails, show: Show) -> None:
    await show(PAGE)
    await run("snapshot -i")
    await run("js", "document.querySelector('#go').remove(); 1")
    ref = next(word for word in (await run("snapshot -i")).split() if word.startswith("@"))
    await run("js", "document.body.innerHTML = ''; 1")
    for line in ("visible {}", "hidden {}", "--not visible {}", "text Saved --in {}", "value {} a"):
        await fails(f"expect {line.format(ref)}", StaleRef)
    await fails("expect visible @e99", UnknownRef)


async def test_in_frames_of_the_same_and_of_another_site(run: Run, fails: Fails, show: Show, web: Web) -> None:
    """Name the frame that shows a text, where it is expected in the page."""
    saves = "setTimeout(() => state.textContent = 'Saved', 60)"
    inner = web.show(f'<p id=state>Saving…</p><button onclick="{saves}">Go</button>')
    other = web.show_elsewhere("<p>Lorem ipsum</p>")
    sources = {"a": inner, "b": inner.replace(web.url, web.other), "c": other}
    await show("".join(f"<iframe id={name} src='{address}'></iframe>" for name, address in sources.items()))
    await run("wait --load")
    shown = f"A frame shows it ({other}): 'frame <selector>' goes into one"
    assert (await fails("expect text Lorem --timeout 50", ExpectationFailed)).hint == shown
    assert (await fails("wait --text Lorem --timeout 50", TimedOut)).hint == shown
    assert "frame" not in (await fails("expect text Nowhere --timeout 50", ExpectationFailed)).hint
    for frame in ("#a", "#b"):
        await run(f"frame '{frame}'")
        await run("click button")
        assert (await run("expect text Saved")).startswith("Expected: ")
        await run("frame main")
    refs = [word for word in (await run("snapshot -i")).split() if word.startswith("@e")]
    assert len(refs) == 2
    for ref in refs:
        assert await run(f"expect text =Go --in {ref}")
        await fails(f"expect --not visible {ref} --timeout 50", ExpectationFailed)


async def test_a_navigation_in_the_middle_and_a_page_that_does_not_answer(
    run: Run, fails: Fails, show: Show, web: Web, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = web.show("<h1>Arrived</h1>")
    await show(f"<h1>Left</h1><script>setTimeout(() => location = '{there}', 100)</script>")
    assert (await run("expect text Arrived")).startswith("Expected: ")
    await run("js", "setTimeout(() => location = '/hang', 0); 1")
    await until(lambda: shell.browser.tab().requests.is_navigating)
    monkeypatch.setattr(expecting, "ANSWER_SECONDS", 0.2)  # it answers nothing meanwhile
    reply = await fails("expect text Never --timeout 300", ExpectationFailed)
    assert reply.message == f'Expected text "Never"; after 0.3s the page still waits for {web.url}/hang'
    await show("<script>setTimeout(() => { for (;;); }, 50)</script>")
    reply = await fails("expect text Saved --timeout 300", ExpectationFailed)
    assert "the page does not answer" in reply.message


async def test_a_tab_that_is_closed_or_crashes_in_the_middle(shell: Shell, run: Run, show: Show) -> None:
    await show("<h1>Here</h1>")
    await run("newtab", "about:blank")
    closed = shell.browser.tabs.active
    expecting = asyncio.ensure_future(shell.send("expect url /never/"))
    await asyncio.sleep(0)
    await run("closetab")
    assert (await expecting).error == TabGone.kind
    assert closed not in shell.browser.tabs
    tab = shell.browser.tab(None)
    expecting = asyncio.ensure_future(shell.send("expect text Never"))
    await until(lambda: tab.lock.command == "expect")
    await crash(tab.page)
    assert (await expecting).error == TabGone.kind


async def test_events_count_from_the_last_action_on(run: Run, show: Show, fails: Fails, web: Web) -> None:
    """Count events of an action also where it leads to another document, but no earlier ones."""
    there = web.show("<h1>There</h1>")
    acts = "confirm('Sure?'); fetch('/api/201', {method: 'POST', keepalive: true}); console.error('odd')"
    await show(f"<button onclick=\"{acts}; location = '{there}'\">Go</button>")
    await run("click button")
    events = ("dialog Sure", "request 'POST /api/201'", "console-errors")
    for line in ("text There", *events):
        await run(f"expect {line}")
    await run("reload")
    for line in events:
        await fails(f"expect {line} --timeout 50", ExpectationFailed)
        await run(f"expect --not {line}")


async def test_expect_downloads_matches_the_name_of_a_download(run: Run, fails: Fails, show: Show) -> None:
    await show("<a href='/large/1?gate=slow&name=slow.bin'>Slow</a> <a href='/download/r.csv'>Fast</a>")
    await run("click text=Fast")
    assert await run("expect downloads 'r*.csv'")
    reply = await fails("expect downloads '*.pdf' --timeout 50", ExpectationFailed)
    assert "r.csv" in reply.message
