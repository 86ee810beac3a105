"""Test commands that read one thing of a page: a title, a value, a count, a box, metadata, Markdown.

Targets name elements by what a person knows them by.
"""

import json

import pytest

from gstack_browse.errors import ManyMatches, NoMatch, NotInteractable, StaleRef, UnknownRef, UsageError
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

FORM = """<form><label>Email <input id=email value="me@example.com"></label>
<label for=pass>Password</label><input id=pass type=password value=secret>
<input placeholder="Search the docs" value=found title="Full text"><textarea data-testid=note>one
two</textarea><select id=one><option value=de>Germany<option value=fr>France</select>
<select id=many multiple><option selected>red<option>green<option selected>blue</select>
<div contenteditable aria-label=Editor>typed</div><progress value=3 max=9></progress>
<img alt="A red fox" src=x.png><p>Words</p><p hidden>Words</p><div id=host></div></form>
<script>host.attachShadow({mode: 'open'}).innerHTML = '<input data-testid=inner value=deep>'</script>"""


VALUES = {
    "#email": "me@example.com", "label=Email": "me@example.com", "label='Email'": "me@example.com", "label=EMA": "me@example.com",
    "#pass": "[redacted]", "placeholder=search": "found", 'placeholder="Search the docs"': "found", "title=full": "found",
    "testid=note": "one\ntwo", "testid=inner": "deep", "#one": "de", "#many": "red\nblue", "label=Editor": "typed",
    "progress": "3", "form >> label=Email": "me@example.com", "input >> nth=2": "found", "#email >> nth=0": "me@example.com",
}  # fmt: skip
COUNTS = {
    "p": "2", "text=Words": "2", "#nope": "0", "testid=inner": "1", "label=Email": "1", "option:checked": "3",
}  # fmt: skip


async def test_value_and_count_by_every_way_to_name_a_field(run: Run, show: Show, check: Check) -> None:
    """Read the value of now. Words have none."""
    await show(FORM)
    assert {target: await run("value", target) for target in VALUES} == VALUES
    assert {target: await run("count", target) for target in COUNTS} == COUNTS
    await run("fill #email other")
    ref = await ref_of(run, '"Email"')
    await check({
        f"value {ref}": "other", f"count {ref}": "1", "title": "Test", "value p": (UsageError, "…\nIts words: text p…"),
        "value testid=nope": NoMatch, "count @e99": UnknownRef, "count 'p[['": UsageError,
    })  # fmt: skip


async def test_exactly_the_words_come_before_a_part_of_other_words(run: Run, fails: Fails, show: Show) -> None:
    """Refuse words that several elements have, or none."""
    await show(
        "<label>One <input id=one></label><label>N<input id=n></label><input aria-label=Name id=name>"
        "<label hidden>n<input></label><input placeholder='Your mail' id=ym><input placeholder=Mail id=m><input placeholder=mail id=low>"
        "<button title='Save all' id=all>a</button><button title=Save id=s>b</button><button title='Save it' id=it>c</button>"
        "<form><label>Any <input></label><label><b>N</b>: <input id=colon></label><label>n <input id=inner></label></form>"
        "<img alt=Fox id=fox><button data-testid=a id=a1>A</button><button data-testid=a id=a2>B</button>"
    )
    for target, name in {
        "label=N": "n", "label=name": "name", "placeholder=Mail": "m", "placeholder=mail": "low", "title=save": "s", 'title="Save"': "s",
        "form >> label=n": "inner", "label=On": "one", "alt=fox": "fox", "title=sav >> nth=1": "s", "testid=a >> nth=1": "a2",
    }.items():  # fmt: skip
        assert json.loads(await run("attrs", target))["id"] == name, target
    assert (await run("click 'title=sav >> nth=2'")).startswith("Clicked")
    for target, error in {
        "label=a": ManyMatches, "title=sav": ManyMatches, "testid=a": ManyMatches, "alt=dog": NoMatch, "label=": NoMatch,
    }.items():  # fmt: skip
        await fails("click --timeout 50", error, target)


