"""Test `text`, `html`, `links`, `css`, `attrs` and `is`.

Also in closed shadow roots, and on pages that replace built-in functions.
"""

import json

import pytest
import pytest_asyncio
from PIL import Image

from gstack_browse.errors import ExpectationFailed, NoMatch, NotInteractable, UsageError
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session


@pytest_asyncio.fixture(loop_scope="session")
async def blank(show: Show) -> None:
    """Go to a page in which nothing is."""
    await show("")


async def put_markup(run: Run, markup: str) -> None:
    """Put markup into the page that is shown, which costs a third of a load. Scripts in it do not run."""
    await run("js", f"document.body.setHTMLUnsafe({json.dumps(markup)}); 0")


@each(
    [
        "<style>@import url('data:text/css,.v{visibility:hidden}')</style>",
        "<script>sheet = new CSSStyleSheet(); sheet.replaceSync('.v{visibility:hidden}'); document.adoptedStyleSheets = [sheet]</script>",
        "<script>onload = () => document.querySelector('.v').animate({visibility: ['hidden', 'hidden']}, 1e6)</script>",
    ]
)
async def test_text_veiled_by_an_imported_sheet_or_a_script_is_not_read(
    veil: str, run: Run, show: Show
) -> None:
    await show(f"{veil}<p class=v>veiled</p><p>seen")
    assert await run("text") == "seen"


async def test_a_veil_that_comes_later_is_heeded(run: Run, show: Show) -> None:
    await show("<style>b{color:red}</style><p>a <b>b</b>")
    assert await run("text") == "a b"
    await run("js \"document.styleSheets[0].cssRules[0].style.visibility = 'hidden'\"")
    assert await run("text") == "a"
    await run("js \"document.styleSheets[0].cssRules[0].style.cssText = 'text-transform:uppercase'\"")
    assert await run("text") == "a B"


