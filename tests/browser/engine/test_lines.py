"""Test what becomes a line of text: a sentence is one, whatever elements its words are in."""

import pytest

from tests.browser.conftest import Opened, Show

pytestmark = pytest.mark.same_session


async def text_lines(tab: Opened) -> list[str]:
    """Return each line as it is printed, without numbers: `role: text`, indented by its depth."""
    tree = await tab.tree()
    return [
        f"{'  ' * tree.depths[i]}{tree.roles[i]}: {tree.names[i] or tree.values.get(i, '')}"
        for i in range(len(tree))
    ]


TAGS = ["a", "b", "code", "del", "font", "q", "strong", "sub", "time", "x-y"]
PAGES = {
    "a sentence is one line whatever is in it": (
        f"<p>In {' '.join(f'<{tag}>{tag}</{tag}>' for tag in TAGS)} out<div>In {''.join(f'<{tag} class=c>{tag}</{tag}>,' for tag in TAGS)} out</div>",
        [f"paragraph: In {' '.join(TAGS)} out", f"text: In {','.join(TAGS)}, out"],
    ),
    "a sentence comes whole before its links": (
        """<p>See <a href=#>the <b>docs</b></a>, or<a href=#> ask </a>us. <button>Help</button></p>
        <div>Or press <button>Save</button> to <a href=# aria-label="Keep it for later">keep</a> it<img alt=now src=data:,>.</div>
        <ul><li><a href=#>First</a>: the one<li><a href=#>Lone</a></ul>
        <dl><dt>Term<dd>is <a href=#>this</a></dl>""",
        [
            "paragraph: See the docs, or ask us.", "  link: the docs", "  link: ask", "  button: Help",
            "text: Or press Save to keep it now.", "button: Save", "link: Keep it for later", "img: now",
            "list: ", "  listitem: First: the one", "    link: First", "  listitem: ", "    link: Lone",
            "term: Term", "definition: is this", "  link: this",
        ],
    ),
    "a word of a sentence can be clicked": (
        "<p>Press <span onclick='1'>here</span> to go on.</p>", ["paragraph: Press here to go on.", "  generic: here"],
    ),
    "separators between links are left out": (
        "<nav><a href=#>new</a> | <a href=#>old</a> · (<a href=#>all</a>)</nav><p>|</p><p>- <a href=#>none</a></p>",
        [
            "navigation: ", "  link: new", "  link: old", "  link: all", "paragraph: |",
            "paragraph: - none", "  link: none",
        ],
    ),
    "equal links stay beside what they are for": (
        "<div>Ann <a href=#>Edit</a> Bob <button>Edit</button> and <a href=#>all</a> others</div>",
        ["text: Ann", "link: Edit", "text: Bob", "button: Edit", "text: and all others", "link: all"],
    ),
    "the end of a line of source is a blank where it stands": (
        "<p>\n  See <a href=#>docs</a>.\n  Then <b>go</b>,\n  <i>on</i>(<u>now</u>\n)\n</p>", ["paragraph: See docs. Then go, on(now )", "  link: docs"],
    ),
    "a field keeps its place between words": (
        "<div>Remind <input aria-label=A> before</div><div>In <select aria-label=B><option>1</select> h</div><div>If <input type=checkbox aria-label=C> so</div>",
        [
            "text: Remind", "textbox: A", "text: before", "text: In", "combobox: B", "  option: 1", "text: h", "text: If", "checkbox: C", "text: so",
        ],
    ),
    "lines of code are lines": (
        """<pre><code><span class=k>def</span> <span class=f>go</span>(x):
    <span class=k>if</span> <span>x</span>:
\t<span class=k>return</span> <span>1</span>

<span>go</span>(2)  <i># two</i></code></pre>
<pre>one line</pre><p style="white-space:pre-line">first
second</p><p>soft
wrapped</p><pre style="white-space:normal">soft
too</pre><pre><span style="display:block">a()</span><span style="display:block">  b()</span></pre>""",
        [
            "text: def go(x):", "text:     if x:", "text:     return 1", "text: go(2)  # two",
            "text: one line", "paragraph: ", "  text: first", "  text: second", "paragraph: soft wrapped",
            "text: soft too", "text: a()", "text:   b()",
        ],
    ),
}  # fmt: skip