async def test_selector_behind_a_ref_is_looked_for_in_it(
    run: Run, fails: Fails, show: Show, web: Web, check: Check
) -> None:
    item = "<li>{} <button onclick='document.title = {}'>Delete</button>"
    rows = f"<ul>{item.format('Apple', 1)}{item.format('Pear', 2)}</ul>"
    await show(f"<h1>Fruit</h1>{rows}<iframe src='{web.show_elsewhere(rows)}'></iframe>")
    items = [line.split()[0] for line in (await run("snapshot")).splitlines() if "[listitem]" in line]
    for target, title in ((f"{items[1]} >> text=Delete", "2"), (f"{items[0]}>>button", "1")):
        assert await run("click", target) == f"Clicked {target}"
        assert await run("title") == title
    await check({
        f"text '{items[2]} >> css=button'": "Delete", f"count '{items[3]} >> button'": "1", f"count {items[3]}": "1",
        f"is visible '{items[3]} >> role=button[name=Delete]'": "true",
        f"wait '{items[3]} >> text=Pear'": f"Element {items[3]} >> text=Pear appeared",
    })  # fmt: skip
    await fails("click --timeout 50", NoMatch, f"{items[0]} >> text=Pear")
    whole = (await run("snapshot -s ul --find", items[0])).splitlines()[0].split()[0]
    reply = await fails("click --timeout 50", ManyMatches, f"{whole} >> button")
    assert reply.message == f"{whole} >> button matches 2 elements"
    assert reply.hint.count("<button>") == 2
    await run("js", "document.querySelector('li').remove()")
    await fails("click", StaleRef, f"{items[0]} >> text=Delete")


async def test_box_prints_position_and_size_of_an_element(run: Run, show: Show, check: Check) -> None:
    """Print one or all that have a box, also of a frame."""
    inner = (
        '<style>body{margin:5px}</style><b style="display:block;width:50px;height:9px"></b><button>In</button>'
    )
    await show(
        "<style>body{margin:0}i{display:block;height:10px}</style><i></i><i style='display:none'></i><i></i>"
        "<div id=box style='position:absolute;left:120px;top:340.5px;width:80px;height:24px'>x</div><p hidden>no</p>"
        f"<iframe style='position:absolute;left:10px;top:20px;border:0' srcdoc='{inner}'></iframe>"
    )
    await check({
        "box '#box'": "120,340.5,80,24", f"box {await ref_of(run, '[button]')}": "15,34,…", "box i --all": "0,0,1280,10\n0,10,1280,10",
        "box p --all": "(none has a box)", "box p": NotInteractable, "box '#nope'": NoMatch, "box u --all": NoMatch,
    })  # fmt: skip


LOCATED = """<button data-testid=go>Go</button><button>Save "all"</button><button>Twin</button><button>Twin</button>
<input placeholder=City><input id=zip><input id=input-48213 name=street><div id=_r_8o_>Two  words</div><div>Twins</div><div>Twins</div><ul id=list><li>a<li>b</ul><p class=x>c</p><x-card></x-card>
<iframe srcdoc='<button>In</button>'></iframe>
<script>document.querySelector('x-card').attachShadow({mode: 'open'}).innerHTML = '<i></i><i></i>'</script>"""


async def test_locator_means_just_that_element(run: Run, show: Show, shell: Shell) -> None:
    """Count one, and the same one. And say that one is in a frame."""
    await show(LOCATED)
    for target, selector in (
        ("text=Go", 'testid="go"'), ("button >> nth=1", r'role=button[name="Save \"all\""]'), ("button >> nth=3", "html > body > button:nth-of-type(4)"),
        ("input >> nth=0", 'role=textbox[name="City"]'), ("#zip", "#zip"), ("input >> nth=2", 'input[name="street"]'),
        ("li >> nth=1", "#list > li:nth-of-type(2)"), ("i >> nth=1", "html > body > x-card i:nth-of-type(2)"), ("p", "html > body > p"),
        ("div >> nth=0", 'text="Two words"'), ("div >> nth=2", "html > body > div:nth-of-type(3)"),
    ):  # fmt: skip
        assert await run("locator", target) == selector
        assert await run("count", selector) == "1"
        assert await run("html", selector) == await run("html", target)
    assert await run("locator", await ref_of(run, '"In"')) == 'role=button[name="In"]'
    assert shell.replies[-1].notes == ["It is in a frame: choose that first, see 'help frame'"]