READ = [
    ("<b>bold</b> and <i>it</i>.", "bold and it."),
    ("<div>a<div>b</div>c</div>", "a\nb\nc"),
    ("one<br>two<br><br>three", "one\ntwo\n\nthree"),
    ("<ol><li>One<ul><li>Inner</ul><li>Two</ol>", "One\nInner\nTwo"),
    ("<pre>a\n  b\tc\n\nd</pre>", "a\n  b\tc\n\nd"),
    ("<textarea>typed</textarea><p>x", "x"),
    ("<select><option>A<option>B</select>y", "y"),
    ("<object data='x.dwg' type='image/vnd.dwg'><p>No plan, <a href=#x>get it</a></object>b", "No plan, get it\n\nb"),
    ("<object data=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>\"><p>No image</object>b", "b"),
    ("a<span style='display:none'>hidden</span>b", "ab"),
    ("a<span style='visibility:hidden'>hidden<b style='visibility:visible'>B</b></span>b", "aBb"),
    ("<details open><summary>More</summary>Inside</details>", "More\nInside"),
    ("<script>1</script><style>p{}</style><noscript>n</noscript><template>t</template>x", "x"),
    ("<div style='display:flex'><span>Name</span><span>Price</span></div>", "Name\nPrice"),
    ("<div style='display:inline-block'>One</div><div style='display:inline-block;margin-left:9px'>Two</div>", "One Two"),
    ("<span style='display:inline-block'>b</span><span style='display:inline-block'>ig</span>", "big"),
    ("Inbox<span style='padding:2px 6px'>3</span>", "Inbox 3"),
    ("<p style='text-transform:capitalize'>two words", "Two Words"),
    ("<p style='text-transform:uppercase'>shout</p>", "SHOUT"),
    ("<button>Save</button><button>Cancel</button>", "Save Cancel"),
    ("<label>A</label><input value=typed><label>B</label>", "A B"),
    ("<p>non\u00a0breaking</p>", "non\u00a0breaking"),
    ("<b>Total:</b>&nbsp;<i>5</i>EUR<b>&nbsp;net&nbsp;</b>each", "Total:\u00a05EUR\u00a0net\u00a0each"),
    ("<p> a &nbsp; b </p>", "a \u00a0 b"),
    ("<p style='white-space:pre-line'>a   b\nc</p>", "a b\nc"),
    ("<h2>T</h2>text<p>P", "T\n\ntext\n\nP"),
    ("<a href=x>Link</a><span style='display:block'>Block</span>", "Link\nBlock"),
    ("<dl><dt>Term<dd>Meaning</dl>", "Term\nMeaning"),
    ("<div style='display:contents'><div>a</div><div>b</div></div>", "a\nb"),
    ("<svg><defs><text>a</text></defs><symbol><text>b</text></symbol><mask><text>c</text></mask><text>SVG", "SVG"),
    ("<svg><clipPath><text>a</text></clipPath><desc>b</desc><metadata>c</metadata></svg><mask>HTML</mask>", "HTML"),
    ("<canvas>fallback <b>words</b></canvas><progress>half</progress><video controls><p>fallback</p></video><audio>old</audio>x", "x"),
    ("<div aria-hidden=true>seen</div>", "seen"),
    ("<p>ab<wbr>cd&shy;ef", "abcd\u00adef"),
    ("<span style='position:absolute'>Badge</span>Text", "Badge\nText"),
    ("<span style='float:right'>Right</span>Left", "Right\nLeft"),
    ("<fieldset><legend>Size</legend><label>S</label></fieldset>", "Size\nS"),
    ("", ""),
    ("<style>.v{visibility:hidden}</style><p class=v>veiled</p><p>seen", "seen"),
    ("<style>p{ &.v{visibility:hidden} }</style><p class=v>veiled</p><p>seen", "seen"),
    ("<style>p{ b{color:red} visibility:hidden } p+p{visibility:visible}</style><p>veiled</p><p>seen", "seen"),
    ("<svg width=99 height=20><text y=15 visibility=hidden>veiled</text></svg><p>seen", "seen"),
    ("<math><mphantom><mtext>veiled</mtext></mphantom></math><p>seen", "seen"),
    ("<style>@keyframes k{from,to{visibility:hidden}} .v{animation:k 9s infinite}</style><p class=v>veiled</p><p>seen", "seen"),
    ("<div><template shadowrootmode=open><style>b{visibility:hidden}</style><b>veiled</b></template></div><p>seen", "seen"),
    ("<style>.v{visibility:hidden}</style><p class=v><span><template shadowrootmode=open>veiled</template></span></p><p>seen", "seen"),
    ("<p style='VISIBILITY:hidden'>veiled</p><p>seen", "seen"),
    ("Outer<iframe srcdoc='Inner'></iframe>", "Outer"),
    ("<table><caption>Prices</caption><thead><tr><th>Name</th><th>Price</th></tr></thead>"
     "<tbody><tr><td>Tea</td> <td>3.50</td></tr><tr><td>Coffee<br>black</td><td></td><td>4</td></tr></tbody></table>",
     "Prices\nName\tPrice\nTea\t3.50\nCoffee black\t\t4"),
    ("<table><tr><th hidden>No<th><th>Mon<tr><td><input type=checkbox><td>9:00<tr><td><td><td>x<tr><td><td></table>", "\tMon\n\t9:00\n\t\tx"),
    ("<table><tr><th><div>Name</div><div>sort</div></th><th><p>Price</p></th></tr><tr><td><p>Tea</p></td><td><div>3.50</div></td></tr></table>"
     "<table><tr><td><h1>Layout</h1><p>One</p><table><tr><td>a<td>b</table></td><td><p>Aside</p></td></tr></table>",
     "Name sort\tPrice\nTea\t3.50\nLayout\n\nOne\n\na\tb\tAside"),
    ("<div role=grid><div role=row><div role=columnheader>Name</div><div role=columnheader>Age</div></div>"
     "<div role=row style='display: flex'><div role=gridcell><p>Ann</p><p>Lee</p></div><div role=gridcell>3</div></div>"
     "<div role=row style='display: contents'><div role=cell></div><div role=cell>4</div></div></div><div role=cell>no row</div>",
     "Name\tAge\nAnn Lee\t3\n\t4\nno row"),
    ("<my-card><template shadowrootmode=open><style>h2{}</style><h2><slot name=title></slot></h2><div><slot></slot></div><i>foot</i></template>"
     "<b slot=title>Title</b>Body</my-card>after", "Title\n\nBody\nfootafter"),
]  # fmt: skip
"""Markup, and its text."""


