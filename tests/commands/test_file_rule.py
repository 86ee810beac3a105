"""Files that pages must not reach: every way there, in every kind of frame, and what the reply says."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gstack_browse.browser.command import page_settling
from gstack_browse.errors import NavigationFailed, Refused
from tests.commands.conftest import Fails, Run, Shell, until
from tests.commands.web import Web
from tests.faults import Seen, Test, fault

pytestmark = pytest.mark.same_session
SECRET = "what nobody may see"
OUTSIDE = "is outside the workspace"


def must_not_reach(done: str, promised: str) -> Callable[[Test], Test]:
    """Mark a test whose browser has files of ours."""
    return lambda test: pytest.mark.same_disk(
        fault("Files and hosts that pages must not reach", done, promised)(test)
    )


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside of the workspace."""
    path = tmp_path / "secret.html"
    path.write_text(f"<title>{SECRET}</title><p>{SECRET}")
    return path


@pytest.fixture
def page(shell: Shell, tmp_path: Path) -> Path:
    """A page of the workspace, in which `body` is to be written."""
    folder = shell.workspace / tmp_path.name
    folder.mkdir()
    return folder / "page.html"


def _write(page: Path, body: str) -> None:
    page.write_text(f"<!doctype html><title>Page</title><p>mine</p>{body}")


async def _opened(run: Run, page: Path, body: str) -> str:
    _write(page, body)
    return await run("goto", page.as_uri())


async def _is_unseen(run: Run, page: Path) -> None:
    """The tab is where it was, and nothing of the file is in it, nor anywhere else."""
    assert await run("url") == page.as_uri()
    assert SECRET not in await run("snapshot") + await run("text") + await run("tabs")


TOP = (
    "<a href='{url}'>Go</a>",
    "<a href='{url}' target=_blank>Go</a>",
    "<a href='{url}' target=other>Go</a>",
    "<a href='{url}' download>Go</a>",
    "<form action='{url}'><button>Go</button></form>",
    "<form action='{url}' target=_blank><button>Go</button></form>",
    "<button onclick=\"location = '{url}'\">Go</button>",
    "<button onclick=\"location.replace('{url}')\">Go</button>",
    "<button onclick=\"window.open('{url}')\">Go</button>",
    "<button onclick=\"window.open('{url}', '', 'noopener')\">Go</button>",
    "<button onclick=\"w = window.open(''); w.location = '{url}'\">Go</button>",
    "<button onclick=\"document.head.innerHTML += '<meta http-equiv=refresh content=0;url={url}>'\">Go</button>",
)
"""Ways to another address."""
WAYS = "".join(f"<div id=way{number}>{way}</div>" for number, way in enumerate(TOP))

WHILE_LOADING = (
    "location = '{url}'",
    "location.replace('{url}')",
    "document.querySelector('form').submit()",
    "document.open(); document.write('<p>mine'); location = '{url}'",
    "addEventListener('load', () => location = '{url}')",
)


@must_not_reach(
    "a page leads to a file outside of the workspace while it is still loading",
    "its `goto` is refused (7) at once; the tab has the page that asked",
)
async def test_no_way_leads_there_at_load(run: Run, fails: Fails, page: Path, secret: Path, seen: Seen) -> None:
    form = "<form action='{url}'></form>"
    begun = time.monotonic()
    for way in WHILE_LOADING:
        _write(page, f"{form}<script>{way}</script>".format(url=secret.as_uri()))
        failure = await fails(f"goto {page.as_uri()}", Refused)
        assert failure.message.replace("?", "") == f"{secret.as_uri()} {OUTSIDE}", way
        await _is_unseen(run, page)
    seen(f"{len(WHILE_LOADING)} ways in {time.monotonic() - begun:.1f} s")


@must_not_reach(
    "a page leads to a file outside of the workspace: links, windows, downloads, forms, location, refresh",
    "refused (7); the tab stays where it was, and nothing of the file is ever in a page",
)
async def test_no_way_leads_a_page_to_a_file_outside(run: Run, fails: Fails, page: Path, secret: Path) -> None:
    await _opened(run, page, WAYS.format(url=secret.as_uri()))
    for number, way in enumerate(TOP):
        reply = await fails(f"click '#way{number} :is(a, button)'", Refused)
        assert reply.message.replace("?", "") == f"{secret.as_uri()} {OUTSIDE}", way
    await _is_unseen(run, page)


