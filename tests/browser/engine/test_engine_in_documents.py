"""Test how the engine comes into documents.

Its source is most of what a small page costs, and is sent once for a page.
"""

import pytest

from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.engine.bundle import engine_source
from tests.browser.conftest import Opened, Show
from tests.commands.web import Web

FRAMED = "<p>Two</p><iframe srcdoc='<input type=password value=abc aria-label=In>'></iframe>"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests that are sent from now on and have the source of the engine in them."""
    found: list[str] = []
    send = Pipe.send

    def note(pipe: Pipe, session: Session, method: str, params: dict[str, object]) -> int:
        if len(str(params)) > len(engine_source()) / 2:
            found.append(method)
        return send(pipe, session, method, params)

    monkeypatch.setattr(Pipe, "send", note)
    return found


async def words_of(tab: Opened, *addresses: str) -> list[str]:
    """Open the addresses one after the other in one page, and return the text of each."""
    seen = []
    for address in addresses:
        await tab.page.goto(address)
        seen.append(" / ".join(line.strip() for line in await tab.lines()))
    return seen


async def test_its_source_is_sent_once_for_a_page(show: Show, site: Web, sent: list[str]) -> None:
    tab = await show("<p>One")
    one, two = site.show("<p>One"), site.show(FRAMED)
    elsewhere = two.replace(site.url, site.other)
    seen = await words_of(tab, one, two, elsewhere, elsewhere, one)
    assert [words.count('"In"') for words in seen] == [0, 1, 1, 1, 0]
    assert sent == ["Page.addScriptToEvaluateOnNewDocument"]


async def test_a_document_that_was_not_given_it_is_sent_it(show: Show, site: Web, sent: list[str]) -> None:
    tab = await show("<p>One")
    context = await tab.world.frames.main_context()
    context.target.is_given_engine = True
    assert len(await words_of(tab, site.show("<p>One"), site.show("<p>Two"))) == 2
    assert sent == ["Runtime.evaluate"] * 2


async def test_a_frame_of_its_name_is_not_taken_for_it(show: Show, site: Web) -> None:
    tab = await show("<p>One")
    inner = site.show("<p>In").replace(site.url, site.other)
    frames = "".join(
        f"<iframe name={name} src='{inner}'></iframe><iframe name={name}></iframe><object id={name}></object><form name={name}></form>"
        for name in ("__gbrowse", "__gbrowseEngine", "__gbrowseTable", "__gbrowseFrame")
    )
    framed = site.show(f"<button>Two</button>{frames}")
    assert "Two" in (await words_of(tab, site.show("<p>One"), framed))[1]
    context = await tab.world.frames.main_context()
    context.target.is_given_engine = True
    assert "Two" in (await words_of(tab, site.show("<p>One"), framed))[1], "where a document is not given it"