@each(READ)
async def test_text_reads_as_a_person_sees_it(case: tuple[str, str], blank: None, run: Run) -> None:
    markup, text = case
    await put_markup(run, markup)
    assert await run("text") == text


async def test_text_and_html_of_the_page_or_one_element(run: Run, show: Show, check: Check) -> None:
    await show(
        "<!doctype html><html lang=en><title>T</title><body><nav>Menu</nav><main>Main <b>text</b> &amp; more</main><p class=x>1</p><p class=x>2</p>"
        "<input id=i value=typed><input id=p type=password value=hush>"
        "<select id=s><option>A<option selected>B</select><select id=m multiple><option>X<option>Y</select>"
    )
    await check({
        "text main": "Main text & more", "text .x": "1", "text 'text=Menu'": "Menu", "text '#i'": "typed", "text '#s'": "B", "text '#m'": "X\nY",
        "text '#nope'": NoMatch, "html": '<!DOCTYPE html>\n<html lang="en">…</html>', "html main": "Main <b>text</b> &amp; more", "html '#nope'": NoMatch,
    })  # fmt: skip
    assert "hush" not in await run("text '#p'")


async def test_long_text_is_cut_and_says_how_to_get_all(run: Run, show: Show) -> None:
    """Read megabytes in time, too."""
    await show(
        "<pre id=p></pre><script>p.innerText = Array.from({length: 12000}, (_, i) => `line ${i}`).join('\\n')</script>"
    )
    text = await run("text")
    assert len(text) < 101_000
    assert "characters; all of it: --max " in text.splitlines()[-1]
    for most in (500_000, 0):
        assert len(await run(f"text --max {most}")) > 120_000
    assert (await run("text --max 20")).startswith("line 0\nline 1\n")
    await run("js", "p.textContent = 'x'.repeat(2e6); 0")
    assert len(await run("text --max 0")) == 2_000_000
    assert len(await run("html '#p'")) < 101_000


async def test_text_of_a_page_has_no_control_characters_and_halves_of_some_in_any_reply(
    run: Run, show: Show
) -> None:
    await show(
        "<title>\x1b[31mred\u202e</title><p id=p></p><button id=b></button><script>b.textContent = b.title = 'b\\ud800';"
        "p.textContent = 'a\\u001b[2Jb\\u0000c\\u0007d\\u009be\\u202ef\\u200bg\\u{e0041}h\\ud800i'; document.title = '\\u001b]0;owned\\u0007x\\ud800';"
        "history.replaceState({}, '', '?%1b[31m\\u202e#\\ud800'); localStorage.s = '\\ud800'; console.log('c\\ud800')</script>"
    )
    for command in (
        "text", "html", "tabs", "url", "status", "links", "forms", "storage", "attrs '#p'", "attrs '#b'", "js document.title", "console", "network",
    ):  # fmt: skip
        said = await run(command)
        assert not [c for c in said if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0], command
        assert not set(said) & {"\u202e", "\U000e0041", "\ud800"}, command
    assert await run("snapshot -i") == '@e1 [button] "b\ufffd"'
    assert await run("click @e1") == "Clicked @e1"
    assert await run("js", "'a\\ud800b'") == "a\ufffdb"
    assert "x" in await run("js", "({'k\\udc00': ['x\\ud83d']})")


