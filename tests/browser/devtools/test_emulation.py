"""Test that what a browser context emulates holds in each kind of target before its first script."""

from tests.browser.devtools.conftest import Chromium, evaluate

AGENT = "Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36"
OPTIONS = {
    "user_agent": AGENT,
    "locale": "de-DE",
    "timezone_id": "Asia/Tokyo",
    "viewport": {"width": 412, "height": 839},
    "color_scheme": "dark",
    "reduced_motion": "reduce",
    "contrast": "more",
    "device_scale_factor": 2.5,
    "is_mobile": True,
    "has_touch": True,
}
IN_ALL = "[navigator.userAgent, navigator.language, new Date(0).getHours(), (1234.5).toLocaleString()]"
IN_DOCUMENTS = (
    "['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)', '(prefers-contrast: more)']"
    ".map((query) => matchMedia(query).matches).concat('ontouchstart' in window)"
)
SCRIPT = f"first = {IN_ALL}"
PAGE = f"<!doctype html><meta name=viewport content=width=device-width><script>{SCRIPT}; media = {IN_DOCUMENTS}</script>"
HOST, OTHER = "https://shop.example", "https://news.example"


async def test_options_hold_in_page_frame_and_worker_before_their_scripts(chromium: Chromium) -> None:
    page_of_parts = f"{PAGE}<iframe src={OTHER}/></iframe><script>new Worker('w.js')</script>"
    chromium.pages[f"{HOST}/"] = "text/html", page_of_parts
    chromium.pages[f"{OTHER}/"] = "text/html", PAGE
    chromium.pages[f"{HOST}/w.js"] = "text/javascript", SCRIPT
    context = await chromium.browser.new_context(**OPTIONS)
    opened = await context.new_page()  # refuses what Chromium refuses
    page = opened.target.session
    await page.send("Page.navigate", {"url": f"{HOST}/"})
    sessions = {"page": page}
    while not {"iframe", "worker"} <= sessions.keys():
        await page.send("Runtime.evaluate", {"expression": "0"})
        targets = [target for target in chromium.browser.connection.targets if target.page == opened.target.id]
        sessions |= {target.kind: target.session for target in targets}
    loaded = (
        "new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))"
    )
    for session in (page, sessions["iframe"]):
        await evaluate(session, loaded)
        assert await evaluate(session, "first") == [AGENT, "de-DE", 9, "1.234,5"]
        assert await evaluate(session, "media") == [True, True, True, True]
        hints = "navigator.userAgentData.getHighEntropyValues(['platformVersion']).then((it) => [it.platform, it.platformVersion, it.mobile])"
        assert await evaluate(session, hints) == ["Android", "14", True]
    assert await evaluate(sessions["worker"], IN_ALL) == [AGENT, "de-DE", 9, "1.234,5"]
    size = "[innerWidth, innerHeight, devicePixelRatio, screen.orientation.type].join()"
    assert await evaluate(page, size) == "412,839,2.5,portrait-primary"
    await context.close()
