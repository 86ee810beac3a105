"""Test `scroll`, `wait` and `viewport`."""

import pytest

from gstack_browse.errors import NoMatch, NotInteractable, StaleRef, TimedOut, UsageError
from tests.commands.conftest import Fails, Run, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

TALL = "<h1>Top</h1><div style='height:5000px'></div><p id=end>End</p>"


async def test_a_page_that_is_too_wide_is_scrolled_aside(run: Run, show: Show) -> None:
    await show("<body style='margin: 0'><div style='width: 5000px; height: 50px'>wide</div>")
    assert (await run("scroll right 300")).startswith("Scrolled right 300 (300 of ")
    assert await run("js scrollX") == "300"
    assert (await run("scroll left")).startswith("Scrolled left 300 (0 of ")


async def test_scroll_to_an_element_and_say_so(run: Run, fails: Fails, show: Show) -> None:
    """Scroll the page and a box. Fail for a hidden or missing element."""
    await show(
        "<div id=box style='height:100px;overflow:auto'><div style='height:900px'></div><b id=deep>deep</b></div>"
        f"{TALL}<i id=h hidden>h</i>"
    )
    assert await run("scroll '#deep'") == "Scrolled #deep into view"
    assert int(await run("js", "box.scrollTop")) > 700
    assert await run("scroll '#end'") == "Scrolled #end into view"
    assert int(await run("js", "Math.round(scrollY)")) > 3000
    await fails("scroll '#nope' --timeout 50", NoMatch)
    await fails("scroll '#h' --timeout 50", NotInteractable)


async def test_scroll_by_and_to_the_ends(run: Run, show: Show) -> None:
    await show(f"<style>html {{ scroll-behavior: smooth }} * {{ margin: 0 }}</style>{TALL}")
    assert (await run("scroll down 700")).startswith("Scrolled down\n→ 700 of ")
    assert (await run("scroll up 200")).startswith("Scrolled up\n→ 500 of ")
    assert (await run("scroll bottom")).startswith("Scrolled to bottom")
    left = await run("js", "document.documentElement.scrollHeight - innerHeight - scrollY")
    assert abs(float(left)) < 2
    assert (await run("scroll top")).startswith("Scrolled to top\n→ 0 of ")
    assert (await run("scroll")).startswith("Scrolled down")
    pane = "<div id=pane style='height:100vh;overflow:auto'><div style='height:4000px'></div></div>"
    await show(f"<style>body {{ margin: 0; overflow: hidden }}</style>{pane}")
    assert (await run("scroll bottom")).startswith("Scrolled to bottom"), "of an application, its pane"
    assert int(await run("js", "Math.round(pane.scrollTop)")) > 3000


async def test_scroll_a_pane_to_its_ends(run: Run, show: Show) -> None:
    rows = "".join(f"<p>row {number}</p>" for number in range(200))
    await show(
        f"<style>#box {{ scroll-behavior: smooth }} p {{ margin: 0 }}</style><textarea id=t rows=3>{'word ' * 900}</textarea>"
        f"<div id=box style='height:100px;overflow:auto'>{rows}<b id=end>end</b></div><p id=plain>plain</p>"
    )
    for pane in ("t", "box"):
        assert (await run(f"scroll '#{pane}' bottom")).startswith(f"Scrolled #{pane} to bottom (")
        assert await run("js", f"{pane}.scrollTop + {pane}.clientHeight > {pane}.scrollHeight - 2") == "true"
        assert "nothing moved: that is its end" in await run(f"scroll '#{pane}' bottom")
        assert (await run(f"scroll '#{pane}' top")).startswith(f"Scrolled #{pane} to top (0 of ")
        assert await run("js", f"{pane}.scrollTop") == "0"
    assert "what scrolls is <div#box>" in await run("scroll '#end' bottom")


async def test_scroll_again_and_again_for_pages_that_grow(run: Run, show: Show) -> None:
    await show("""<div id=list></div><script>
        const grow = () => list.insertAdjacentHTML('beforeend', '<p style="height:1000px">row</p>'); grow(); grow();
        onscroll = () => { if (scrollY + innerHeight >= document.documentElement.scrollHeight - 10 && list.children.length < 9) grow() }</script>""")
    await run("scroll bottom --times 4 --wait 1")  # behind the frame in which the page hears of it
    assert int(await run("js", "list.children.length")) >= 5


