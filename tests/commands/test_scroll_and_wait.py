import asyncio

import pytest

from gstack_browse.browser.command import page_settling
from gstack_browse.errors import NoMatch, NotInteractable, StaleRef, TabGone, TimedOut, UsageError
from tests.commands.conftest import Check, Fails, Run, Shell, Show, until
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

TALL = "<h1>Top</h1><div style='height:5000px'></div><p id=end>End</p>"


async def test_scroll_to_an_element_aside_and_to_the_ends_of_a_pane(show: Show, check: Check) -> None:
    """Scroll the page and a box. Fail for a hidden or missing element."""
    await show(
        "<body style='margin: 0'><style>#box { scroll-behavior: smooth; height: 100px; overflow: auto }</style><div style='width: 5000px'>wide</div>"
        f"<div id=box><div style='height:900px'></div><b id=deep>deep</b></div><textarea id=t rows=3>{'word ' * 900}</textarea>"
        f"{TALL}<i id=h hidden>h</i>"
    )
    await check({
        "scroll right 300": "Scrolled right 300 (300 of …", "js scrollX": "300", "scroll left": "Scrolled left 300 (0 of …",
        "scroll '#deep'": "Scrolled #deep into view", "js box.scrollTop > 700": "true",
        "scroll '#end'": "Scrolled #end into view", "js scrollY > 3000": "true",
        "scroll '#nope' --timeout 50": NoMatch, "scroll '#h' --timeout 50": NotInteractable,
        "scroll '#deep' bottom": "…what scrolls is <div#box>…", "scroll '#box' top": "Scrolled #box to top (0 of …",
    })  # fmt: skip
    for pane in ("t", "box"):
        await check([
            (f"scroll '#{pane}' bottom", f"Scrolled #{pane} to bottom (…"),
            (f"js {pane}.scrollTop + {pane}.clientHeight > {pane}.scrollHeight - 2", "true"),
            (f"scroll '#{pane}' bottom", "…nothing moved: that is its end…"),
            (f"scroll '#{pane}' top", f"Scrolled #{pane} to top (0 of …"), (f"js {pane}.scrollTop", "0"),
        ])  # fmt: skip


async def test_scroll_by_and_to_the_ends(show: Show, check: Check) -> None:
    """Of an application, scroll its pane."""
    await show(f"<style>html {{ scroll-behavior: smooth }} * {{ margin: 0 }}</style>{TALL}")
    await check({
        "scroll down 700": "Scrolled down\n→ 700 of …", "scroll up 200": "Scrolled up\n→ 500 of …", "scroll bottom": "Scrolled to bottom…",
        "js document.documentElement.scrollHeight - innerHeight - scrollY < 2": "true", "scroll top": "Scrolled to top\n→ 0 of …",
        "scroll": "Scrolled down…",
    })  # fmt: skip
    pane = "<div id=pane style='height:100vh;overflow:auto'><div style='height:4000px'></div></div>"
    for before in ("", "<div id=host><template shadowrootmode=open>"):
        await show(f"<style>body {{ margin: 0; overflow: hidden }}</style>{before}{pane}")
        found = "host.shadowRoot.querySelector('div')" if before else "pane"
        await check({"scroll bottom": "Scrolled to bottom…", f"js {found}.scrollTop > 3000": "true"})
    await show("<p>One</p><script>turned = 0; onwheel = wheel => { turned += wheel.deltaY }</script>")
    await check({
        "scroll down": "Scrolled down\n→ nothing moved: the page does not scroll. For one that listens to the wheel: 'mouse wheel 0,600'",
        "mouse wheel 0,600": "…", "js turned": "600",
    })  # fmt: skip


async def test_scroll_again_and_again_for_pages_that_grow(run: Run, show: Show) -> None:
    await show("""<div id=list></div><script>
        const grow = () => list.insertAdjacentHTML('beforeend', '<p style="height:1000px">row</p>'); grow(); grow();
        onscroll = () => { if (scrollY + innerHeight >= document.documentElement.scrollHeight - 10 && list.children.length < 9) grow() }</script>""")
    await run("scroll bottom --times 4 --wait 1")  # behind the frame in which the page hears of it
    assert int(await run("js", "list.children.length")) >= 5