async def test_css_prints_styles_that_differ_from_the_default(run: Run, fails: Fails, show: Show) -> None:
    styled = "<style>div { color: rgb(1, 2, 3) } p { padding: 4px 8px; border-bottom: 2px solid red; font-weight: 700 }</style><div><p>Text</div>"
    await show(f"<p id=bare>x</p>{styled}<svg><circle r=4 /></svg><iframe srcdoc='{styled}'></iframe>"
        "<script>window.seen = 0; new MutationObserver(() => seen++).observe(document, { subtree: true, childList: true, attributes: true })</script>")  # fmt: skip
    found = dict(line.split(": ") for line in (await run("css 'div p'")).splitlines())
    assert [found.pop(size)[-2:] for size in ("width", "height")] == ["px", "px"]
    assert found == {
        "border-color": "rgb(1, 2, 3) rgb(1, 2, 3) rgb(255, 0, 0)", "border-style": "none none solid", "border-width": "0px 0px 2px",
        "color": "rgb(1, 2, 3)", "font-weight": "700", "padding": "4px 8px",
    }  # fmt: skip
    assert len((await run("css circle --all")).splitlines()) > 300
    assert await run("css 'div p' font-weight color") == "font-weight: 700\ncolor: rgb(1, 2, 3)"
    framed = [line.split()[0] for line in (await run("snapshot")).splitlines() if "[paragraph]" in line][-1]
    assert "padding: 4px 8px" in await run("css", framed)
    assert await run("js seen") == "0", "nothing is put into the page"
    for words in ("colr width", "color --all"):
        await fails(f"css p {words}", UsageError)


BUILT = """<div id=a role=combobox aria-label=Age tabindex=0> <span>Ten</span></div><button id=b role=combobox aria-label=Fruit><i>Cherry</i></button>
<div id=c role=combobox aria-label=City><input value=Bern></div><div id=d role=combobox aria-label=Code><input type=password value=secret></div>
<div id=e role=textbox aria-label=Note tabindex=0>fixed <b>text</b></div><div id=f role=searchbox aria-label=Find tabindex=0>query</div>
<div id=g role=spinbutton aria-label=Count tabindex=0>5</div><div id=h role=combobox aria-label=Empty tabindex=0></div>
<input id=i role=combobox aria-label=Own value=typed><button id=j value=v>Go</button>
<div id=k role=slider tabindex=0 aria-valuenow=20 aria-valuetext='20 %'></div>"""
BUILT_VALUES = {
    "a": "Ten", "b": "Cherry", "c": "Bern", "d": "[redacted]", "e": "fixed text", "f": "query", "g": "5", "h": "", "i": "typed", "j": "v", "k": "20",
}  # fmt: skip


async def test_value_that_a_snapshot_prints_can_be_read(run: Run, show: Show, check: Check, web: Web) -> None:
    """Read it of what a page has built itself, in a shadow tree and in a frame."""
    inside = web.show_elsewhere(f"<div><template shadowrootmode=open>{BUILT}</template></div>")
    await show(f"<p id=p>Words</p>{BUILT}<iframe src='{inside}'></iframe>")
    values = {f"value '#{name}'": value for name, value in BUILT_VALUES.items()}
    await check(values | {
        "expect value '#a' =Ten": "…", "value '#p'": UsageError, "js document.querySelector('#k').ariaValueNow = '21'": "21",
        "frame iframe": "…",
    })  # fmt: skip
    await check(values)


LD = '{"@graph": [{"@type": "Product", "name": "W"}, {"@type": ["Offer"]}]}'
HEAD = f"""<!doctype html><html lang=en><head><title>Widget</title><meta name=robots content=noindex><meta name=robots content=all>
<link rel=canonical href=/w><link rel=alternate hreflang=de href=/de><link rel=stylesheet href=data:text/css,>
<meta property=og:title content="W &#27;[31m"><script type="application/ld+json">{LD}</script>
<script type="application/ld+json">{{oops</script></head><body><div itemscope itemtype="https://schema.org/Offer"></div>"""
PIXELS = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='640' height='480'/>"


async def test_data_lists_the_metadata_of_a_page(run: Run, show: Show, web: Web, shell: Shell) -> None:
    await show(HEAD)
    told = (await run("data")).splitlines()
    assert [" ".join(line.split()) for line in told[:10]] == [
        "title Widget", "language en", "charset UTF-8", f"canonical {web.url}/w", f"hreflang de {web.url}/de", "robots noindex",
        "robots all", "og:title W ␛[31m", "microdata https://schema.org/Offer", "JSON-LD 1: Product, Offer",
    ]  # fmt: skip
    assert '     "name": "W"' in told
    twice, broken = shell.replies[-1].notes
    assert twice == "The page says robots 2 times"
    assert broken.startswith("JSON-LD 2 is ignored: no JSON: ")
    parsed = json.loads(await run("data --json"))
    assert parsed["meta"]["robots"] == ["noindex", "all"]
    assert parsed["jsonLd"][0] == json.loads(LD)
    assert parsed["links"][0] == {"rel": "canonical", "href": f"{web.url}/w"}


