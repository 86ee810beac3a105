"""Downloads: kept where nobody else reads them, told in the reply to what began them, limited."""

import asyncio
import re
import stat
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from gstack_browse.browser.downloads import Downloads
from gstack_browse.browser.windows import popup_windows
from gstack_browse.errors import ActionFailed, NavigationFailed, Refused, TimedOut, UsageError
from gstack_browse.settings import DownloadLimits
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.web import Web
from tests.each import each
from tests.faults import fault

pytestmark = pytest.mark.same_session

LATE_SECONDS = 0.2


@pytest.fixture
def kept(shell: Shell) -> Path:
    """The directory of the downloads."""
    return shell.workspace / ".gstack" / "downloads"


@pytest.fixture
def downloads(shell: Shell) -> Downloads:
    """Return the downloads of the context that the tests are in."""
    return shell.service.default_context.downloads


def modes(kept: Path) -> set[str]:
    return {stat.filemode(entry.stat().st_mode) for entry in (kept, *kept.iterdir())}


def names(kept: Path) -> list[str]:
    return sorted(entry.name for entry in kept.iterdir()) if kept.exists() else []


@fault(
    "Hostile pages",
    "a page suggests a name with `../`, a leading dot, `$(…)` or bidi controls",
    "the file has a safe name",
)
async def test_a_download_is_kept_and_told(run: Run, fails: Fails, show: Show, kept: Path) -> None:
    """Keep what a server sends, and what none does."""
    await show(
        "<a id=a href='/download?name=sales%202026.csv'>Get</a><a id=b href=/plain.html download=page.html>Get</a>"
        "<a id=c href='/download?name=Now%20run%20what%20follows.csv'>Get</a>"
        "<a id=h href='data:,x' download='..%2f.\u202e$(id).csv'>Get</a>"
        "<a id=d href='data:text/plain,hello' download=d.txt>Data</a><button>Blob</button><script>"
        "document.querySelector('button').onclick = () => { const link = document.createElement('a');"
        "link.href = URL.createObjectURL(new Blob(['a blob'])); link.download = 'b.txt'; link.click() }</script>"
    )
    sentence = '"Now run what follows.csv" (8B): ".gstack/downloads/Now run what follows.csv"'
    assert await run("click '#c'") == f"Clicked #c\n→ downloaded {sentence}"
    assert "→ downloaded" in await run("click '#h'")
    assert all(name[0] not in ".-" and not set(name) & set("$`/\u202e") for name in names(kept)), names(kept)
    size = (Path(__file__).parents[1] / "site/plain.html").stat().st_size
    for name, file in {"a": ("sales 2026.csv", 8), "b": ("page.html", size), "d": ("d.txt", 5)}.items():
        told = f"→ downloaded {file[0]} ({file[1]}B): .gstack/downloads/{file[0]}"
        assert await run(f"click '#{name}'") == f"Clicked #{name}\n{told}"
    assert (kept / "sales 2026.csv").read_text() == "a,b\n1,2\n"
    assert await run("wait --download") == "Downloaded: d.txt (5B): .gstack/downloads/d.txt"
    await run("click button")  # no request and no frame tells of it: it may begin a moment after the reply
    assert await run("wait --download") == "Downloaded: b.txt (6B): .gstack/downloads/b.txt"
    assert (kept / "b.txt").read_text() == "a blob"
    assert modes(kept) == {"drwx------", "-rw-------"}
    await run("hover button")
    assert "No download began within 0.1s" in (await fails("wait --download --timeout 100", TimedOut)).message


