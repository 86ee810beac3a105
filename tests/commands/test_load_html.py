from pathlib import Path

import pytest

from gstack_browse.browser.network.loaded_documents import LoadedHtml
from gstack_browse.browser.transfer import capture
from gstack_browse.errors import FileFailed, NavigationFailed, Refused, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = """<!doctype html><title>Loaded</title><link rel=stylesheet href=look.css><h1>Héllo</h1>
<form><input name=q><button>Go</button></form><iframe src=inner.html></iframe><script src=run.js></script>"""
SEEN = "[getComputedStyle(document.querySelector('h1')).color, window.ran, document.contentType, self.origin].join()"
WHOLE = "rgb(1, 2, 3),1,text/html,null"


@pytest.fixture
def folder(shell: Shell, tmp_path: Path) -> Path:
    """A folder of the workspace, in which commands are typed."""
    folder = shell.workspace / tmp_path.name
    folder.mkdir()
    (folder / "look.css").write_text("h1 { color: rgb(1, 2, 3) }")
    (folder / "run.js").write_text("window.ran = 1")
    (folder / "inner.html").write_text("<button onclick='this.textContent = 1'>Inner</button>")
    shell.cwd = folder
    return folder


@pytest.mark.same_disk
async def test_a_file_is_a_page_with_the_files_beside_it(run: Run, folder: Path) -> None:
    page = folder / "page.txt"
    page.write_text(PAGE)
    assert await run("load-html page.txt") == f"Loaded page.txt ({page.stat().st_size}B)"
    assert await run("url") == page.as_uri()
    assert await run("js", SEEN) == WHOLE
    inner = await ref_of(run, "Inner")
    await run(f"click {inner}")
    assert await run(f"text {inner}") == "1"
    page.write_text(PAGE.replace("Héllo", "Changed"))
    await run("reload")
    assert await run("text h1") == "Changed"
    await run("fill input x --submit")
    assert await run("url") == f"{page.as_uri()}?q=x"
    assert await run("text h1") == "Changed"
    await run("back")
    assert await run("js", SEEN) == WHOLE


@pytest.mark.same_disk
async def test_standard_input_is_a_page_of_the_directory(run: Run, folder: Path, show: Show) -> None:
    said = await run("load-html -", stdin=PAGE)
    where = f"→ addresses in it count from {folder}"
    assert said == f"Loaded standard input ({len(PAGE.encode())}B)\n{where}"
    first = await run("url")
    assert first == f"{folder.as_uri()}/.stdin-1.html"
    assert await run("js", SEEN) == WHOLE
    assert await run("load-html", stdin="<h1>Second</h1>") == f"Loaded standard input (15B)\n{where}"
    assert await run("url") == f"{folder.as_uri()}/.stdin-2.html"
    await show("<h1>Elsewhere</h1>")
    assert await run("back") == f"Back → {folder.as_uri()}/.stdin-2.html"
    await run("reload")
    assert await run("text") == "Second"
    await run("back")
    assert await run("js", SEEN) == WHOLE
    await run("newtab")
    await run("load-html -", stdin="<h1>Third</h1>", tab=1)
    assert await run("text", tab=1) == "Third"
    assert await run("url") == "about:blank"
    steps = '[["load-html", "page.html"], ["text", "h1"]]'
    (folder / "page.html").write_text(PAGE)
    assert (await run("chain", steps)).endswith("Héllo")


async def test_load_html_of_an_unusable_file_says_why(run: Run, fails: Fails, folder: Path) -> None:
    await run("load-html -", stdin="<p>before")
    (folder / "a.png").write_bytes(b"\x89PNG\r\n\0\0\0")
    (folder / "link.html").symlink_to("/etc/passwd")
    with (folder / "large.html").open("wb") as large:
        large.truncate(30_000_000)
    for word, error, message in (
        ("none.html", FileFailed, "Cannot read none.html: No such file or directory"),
        (".", FileFailed, "Cannot read .: not a regular file"),
        ("a.png", FileFailed, "a.png is no text"),
        ("large.html", FileFailed, "large.html is larger than 20 MB"),
        ("/etc/passwd", Refused, "/etc/passwd is outside the workspace and the temporary directory"),
        ("link.html", Refused, "link.html is outside the workspace and the temporary directory"),
    ):
        assert (await fails("load-html", error, word)).message == message
    for line in ("load-html", "load-html -"):  # the end of a pipe whose beginning has failed
        assert (await fails(line, UsageError, stdin="\n")).message == "Nothing was piped in"
    assert await run("text") == "before"