async def test_malformed_scroll_is_a_usage_error(fails: Fails) -> None:
    for words in (
        "'#a' 100", "down much", "down --times 0", "top 50", "'#a' --times 2", "'#a' --wait 100", "'#a' bottom 50", "down bottom",
        "right down", "right 10 20", "right --times 2",
    ):  # fmt: skip
        await fails(f"scroll {words}", UsageError)


async def test_wait_for_an_element_that_comes_or_is_shown_late(run: Run, fails: Fails, show: Show) -> None:
    """Say at once of one that is there, and why one that does not come is waited for in vain."""
    await show(
        "<p id=dark hidden>Late</p><script>setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p id=late>Late');"
        " dark.hidden = false }, 200)</script><button id=submit>Go</button><p id=never hidden>x</p>"
    )
    for words in ("#late", "#dark", "#late 100", "#late 300000"):  # any time, as long as it is told
        assert await run(f"wait {words}") == f"Element {words.split()[0]} appeared"
    assert await run("wait 20") == "Waited 20ms"
    for words, message, hint in (
        ("'#submt' 100", "#submt did not appear after 0.1s", "<button#submit>"), ("'#never' 100", "#never is there but hidden after 0.1s", ""),
        ("text 15", "text did not appear after 0.015s", "For words of the page: wait --text 15"),
    ):  # fmt: skip
        reply = await fails(f"wait {words}", TimedOut)
        assert reply.message == message
        assert hint in reply.hint


async def test_a_ref_is_waited_for_until_it_is_gone(run: Run, fails: Fails, show: Show, visit: Show) -> None:
    """Name the new element that looks the same, so that it is not believed gone."""
    await show("<button>Go</button><button id=s>Stay</button>")
    await run("snapshot -i")
    assert await run("wait @e1") == "Element @e1 appeared"
    await run("js", "document.querySelector('button').remove()")
    await fails("wait @e1 200", StaleRef)
    assert await run("wait --hidden @e1") == "Element @e1 is gone"
    await run("js", "s.outerHTML = '<button>Stay</button>'; 1")
    said = await run("wait --hidden @e2")
    assert said.startswith("Element @e2 is gone\n")
    assert said.endswith('; a new [button] "Stay" is @e3')
    await visit("form.html")
    assert await run("wait --hidden @e3") == "Element @e3 is gone"


async def test_wait_until_hidden(run: Run, fails: Fails, show: Show) -> None:
    await show("<p id=load>Loading<p id=stay>Stay<script>setTimeout(() => load.remove(), 200)</script>")
    assert await run("wait --hidden '#load'") == "Element #load is hidden"
    assert await run("wait --hidden '#never-was'") == "Element #never-was is hidden"
    reply = await fails("wait --hidden '#stay' --timeout 100", TimedOut)
    assert "#stay is still visible after 0.1s" in reply.message


async def test_wait_for_text(run: Run, fails: Fails, show: Show) -> None:
    await show(
        "<p id=p>Loading</p><i hidden>Secret words</i><script>setTimeout(() => p.textContent = 'All   done', 200)</script>"
    )
    assert await run("wait --text 'All done'") == 'Text "All done" appeared'
    reply = await fails("wait --text 'Secret words' --timeout 100", TimedOut)
    assert reply.message == 'The page did not show "Secret words" after 0.1s'


async def test_a_missing_text_is_looked_for(run: Run, fails: Fails, show: Show) -> None:
    """Say where it is, and which page this is."""
    page = await show(
        "<h1>Orders</h1><p style='text-transform: uppercase' id=p>All done</p><i hidden>Secret <b>words</b></i><x-a></x-a>"
        "<p style='opacity:0'>Transparent</p>"
        "<script>document.querySelector('x-a').attachShadow({ mode: 'open' }).innerHTML = '<p hidden>In a shadow</p>'</script>"
    )
    here = f". It shows \"Orders\" at {page}; 'text' prints all"
    for text, hint in {
        "All Done!": "Nothing in the page has it",
        "all Done": 'In other letters it is there: "ALL DONE"',
        "Secret words": "@e1 has it and is hidden",
        "In a shadow": "@e2 has it and is hidden",
        "Transparent": "@e3 has it and cannot be seen: it is out of view, cut off or transparent",
        "querySelector": "Nothing in the page has it",
    }.items():
        reply = await fails(f"wait --text '{text}' --timeout 50", TimedOut)
        assert reply.hint.partition("\n")[0] == hint + here, text
    await show("<p>No heading")
    assert "It shows a page without a heading at " in (await fails("wait --text x --timeout 50", TimedOut)).hint


