"""Test `upload`: into fields, through what opens a chooser, folders, and which files are allowed."""

import os
import shutil
from pathlib import Path

import pytest

from gstack_browse.browser.actions import upload
from gstack_browse.errors import ActionFailed, FileFailed, NotInteractable, Refused, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.faults import fault

pytestmark = pytest.mark.same_session

SHOWS = "<p id=out></p><script>for (const i of document.querySelectorAll('input')) i.onchange = () => out.textContent = [...i.files].map(f => f.name + ':' + f.size).join(' ')</script>"


@pytest.fixture
def files(shell: Shell) -> None:
    (shell.workspace / "a.txt").write_text("hello")
    (shell.workspace / "b c.txt").write_text("hi")
    (shell.workspace / "old").mkdir(exist_ok=True)
    (shell.workspace / "old/a.txt").write_text("before")


async def test_upload_gives_files_to_a_field(run: Run, show: Show, shell: Shell, files: None) -> None:
    await show(f"<input type=file multiple>{SHOWS}")
    assert await run("upload input a.txt 'b c.txt'") == "Chose a.txt (5B), b c.txt (2B)"
    assert await run("text '#out'") == "a.txt:5 b c.txt:2"
    said = await run("upload input a.txt old/a.txt")
    assert said.startswith(f"Chose {shell.workspace.name}/a.txt (5B), old/a.txt (6B)")
    assert await run("text '#out'") == "a.txt:5 a.txt:6"


async def test_upload_through_what_opens_chooser_gives_it_the_files(run: Run, show: Show, files: None) -> None:
    """Press a button also while it moves. Do not ask more of a hidden field."""
    await show(f"""<style>@keyframes pulse {{ 50% {{ transform: scale(1.2) }} }} button {{ animation: pulse 1s infinite }}</style>
        <input id=f type=file style='display:none'><label for=f>Pick</label><button onclick=f.click()>Press</button>{SHOWS}""")
    for target in ("input", "text=Pick", "button"):
        await run("js", "f.value = out.textContent = ''")
        assert await run(f"upload '{target}' a.txt --timeout 3000") == "Chose a.txt (5B)"
        assert await run("text '#out'") == "a.txt:5"


async def test_label_of_a_transparent_file_field_goes_before_a_part_of_another(
    run: Run, show: Show, files: None
) -> None:
    """Look at a field that its label draws, beside another that is called "Pick files" (Quasar)."""
    await show(f"""<label for=f>File</label><input id=f type=file style='opacity: 0'>
        <button aria-label='Pick files' onclick="document.title = 'wrong'">+</button>{SHOWS}""")
    assert await run("upload label=File a.txt") == "Chose a.txt (5B)"
    assert await run("text '#out'") == "a.txt:5"


