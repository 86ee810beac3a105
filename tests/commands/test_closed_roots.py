"""Closed shadow roots are read as they are seen, whichever command comes first."""

import pytest

from gstack_browse.errors import ExpectationFailed
from tests.commands.conftest import Fails, Run, Show
from tests.each import each

pytestmark = pytest.mark.same_session

SHUT = "const shut = (host, words) => host.attachShadow({ mode: 'closed' }).innerHTML = words;"
HOSTS = {
    "a plain element": f"<div id=h></div><script>{SHUT} shut(h, '<p>Hello')</script>",
    "an unknown element": f"<x-y id=h></x-y><script>{SHUT} shut(h, '<p>Hello')</script>",
    "a custom element": f"<x-y></x-y><script>{SHUT} customElements.define('x-y', class extends HTMLElement {{"
    " connectedCallback() { shut(this, '<p>Hello') } })</script>",
    "one with children": f"<x-y id=h><b>World</b></x-y><script>{SHUT} shut(h, '<p>Hello</p><slot></slot>')</script>",
    "markup": "<div><template shadowrootmode=closed><p>Hello</p></template></div>",
    "an open root": "<div><template shadowrootmode=open><section><template shadowrootmode=closed><p>Hello</p></template></section></template></div>",
    "a closed root": "<div><template shadowrootmode=closed><section><template shadowrootmode=closed><p>Hello</p></template></section></template></div>",
    "a slot": "<div><template shadowrootmode=open><slot></slot></template><section><template shadowrootmode=closed><p>Hello</p></template></section></div>",
}


@each(HOSTS)
async def test_the_first_read_sees_what_is_in_a_closed_root(host: str, run: Run, show: Show) -> None:
    await show(HOSTS[host])
    assert (await run("text")).startswith("Hello")


async def test_every_read_of_words_sees_it(run: Run, fails: Fails, show: Show) -> None:
    """Read as the first command on a page; and after all, say that a text is there that should not be."""
    waits = ("expect text Hello --timeout 3000", "wait --text Hello --timeout 3000")
    for read in ("text '#h'", "text --markdown", *waits):
        await show(HOSTS["a plain element"])
        assert "Hello" in await run(read)
    assert "Hello" in await run("expect text /Hello/ --timeout 3000")
    reply = await fails("expect --not text Hello --timeout 100", ExpectationFailed)
    assert 'the page shows "Hello"' in reply.message


async def test_links_in_closed_roots_are_listed(run: Run, show: Show) -> None:
    await show("<div><template shadowrootmode=closed><a href=https://a.test/>Go</a></template></div>")
    assert await run("links") == "Go → https://a.test/"


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