async def test_links_are_absolute_and_named(run: Run, show: Show, web: Web) -> None:
    here = await show("""<a href=/plain.html> The   plain <b>page</b></a><a href='#x'><img alt=Logo></a><a href=//other.example/x aria-label=Other></a>
        <a>no href</a><a href=''>Empty</a><a href='javascript:void 0'>Script</a><map><area href=/area alt=Area></map>
        <my-nav></my-nav><script>document.querySelector('my-nav').attachShadow({mode: 'open'}).innerHTML = '<a href=/deep>Deep</a>'</script>
        <svg><a href=/drawn><text>Drawn</text></a><a href='http://['><text>Broken</text></a></svg>
        <p><template shadowrootmode=closed><a href=/shut>Shut</a></template></p>""")
    assert (await run("links")).splitlines() == [
        f"The plain page → {web.url}/plain.html", f"Logo → {here}#x", "Other → http://other.example/x",
        f"Empty → {here}", "Script → javascript:void 0", f"Area → {web.url}/area", f"Drawn → {web.url}/drawn",
        "Broken → http://[", f"Deep → {web.url}/deep", f"Shut → {web.url}/shut",
    ]  # fmt: skip
    assert await run("links my-nav") == f"Deep → {web.url}/deep"
    await run("goto about:blank")
    assert await run("links") == "(no links)"


async def test_links_of_an_element_that_say_something(run: Run, show: Show, web: Web) -> None:
    """Print equal links once, and none without a text beside one that has it."""
    await show("""<nav><a href=/a>Docs</a><a href=/a>Docs</a><a href=/a><svg></svg></a><a href=/b><i></i></a></nav>
        <main id=m><a href=/a>Docs</a><a href=/c>About</a></main>""")
    docs, about = f"Docs → {web.url}/a", f"About → {web.url}/c"
    for command, lines in {
        "links": [f"{docs} (3 links)", f"(no text) → {web.url}/b", about], "links '#m'": [docs, about], "links main --find ABOUT": [about],
        "links --find /b": [f"(no text) → {web.url}/b"], "links --find nowhere": ['(no link with "nowhere")'], "links '#m a'": [docs],
    }.items():  # fmt: skip
        assert (await run(command)).splitlines() == lines, command


async def test_css_and_attrs_read_one_value_or_all(run: Run, show: Show, check: Check) -> None:
    link = "<a id=l href=/x data-k='quo\"te' disabled __proto__=p>x</a>"
    await show(f"<p style='color:red;--gap:4px'>x</p>{link}")
    await check({
        "css p color": "rgb(255, 0, 0)", "css p font-size": "16px", "css p fontSize": "16px", "css p --gap": "4px",
        "css p colr": (UsageError, "…\nDid you mean color?…"), "css '#nope' color": NoMatch, "attrs '#nope'": NoMatch,
    })  # fmt: skip
    attributes = {"id": "l", "href": "/x", "data-k": 'quo"te', "disabled": "", "__proto__": "p"}
    assert json.loads(await run("attrs '#l'")) == attributes


STATES = """<button id=on>b</button><button id=off disabled>b</button><fieldset disabled><input id=in></fieldset>
    <input id=c type=checkbox checked><input id=r type=radio><i role=switch id=s aria-checked=true>s</i><input id=ro readonly>
    <div id=e contenteditable>x</div><p id=h hidden>h</p><p id=v style='visibility:hidden'>v</p><p id=z style='height:0;overflow:hidden'></p>
    <p id=o style='opacity:0'>o</p><a id=a aria-disabled=true role=button>a</a><select><option id=op selected>1</select>"""


ANSWERS = {
    "visible #on": "true", "hidden #on": "false", "visible #h": "false", "hidden #h": "true",
    "visible #v": "false", "visible #z": "false", "visible #o": "true", "visible #nope": "false",
    "hidden #nope": "true", "enabled #on": "true", "enabled #off": "false", "disabled #off": "true",
    "disabled #in": "true", "disabled #a": "true", "checked #c": "true", "checked #r": "false",
    "checked #s": "true", "checked #op": "true", "editable #ro": "false", "editable #e": "true",
    "editable #in": "false", "editable #c": "false", "editable #on": "false", "focused #on": "false",
}  # fmt: skip


