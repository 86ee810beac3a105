"""Test `BROWSE_ALLOW` and `BROWSE_ALLOW_RESOURCES` in a real daemon.

They say which hosts pages may be from, and may ask.

Every name below `localhost` is this machine. Pages may be of `app.localhost` and of what lies below `corp.localhost`; parts of
pages of `cdn.localhost` as well; `evil.localhost` is neither.
"""

import pytest

from tests.commands.web import Web
from tests.e2e.daemon.harness import DaemonHarness, until
from tests.faults import fault

PAGES, RESOURCES = "app.localhost,*.corp.localhost", "cdn.localhost"
NO_PAGE = f"is not allowed by BROWSE_ALLOW={PAGES}"
NO_PART = f"is not allowed by BROWSE_ALLOW_RESOURCES={RESOURCES}"
GROUP = "Files and hosts that pages must not reach"


@pytest.fixture
def home(lasting: DaemonHarness, web: Web) -> DaemonHarness:
    lasting.env |= {"BROWSE_ALLOW": PAGES, "BROWSE_ALLOW_RESOURCES": RESOURCES}
    return lasting


def at(host: str, web: Web, path: str = "/plain.html") -> str:
    return f"http://{host}.localhost:{web.port}{path}"


def show(home: DaemonHarness, web: Web, markup: str) -> str:
    """Go to a page of the allowed host with that markup. Returns what was said."""
    return home.must("goto", web.show(markup).replace("127.0.0.1", "app.localhost"))


def _ahead(evil: str) -> str:
    """A page that has Chromium fetch another one ahead, before anybody goes there."""
    rule = f'[{{"urls": ["{evil}"], "eagerness": "immediate"}}]'
    return f"<script type=speculationrules>{{\"prefetch\": {rule}}}</script><a href='{evil}'>Go</a>"


def test_a_page_is_not_fetched_ahead(home: DaemonHarness, web: Web) -> None:
    """The first test of all: a full Chromium fetches nothing ahead with what others have left."""
    evil = at("evil", web)
    said = show(home, web, _ahead(evil))
    until(lambda: evil in home.ask("network"))  # Chromium fetches ahead when it has time
    assert f"refused: {evil} {NO_PART}" in said + home.run("url").stderr  # a note, if it came later
    assert NO_PAGE in home.fails(7, "click", "a")


def test_pages_are_of_the_hosts_that_are_allowed(home: DaemonHarness, web: Web) -> None:
    for host in ("app", "a.corp", "b.a.corp"):
        assert "(200)" in home.must("goto", at(host, web))
    for url in (at("evil", web), web.url, at("corp", web), "https://example.com", at("cdn", web)):
        assert NO_PAGE in home.fails(7, "goto", url)
    assert home.must("url") == at("b.a.corp", web)
    assert f"Allowed: BROWSE_ALLOW={PAGES}, BROWSE_ALLOW_RESOURCES={RESOURCES}" in home.must("status")
    before = home.must("tabs")
    assert NO_PAGE in home.fails(7, "newtab", at("evil", web))
    assert home.must("tabs") == before


@fault(
    GROUP, "a page leads to a host that BROWSE_ALLOW does not name, in ten ways", "refused (7), naming the rule"
)
def test_no_way_leads_a_page_elsewhere(home: DaemonHarness, web: Web) -> None:
    evil = at("evil", web)
    ways = [
        f"<a href='{evil}'>Go</a>", f"<a href='{evil}' target=_blank>Go</a>", f"<a href='{evil}' download>Go</a>", f"<a href='/redirect?to={evil}'>Go</a>",
        f"<form action='{evil}' method=post><button>Go</button></form>", f"<button onclick=\"location = '{evil}'\">Go</button>",
        f"<button onclick=\"window.open('{evil}')\">Go</button>", f"<button onclick=\"w = window.open('about:blank'); w.location = '{evil}'\">Go</button>",
        f"<button onclick=\"window.open('{evil}', '', 'noopener')\">Go</button>",
        f"<button onclick=\"document.head.innerHTML += '<meta http-equiv=refresh content=0;url={evil}>'\">Go</button>",
    ]  # fmt: skip
    show(home, web, "".join(f"<div id=way{number}>{body}</div>" for number, body in enumerate(ways)))
    here = home.must("url")
    for number in range(len(ways)):
        said = home.fails(7, "click", f"#way{number} :is(a, button)")
        assert f"evil.localhost:{web.port}/plain.html" in said
        assert NO_PAGE in said
    assert home.must("url") == here
    assert "evil" not in home.must("tabs")


@fault(
    GROUP,
    "a page asks a host that BROWSE_ALLOW_RESOURCES does not name: frames, scripts, workers, sockets",
    "nothing is asked; the log says why",
)
def test_parts_of_pages_are_of_allowed_hosts(home: DaemonHarness, web: Web) -> None:
    evil, good = at("evil", web), at("cdn", web)
    parts = f"<p>mine<iframe src='{evil}?frame'></iframe><script src='{evil}?script'></script><iframe src='{good}'></iframe>"
    assert f"→ refused: {evil}?frame {NO_PART}" in show(home, web, parts)
    worker = f"new Promise(done => {{ new Worker(URL.createObjectURL(new Blob([`fetch('{evil}?worker', {{mode: 'no-cors'}}).then(() => postMessage('reached'), () => postMessage('failed'))`]))).onmessage = e => done(e.data) }})"
    assert home.run("js", worker).stdout == "failed\n"
    fetched = home.must("js", f"fetch('{good}', {{mode: 'no-cors'}}).then(() => 'reached', () => 'failed')")
    assert fetched == "reached"
    socket = f"new Promise(done => {{ new WebSocket('{evil.replace('http', 'ws')}').onclose = () => done('closed') }})"
    assert home.run("js", socket).stdout == "closed\n"
    log = home.must("network", "--failed")
    for url in (f"{evil}?frame", f"{evil}?script", f"{evil}?worker", evil.replace("http", "ws")):
        assert f"{url} → failed: refused: it {NO_PART}" in log
    assert log.count("refused: it") == 4


@fault(GROUP, "the same after a restart and in another browser context", "refused (7)")
def test_the_rules_outlive_a_restart(home: DaemonHarness, web: Web) -> None:
    show(home, web, f"<a href='{at('evil', web)}'>Go</a>")
    home.must("restart")
    assert NO_PAGE in home.fails(7, "click", "a")
    home.must("useragent", "Something/1.0")
    assert NO_PAGE in home.fails(7, "click", "a")


@fault(GROUP, "a page that Chromium fetched ahead, past the judge, is opened", "refused (7), and blanked")
def test_a_page_that_was_fetched_ahead_is_blanked(home: DaemonHarness, web: Web) -> None:
    home.must("stop")
    home.env["BROWSE_ALLOW_RESOURCES"] = ""
    show(home, web, _ahead(at("evil", web)))
    until(lambda: "plain.html → 200" in home.ask("network"))
    assert NO_PAGE in home.fails(7, "click", "a")
    assert home.must("url") == "about:blank"
    home.must("stop")  # the other tests have other rules