FIELDS = """<input value="In an  input"> <textarea>In a textarea</textarea> <input placeholder="In place of a value">
<select><option>Not chosen<option selected>Chosen</select> <input type=submit value="On a button">
<x-field></x-field> <input type=password value="Secret one"> <input autocomplete=one-time-code value="Secret two">
<input type=hidden value="Hidden one"> <div hidden><input value="Hidden two"></div> <input type=checkbox value="Hidden three">
<script>document.querySelector("x-field").attachShadow({ mode: "closed" }).innerHTML = "<input value='In a shadow tree'>"</script>
<input id=late>"""


async def test_wait_for_text_in_fields(run: Run, fails: Fails, show: Show, web: Web) -> None:
    """Read those of a frame, too. Believe nothing that is hidden or secret."""
    inner = web.show("<input value='Deep down'>").replace(web.url, web.other)
    await show(f"{FIELDS}<iframe src='{inner}'></iframe>")
    await run("snapshot")
    for text in ("In an input", "In a textarea", "In place", "Chosen", "On a button", "In a shadow tree"):
        assert await run("wait --text", text) == f'Text "{text}" appeared, only in a field'
    for text in ("Secret one", "Secret two", "Hidden one", "Hidden two", "Hidden three", "Not chosen"):
        await fails("wait --timeout 30 --text", TimedOut, text)
    await run("js 'setTimeout(() => { late.value = \"42 EUR\" }, 100); 0'")
    assert await run("wait --text '42 EUR'") == 'Text "42 EUR" appeared, only in a field'
    await run("frame iframe")
    assert await run("wait --text 'Deep down'") == 'Text "Deep down" appeared, only in a field'


async def test_wait_for_a_url(run: Run, fails: Fails, show: Show, web: Web) -> None:
    await show("<script>setTimeout(() => history.pushState({}, '', '/app/42/edit'), 200)</script>")
    assert await run("wait --url '**/app/*/edit'") == f"URL is {web.url}/app/42/edit"
    assert await run("wait --url /app/") == f"URL is {web.url}/app/42/edit"
    reply = await fails("wait --url '**/nope' --timeout 100", TimedOut)
    assert reply.message == "The URL did not match **/nope after 0.1s"
    assert reply.hint.startswith(f"It is {web.url}/app/42/edit")


async def test_wait_for_the_network(run: Run, fails: Fails, show: Show, web: Web) -> None:
    await show("<script>fetch('/gate/net')</script>")
    web.later(0.3, web.gate("net").set)
    assert await run("wait --networkidle") == "Network idle"
    await show("<script>fetch('/hang')</script>")
    reply = await fails("wait --networkidle --timeout 300", TimedOut)
    assert reply.message == "The network was not idle after 0.3s"
    assert f"{web.url}/hang" in reply.hint


async def test_wait_for_the_page(run: Run, fails: Fails, show: Show) -> None:
    await show("<p>x")
    assert await run("wait --load") == "Page loaded"
    assert await run("wait --domcontentloaded") == "DOM content loaded"
    await show("<img src=/hang>")
    assert await run("wait --domcontentloaded") == "DOM content loaded"
    assert "still loading after 0.2s" in (await fails("wait --load --timeout 200", TimedOut)).message


async def test_wait_for_a_page_that_is_on_its_way(run: Run, show: Show, web: Web) -> None:
    await show("<a href=/gate/load>Go</a>")
    await run("js", "document.querySelector('a').click()")
    web.later(0.3, web.gate("load").set)
    assert await run("wait --load") == "Page loaded"
    assert await run("text") == "load is open"


async def test_malformed_wait_is_a_usage_error(fails: Fails) -> None:
    """Say how it is written."""
    for words in (
        "", "--load --networkidle", "'#a' --text b", "100 200", "--url a 100", "300001", "'#a' soon", "'#a' -5", "--hidden",
        "--count li", "--count li 3 5", "--count li x", "--status 200", "--js 1 --load", "--stable '#p' 5",
    ):  # fmt: skip
        reply = await fails(f"wait {words}", UsageError)
        assert "Usage: gbrowse wait" in reply.hint, words
    for what in ("--text", "--url", "--request", "--js"):
        for nothing in ("", " "):
            assert "not empty" in (await fails("wait", UsageError, what, nothing)).message