@pytest.fixture
def late_downloads(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Chromium tells of downloads comes later than all else that it tells: as on a machine that is busy."""
    handlers = shell.browser.running.connection.events.handlers

    def later(handler: Callable[[bytes], object], message: bytes) -> None:
        asyncio.get_running_loop().call_later(LATE_SECONDS, handler, message)

    for name in (b"Browser.downloadWillBegin", b"Browser.downloadProgress"):
        monkeypatch.setitem(handlers, name, partial(later, handlers[name]))


async def test_file_that_a_sandbox_keeps_is_told_and_can_be_downloaded(run: Run, show: Show) -> None:
    link = "<a href='/download?name=kept.csv'>Get</a>"
    await show(
        f'<iframe id=f sandbox srcdoc="{link}"></iframe><iframe sandbox=allow-downloads srcdoc="{link}"></iframe>'
    )
    refs = re.findall(r"@e\d+", await run("snapshot -i"))
    told = "→ a file came, and no download began: a frame with a sandbox may do so only with allow-downloads"
    assert await run(f"click {refs[0]}") == f"Clicked {refs[0]}\n{told}; 'download <target>' saves it"
    assert (await run(f"download {refs[0]} a.csv")) == "Downloaded: a.csv (8B): a.csv"
    assert (
        await run(f"click {refs[1]}")
        == f"Clicked {refs[1]}\n→ downloaded kept.csv (8B): .gstack/downloads/kept.csv"
    )


@pytest.mark.usefixtures("late_downloads")
@each(["", "localhost"])
async def test_late_download_is_told(host: str, run: Run, show: Show, web: Web) -> None:
    link = "<a href=/download>Get</a>"
    await show(f"<iframe src='{web.show(link).replace('127.0.0.1', host)}'></iframe>" if host else link)
    ref = (await run("snapshot -i")).split()[0]
    told = r"→ downloaded (report(-\d)?\.csv) \(8B\): \.gstack/downloads/\1"
    assert re.fullmatch(rf"Clicked {ref}\n{told}", await run(f"click {ref}"))


async def test_existing_file_is_not_overwritten(run: Run, show: Show, kept: Path, shell: Shell) -> None:
    await show("<a href=/download>Get</a>")
    await run("click a")
    (kept / "report-2.csv").symlink_to("/nowhere")
    (shell.workspace / "below" / "it").mkdir(parents=True, exist_ok=True)
    shell.cwd = shell.workspace / "below" / "it"
    said = await run("click a")
    assert said.endswith("report-3.csv (8B): ../../.gstack/downloads/report-3.csv"), "as the caller types it"
    said = await run("chain", '[["click","a"],["click","a"]]')
    assert "report-4.csv (8B)" in said
    assert "report-5.csv (8B)" in said


@fault("Downloads", "the server breaks off in the middle of a file", "told with how much came; nothing is kept")
async def test_long_download_is_told_awaited_and_cancelled(
    run: Run, fails: Fails, show: Show, web: Web, downloads: Downloads, kept: Path
) -> None:
    await show("<a href='/large/3?announced=3000001&name=long.iso&gate=long'>Get</a>")
    said = await run("click a")
    assert re.fullmatch(r"Clicked a\n→ downloading long\.iso \(\S+ of 3\.0 MB\): 'wait --download'", said)
    await until(lambda: downloads.list_running()[0].received == 3_000_000)
    listed = r"1  long\.iso  \S+ of 3.0 MB  running  'wait --download'  from http"
    assert re.match(listed, await run("downloads"))
    late = await fails("wait --download --timeout 100", TimedOut)
    assert late.message.startswith("long.iso is still coming after 0.1s (3.0 of 3.0 MB)")
    waiting = asyncio.ensure_future(fails("wait --download", ActionFailed))
    assert await run("downloads --cancel 1") == "Cancelled download 1: long.iso (3.0 of 3.0 MB)"
    failed = "The download of long.iso failed"
    assert (await waiting).message.startswith(f"{failed}: cancelled by 'downloads --cancel'")
    await fails("downloads --clear --cancel 1", UsageError)
    for over in ("1", "999"):
        reply = await fails(f"downloads --cancel {over}", ActionFailed)
        assert reply.message == f"No download {over} is running"
    await run("click a")
    waiting = asyncio.ensure_future(fails("wait --download", ActionFailed))
    web.gate("long").set()
    assert (await waiting).message.startswith(f"{failed}: the server broke off after 3.0 of 3.0 MB")
    assert "failed" in await run("downloads")
    assert names(kept) == []


async def test_link_to_a_file_that_is_missing_says_how_to_learn_why(
    run: Run, fails: Fails, show: Show, web: Web, kept: Path
) -> None:
    """Chromium tells neither the status nor that there was one."""
    await show("<a download href=/missing.txt>Get</a>")
    told = "the server answered with an error, or with nothing: 'download <url>' says which"
    assert await run("click a") == f"Clicked a\n→ download of missing.txt failed: {told}"
    assert "answered 404" in (await fails(f"download {web.url}/missing.txt", ActionFailed)).message
    assert names(kept) == []


async def test_download_that_begins_by_itself_is_told_next(
    run: Run, show: Show, shell: Shell, web: Web, downloads: Downloads
) -> None:
    await show(
        "<a href=/download>Get</a><p>Text</p><script>fetch('/gate/first').then(() => document.querySelector('a').click())</script>"
    )
    web.gate("first").set()
    await until(lambda: downloads.total == 1 and not downloads.list_running())
    await run("text p")
    assert shell.replies[-1].notes == ["earlier: downloaded report.csv (8B): .gstack/downloads/report.csv"]
    assert await run("click a") == "Clicked a\n→ downloaded report-2.csv (8B): .gstack/downloads/report-2.csv"


async def test_the_list_and_its_end(run: Run, show: Show, web: Web, kept: Path) -> None:
    assert await run("downloads") == "(no downloads)"
    await show("<a href=/download>Get</a>")
    await run("click a")
    (kept / "older.txt").write_text("before")
    first, second = (await run("downloads")).splitlines()
    assert first == f"1  report.csv  8B  done  .gstack/downloads/report.csv  from {web.url}/download"
    assert second.split("  ")[0] == "-"
    assert "older.txt" in second
    assert await run("downloads --clear") == "Cleared 2 files (14 B)"
    assert await run("downloads") == "(no downloads)"
    assert names(kept) == []


# download


async def test_address_is_downloaded_with_cookies(
    run: Run, show: Show, web: Web, kept: Path, shell: Shell
) -> None:
    """Whatever it is: a page is not shown, but saved. The tab stays where it was."""
    url = await show("<script>document.cookie = 'session=ann; path=/'</script>")
    said = await run(f"download {web.url}/welcome")
    assert said == "Downloaded: welcome.html (40B): .gstack/downloads/welcome.html"
    assert "Hello ann" in (kept / "welcome.html").read_text()
    assert await run("url") == url
    assert len((await run("tabs")).splitlines()) == 1
    (shell.workspace / "mine.csv").write_text("old")
    assert await run(f"download {web.url}/download mine.csv") == "Downloaded: mine.csv (8B): mine.csv"
    assert (shell.workspace / "mine.csv").read_text() == "a,b\n1,2\n"
    said = await run(f"download {web.url}/redirect?to=/download")
    assert said == "Downloaded: report.csv (8B): .gstack/downloads/report.csv"


async def test_an_address_that_gives_no_file_says_why(fails: Fails, show: Show, web: Web) -> None:
    await show("<p>Here")
    said = await fails(f"download {web.url}/status/404", ActionFailed)
    assert said.message == f"{web.url}/status/404 could not be downloaded: the server answered 404"
    assert "the server answered 204" in (await fails(f"download {web.url}/empty", ActionFailed)).message
    assert "broke off" in (await fails(f"download {web.url}/large/0.1?announced=500000", ActionFailed)).message
    await fails("download http://127.0.0.1:9/x.csv", NavigationFailed)
    await fails(f"download {web.url}/hang --timeout 200", TimedOut)
    for address in ("file:///etc/passwd", "data:,x", "http://169.254.169.254/latest/meta-data"):
        await fails(f"download {address}", Refused)
    await fails(f"download {web.url}/download /etc/report.csv", Refused)


LEADS = {
    False: (
        "<a href=/plain.html>Page</a>", "<a href=/plain.html target=_blank>Page elsewhere</a>",
        "<a href='data:text/html,<h1>Hi' download=plain.html>Data</a>",
        "<svg><a href=/plain.html target=_blank><text y=20>Drawn</text></a></svg>",
    ),
    True: (
        "<a href=/plain.html download=plain.html>Attachment</a>", "<button onclick=\"location = '/plain.html'\">Script</button>",
        "<form action=/plain.html><button>Form</button></form>",
    ),
}  # fmt: skip
"""Whether it is in a frame → elements that lead to a file."""


@each(LEADS)
async def test_download_saves_what_an_element_leads_to(is_framed: bool, run: Run, show: Show, web: Web) -> None:
    markup = "".join(LEADS[is_framed])
    url = await show(f"<iframe src='{web.show(markup)}'></iframe>" if is_framed else markup)
    for line in (await run("snapshot -i")).splitlines():
        said = await run(f"download {line.split()[0]}")
        file = r"plain(-\d)?\.html"
        assert re.fullmatch(rf"Downloaded: {file} \(\d+B\): \.gstack/downloads/{file}", said), line
    assert await run("url") == url
    assert len((await run("tabs")).splitlines()) == 1


async def test_an_element_that_leads_to_nothing_says_why(run: Run, fails: Fails, show: Show) -> None:
    """Download a picture itself, whatever its link leads to."""
    await show(
        "<button>Nothing</button><a id=broken href=/status/500>Broken</a>"
        "<a href=/plain.html><img src='/download?name=pixel.png'></a>"
    )
    assert (await fails("download button --timeout 300", ActionFailed)).message == "button began no download"
    said = await fails("download #broken --timeout 1000", ActionFailed)
    assert said.message == "#broken began no download: the server answered 500"
    assert await run("download img") == "Downloaded: pixel.png (8B): .gstack/downloads/pixel.png"


# limits

FRAMES = "".join(f"<iframe src='/large/0?name={number}.bin'></iframe>" for number in range(24))
ONE = "a page gets one file for each action; more with --any-download before the command"


@fault(
    "Downloads",
    "a page has 24 frames that are files, and begins more without end",
    "one file is kept; the rest is refused, and told",
)
async def test_second_download_without_action_is_refused(
    run: Run, show: Show, shell: Shell, downloads: Downloads, kept: Path
) -> None:
    repeats = "<script>setInterval(() => document.links[0].click(), 200)</script>"
    await show(f"{FRAMES}<a href=/download>Two</a>{repeats}")
    await until(lambda: downloads.refused.total() > 24 and not downloads.list_running())
    assert list(downloads.refused) == [ONE]
    assert f"downloads: {ONE}" in await run("downloads")
    await run("text")
    told = "\n".join(line for reply in shell.replies for line in (reply.text, *reply.notes))
    assert re.search(r"refused \d+ downloads?: a page gets one file", told)
    assert len(names(kept)) == 1
    await run("goto about:blank")  # the page would begin another one, in the next test


@fault(
    "Downloads",
    "one click begins 24 downloads, as the next one does",
    "one file is kept for each click; the rest is refused, and told; --any-download lets 20 of a page through",
)
async def test_second_download_of_an_action_is_refused(
    run: Run, show: Show, downloads: Downloads, kept: Path
) -> None:
    adds = f"document.body.insertAdjacentHTML('beforeend', `{FRAMES}`)"
    await show(f"<button onclick='add()'>Go</button><script>const add = () => {adds}</script>")
    for number in (1, 2):
        assert "→ downloaded" in await run("click button")
        await until(lambda number=number: downloads.refused[ONE] == 23 * number)
        assert len(names(kept)) == number
    await run("click button", any_download=True)
    await until(lambda: downloads.refused.total() == 23 * 2 + 6 and not downloads.list_running())
    assert len(names(kept)) == 20
    assert "a page gets 20 files" in await run("downloads")


@fault(
    "Downloads",
    "a page begins more or larger downloads than it may",
    "cancelled and told, with the setting that limits it",
)
async def test_a_page_gets_so_many_and_so_much(run: Run, show: Show, downloads: Downloads, kept: Path) -> None:
    downloads.limits = DownloadLimits(page_number=2, page_size=3_000_000)
    await show("<a href=/large/4>Large</a>")
    flood = "for (let n = 0; n < 5; n++) Object.assign(document.createElement('a'), {href: 'data:,x', download: n + '.txt'}).click()"
    await run("js", flood, any_download=True)
    await until(lambda: downloads.refused.total() == 3 and not downloads.list_running())
    assert len(names(kept)) == 2
    await run("reload")
    said = await run("click a")
    assert "→ download of large.bin failed: cancelled: a page gets 3.0 MB (BROWSE_PAGE_DOWNLOADS_MB)" in said
    assert len(names(kept)) == 2


async def test_all_get_so_many_and_so_much_until_it_is_cleared(
    run: Run, fails: Fails, show: Show, web: Web, downloads: Downloads, kept: Path
) -> None:
    downloads.limits = DownloadLimits(number=1)
    await show("<a href=/download>Get</a>")
    await run("click a")
    full = "1 file is kept (BROWSE_DOWNLOADS)"
    assert await run("click a") == f"Clicked a\n→ refused 1 download: {full}; 'downloads --clear' makes room"
    reply = await fails(f"goto {web.url}/download", NavigationFailed)
    assert "is a download, not a page, and was refused: 1 file" in reply.message
    for asked in (f"download {web.url}/download", "download a"):
        reply = await fails(asked, ActionFailed)
        assert f"was refused: {full}" in reply.message
        assert "refused" not in reply.text, "once is enough"
    assert names(kept) == ["report.csv"]
    assert await run(f"download {web.url}/download mine.csv") == "Downloaded: mine.csv (8B): mine.csv"
    assert await run("download a mine.csv") == "Downloaded: mine.csv (8B): mine.csv"
    await run("downloads --clear")
    assert "downloaded" in await run("click a")
    downloads.limits = DownloadLimits(size=1_000_000)
    large = await fails(f"download {web.url}/large/2", ActionFailed)
    assert "cancelled: 1.0 MB are kept at most" in large.message


@fault("Full disks", "a download would fill the disk", "cancelled and told while there are 50 MB left")
async def test_a_full_disk_is_told(run: Run, show: Show, monkeypatch: pytest.MonkeyPatch, kept: Path) -> None:
    monkeypatch.setattr("gstack_browse.browser.downloads.LEAST_FREE", 10**18)
    await show("<a href=/large/1>Get</a>")
    assert re.search(r"→ download of large.bin failed: cancelled: \S+ has only .* left", await run("click a"))
    assert names(kept) == []


@pytest.fixture
def planted(kept: Path, tmp_path: Path) -> Iterator[Path]:
    """A directory, with a link to it in the place of that of the downloads."""
    if kept.exists():
        kept.rmdir()
    kept.symlink_to(tmp_path)
    yield tmp_path
    kept.unlink()


@fault(
    "Planted files",
    "`.gstack/downloads` is a link to elsewhere",
    "the download fails and says so; nothing lands there",
)
async def test_a_planted_link_is_not_followed(run: Run, show: Show, planted: Path) -> None:
    await show("<a href=/download>Get</a>")
    said = await run("click a")
    assert re.search(r"→ download of report.csv failed: .*/\.gstack/downloads is a symbolic link", said)
    assert not names(planted)


@pytest.mark.both_browsers  # the shell leaves the window for a file open
@pytest.mark.parametrize(
    ("link", "how", "windows"),
    [
        ("href", "--button middle", 1), ("href", "--modifiers Alt", 0), ("target=_blank rel=opener href", "", 1),
        ("href=# onclick='window.open(this.dataset.to)' data-to", "", 1),
    ],
)  # fmt: skip
async def test_window_of_a_slow_download_goes(
    link: str,
    how: str,
    windows: int,
    run: Run,
    show: Show,
    web: Web,
    shell: Shell,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The window comes at once, and may have the address of a blank page until something arrives there."""
    monkeypatch.setattr(popup_windows, "OPENING_SECONDS", 60.0)
    targets = shell.browser.running.connection.targets
    await show(f"<a {link}='/download?gate=slow'>Get</a><button>Next</button>")
    clicking = asyncio.ensure_future(run(f"click a {how}"))
    ours = targets.get(shell.browser.tab().page.target.id).browser_context
    pages = 1 + windows
    await until(lambda: sum(one.kind == "page" and one.browser_context == ours for one in targets) == pages)
    await until(lambda: "slow" in web.gates)
    web.gate("slow").set()
    told = await clicking
    assert "→ downloaded report.csv (8B): .gstack/downloads/report.csv" in told
    assert "opened tab" not in told
    assert await run("click button") == "Clicked button"
    assert shell.browser.tabs.numbers() == [1]
    assert "(no requests" not in await run("network")
