"""Test that replies tell of a file chooser that a page opens, and that `upload` answers it."""

import re

import pytest

from gstack_browse.browser import dialogs
from gstack_browse.errors import ActionFailed, NotInteractable
from tests.commands.conftest import As, Fails, Run, Shell, Show, until
from tests.commands.replies import ref_of
from tests.commands.web import Web
from tests.faults import fault

pytestmark = pytest.mark.same_session


@pytest.fixture(autouse=True)
def time_to_name_the_field(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a reply would name the command without the field. And there are files to upload."""
    monkeypatch.setattr(dialogs, "_DESCRIBE_SECONDS", 60.0)
    for name, text in {"a.txt": "hello", "b.txt": "hi"}.items():
        (shell.workspace / name).write_text(text)


CREATED = "const f = Object.assign(document.createElement('input'), { type: 'file' })"
CANCELLED = "<p id=out></p><script>const out = document.querySelector('#out'); addEventListener('cancel', e => out.textContent += e.target.type, true)</script>"

ASKS = {
    "field": ("a file", "<input id=field type=file>"),
    "around": ("files", "<label id=around>Photos <input type=file multiple hidden></label>"),
    "beside": ("a file", "<label id=beside for=f>CV</label><input id=f type=file style='display:none'>"),
    "folder": ("a folder", "<button id=folder onclick=g.click()>Folder</button><input id=g type=file webkitdirectory hidden>"),
    "picker": ("a file", "<button id=picker onclick=h.showPicker()>Pick</button><input id=h type=file>"),
}  # fmt: skip
"""What is clicked → what it asks for, and its markup."""

READS = """<button id=o onclick="read(showOpenFilePicker({ multiple: true }))">Open</button><button id=one onclick="read(showOpenFilePicker())">One</button>
    <button id=d onclick="read(showDirectoryPicker())">Folder</button><button id=s onclick="read(showSaveFilePicker())">Save</button>
    <button id=k onclick="read(kept())">Kept</button><dialog><button id=m onclick="read(showOpenFilePicker())">In a dialog</button></dialog>
    <p id=out></p><script>const out = document.querySelector('#out'), kept = showOpenFilePicker, seen = []
    for (const type of ['dragenter', 'dragover', 'drop', 'blur', 'focus']) addEventListener(type, () => seen.push(type), true)
    const tell = async handle => handle.kind === 'file' ? (await handle.getFile()).name + ' ' + await (await handle.getFile()).text()
      : (await Array.fromAsync(handle.keys())).sort().join()
    const read = async asked => {
      try {
        const handles = [await asked].flat()
        structuredClone(handles)
        out.textContent = [handles.every(it => it instanceof FileSystemHandle), ...await Promise.all(handles.map(tell))].join(' | ')
      } catch (error) { out.textContent = error.name }
    }</script>"""


@fault(
    "Hangs",
    "an action has the page ask for a file, and nobody is there to choose one",
    "the page hears that nothing was chosen; the reply names the upload",
)
@pytest.mark.both_browsers
async def test_click_that_opens_a_file_chooser_names_the_field_for_upload(run: Run, show: Show) -> None:
    await show("".join(markup for _, markup in ASKS.values()) + CANCELLED)
    for button, (asks, _) in ASKS.items():
        await run("js", "out.textContent = ''")
        said = await run(f"click '#{button}'")
        what = {"a folder": "<folder>", "files": "<file>…"}.get(asks, "<file>")
        found = re.fullmatch(rf"Clicked #{button}\n→ asks for {asks}: upload (@e\d+) {what}", said)
        assert found, said
        assert await run("text '#out'") == "file", "the page is told that nothing was chosen"
        assert "asks" not in await run("click p")
        if asks != "a folder":  # which a browser on another machine does not get
            await run(f"upload {found[1]} a.txt")
            field = f"const it = document.getElementById('{button}'), field = it.control ?? (it.files ? it : it.nextSibling)"
            assert await run("js", f"{field}; field.files[0].name") == "a.txt"


async def test_chooser_of_no_field_is_told_by_what_was_clicked(run: Run, show: Show, shell: Shell) -> None:
    """Name it once in a flood of choosers, and beside the result of a script."""
    await show(f"""<button onclick="{CREATED}; f.click()">Attach (new)</button><input type=file>
        <button id=many onclick="for (let n = 0; n < 500; n++) {{ {CREATED}; f.click() }}">Many</button>""")
    new = "text=Attach (new)"
    assert await run("click", new) == f"Clicked {new}\n→ asks for a file: upload '{new}' <file>"
    await run("focus", new)
    assert (await run("press Enter")).endswith("\n→ asks for a file: upload <target> <file>")
    assert await run("click '#many'") == "Clicked #many\n→ asks for a file: upload '#many' <file>"
    assert await run("js 'document.querySelector(`input`).click(); 1'") == "1"
    assert re.fullmatch(r"asks for a file: upload @e\d+ <file>", shell.replies[-1].notes[-1])
    await run("count input")
    assert not shell.replies[-1].notes


async def open_late_chooser(shell: Shell) -> None:
    """Have the page open the chooser for which it has waited since it was clicked."""
    tab = shell.browser.tab()
    await tab.world.session.send("Runtime.evaluate", {"expression": "postMessage(1)", "userGesture": True})
    await until(lambda: tab.effects.file_choosers.last)


async def test_chooser_that_opens_late_is_told_by_the_next_reply(run: Run, show: Show, shell: Shell) -> None:
    """Unless its page was left meanwhile."""
    await show(f'<button onclick="onmessage = () => {{ {CREATED}; f.click() }}">Attach</button><p>Here</p>')
    assert await run("click button") == "Clicked button"
    await open_late_chooser(shell)
    await run("text p")
    assert shell.replies[-1].notes == ["earlier: asks for a file: upload button <file>"]
    assert "asks" not in await run("click p")
    await run("click button")
    await open_late_chooser(shell)
    await show("<button>Other</button>")
    assert await run("click button") == "Clicked button"
    assert not shell.replies[-1].notes


@pytest.mark.both_browsers
async def test_chooser_is_told_wherever_it_opens(run: Run, show: Show, by: As, web: Web, shell: Shell) -> None:
    """In a frame, a popup, a page of another site, a chain, and another context."""
    named = "<label>CV<input type=file hidden onchange='this.parentNode.append(this.files[0].name)'></label>"
    await show(f"<iframe src='{web.show_elsewhere(named)}'></iframe>")
    found = re.search(
        r"\n→ asks for a file: upload (@e\d+) <file>$", await run(f"click {await ref_of(run, 'CV')}")
    )
    assert found
    await run(f"upload {found[1]} a.txt")
    await run("frame iframe")
    assert await run("text label") == "CVa.txt"
    field, told = web.show("<input type=file>"), "→ asks for a file: upload @e"
    await show(f"<button onclick=\"window.open('{field}')\">Open</button>")
    opened = re.search(r"opened tab (\d+)", await run("click button"))
    assert opened
    await run(f"tab {opened[1]}")
    assert told in await run("click input")
    await run("goto", field.replace(web.url, web.other))
    assert told in await run("click input")
    assert (await run("chain", '[["click", "input"], ["text"]]')).count(told) == 1
    await by("second", f"goto {field}")
    assert told in await by("second", "click input")
    await shell.service.context_opener.close("second")


@pytest.mark.both_browsers
async def test_upload_gives_pickers_genuine_handles(run: Run, show: Show, fails: Fails, shell: Shell) -> None:
    """Upload to a picker, and click one: the reply tells that it asks for a file."""
    (shell.workspace / "b c.txt").write_text("hi")
    await show(READS)
    for button in "ods":
        await run("js", "out.textContent = ''")
        told = (
            f"Clicked #{button}\n→ asks for a file or a folder, or where to save one: upload '#{button}' <path>"
        )
        assert await run(f"click '#{button}'") == told
        assert await run("text '#out'") == "AbortError"
    await run("js", "out.textContent = ''")
    await run("focus '#o'")
    await run("js 'seen.length = 0'")
    assert "a.txt" in await run("upload '#o' a.txt 'b c.txt'")
    await run("wait --js 'out.textContent'")
    assert await run("text '#out'") == "true | a.txt hello | b c.txt hi"
    assert await run("js 'seen.join()'") == "", "the page has heard of no drag, and has kept the focus"
    left = "[document.querySelectorAll('iframe').length, showOpenFilePicker === kept]"
    assert await run("js", left) == "[0,true]"
    assert "takes one file, not 2" in (await fails("upload '#one' a.txt 'b c.txt'", NotInteractable)).message
    await run("wait --js 'out.textContent === `AbortError`'")
    assert "takes a folder, not files" in (await fails("upload '#d' a.txt", NotInteractable)).message
    assert "asks where to save a file" in (await fails("upload '#s' a.txt", ActionFailed)).message
    reply = await fails("upload '#k' a.txt", ActionFailed)
    assert "File System Access API" in reply.message
    assert reply.hint.startswith("Drop the files, where the page takes that: drop <target> <file>…")
    assert "→ asks for a file or a folder" in await run("click '#o'"), "Chromium has its own again"
    await run("js", "out.textContent = ''; document.querySelector('dialog').showModal()")
    await run("upload '#m' a.txt")
    await run("wait --js 'out.textContent'")
    assert await run("js 'out.textContent'") == "true | a.txt hello"


async def test_upload_answers_pickers_of_frames_and_folders(
    run: Run, show: Show, shell: Shell, web: Web
) -> None:
    await show(f"<iframe src='{web.show(READS)}' style='width: 100px; height: 60px'></iframe>")
    await run("frame iframe")
    await run("upload '#one' a.txt")
    await run("wait --js 'out.textContent'")
    assert await run("js 'out.textContent'") == "true | a.txt hello"
    if not shell.browser.running.shares_disk:
        pytest.skip("a folder is not given to a browser on another machine")
    (shell.workspace / "one").mkdir(exist_ok=True)
    (shell.workspace / "one/in.txt").write_text("hello")
    (shell.workspace / "one/passwd").symlink_to("/etc/passwd")
    await show(READS)
    assert "without 1 link" in await run("upload '#d' one")
    await run("wait --js 'out.textContent'")
    assert await run("text '#out'") == "true | in.txt", "what a link leads to is not listed"


@pytest.mark.parametrize("way", ["upload", "drop"])
@fault(
    "Hangs",
    "a page writes into a file that it was given",
    "it is refused; the file is as it was, the page hears input",
)
@pytest.mark.both_browsers
async def test_page_that_writes_into_its_file_is_refused(run: Run, show: Show, shell: Shell, way: str) -> None:
    """Keep a full Chromium from asking a person, which keeps all input from the page."""
    await show("""<button onclick="showOpenFilePicker().then(([it]) => edit(it))">Edit</button><p id=out></p><input><div style="height: 50px">Here</div>
        <script>const out = document.querySelector('#out'), place = document.querySelector('div')
        const edit = it => it.createWritable().then(() => out.textContent = 'writes', error => out.textContent = error.name)
        place.ondragover = event => event.preventDefault()
        place.ondrop = event => { event.preventDefault(); event.dataTransfer.items[0].getAsFileSystemHandle().then(edit) }</script>""")
    if shell.browser.running.params.endpoint:
        pytest.skip("others have set up the browser")
    await run(f"{way} {'button' if way == 'upload' else 'div'} a.txt")
    await run("wait --js 'out.textContent'")
    assert await run("text '#out'") == "NotAllowedError"
    await run("fill input x")
    await run("press y")
    assert await run("value input") == "xy"
    assert (shell.workspace / "a.txt").read_text() == "hello"