async def test_is_answers_questions_about_an_element(show: Show, check: Check) -> None:
    """Follow the focus into shadow trees. Fail where there is no answer."""
    await show(f"{STATES}<my-f><template shadowrootmode=open><input id=deep></template></my-f>")
    await check({f"is {question}": answer for question, answer in ANSWERS.items()})
    for focused, other in (("#ro", "#deep"), ("#deep", "#ro")):
        await check({f"click {focused}": "…", f"is focused {focused}": "true", f"is focused {other}": "false"})
    await check(
        {f"is {state} '#nope'": NoMatch for state in ("enabled", "disabled", "checked", "editable", "focused")}
    )
    await check({"is checked '#o'": (UsageError, "…nothing that can be checked…")})


async def test_a_page_that_replaces_built_ins(run: Run, show: Show, check: Check) -> None:
    fields = ["firstChild", "childNodes", "closest", "classList", "children", "attributes", "localName"]
    await show(f"""<form id=f>{"".join(f"<input name={name}>" for name in fields)}<button>Go</button></form>
        <script>JSON.stringify = () => 'owned'; Array.prototype.map = () => {{ throw 1 }}; document.querySelectorAll = null;
        Object.prototype.toJSON = () => 'owned'; Element.prototype.getBoundingClientRect = null; window.getComputedStyle = null</script>""")
    await check(
        {"text": "…Go…", "click button": "Clicked button…", "text form": "…Go…", "is visible form": "true"}
    )
    assert json.loads(await run("attrs form")) == {"id": "f"}


async def test_page_without_text_says_so_and_names_frames(run: Run, shell: Shell, show: Show, web: Web) -> None:
    frame = f"<iframe src='{web.show('<p>Lorem ipsum</p>')}'></iframe>"
    frames = "2 frames of the page may have text: 'frame <selector>' goes into one, 'snapshot' shows all"
    nothing = "the page shows no text"
    for markup, notes in {
        frame * 2: [frames], "<h1>Words</h1><iframe></iframe>": [], "<canvas></canvas>": [nothing],
        "<div id=root></div><script>render()</script>": [f"{nothing}, and threw 1 error: see 'console --errors'"],
    }.items():  # fmt: skip
        await show(markup)
        for command in ("text", "text --markdown"):
            reply = await shell.send(command)
            assert (reply.notes, bool(reply.text)) == (notes, not notes), markup
    assert (await shell.send("text --hidden")).notes == []
    there = ["1 frame there may have text: 'frame <selector>' goes into one"]
    await show(f"<p style=height:9px></p><i>{frame}</i>")
    for command, notes in {"text iframe": there, "text i": there, "html iframe": there, "text p": []}.items():
        assert (await shell.send(command)).notes == notes, command
    await run("goto about:blank")
    reply = await shell.send("text")
    assert (reply.text, reply.notes) == ("", ["the tab is blank"])


async def test_hidden_text_is_noted_once(run: Run, show: Show, shell: Shell) -> None:
    """Note it again where there is more of it, and in the next document."""
    await show("<p>Seen</p><p style='opacity:0'>Not</p><p id=p></p>")
    change, notes = "js \"p.style.opacity = 0, p.textContent = 'More'\"", []
    for line in ("text", "snapshot", "text", change, "text", "reload", "text"):
        await run(line)
        notes += shell.replies[-1].notes
    assert notes == [f"{count} characters hidden: text --hidden" for count in (3, 7, 3)]


