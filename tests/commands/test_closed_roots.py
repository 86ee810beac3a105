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


@each(["text '#h'", "text --markdown", "expect text Hello", "expect text /Hello/", "wait --text Hello"])
async def test_every_read_of_words_sees_it(read: str, run: Run, show: Show) -> None:
    await show(HOSTS["a plain element"])
    assert "Hello" in await run(f"{read} --timeout 3000" if "wait" in read or "expect" in read else read)


async def test_links_in_closed_roots_are_listed(run: Run, show: Show) -> None:
    await show("<div><template shadowrootmode=closed><a href=https://a.test/>Go</a></template></div>")
    assert await run("links") == "Go → https://a.test/"


async def test_expect_not_text_fails_for_text_in_a_closed_root(fails: Fails, show: Show) -> None:
    await show(HOSTS["a plain element"])
    reply = await fails("expect --not text Hello --timeout 100", ExpectationFailed)
    assert 'the page shows "Hello"' in reply.message


async def test_a_root_that_comes_after_the_first_read_is_seen(run: Run, show: Show) -> None:
    await show(f"<x-y id=x></x-y><div id=d></div>Here<script>{SHUT}</script>")
    assert await run("text") == "Here"
    await run("js \"shut(x, '<p>One'); shut(d, '<p>Two')\"")
    assert (await run("text")).split() == ["One", "Two", "Here"]


async def test_an_element_is_asked_about_again_once_it_is_defined(run: Run, show: Show) -> None:
    await show(f"<x-y><b>Child</b></x-y><script>{SHUT}</script>")
    assert await run("text") == "Child"
    await run(
        "js \"customElements.define('x-y', class extends HTMLElement { constructor() { super(); shut(this, 'Hello') } })\""
    )
    assert await run("text") == "Hello"