@pytest.mark.both_browsers
async def test_viewport_is_set_and_kept_with_its_scale(run: Run, show: Show, web: Web) -> None:
    """Keep it for the next document, also in another process, for pictures, and for other tabs."""
    await show("<p>x")
    assert await run("viewport 375x812") == "Viewport set to 375x812"
    assert await run("js", "[innerWidth, innerHeight]") == "[375,812]"
    assert await run("viewport 400x300 --scale 2") == "Viewport set to 400x300 at scale 2"
    await run("reload")
    size = "[innerWidth, innerHeight, devicePixelRatio]"
    assert await run("js", size) == "[400,300,2]"
    for site in (web.other, web.url):
        await run("goto", f"{site}/plain.html")
        assert await run("js", f"[...{size}, screen.width]") == "[400,300,2,400]"
        await run("screenshot whole.png")
        assert await run("js", size) == "[400,300,2]"
    for line, told in {
        "newtab": "[400,300,2]", "viewport 500x300": "[500,300,2]", "viewport 500x300 --scale 1": "[500,300,1]"
    }.items():  # fmt: skip
        await run(line)
        assert await run("js", size) == told


async def test_malformed_viewport_changes_nothing(fails: Fails, run: Run) -> None:
    """Refuse sizes and scales that are none."""
    for word in ("axb", "100", "0x5", "5x0", "-5x5", "1280*720", "99999x10", "1e3x5", "10x10x10", ""):
        await fails("viewport", UsageError, word)
    for scale in ("0", "-1", "x", "9", "nan", "inf", ""):
        await fails("viewport 100x100 --scale", UsageError, scale)
    assert await run("js", "[innerWidth, innerHeight]") == "[1280,720]"


async def test_wait_for_an_expression(run: Run, fails: Fails, show: Show, web: Web) -> None:
    inner = web.show("<script>ready = 1</script>").replace(web.url, web.other)
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


async def test_wait_for_a_request(run: Run, fails: Fails, show: Show, web: Web) -> None:
    """Count a request since the last action, and no earlier one."""
    await show(
        "<button onclick=\"setTimeout(() => fetch('/api/201', {method: 'POST'}), 50)\">Go</button><script>fetch('/api/500')</script>"
    )
    assert (await run("wait --request /api/*")).startswith(f"Request: GET {web.url}/api/500 → 500")
    await run("click button")
    assert f"POST {web.url}/api/201 → 201" in await run("wait --request 'POST **/api/*' --status 2xx")
    await run("js", "1")
    await fails("wait --request /api/201 --timeout 50", TimedOut)
    await run("js", "fetch('/api/404'); 1")
    await run("wait --request /api/404")
    reply = await fails("wait --request /api/* --status 2xx --timeout 300", TimedOut)
    assert f"GET {web.url}/api/404 → 404" in reply.hint
    await run("js", "fetch('/drop'); 1")
    assert "failed" in await run("wait --request /drop --status failed")


async def test_wait_for_a_number_of_elements_and_for_stillness(run: Run, fails: Fails, show: Show) -> None:
    await show(
        "<ul><li>a</ul><p id=p>0</p><i id=h hidden></i><script>const u = document.querySelector('ul');"
        "setTimeout(() => u.append(document.createElement('li')), 100); let n = 0;"
        "const t = setInterval(() => { p.textContent = ++n; n > 8 && clearInterval(t) }, 20)</script>"
    )
    assert await run("wait --count li 2") == "li matches 2 elements"
    assert await run("wait --stable '#p'") == "Element #p is stable"
    assert await run("js", "n") == "9"
    for words, message in {
        "--count li 3 --timeout 50": "did not match 3 elements after 0.05s, but 2",
        "--stable '#p' --timeout 100": "still changing",
        "--stable '#h' --timeout 50": "hidden",
        "--stable '#nope' --timeout 50": "did not appear",
    }.items():
        assert message in (await fails(f"wait {words}", TimedOut)).message


async def test_element_that_listens_by_the_end_of_a_wait_is_listed(run: Run, show: Show, web: Web) -> None:
    """Leave the page as it is: its handlers come after its markup."""
    opened = web.gate("handlers")
    await show(
        "<p id=p>Press</p><script>fetch('/gate/handlers')"
        ".then(() => { p.onclick = () => 0; document.documentElement.className = 'ready' })</script>"
    )
    await run("wait html")  # met by now: the second wait gives the snapshot nothing new
    assert "Press" not in await run("snapshot -i")
    opened.set()
    await run("wait html.ready")
    assert '[paragraph] "Press" [listener]' in await run("snapshot -i")