async def test_pictures_and_what_is_wrong_with_them(run: Run, show: Show, check: Check, web: Web) -> None:
    inner = web.show_elsewhere(f'<img alt=in src="{PIXELS}">')
    await show(
        f'<main><img alt="A shoe" src="{PIXELS}" width=320 height=240><img src=/gone.png alt><img id=bare src="{PIXELS}" hidden></main>'
        "<div style='background: url(/bg.png); width: 10px; height: 10px'></div><video controls muted width=300><track kind=captions srclang=en></video>"
        "<x-more></x-more><script>document.querySelector('x-more').attachShadow({ mode: 'closed' }).innerHTML = '<audio loop></audio>'</script>"
        f"<iframe src='{inner}'></iframe>"
    )
    await run("wait --js", "[...document.images].every((image) => image.complete)")
    told = [line.split(" ", 2) for line in (await run("media")).splitlines()]
    assert [f"{kind} {rest}" for kind, _, rest in told] == [
        'image "A shoe" 640x480 (320x240 shown): data:image/svg+xml,…', f"image 0x0 shown: {web.url}/gone.png  (failed to load)",
        "image 640x480 (0x0 shown): data:image/svg+xml,…  (no alt; not visible)",
        f"background 10x10 shown: {web.url}/bg.png  (failed to load)", "video 300x150 shown, paused, muted, captions en: (no address)",
        "audio paused, loop, no controls: (no address)  (not visible)",
    ]  # fmt: skip
    assert len((await run("media main")).splitlines()) == 3
    await check({
        f"js {told[2][1]}.id": "bare", "frame iframe": "…", "media": '…"in" 640x480…', "frame main": "…", "media iframe": "(no media)",
        "media nothing": NoMatch,
    })  # fmt: skip


PAGE = """<style>.gone { display: none } .faint { opacity: 0 }</style><header><h1>Fruit <small>2026</small></h1></header>
<div role=heading aria-level=3>By role</div><p>Some <b>bold</b>, <em>more</em> and <code>x|y</code>. <a href="/a?b=1&c=2">A link</a><br>next * line</p><svg><a href=/drawn><text y=20>Drawn</text></a></svg>
<p class=gone>never</p><p class=faint>faint words</p><ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul><ol start=3><li>three</li></ol>
<table><thead><tr><th>Name<th>Price</tr></thead><tbody><tr><td>Apple | red<td>1<br>2</tr><tr><td><p>Pear</p><p>green</p><td><a href="/pear">3</a></tr></table>
<table><tr><td><table><tr><td>Laid</td></tr></table></td><td>out</td></tr></table>
<div role=table><div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div><div role=row><span role=cell>1</span><span role=cell>2</span></div></div>
<pre>a  b
 c</pre><blockquote>said</blockquote><a href="javascript:alert(1)">code</a><img alt="A fox" src="/fox.png"><img src="/plain.png">
<a href="/card"><div><h2>Card</h2><p>with words</p></div></a><details><summary>More</summary>closed</details><div id=host></div>
<label>Field <input value=secret></label><hr><div>last</div><script>host.attachShadow({mode: 'open'}).innerHTML = '<h2>In a root</h2><slot></slot>'</script>"""
MARKDOWN = """# Fruit 2026

### By role

Some **bold**, *more* and `x|y`. [A link]({url}/a?b=1&c=2)
next \\* line

[Drawn]({url}/drawn)

- one
  - inner
- two

3. three

| Name | Price |
| --- | --- |
| Apple \\| red | 1 2 |
| Pear green | [3]({url}/pear) |

Laid

out

| A | B |
| --- | --- |
| 1 | 2 |

```
a  b
 c
```

> said

code![A fox]({url}/fox.png)
[Card with words]({url}/card)

More

## In a root

Field

---

last"""


async def test_a_page_as_markdown(run: Run, fails: Fails, show: Show, shell: Shell, web: Web) -> None:
    await show(PAGE)
    assert await run("text --markdown") == MARKDOWN.replace("{url}", web.url)
    assert shell.replies[-1].notes == ["11 characters hidden: text --hidden"]
    assert await run("text --markdown ul") == "- one\n  - inner\n- two"
    await fails("text --markdown --hidden", UsageError)


async def test_markdown_of_a_frame_and_of_what_is_deep(run: Run, show: Show, web: Web) -> None:
    inner = web.show_elsewhere("<h2 id=h>Inside</h2>")
    await show(f"{'<div><ul><li>' * 700}deep{'</ul></div>' * 700}")
    assert (await run("text --markdown")).endswith("deep")
    await show(f"<iframe src='{inner}'></iframe>")
    ref = await ref_of(run, '"Inside"', "")
    assert await run("text --markdown", ref) == "## Inside"