async def test_the_time_that_is_given_is_that_for_the_chooser(
    run: Run, fails: Fails, show: Show, files: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wait as long for a field that comes late."""
    monkeypatch.setattr(upload, "CHOOSER_SECONDS", 60.0)
    await show("<button>Plain</button>")
    reply = await fails("upload button a.txt --timeout 300", ActionFailed)
    assert reply.message == '<button> "Plain" was clicked and asked for no file'
    assert reply.hint.endswith("for a place that takes dropped files: drop")
    field = "Object.assign(document.createElement('input'), {type: 'file'})"
    await run("js", f"setTimeout(() => document.body.append({field}), 300); 0")
    assert await run("upload input a.txt") == "Chose a.txt (5B)"


@pytest.mark.own_browser  # a folder goes to a browser on the same disk only
async def test_upload_that_cannot_be_says_why(fails: Fails, run: Run, show: Show, files: None) -> None:
    """Give a field nothing."""
    await show(
        f"<input id=one type=file><input type=file disabled><input id=several type=file multiple>{SHOWS}"
    )
    wrong = {"'#one' a.txt 'b c.txt'": "takes one file, not 2", "'[disabled]' a.txt": "disabled"}
    for words, message in wrong.items():
        assert message in (await fails(f"upload {words} --timeout 100", NotInteractable)).message
    await fails("upload '#one' nope.txt", FileFailed)
    await fails("upload '#several' old --timeout 100", NotInteractable)
    assert await run("text '#out'") == ""


@fault(
    "Files and hosts that pages must not reach",
    "upload, eval or cookie-import of a file outside of the workspace and the temporary directory",
    "refused (7); --any-file lifts it",
)
async def test_files_elsewhere_are_read_only_where_that_is_said(
    run: Run, fails: Fails, show: Show, shell: Shell
) -> None:
    await show(f"<input type=file>{SHOWS}")
    (shell.workspace / "passwd.txt").symlink_to("/etc/passwd")
    reads = (
        "upload input /etc/passwd",
        "upload input passwd.txt",
        "eval /etc/passwd",
        "cookie-import /etc/passwd",
    )
    for line in reads:
        reply = await fails(line, Refused)
        assert "is outside the workspace and the temporary directory" in reply.message
        assert "--any-file" in reply.hint
    reply = await fails("chain", Refused, '[["upload", "input", "/etc/passwd"]]')
    assert await run("text '#out'") == ""
    assert "Chose passwd (" in await run("upload input passwd.txt --any-file")
    assert (await run("text '#out'")).startswith("passwd:")


FOLDER = (
    "<input id=f type=file webkitdirectory><p id=out></p>"
    "<script>f.onchange = () => out.textContent = [...f.files].map(f => f.webkitRelativePath).sort().join(' ')</script>"
)


@pytest.fixture
def folder(shell: Shell) -> Path:
    folder = shell.workspace / "photos"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "2025").mkdir(parents=True, exist_ok=True)
    (folder / "a.png").write_text("hello")
    (folder / "2025/b.png").write_text("hi")
    return folder


@pytest.mark.own_browser  # a folder goes to a browser on the same disk only
async def test_a_field_for_a_folder_takes_the_folder_and_nothing_else(
    run: Run, fails: Fails, show: Show, folder: Path, files: None
) -> None:
    await show(f"{FOLDER}<input id=g type=file multiple><button onclick=f.click()>Choose</button>")
    assert await run("upload '#f' photos") == "Chose photos/ (2 files, 7B)"
    assert await run("text '#out'") == "photos/2025/b.png photos/a.png"
    assert await run("upload button photos/2025") == "Chose 2025/ (1 file, 2B)"
    assert await run("text '#out'") == "2025/b.png"
    reply = await fails("upload '#f' a.txt", NotInteractable)
    assert reply.message == "#f takes a folder, not files"
    assert reply.hint == "Name the folder that they are in: upload <target> <folder>"
    assert "takes a folder" in (await fails("upload button a.txt", NotInteractable)).message
    assert "#g takes files, not a folder" in (await fails("upload '#g' photos", NotInteractable)).message
    await fails("upload '#f' photos old", UsageError)


@pytest.mark.own_browser
@fault(
    "Files and hosts that pages must not reach",
    "upload of a folder outside of the workspace, with links out of it, or with what gbrowse keeps",
    "refused (7); what links lead to is left out",
)
async def test_uploaded_folder_leaves_out_files_outside_of_it(
    run: Run, fails: Fails, show: Show, folder: Path
) -> None:
    await show(FOLDER)
    (folder / "passwd").symlink_to("/etc/passwd")
    (folder / "etc").symlink_to("/etc")
    assert await run("upload '#f' photos") == "Chose photos/ (2 files, 7B, without 2 links)"
    assert await run("text '#out'") == "photos/2025/b.png photos/a.png"
    assert "--any-file" in (await fails("upload '#f' /etc/ssl", Refused)).hint
    assert "--any-file" in (await fails("upload '#f' photos/etc", Refused)).hint
    (folder / "empty").mkdir()
    await fails("upload '#f' photos/empty", FileFailed)
    os.mkfifo(folder / "empty/pipe")
    await fails("upload '#f' photos/empty", FileFailed)
    (folder / ".gstack").mkdir()
    assert "holds .gstack" in (await fails("upload '#f' photos", Refused)).message


async def test_upload_tells_what_was_sent(run: Run, show: Show, web: Web, files: None) -> None:
    await show("""<form method=post enctype=multipart/form-data action=/echo><input type=file name=f></form><script>
        const field = document.querySelector('input')
        const post = (url) => fetch(url, { method: 'POST', body: field.files[0] })
        const acts = {
          form: () => field.form.submit(),
          fails: () => post('/api/500'),
          many: () => Promise.all([1, 2, 3, 4, 5].map(n => post('/api/201?' + n))),
          late: () => post('/gate/late'),
        }
        field.onchange = () => { navigator.sendBeacon('/api/200', 'x'); acts[location.hash.slice(1)]?.() }</script>""")
    url = await run("url")
    late = f"sending: POST {web.url}/gate/late\n→ still loading: 1 request"
    many = [*(f"sent: POST {web.url}/api/201?{n} → 201" for n in (1, 2, 3)), "and 2 more: see 'network'"]
    acts = {
        "beacon": [],
        "many": many,
        "fails": [f"failed: POST {web.url}/api/500 → 500"],
        "late": [late],
        "form": [f"sent: POST {web.url}/echo → 200", f"now at {web.url}/echo"],
    }
    for number, (act, said) in enumerate(acts.items()):  # the same file again is no change
        file, size = (("b c.txt", 2), ("a.txt", 5))[number % 2]
        await run(f"goto {url}#{act}")
        assert await run("upload input", file) == "\n→ ".join([f"Chose {file} ({size}B)", *said])
        if act == "late":
            web.gate("late").set()