SPANNED = {
    "rows": (
        "<tr><th>City<th>Year<th>People<tr><td rowspan=2>Paris<td>2020<td>2100<tr id=r><td>2021<td>2200<tr><td>Rome<td>2020<td>2800",
        "City\tYear\tPeople\nParis\t2020\t2100\n\t2021\t2200\nRome\t2020\t2800", "\t2021\t2200",
    ),
    "columns": (
        "<tr><th>City<th>Year<th>People<tr id=r><td colspan=2>Total<td>4300<tr><td>Rome<td>2020<td>2800",
        "City\tYear\tPeople\nTotal\t\t4300\nRome\t2020\t2800", "Total\t\t4300",
    ),
    "both, beside each other": (
        "<tr><td rowspan=3 colspan=2>A<td>b<td rowspan=2>C<td>d<tr><td>e<td>f<tr id=r><td>g<td>h<td>i",
        "A\t\tb\tC\td\n\t\te\t\tf\n\t\tg\th\ti", "\t\tg\th\ti",
    ),
    "all rows of a section": ("<tbody><tr><td rowspan=0>A<td>b<tr><td>c<tbody><tr id=r><td>d<td>e", "A\tb\n\tc\nd\te", "d\te"),
    "more rows than a section has": ("<thead><tr><th rowspan=9>A<th>b<tbody><tr id=r><td>d<td>e", "A\tb\nd\te", "d\te"),
    "what is not shown": (
        "<tr><td rowspan=2>A<td rowspan=2 style='display:none'>b<td>c<tr style='display:none'><td>x<tr id=r><td>d", "A\tc\n\td", "\td",
    ),
    "in a table that is a block": ("<style>table{display:block}</style><tr><td rowspan=2>A<td>b<tr id=r><td>c", "A\tb\n\tc", "\tc"),
}  # fmt: skip
"""What a cell spans → the rows, the text of the table, and that of the row with the id r."""


@each(SPANNED)
async def test_cells_stand_in_their_column_whatever_others_span(what: str, blank: None, run: Run) -> None:
    markup, text, row = SPANNED[what]
    await put_markup(run, f"<table>{markup}</table><p>After")
    assert await run("text") == f"{text}\n\nAfter"
    assert await run("text '#r'") == row
    head, rule, *body = (await run("text --markdown")).partition("\n\n")[0].split("\n")
    read = [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, *body)]
    lines = [line.split("\t") for line in text.split("\n")]
    wide = max(map(len, lines))
    assert [(line + [""] * wide)[:wide] for line in read] == [(line + [""] * wide)[:wide] for line in lines]
    assert rule.count("---") == wide


async def test_headings_without_text_and_over_all_columns_in_markdown(blank: None, run: Run) -> None:
    await put_markup(
        run, "<h1> </h1><h2><a href=/x></a></h2><h3><img src=/x></h3><h2>C#</h2><p>One<h2><svg></svg></h2>"
    )
    assert await run("text --markdown") == "## C#\n\nOne"
    await put_markup(run, "<table><tr><th colspan=100>Prices<tr><td>Tea<td>3<tr><td colspan=2>Coffee</table>")
    assert await run("text --markdown") == "| Prices |  |\n| --- | --- |\n| Tea | 3 |\n| Coffee |"
    inner = "<table style='display:inline-table'><tr><td>x<td>y</table>"
    await put_markup(run, f"<table><tr><td rowspan=2>A<td>{inner}<td>b<tr><td>c<td>d</table>")
    assert await run("text") == "A\tx\ty\tb\n\tc\td"


SHUT = "const shut = (host, words) => host.attachShadow({ mode: 'closed' }).innerHTML = words;"
HOSTS = [
    f"<x-y></x-y><script>{SHUT} customElements.define('x-y', class extends HTMLElement {{"
    " connectedCallback() { shut(this, '<p>Hello') } })</script>",
    f"<x-y id=h><b>World</b></x-y><script>{SHUT} shut(h, '<p>Hello</p><slot></slot>')</script>",
    "<div><template shadowrootmode=closed><section><template shadowrootmode=closed><p>Hello</p></template></section></template></div>",
    "<div><template shadowrootmode=open><slot></slot></template><section><template shadowrootmode=closed><p>Hello</p></template></section></div>",
]


@each(HOSTS)
async def test_the_first_read_sees_what_is_in_a_closed_root(page: str, run: Run, show: Show) -> None:
    await show(page)
    assert (await run("text")).startswith("Hello")


async def test_waits_and_expectations_see_a_closed_root(run: Run, fails: Fails, show: Show) -> None:
    """Read as the first command on a page; and after all, say that a text is there that should not be."""
    for read in ("text --markdown", "expect text Hello --timeout 3000", "wait --text Hello --timeout 3000"):
        await show(f"<div id=h></div><script>{SHUT} shut(h, '<p>Hello')</script>")
        assert "Hello" in await run(read)
    assert "Hello" in await run("text '#h'")
    reply = await fails("expect --not text Hello --timeout 100", ExpectationFailed)
    assert 'the page shows "Hello"' in reply.message


