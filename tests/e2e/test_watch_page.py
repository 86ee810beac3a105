"""The watch page in a person's browser, and a trace that Playwright made of one."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.e2e.daemon.harness import PAGES, DaemonHarness, Site, until
from tests.e2e.visitor import visiting
from tests.faults import fault

COLOUR = """() => {
    const canvas = document.querySelector('canvas');
    return [...canvas.getContext('2d').getImageData(600, 500, 1, 1).data.slice(0, 3)].map(Math.round).join();
}"""
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def visitor() -> Iterator[BrowserContext]:
    with visiting() as context:
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
    expect(page.locator("#commands .facts", has_text="waits for you")).to_have_count(1)
    expect(page.get_by_label("Tab").locator("option:checked")).to_have_text("tab 1, yours")
    click_in_picture(page, x + width / 2, y + height / 2)
    page.keyboard.type("Ann")
    page.keyboard.press("Backspace")
    page.keyboard.type("a")
    page.get_by_role("button", name="Give back").click()
    assert wire.line()["text"] == "Ana"
    wire.close()
    expect(page.get_by_role("button", name="Take over")).to_be_visible()
    expect(page.get_by_label("Tab").locator("option:checked")).to_have_text("where commands run")
    expect(page.locator("#commands .facts", has_text="waits for you")).to_have_count(0)
    page.get_by_role("button", name="Take over").hover()
    colours = "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor, getComputedStyle(document.body).backgroundColor]"
    ink, ground, body = page.get_by_role("button", name="Take over").evaluate(colours)
    page.mouse.move(0, 0)
    assert page.get_by_role("button", name="Take over").evaluate(colours) == [ink, ground, body]
    lasting.ask("newtab", site("/two"))
    expect(page.locator("#url")).to_have_text(f"2  {site('/two')}")
    page.get_by_label("Tab").select_option("1")
    expect(page.locator("#url")).to_have_text(f"1  {site('/form')}")
    page.reload()
    expect(page.locator("#url")).to_have_text(f"1  {site('/form')}")
    expect(page.locator("#commands code", has_text="newtab")).to_be_visible()
    lasting.must("stop")
    expect(page.get_by_role("status")).to_have_text(
        "gbrowse has ended: the daemon was stopped. gbrowse watch starts it again."
    )
    page.close()


@fault(
    "Kills",
    "the daemon is restarted, or killed, while a person watches it",
    "the page says what happened and how to go on, and shows its last picture as an old one; 'watch' prints another address",
)
def test_page_says_that_its_daemon_was_restarted_or_killed(
    home: DaemonHarness, site: Site, visitor: BrowserContext
) -> None:
    home.must("goto", site("/form"))
    page = open_watch(home, visitor, "--control")
    expect(page.locator("#url")).to_have_text(f"1  {site('/form')}")
    assert home.run("restart").returncode == 0
    expect(page.get_by_role("status")).to_have_text(
        "gbrowse was restarted or updated, and its tabs are open again. gbrowse watch prints a new address."
    )
    expect(page.get_by_role("button", name="Take over")).to_be_hidden()
    expect(page.locator("canvas")).to_have_css("opacity", "0.4")
    page.close()
    page = open_watch(home, visitor)
    expect(page.locator("#url")).to_have_text(f"1  {site('/form')}")
    home.kill_daemon()
    expect(page.get_by_role("status")).to_contain_text("run gbrowse watch for a new address", timeout=20_000)
    expect(page.locator("canvas")).to_have_css("opacity", "0.4")
    page.close()


def test_trace_that_playwright_made_is_read(
    lasting: DaemonHarness, site: Site, visitor: BrowserContext
) -> None:
    visitor.tracing.start(screenshots=True, snapshots=True)
    page = visitor.new_page()
    page.goto(site("/form"))
    page.get_by_label("Name").fill("not shown")
    page.evaluate("console.warn('careful'); document.title = 'Filled'")
    with pytest.raises(PlaywrightTimeout):
        page.click("#nothing", timeout=1)
    with visitor.tracing.group("The end"):
        page.goto(site("/two"))
    visitor.tracing.stop(path=lasting.workspace / "made.zip")
    page.close()
    lines = lasting.must("trace", "made.zip").splitlines()
    assert re.match(r"Trace: made by Playwright 1\.\d+\.\d+, chromium, \d+ actions in ", lines[0])
    titles = [re.sub(r"^ *\d+  \S+  [0-9.]+ m?s *", "", line) for line in lines[1:]]
    assert f"Frame.goto {site('/form')}" in titles
    assert any(title.startswith("failed: Timeout 1ms exceeded") for title in map(str.strip, titles))
    assert titles[-2:] == ["The end", f"Frame.goto {site('/two')}"]
    assert "not shown" not in "".join(lines)
    number = 1 + next(place for place, title in enumerate(titles) if "Frame.fill" in title)
    assert "Country" in lasting.must("trace", "made.zip", "snapshot", str(number), "--picture", "made.jpg")
    assert (lasting.workspace / "made.jpg").stat().st_size > 1000
    assert "warning: careful" in lasting.must("trace", "made.zip", "console")
    assert f"GET  200  text/html  {len(PAGES['/two'])} B" in lasting.must("trace", "made.zip", "requests")
