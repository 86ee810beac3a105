"""Metadata services of clouds, which no page may reach: each way there, and what the reply says.

Chromium finds no such address, so nothing has to be there. For names that lead to one, this machine's own address stands in.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gstack_browse.errors import NavigationFailed, Refused
from gstack_browse.security.policy import metadata
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.faults import fault

pytestmark = pytest.mark.same_session

URL = "http://169.254.169.254/latest/meta-data/"
SERVICE = "is a cloud metadata service"
WAYS = {
    "link": f"<a href='{URL}'>Go</a>", "form": f"<form action='{URL}' method=post><button>Go</button></form>",
    "refresh": f"<button onclick=\"document.head.innerHTML += '<meta http-equiv=refresh content=0;url={URL}>'\">Go</button>",
    "redirection": f"<a href='/redirect?to={URL}'>Go</a>", "window": f"<a href='{URL}' target=_blank>Go</a>",
    "window.open": f"<button onclick=\"window.open('{URL}')\">Go</button>",
}  # fmt: skip
ROWS = "Files and hosts that pages must not reach"
PARTS = {
    "frame": f"<iframe src='{URL}'></iframe>", "redirected frame": f"<iframe src='/redirect?to={URL}'></iframe>",
    "script": f"<script src='{URL}'></script>", "image": f"<img src='{URL}'>", "style": f"<link rel=stylesheet href='{URL}'>",
    "fetch": f"<script>fetch('{URL}', {{mode: 'no-cors'}}).catch(() => 0)</script>",
    "fetch that is redirected": f"<script>fetch('/redirect?to={URL}', {{mode: 'no-cors'}}).catch(() => 0)</script>",
}  # fmt: skip


@fault(ROWS, "goto a cloud's metadata service, in 19 spellings", "refused (7)")
async def test_no_spelling_opens_one(fails: Fails) -> None:
    for host in (
        "169.254.169.254", "2852039166", "0xA9FEA9FE", "0xa9.0xfe.0xa9.0xfe", "0251.0376.0251.0376", "169.254.43518", "169.16689662",
        "[::ffff:169.254.169.254]", "[0:0:0:0:0:ffff:a9fe:a9fe]", "169.254.169.254.", "１６９。254.169.254", "metadata.google.internal",
        "[fd00:0ec2::254]", "169.254.170.2", "100.100.100.200", "192.0.0.192", "[64:ff9b::169.254.169.254]",
        "metadata.tencentyun.com", "[fd00:a9fe:a9fe::1]",
    ):  # fmt: skip
        reply = await fails("goto", Refused, f"http://{host}/")
        assert SERVICE in reply.message
        assert "BROWSE_ALLOW_METADATA=1" in reply.hint


@fault(ROWS, "a page leads there: links, forms, redirections, refresh, windows", "refused (7)")
async def test_no_way_leads_a_page_there(fails: Fails, show: Show) -> None:
    for way, body in WAYS.items():
        await show(body)
        assert SERVICE in (await fails("click 'a, button'", Refused)).message, way


@fault(
    ROWS,
    "frames, scripts, styles, pictures and fetches of such a service",
    "nothing comes, and the log says why",
)
async def test_parts_of_pages_are_refused_and_told(run: Run, show: Show) -> None:
    await show("".join(body.replace(URL, f"{URL}{at}") for at, body in enumerate(PARTS.values())))
    await run("wait --networkidle")
    failed = await run("network --failed")
    for at, part in enumerate(PARTS):
        assert f"{URL}{at} → failed: refused: it {SERVICE}" in failed, part


@fault(ROWS, "a worker or a web socket asks such a service", "nothing comes")
async def test_a_worker_and_a_socket_get_nowhere(run: Run, show: Show) -> None:
    await show("<p>mine")
    code = f"fetch('{URL}').then(() => postMessage('reached'), () => postMessage('failed'))"
    worker = f"new Promise(done => {{ new Worker(URL.createObjectURL(new Blob([`{code}`]))).onmessage = e => done(e.data) }})"
    assert await run("js", worker) == "failed"
    socket = "new Promise(done => { new WebSocket('ws://169.254.169.254/').onclose = e => done(e.wasClean) })"
    assert await run("js", socket) == "false"


@pytest.fixture
def stand_in(web: Web, monkeypatch: pytest.MonkeyPatch) -> str:
    """A name of what stands in for the service: this machine, under an address that the rules do not know."""
    monkeypatch.setattr(metadata, "ADDRESSES", frozenset({"127.0.0.1"}))
    return web.script("role.js", "document.title = 'read'").replace("127.0.0.1", "imds.localhost")


@pytest.fixture
def attacker() -> Iterator[Web]:
    """A site at another address than the stand-in, whose pages lead there by a name."""
    server = Web("127.0.0.2")
    yield server
    server.close()


@fault(ROWS, "goto a name that leads there", "refused (7); the page is blanked")
async def test_a_name_that_leads_there_opens_nothing(run: Run, fails: Fails, stand_in: str) -> None:
    reply = await fails("goto", Refused, stand_in)
    assert reply.message == f"{stand_in} was answered by 127.0.0.1, a cloud metadata service"
    assert await run("url") == "about:blank"
    await fails("newtab", Refused, stand_in)


@fault(ROWS, "a page asks such a service under another name", "the command fails (7), and the page is blanked")
async def test_the_page_whose_part_came_from_there_is_blanked(
    run: Run, fails: Fails, stand_in: str, attacker: Web
) -> None:
    for body in (
        f"<iframe src='{stand_in}'></iframe>", f"<script>fetch('{stand_in}', {{mode: 'no-cors'}})</script>",
        f"<script>location = '{stand_in}'</script>",
    ):  # fmt: skip
        reply = await fails("goto", Refused, attacker.show(body))
        assert f"{stand_in} was answered by 127.0.0.1" in reply.message, body
        assert (await run("url"), await run("text")) == ("about:blank", ""), body


@pytest.mark.own_browser
async def test_allowed_metadata_service_is_reached(
    shell: Shell, run: Run, fails: Fails, stand_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = shell.browser.running
    params = replace(running.params, settings=replace(running.params.settings, allows_metadata=True))
    monkeypatch.setattr(running, "params", params)
    assert "Navigated" in await run("goto", stand_in)
    await fails("goto http://169.254.169.254/", NavigationFailed)
