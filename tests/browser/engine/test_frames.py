"""Test frames of any depth and origin, and shadow roots of both kinds.

All are in one tree, with references that work.
"""

import itertools

import pytest

from gstack_browse.browser.engine.messages import evaluate
from gstack_browse.errors import StaleRef
from gstack_browse.snapshot.render import render
from tests.browser.conftest import Opened, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


def frame(site: Web, markup: str, *, other: bool = False) -> str:
    url = site.show(markup)
    return f"<iframe src='{url.replace(site.url, site.other) if other else url}'></iframe>"


async def buttons(tab: Opened) -> dict[str, str]:
    """Name → reference of the buttons in a fresh snapshot."""
    tree = await tab.tree()
    return {tree.names[i]: tree.ref(i) for i in range(len(tree)) if tree.roles[i] == "button"}


async def test_frames_and_shadow_roots_of_all_kinds_and_depths(show: Show, site: Web) -> None:
    """List what is in a frame whatever role the frame has."""
    deep = frame(site, "<button>Deepest</button>")
    deep = frame(site, f"<button>Third</button>{deep}", other=True)
    deep = frame(site, f"<button>Second</button>{deep}")
    tab = await show(f"""<button>Top</button>{deep}<iframe role=presentation srcdoc='<button>Doc</button>'></iframe>
        <iframe role=img sandbox='allow-scripts' srcdoc='<button>Sandboxed</button>'></iframe><x-shut></x-shut><div id=plain></div><script>
        const fill = (host, name) => host.attachShadow({{ mode: 'closed' }}).innerHTML = `<button>${{name}}</button>`;
        fill(document.querySelector('x-shut'), 'Custom'); fill(plain, 'Plain');</script>""")
    found = await buttons(tab)
    assert list(found) == ["Top", "Second", "Third", "Deepest", "Doc", "Sandboxed", "Custom", "Plain"]
    assert len(set(found.values())) == len(found)
    for name, ref in found.items():
        resolved = await tab.refs.resolve(ref)
        assert await tab.page.call_on(resolved, "function () { return this.innerText }") == name
    urls = [
        await evaluate(await tab.world.frames.context_of(one), "location.href", by_value=True)
        for one in tab.page.frames
    ]
    assert [url["value"] for url in urls] == [one.url for one in tab.page.frames], "each in its own frame"


UNSEEN = {
    "hidden": "style=visibility:hidden", "collapsed": "style=visibility:collapse", "not displayed": "style=display:none", "inert": "inert",
    "hidden from readers": "aria-hidden=true",
}  # fmt: skip

AROUND = [
    "<ul><li><button>Go</button></li></ul>{}",
    "<div {how}><p>Words</p>{}</div><p>After</p>",
]


def unseen(around: str, how: str, frame: str) -> str:
    """Return the frame in its surroundings: itself is not seen, or what is around it."""
    return around.format(frame if "{how}" in around else frame.replace("<iframe", f"<iframe {how}"), how=how)


async def test_content_of_an_unseen_frame_is_not_listed(show: Show, site: Web) -> None:
    """Have such frames alone in a page, and among what is seen; every other one is of another site."""

    def page(*around: str) -> str:
        return "".join(
            unseen(each, how, frame(site, f"<button>Inner {at}</button><p>Text</p>", other=at % 2 == 1))
            for at, (each, how) in enumerate(itertools.product(around, UNSEEN.values()))
        )

    assert await (await show(page("{}"))).lines() == []
    lines = await (await show(page(*AROUND))).lines()
    assert [line for line in lines if "Inner" in line or "iframe" in line] == []
    assert [line.strip() for line in lines if "button" in line] == ['button "Go"'] * len(UNSEEN)


async def test_a_frame_that_navigates_or_goes_loses_its_own_references_only(show: Show, site: Web) -> None:
    far, near = frame(site, "<button>B</button>", other=True), frame(site, "<button>C</button>")
    tab = await show(f"<button>A</button>{far}{near}")
    before = await buttons(tab)
    assert await buttons(tab) == before, "the next snapshot finds the same"
    inner = tab.page.frames[1]
    address = site.show("<button>B</button>").replace(site.url, site.other)
    await tab.page.evaluate(
        f"new Promise((done) => {{ const frame = document.querySelector('iframe'); frame.onload = done; frame.src = {address!r} }})"
    )
    assert inner is tab.page.frames[1]
    with pytest.raises(StaleRef, match=r'\(\[button\] "B"\) is stale'):
        await tab.refs.resolve(before["B"])
    after = await buttons(tab)
    assert after["B"] != before["B"]
    await tab.page.evaluate("document.querySelectorAll('iframe').forEach(f => f.remove())")
    for ref in (after["B"], after["C"]):
        with pytest.raises(StaleRef):
            await tab.refs.resolve(ref)
    assert (await tab.refs.resolve(before["A"])).name == "A"


async def test_a_page_that_has_not_changed_is_not_printed_anew(show: Show, site: Web) -> None:
    """Print it anew when a frame has changed, of this site or another one."""
    near, far = "<iframe srcdoc='<p>Inner</p>'></iframe>", frame(site, "<p>Inner</p>", other=True)
    for inner in (near, far):
        tab = await show(f"<h1>Shop</h1>{inner}")
        first = render(await tab.tree())
        if inner is near:
            prints = tab.refs.numbers.history.prints
            assert render(await tab.tree()) == first
            assert tab.refs.numbers.history.prints == prints
        await tab.page.evaluate("document.querySelector('p').textContent = 'Other'", tab.page.frames[1])
        assert render(await tab.tree()) == first.replace("Inner", "Other")