async def test_a_root_that_comes_after_the_first_read_is_seen(run: Run, show: Show) -> None:
    """Attach one to an element that is there, and to one as it is defined."""
    await show(f"<x-y id=x></x-y><div id=d></div><p>Here</p><x-z><b>Child</b></x-z><script>{SHUT}</script>")
    assert (await run("text")).split() == ["Here", "Child"]
    await run("js \"shut(x, '<p>One'); shut(d, '<p>Two')\"")
    assert (await run("text")).split() == ["One", "Two", "Here", "Child"]
    await run(
        "js \"customElements.define('x-z', class extends HTMLElement { constructor() { super(); shut(this, 'Hello') } })\""
    )
    assert (await run("text")).split() == ["One", "Two", "Here", "Hello"]


NAMES = """nodeName ownerDocument getAttribute hasAttribute parentNode parentElement children childNodes nodeType tagName localName
    contains closest matches querySelector querySelectorAll getRootNode style classList getBoundingClientRect getClientRects shadowRoot
    isConnected scrollIntoView labels id focus click dispatchEvent nextElementSibling offsetWidth clientHeight checkVisibility textContent
    innerText attributes firstChild getAnimations isContentEditable tabIndex scrollTop scrollLeft scrollBy scrollHeight clientWidth offsetHeight
    previousElementSibling setAttribute addEventListener dispatchEvent hidden title lang dir dataset namespaceURI innerHTML append remove elements
    length method action target submit reset value type disabled checked assignedSlot slot role animate"""
IMAGES = """title body activeElement documentElement querySelector getElementById defaultView createRange scrollingElement nodeName nodeType
    ownerDocument contains forms createElement createElementNS createTreeWalker addEventListener elementFromPoint hasFocus getSelection fonts
    doctype baseURI readyState implementation execCommand importNode querySelectorAll children childNodes firstChild getAnimations styleSheets"""
PAGE = (
    "".join(f"<img name={name} alt=''>" for name in IMAGES.split())
    + "<form id=f style='width:300px; height:200px'><label>Owner <input id=owner></label><label>Note <textarea id=note></textarea></label>"
    + "".join(f"<input name={name}>" for name in NAMES.split())
    + "<button type=button onclick=\"log.textContent='went'\">Go on</button></form><p id=log></p>"
)


async def test_field_names_hide_nothing_from_commands(run: Run, show: Show, fails: Fails, shell: Shell) -> None:
    await show("<p style='height: 3000px'></p>" + PAGE + "<p id=card>Card</p>")
    assert await run("title") == "Test"
    assert "title    Test" in await run("data")
    assert len((await run("box form")).split(",")) == 4
    await run("fill label=Owner Ann")
    await run("""fill 'label="Note"' hello""")
    assert [await run(f"value '#{name}'") for name in ("owner", "note")] == ["Ann", "hello"]
    for target in ('role=button[name="Go on"]', "text=Go on", "role=button", "form >> text=Go on"):
        await run("js", "log.textContent = ''")
        await run("click", target)
        assert await run("text '#log'") == "went"
    assert await run("count role=button") == "1"
    for command in (
        "hover form", "scroll form", "focus form", "wait form", "is visible form", "text form", "html form", "attrs form", "styles form",
        "css form width", "count form", "select-text form", "expect visible form", "click form", "click form --at 1,1",
        "click form --double", "screenshot '#f' form.png", "html", "links", "links --check", "data", "media", "forms", "design-extract",
        "screenshot page.png",
    ):  # fmt: skip
        assert await run(command), command
    assert Image.open(shell.workspace / "form.png").size == (300, 200)
    assert await run("js f") == "<form#f>"
    for snapshot in ("snapshot -i", "snapshot -i -s form"):
        assert 'button] "Go on"' in await run(snapshot)
    assert (await fails("frame form", NotInteractable)).message == "form is no frame"
    for source, goal in (("#card", "form"), ("form", "#card")):
        assert (await run("drag", source, goal)).splitlines()[0] == f"Dragged {source} to {goal}"