async def test_wait_for_an_address_and_an_element_until_it_comes_is_shown_or_goes(
    show: Show, check: Check, web: Web
) -> None:
    """Say at once of one that is there, and why one that does not come is waited for in vain."""
    url = f"{web.url}/app/42/edit"
    await show(
        "<p id=dark hidden>Late</p><p id=load>Loading<p id=stay>Stay</p><button id=submit>Go</button><p id=never hidden>x</p>"
        "<script>setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p id=late>Late'); dark.hidden = false; load.remove();"
        " setTimeout(() => history.pushState({}, '', '/app/42/edit'), 200) }, 200)</script>"
    )
    await check({
        "wait #late": "Element #late appeared", "wait --url '**/app/*/edit'": f"URL is {url}", "wait --url /app/": f"URL is {url}",
        "wait --url '**/nope' --timeout 100": (TimedOut, f"The URL did not match **/nope after 0.1s\nIt is {url}…"),
        "wait #dark": "Element #dark appeared", "wait #late 100": "Element #late appeared",
        "wait #late 300000": "Element #late appeared", "wait 20": "Waited 20ms", "wait --hidden '#load'": "Element #load is hidden",
        "wait --hidden '#never-was'": "Element #never-was is hidden",
        "wait '#submt' 100": (TimedOut, "#submt did not appear after 0.1s\n…<button#submit>…"),
        "wait '#never' --timeout 100": (TimedOut, "#never is there but hidden after 0.1s"),
        "wait --hidden '#stay' --timeout 100": (TimedOut, "…#stay is still visible after 0.1s…"),
        "wait text 15": (TimedOut, "…\n…For words of the page: wait --text 15…"),
    })  # fmt: skip


async def test_a_ref_is_waited_for_until_it_is_gone(run: Run, show: Show, check: Check) -> None:
    """Name the new element that looks the same, so that it is not believed gone."""
    await show("<button>Go</button><button id=s>Stay</button>")
    await run("snapshot -i")
    await check({
        "wait @e1": "Element @e1 appeared", "js document.querySelector('button').remove()": "…", "wait @e1 200": StaleRef,
        "wait --hidden @e1": "Element @e1 is gone", "js s.outerHTML = '<button>Stay</button>'; 1": "1",
        "wait --hidden @e2": 'Element @e2 is gone\n…; a new [button] "Stay" is @e3',
    })  # fmt: skip
    await show("<p>Another page")
    await check({"wait --hidden @e3": "Element @e3 is gone"})


async def test_a_missing_text_is_waited_and_looked_for(show: Show, check: Check) -> None:
    """Say where it is, and which page this is."""
    page = await show(
        "<h1>Orders</h1><p style='text-transform: uppercase' id=p>Loading</p><i hidden>Secret <b>words</b></i><x-a></x-a>"
        "<p style='opacity:0'>Transparent</p><script>setTimeout(() => p.textContent = 'All   done', 200);"
        "document.querySelector('x-a').attachShadow({ mode: 'open' }).innerHTML = '<p hidden>In a shadow</p>'</script>"
    )
    await check({"wait --text 'ALL DONE'": 'Text "ALL DONE" appeared'})
    for text, hint in {
        "All Done!": "Nothing in the page has it", "all Done": 'In other letters it is there: "ALL DONE"',
        "Secret words": "@e1 has it and is hidden", "In a shadow": "@e2 has it and is hidden",
        "Transparent": "@e3 has it and cannot be seen: it is out of view, cut off or transparent",
        "querySelector": "Nothing in the page has it",
    }.items():  # fmt: skip
        told = f'The page did not show "{text}" after 0.05s\n{hint}. It shows "Orders" at {page}; \'text\' prints all…'
        await check({f"wait --text '{text}' --timeout 50": (TimedOut, told)})
    await show("<p>No heading")
    await check({"wait --text x --timeout 50": (TimedOut, "…\n…It shows a page without a heading at …")})


