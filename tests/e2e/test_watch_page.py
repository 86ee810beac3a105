"""The watch page in a person's browser: what it shows, and a turn with mouse and keys."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.daemon.harness import DaemonHarness, Site, until
from tests.e2e.visitor import visiting

COLOUR = """() => {
    const canvas = document.querySelector('canvas');
    return [...canvas.getContext('2d').getImageData(600, 500, 1, 1).data.slice(0, 3)].map(Math.round).join();
}"""
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def visitor() -> Iterator[BrowserContext]:
    """The browser of a person, whose pages run no scripts but ours."""
    with visiting() as browser:
        context = browser.new_context(viewport={"width": 1400, "height": 800})
        context.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
        yield context


def open_watch(home: DaemonHarness, visitor: BrowserContext, *options: str) -> Page:
    found = re.match(r"Watch: (http://\S+)\n", home.ask("watch", *options))
    assert found
    page = visitor.new_page()
    page.goto(found[1])
    return page


def click_in_picture(page: Page, x: float, y: float) -> None:
    """Click where the watched page has this place, in CSS pixels."""
    box = page.locator("canvas").bounding_box()
    assert box
    page.mouse.click(box["x"] + x * box["width"] / 1280, box["y"] + y * box["height"] / 720)


def test_a_person_follows_takes_over_and_gives_back(
    lasting: DaemonHarness, site: Site, visitor: BrowserContext
) -> None:
    lasting.begin(site("/form"))
    page = open_watch(lasting, visitor, "--control")
    expect(page.locator("#url")).to_have_text(f"1  {site('/form')}")
    lasting.ask("js", "document.body.style.background = 'rgb(0, 0, 255)'; 1")
    page.wait_for_function(f"() => ({COLOUR})().split(',')[2] > 200")
    lasting.ask("text", HOSTILE)
    failed = page.locator("#commands .failed").first
    expect(failed.locator("code")).to_have_text(f"text '{HOSTILE}'")
    expect(failed.locator(".facts")).to_have_text(re.compile("exit [0-9]"))
    x, y, width, height = map(float, lasting.ask("box", "input[name=name]").split(","))
    page.get_by_role("button", name="Take over").click()
    expect(page.get_by_role("button", name="Give back")).to_be_visible()
    wire = lasting.connect()
    wire.send({"cmd": "value", "args": ["input[name=name]"], "reply": "json"})
    until(lambda: "1 more wait" in lasting.status())
    click_in_picture(page, x + width / 2, y + height / 2)
    page.keyboard.type("Ann")
    page.keyboard.press("Backspace")
    page.keyboard.type("a")
    page.get_by_role("button", name="Give back").click()
    assert wire.line()["text"] == "Ana"
    wire.close()
    expect(page.get_by_role("button", name="Take over")).to_be_visible()
    lasting.ask("newtab", site("/two"))
    expect(page.locator("#url")).to_have_text(f"2  {site('/two')}")
    page.get_by_label("Tab").select_option("1")
    expect(page.locator("#url")).to_have_text(f"1  {site('/form')}")
    page.reload()
    expect(page.locator("#url")).to_have_text(f"1  {site('/form')}")
    expect(page.locator("#commands code", has_text="newtab")).to_be_visible()
    lasting.must("stop")
    expect(page.get_by_role("status")).to_contain_text("gbrowse has ended")
    page.close()