@pytest.mark.same_disk
async def test_sent_scripts_have_no_way_either(
    run: Run, fails: Fails, page: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal is told that comes in time; on a busy machine a window may come later."""
    monkeypatch.setattr(page_settling, "QUIET_SECONDS", 30.0)
    await _opened(run, page, "")
    for way in ("location = '{}'", "window.open('{}')", "location.assign('{}?a=b')"):
        await fails("js", Refused, way.format(secret.as_uri()))
    await _is_unseen(run, page)


@must_not_reach(
    "a page has frames, objects and scripts from outside of the workspace",
    "they stay empty; the reply says so",
)
async def test_frames_and_parts_of_pages_are_refused_and_told(run: Run, page: Path, secret: Path) -> None:
    body = "<iframe src='{0}'></iframe><object data='{0}?2'></object><embed src='{0}?3'><script src='{0}?4'></script>"
    said = await _opened(run, page, body.format(secret.as_uri()))
    assert said.count(f"→ refused: {secret.as_uri()}") == 3
    assert "→ refused: 1 more, see 'network --failed'" in said
    await _is_unseen(run, page)
    assert (await run("network --failed")).count(f"failed: refused: it {OUTSIDE}") == 4
    assert SECRET not in await run(
        "js", "document.querySelector('iframe').contentDocument?.body.innerText ?? ''"
    )


@must_not_reach(
    "the same in frames of frames, of the same and of other sites",
    "they stay empty",
)
async def test_frames_of_frames_and_sites_are_refused(run: Run, page: Path, secret: Path, web: Web) -> None:
    (page.parent / "inner.html").write_text(f"<p>inner<iframe src='{secret.as_uri()}'></iframe>")
    other = web.show(f"<p>other<iframe src='{secret.as_uri()}'></iframe><a href='{secret.as_uri()}'>Go</a>")
    said = await _opened(run, page, f"<iframe src=inner.html></iframe><iframe src='{other}'></iframe>")
    assert f"→ refused: {secret.as_uri()} {OUTSIDE}" in said
    tree = await run("snapshot")
    assert "inner" in tree
    assert "other" in tree
    assert SECRET not in tree


@must_not_reach(
    "a worker, a style or a picture is to be such a file",
    "refused, and in the log",
)
async def test_workers_and_styles_get_no_file_outside(run: Run, page: Path, secret: Path) -> None:
    code = f"importScripts('{secret.as_uri()}'); postMessage('read')"
    body = f"""<style>@import '{secret.as_uri()}?style'; p {{ background: url('{secret.as_uri()}?image') }}</style><script>
        const worker = new Worker(URL.createObjectURL(new Blob(["try {{ {code} }} catch {{ postMessage('refused') }}"])));
        worker.onmessage = (event) => {{ document.title = event.data }}</script>"""
    await _opened(run, page, body)
    await run("expect title refused")
    failed = await run("network --failed")
    for part in ("style", "image"):
        assert f"{secret.as_uri()}?{part}" in failed


@must_not_reach(
    "links, hard links, hidden files and the daemon's own files, asked for by a page and by goto",
    "refused (7)",
)
async def test_other_names_are_refused(run: Run, fails: Fails, shell: Shell, page: Path, secret: Path) -> None:
    (page.parent / "link.html").symlink_to(secret)
    (page.parent / "up").symlink_to(secret.parent)
    os.link(secret, page.parent / "hard.html")
    (page.parent / ".env.html").write_text(SECRET)
    names = ["link.html", "up/secret.html", "hard.html", ".env.html", f"{shell.workspace}/.gstack/browse.json"]
    parts = [f"<iframe src='{name}'></iframe><a id=a{at} href='{name}'>Go</a>" for at, name in enumerate(names)]
    await _opened(run, page, "".join(parts))
    assert (await run("network --failed")).count("failed: refused: ") == len(names)
    for at, name in enumerate(names):
        await fails(f"click '#a{at}'", Refused)
        await fails("goto", Refused, (page.parent / name).as_uri())
    await _is_unseen(run, page)


@pytest.mark.same_disk
async def test_late_refusal_is_told_afterwards(
    run: Run, shell: Shell, web: Web, page: Path, secret: Path
) -> None:
    gate = web.gate("leaves")
    await _opened(run, page, "")
    code = f"fetch('{web.url}/gate/leaves', {{mode: 'no-cors'}}).then(() => location = '{secret.as_uri()}'); 0"
    await run("js", code)
    gate.set()
    await until(lambda: any(entry.is_refused for entry in shell.service.default_context.logs.network))
    assert await run("text") == "mine"
    assert shell.replies[-1].notes == [f"refused: {secret.as_uri()} {OUTSIDE}"]
    await run("text")
    assert shell.replies[-1].notes == []


@fault(
    "Files and hosts that pages must not reach",
    "a page of the web leads to a file",
    "Chromium lets it reach none",
)
async def test_pages_of_the_web_reach_none(run: Run, fails: Fails, web: Web, secret: Path, page: Path) -> None:
    """Chromium's own rule, on which it rests that nothing is judged before the first file."""
    _write(page, SECRET)
    url = web.show(f"{WAYS.format(url=page.as_uri())}<iframe src='{secret.as_uri()}'></iframe>")
    await run("goto", url)
    for number in range(0, len(TOP), 3):
        await run(f"click '#way{number} :is(a, button)'")
        assert await run("url") == url
    tabs = await run("tabs")
    assert "file:" not in tabs
    assert SECRET not in await run("snapshot") + tabs
    await fails(f"goto {web.url}/redirect?to={page.as_uri()}", NavigationFailed)


@pytest.mark.same_disk
async def test_rule_holds_in_other_contexts_and_tabs(run: Run, fails: Fails, page: Path, secret: Path) -> None:
    await _opened(run, page, f"<a href='{secret.as_uri()}'>Go</a>")
    await run("useragent Something/1.0")
    await fails("click a", Refused)
    await run("newtab", page.as_uri())
    await fails("click a", Refused)
    await fails("newtab", Refused, secret.as_uri())
    reply = await fails("chain", Refused, '[["click", "a"], ["text"]]')
    assert SECRET not in reply.text