async def test_files_beside_are_judged(
    run: Run, fails: Fails, show: Show, folder: Path, tmp_path: Path
) -> None:
    """The file by the rule of `upload`, requests by that of `goto`. Its scripts and pages of the web read none."""
    outside = tmp_path / "report.html"
    outside.write_text("<h1>Mine</h1><img src=beside.png>")
    (tmp_path / "beside.png").write_text("secret")
    said = await run("load-html", str(outside))
    assert said.startswith("Loaded report.html (")
    assert f"→ refused: {tmp_path.as_uri()}/beside.png is outside the workspace" in said
    (folder / ".hidden.html").write_text("<h1>Hidden</h1>")
    await run("load-html .hidden.html")
    assert await run("text") == "Hidden"
    await fails("goto", Refused, outside.as_uri())
    frame = f"<iframe src='{outside.as_uri()}'></iframe>"
    assert "is outside the workspace" in await run("load-html -", stdin=frame)
    assert await run("js", "document.querySelector('iframe').contentDocument.body.textContent") == ""
    (folder / "gone.html").write_text("<p>there")
    await run("load-html gone.html")
    (folder / "gone.html").unlink()
    assert "ERR_FILE_NOT_FOUND" in (await fails("reload", NavigationFailed)).message
    read = "fetch('run.js').then(() => 'read', error => error.name).then(said => document.title = said)"
    await run("load-html -", stdin=f"<script>{read}</script>")
    await run("expect title TypeError")
    url = await run("url")
    await show(f"<a href='{url}'>Go</a><iframe src='{url}'></iframe>")
    await run("click a")
    assert await run("text") == "Go"


@pytest.mark.same_disk
async def test_loaded_html_is_carried_to_the_next_browser(run: Run, folder: Path, shell: Shell) -> None:
    await run("load-html -", stdin=PAGE)
    await run("load-html -", stdin="<p>no tab shows this soon")
    await run("back")
    url = await run("url")
    state = await capture.capture_state(shell.browser)
    assert state.loaded_html == [[url, PAGE]]
    carried = LoadedHtml()
    carried.restore(state.loaded_html)
    assert carried.register_text(folder, "<p>next") == f"{folder.as_uri()}/.stdin-{int(url[-6]) + 1}.html"
    await run("useragent Probe/1.0")  # takes the session to another context, as restart does to another browser
    assert await run("js", SEEN) == WHOLE
    saved = await run("state-save state.json")
    assert "0 tabs" in saved
    assert "→ 1 tab left out: what they show came from standard input" in saved


async def test_large_slow_and_other_kinds_of_pages(run: Run, folder: Path, web: Web) -> None:
    (folder / "large.html").write_text("<p id=end>end</p>" + f"<!--{'x' * 6_000_000}-->")
    assert (await run("load-html large.html")).startswith("Loaded large.html (6000024B)")
    assert await run("text '#end'") == "end"
    (folder / "latin.html").write_bytes("<meta charset=iso-8859-1><p>Grüße".encode("latin-1"))
    (folder / "wide.html").write_bytes("\ufeff<p>Grüße".encode("utf-16-le"))
    (folder / "drawn.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><text>Grüße</text></svg>")
    for name in ("latin.html", "wide.html", "drawn.svg"):
        await run(f"load-html {name}")
        assert "Grüße" in await run("text"), name
    assert await run("js document.contentType") == "image/svg+xml"
    slow = f"<p>there<script src='{web.url}/gate/never'></script><p>later"
    said = await run("load-html - --timeout 300", stdin=slow)
    assert "→ stopped before all of the page was read" in said
    assert await run("text") == "there"