FIELDS = """<input value="In an  input"> <textarea>In a textarea</textarea> <input placeholder="In place of a value">
<select><option>Not chosen<option selected>Chosen</select> <input type=submit value="On a button">
<x-field></x-field> <input type=password value="Secret one"> <input autocomplete=one-time-code value="Secret two">
<input type=hidden value="Hidden one"> <div hidden><input value="Hidden two"></div> <input type=checkbox value="Hidden three">
<script>document.querySelector("x-field").attachShadow({ mode: "closed" }).innerHTML = "<input value='In a shadow tree'>"</script>
<input id=late>"""


async def test_wait_for_text_in_fields(run: Run, fails: Fails, show: Show, web: Web) -> None:
    """Read those of a frame, too. Believe nothing that is hidden or secret."""
    inner = web.show_elsewhere("<input value='Deep down'>")
    await show(f"{FIELDS}<iframe src='{inner}'></iframe>")
    await run("snapshot")
    for text in (
        "In an input", "In a textarea", "In place", "Chosen", "On a button", "In a shadow tree", "42 EUR", "Deep down",
    ):  # fmt: skip
        if text == "42 EUR":
            await run("js 'setTimeout(() => { late.value = \"42 EUR\" }, 100); 0'")
        if text == "Deep down":
            await run("frame iframe")
        assert await run("wait --text", text) == f'Text "{text}" appeared, only in a field'
    await run("frame main")
    for text in ("Secret one", "Secret two", "Hidden one", "Hidden two", "Hidden three", "Not chosen"):
        await fails("wait --timeout 30 --text", TimedOut, text)