async def test_text_of_each_page_is_in_whole_lines(show: Show) -> None:
    """Put each page into the place of the one before it."""
    tab, told = await show("<p>Empty"), {}
    for what, (markup, _) in PAGES.items():
        await tab.put_markup(markup)
        told[what] = await text_lines(tab)
    assert told == {what: lines for what, (_, lines) in PAGES.items()}


async def test_lines_that_follow_a_sentence_keep_what_is_said_of_them(show: Show) -> None:
    """Sentences are put in when the walk is done, and move what was noted by its line."""
    tab = await show("""
        <div>One <a href=# aria-current=page>a</a> two</div><div>Three <a href=#>b</a> four</div><input value=v checked type=checkbox aria-label=c>
        <input aria-label=d value=typed><iframe srcdoc="<p>in <a href=#>e</a> it<input aria-label=f value=deep>" title=frame></iframe>""")
    tree = await tab.tree()
    described = {tree.names[line]: (tree.states.get(line), tree.values.get(line)) for line in range(len(tree))}
    assert described["a"][0] == "current"
    assert described["c"][0] == "checked"
    assert described["d"][1] == "typed"
    assert described["f"][1] == "deep"
    assert tree.names.index("One a two") == tree.names.index("a") - 1
    second = await tab.world.call("findAndCall", {"selector": "div + div"}, "readElementStates")
    scoped = await tab.refs.take_snapshot(scope=(tab.page.main_frame, second["id"]))
    assert scoped.scope is not None
    assert [scoped.names[line] for line in scoped.scope] == ["Three b four", "b"]


async def test_boxes_that_stand_apart_are_lines_of_their_own(show: Show) -> None:
    tab = await show("""
        <style>.b span{display:block} li{display:inline} .chip{padding:0 9px;border-radius:9px} .sr{position:absolute;width:1px;height:1px;overflow:hidden}</style>
        <div><span style="float:left">Prev</span><span style="float:right">Next</span></div>
        <div><span>Text</span><span style="position:absolute">Badge</span></div>
        <div style="display:flex"><span>Name</span><span>Price</span></div><div class=b><span>Label</span><span>42</span></div>
        <div>Inbox<span class=chip>3</span>, <span class=chip>new</span>.</div><div>it<b>al</b>ic</div>
        <div><div style="display:inline">in</div><div style="display:inline">line</div></div>
        <div>Was<span class=sr> (old price)</span> $5</div><div>one<br>two</div><div>2 min<i aria-hidden=true>·</i>Ada</div>""")
    assert [line.strip() for line in await text_lines(tab) if "text:" in line] == [
        "text: Prev", "text: Next", "text: Text", "text: Badge", "text: Name", "text: Price", "text: Label", "text: 42",
        "text: Inbox 3, new.", "text: italic", "text: inline", "text: Was $5", "text: one", "text: two", "text: 2 min Ada",
    ]  # fmt: skip


BOXES = [
    *(
        ".m { display: block }",
        ".m { float: left }",
        "#e { position: absolute }",
        ".t { .m { color: red } display: grid }",
    ),
    *(".o { & .m { display: block } }", "@media all { [data-x] { display: block } }"),
    "@keyframes k { from { display: block } } .m { animation: k 9s infinite paused }",
]


async def test_whatever_rule_makes_a_box_of_words_parts_them(show: Show) -> None:
    tab, lines = await show("<p>One"), {}
    for rules in BOXES:
        await tab.put_markup(
            f"<style>{rules}</style><div class=o><p class=t>Some <span id=e class=m data-x>mod</span> more</div>"
        )
        lines[rules] = [line.strip() for line in await text_lines(tab) if "text:" in line]
    assert lines == {rules: ["text: Some", "text: mod", "text: more"] for rules in BOXES}


async def test_a_run_of_eight_and_more_is_a_sentence_or_a_list(show: Show) -> None:
    tokens = "".join(f"<span>{n}</span>+" for n in range(12))
    cards = "".join(f"<span style='display:block'>Card {n}</span>" for n in range(12))
    lines = [line.strip() for line in await text_lines(await show(f"<div>{tokens}</div><div>{cards}</div>"))]
    assert lines[0] == "text: " + "".join(f"{n}+" for n in range(12))
    assert [line for line in lines if "Card" in line] == [f"text: Card {n}" for n in range(12)]
    assert lines.count("generic:") == 12  # what can be folded