async def test_wait_for_the_network_or_the_page(
    show: Show, check: Check, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wait also for a page that is on its way."""
    await show("<p>x")
    await check({"js fetch('/gate/net'); 1": "1"})
    web.later(0.3, web.gate("net").set)
    await check({
        "wait --networkidle": "Network idle", "wait --load": "Page loaded", "wait --domcontentloaded": "DOM content loaded",
    })  # fmt: skip
    await show("<a href=/gate/load>Go</a>")
    await check({
        "js fetch('/hang'); 1": "1",
        "wait --networkidle --timeout 300": (TimedOut, f"The network was not idle after 0.3s\n…{web.url}/hang…"),
        "js document.querySelector('a').click()": "…",
    })  # fmt: skip
    web.later(0.3, web.gate("load").set)
    await check({"wait --load": "Page loaded", "text": "load is open"})
    monkeypatch.setattr(page_settling, "LOAD_SECONDS", 0.1)
    await show("<img src=/hang>")
    await check({
        "wait --domcontentloaded": "DOM content loaded",
        "wait --load --timeout 200": (TimedOut, "…still loading after 0.2s…"),
    })  # fmt: skip


async def test_malformed_scroll_and_wait_are_usage_errors(fails: Fails) -> None:
    for words in (
        "'#a' 100", "top 50", "'#a' --times 2", "'#a' --wait 100", "'#a' bottom 50", "down bottom", "right down", "right 10 20", "right --times 2",
    ):  # fmt: skip
        await fails(f"scroll {words}", UsageError)
    for words in (
        "", "--load --networkidle", "'#a' --text b", "100 200", "--url a 100", "--count li", "--count li 3 5", "--count li x", "--status 200",
        "--js 1 --load", "--stable '#p' 5",
    ):  # fmt: skip
        assert "Usage: gbrowse wait" in (await fails(f"wait {words}", UsageError)).hint, words
    for what in ("--text", "--url", "--request", "--js"):
        for nothing in ("", " "):
            assert "not empty" in (await fails("wait", UsageError, what, nothing)).message


@pytest.mark.both_browsers
async def test_viewport_is_set_and_kept_with_its_scale(run: Run, show: Show, check: Check, web: Web) -> None:
    """Keep it for the next document, also in another process, for pictures, and for other tabs."""
    await show("<p>x")
    size = "js [innerWidth, innerHeight, devicePixelRatio]"
    await check([
        ("viewport 375x812", "Viewport set to 375x812"), (size, "[375,812,1]"),
        ("viewport 500x300 --scale 2", "Viewport set to 500x300 at scale 2"),
        ("viewport 400x300", "Viewport set to 400x300 at scale 2"), ("reload", "…"), (size, "[400,300,2]"),
    ])  # fmt: skip
    await run("goto", f"{web.other}/plain.html")
    await check([
        (size, "[400,300,2]"), ("js screen.width", "400"), ("screenshot whole.png", "…"), (size, "[400,300,2]"),
    ])  # fmt: skip
    for line, told in {
        "newtab": "[400,300,2]", "viewport 500x300": "[500,300,2]", "viewport 500x300 --scale 1": "[500,300,1]"
    }.items():  # fmt: skip
        await check([(line, "…"), (size, told)])


async def test_wait_for_an_expression(run: Run, fails: Fails, show: Show, web: Web) -> None:
    inner = web.show_elsewhere("<script>ready = 1</script>")
    await show(
        f"<button>Go</button><iframe src='{inner}'></iframe><script>setTimeout(() => window.later = {{a: 1}}, 100)</script>"
    )
    await run("snapshot -i")
    for code in ("later.a", "await Promise.resolve(1)", "@e1.textContent === 'Go'", "const n = 2; n > 1"):
        assert await run("wait --js", code) == "The expression is true"
    for code in ("false", "''", "undefined", "0n"):
        await fails("wait --timeout 20 --js", TimedOut, code)
    assert "It threw TypeError" in (await fails("wait --timeout 20 --js", TimedOut, "null.x")).hint
    assert "SyntaxError" in (await fails("wait --js", UsageError, "1 +")).message
    await run("frame iframe")
    assert await run("wait --js", "ready") == "The expression is true"


async def test_wait_for_a_request(show: Show, check: Check, web: Web) -> None:
    """Count a request since the last action, and no earlier one."""
    await show(
        "<button onclick=\"setTimeout(() => fetch('/api/201', {method: 'POST'}), 50)\">Go</button><script>fetch('/api/500')</script>"
    )
    await check({
        "wait --request /api/*": f"Request: GET {web.url}/api/500 → 500…", "click button": "…",
        "wait --request 'POST **/api/*' --status 2xx": f"…POST {web.url}/api/201 → 201…",
        "js 1": "1", "wait --request /api/201 --timeout 50": TimedOut,
        "js fetch('/api/404'); 2": "2", "wait --request /api/404": "…",
        "wait --request /api/* --status 2xx --timeout 300": (TimedOut, f"…\n…GET {web.url}/api/404 → 404…"),
        "js fetch('/drop'); 3": "3", "wait --request /drop --status failed": "…failed…",
    })  # fmt: skip


async def test_wait_for_a_number_of_elements_and_for_stillness(show: Show, check: Check) -> None:
    await show(
        "<ul><li>a</ul><p id=p>0</p><i id=h hidden></i><script>const u = document.querySelector('ul');"
        "setTimeout(() => u.append(document.createElement('li')), 100); let n = 0;"
        "const t = setInterval(() => { p.textContent = ++n; n > 8 && clearInterval(t) }, 20)</script>"
    )
    await check({
        "wait --count li 2": "li matches 2 elements", "wait --stable '#p'": "Element #p is stable", "js n": "9",
        "wait --count li 3 --timeout 50": (TimedOut, "…did not match 3 elements after 0.05s, but 2…"),
        "wait --stable '#p' --timeout 100": (TimedOut, "…still changing…"),
        "wait --stable '#h' --timeout 50": (TimedOut, "…hidden…"), "wait --stable '#nope' --timeout 50": (TimedOut, "…did not appear…"),
    })  # fmt: skip


@each(["'#never'", "--text never", "--url '**/never'", "--count li 3", "--stable '#p'"])
async def test_wait_in_a_tab_that_closes_ends_with_it(
    condition: str, run: Run, show: Show, fails: Fails, shell: Shell, web: Web
) -> None:
    window = web.show("<p id=p>0</p><script>let n = 0; setInterval(() => { p.textContent = ++n }, 10)</script>")
    await show(f"<button onclick=\"opened = window.open('{window}')\">Open</button>")
    await run("click button")
    opener, tab = sorted(shell.browser.tabs, key=lambda tab: tab.id)[-2:]
    waiting = asyncio.ensure_future(
        fails(f"wait {condition} --timeout 60000", TabGone, tab=tab.id, timeout=90_000)
    )
    await until(lambda: tab.lock.command == "wait")
    await run("js", "opened.close(); 1", tab=opener.id)
    async with asyncio.timeout(30):  # far below the time that the wait has
        await waiting
