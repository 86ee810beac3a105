"""Test the mouse piece by piece, held keys, focus, selected text, panes that scroll, and `drop`."""

import pytest

from gstack_browse.errors import ActionFailed, FileFailed, NoMatch, NotInteractable, Refused, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

POINTED = """<div id=a style="width: 200px; height: 100px">map</div><output id=o></output><script>
for (const type of ['mousemove', 'mousedown', 'mouseup', 'click', 'wheel']) a.addEventListener(type, event => {
  o.value = [type, event.offsetX, event.offsetY, event.button, event.buttons, event.shiftKey, event.deltaY].join(' ') })</script>"""


async def test_the_mouse_piece_by_piece(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    """Move, press and release by themselves, also at a point of an element."""
    await show(POINTED)
    await fails("mouse up", NotInteractable)
    await fails("mouse down", NotInteractable)
    await fails("mouse move", UsageError)
    left, top, *_ = map(float, (await run("box '#a'")).split(","))
    assert await run(f"mouse move {left + 10:g},{top + 10:g}") == f"Mouse at {left + 10:g},{top + 10:g}"
    assert await run("mouse down --button right") == f"Mouse down at {left + 10:g},{top + 10:g}"
    assert await run("value '#o'") == "mousedown 10 10 2 2 false "
    assert shell.replies[-1].notes == ["the right mouse button is down: 'mouse up' releases it"]
    assert "is down already" in (await fails("click '#a'", NotInteractable)).message
    await run(f"mouse move {left + 90:g},{top + 10:g}")
    await run("mouse up")
    assert await run("value '#o'") == "mouseup 90 10 2 0 false "
    assert shell.replies[-1].notes == []
    assert await run("mouse wheel 0,120") == "Turned the wheel by 0,120"
    assert (await run("value '#o'")).endswith(" 120")
    await run(f"mouse click {left + 5:g},{top + 5:g}")
    assert (await run("value '#o'")).startswith("click 5 5 0")
    await run("hover '#a' --at 25%,50%")
    assert (await run("value '#o'")).startswith("mousemove 50 50")
    assert "which is 200x100" in (await fails("click '#a' --at 201,5", NotInteractable)).message


@pytest.mark.both_browsers
async def test_press_in_a_styled_scaled_or_turned_frame_of_another_site_hits_its_element(
    run: Run, show: Show, web: Web
) -> None:
    """Press a box of 12 by 12 pixels, which a press misses that is beside it by the frame's border."""
    style = "border: 9px solid; padding: 40px 0 0 50px"
    box = "<!doctype html><p style='height: 60px'>x<input type=checkbox id=b style='width: 12px; height: 12px; margin: 0 30px'>"
    web.pages["/inner"] = f"{box}<p id=p style='width: 9px; height: 9px' onmouseover=this.className='over'>", {}
    web.pages["/outer"] = f"<!doctype html><iframe src={web.url}/inner></iframe>", {}
    size = "width: 500px; height: 400px"
    await show(
        f"<p>Above<p><iframe src={web.other}/inner style='{style}; {size}'></iframe>"
        f"<iframe src={web.other}/outer style='{size}'></iframe>"
        f"<div style='zoom: 1.5'><iframe id=scaled src={web.other}/inner style='{style}; {size}; transform: scale(0.5); zoom: 0.8'></iframe></div>"
        f"<iframe id=turned src={web.other}/inner style='{style}; {size}; transform: rotate(20deg)'></iframe>"
    )
    for frames in (["iframe >> nth=0"], ["iframe >> nth=1", "iframe"], ["#scaled"], ["#turned"]):
        await run("frame main")
        for frame in frames:
            await run("frame", frame)
        assert await run("click '#b'") == "Clicked #b"
        assert await run("is checked '#b'") == "true"
        assert await run("click '#b' --at 10,3") == "Clicked #b"
        assert await run("is checked '#b'") == "false"
        assert await run("check '#b'") == "Checked #b"
        await run("hover '#p'")
        assert "over" in await run("attrs '#p'")
        left, top, width, height = map(float, (await run("box '#b'")).split(","))
        await run(f"mouse click {left + width / 2:g},{top + height / 2:g}")
        assert await run("is checked '#b'") == "false"


@pytest.mark.both_browsers
async def test_element_cut_off_by_the_window_in_a_frame_of_another_site_is_scrolled_to(
    run: Run, show: Show, web: Web
) -> None:
    """Have one pixel of it in view, and a frame with a border and padding."""
    inner = web.show_elsewhere(
        "<!doctype html><p style='height: 60px'>x<input type=checkbox id=b style='height: 12px'>"
    )
    frame = f"<iframe src={inner} style='border: 9px solid; padding: 40px 0 0 50px; height: 400px'></iframe>"
    await show(f"<p>Above<div style='height: 600px'></div>{frame}")
    await run("frame iframe")
    assert (await run("box '#b'")).split(",")[1] == "719"
    assert await run("check '#b'") == "Checked #b"


async def test_keys_stay_down_and_replies_say_so(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    """Write capitals meanwhile, and release all where the page goes."""
    await show(f"{POINTED}<input id=f>")
    await run("focus #f")
    assert await run("keydown shift") == "Shift is down"
    await run("press a")
    assert await run("js f.value") == "A"
    for at in ("", " --at 5,5"):
        await run(f"click '#a'{at}")
        assert shell.replies[-1].notes == ["Shift held down: 'keyup Shift' to release"]
        assert (await run("value '#o'")).split()[5] == "true"
    assert await run("keyup Shift") == "Shift is up"
    await run("click '#a' --at 5,5")
    assert (await run("value '#o'")).split()[5] == "false"
    for keys in ("keydown é", "keydown Control+a"):
        await fails(keys, UsageError)
    assert await run("keyup Shift") == "Shift is up\n→ it was not down"
    await run("keydown Alt")
    await run("mouse down 20,20")
    await show(POINTED)
    assert "→ released Alt, the left mouse button" in shell.replies[-1].text
    await run("click '#a'")
    assert shell.replies[-1].notes == []


async def test_focus_and_blur(run: Run, fails: Fails, show: Show) -> None:
    await show(
        "<input id=a onblur='document.title = value'><p id=p>no</p><input id=away onfocus='a.focus()'><i id=empty tabindex=0></i>"
    )
    assert await run("blur") == "Nothing had the focus"
    for target in ("#empty", "#a"):
        assert await run("focus", target) == f"Focused {target}"
    await run("type saved")
    assert await run("blur body") == "body has not the focus"
    assert await run("blur '#a'") == "Blurred <input#a>"
    assert await run("title") == "saved"
    assert "cannot have the focus" in (await fails("focus '#p'", ActionFailed)).message
    assert "<input#a> has it" in (await fails("focus '#away'", ActionFailed)).message


async def test_select_text_selects_all_or_a_part(run: Run, fails: Fails, show: Show) -> None:
    await show("""
        <textarea id=t>one two three</textarea><p id=p>First <b>bold</b> words<br>and the end.</p><input type=password id=s value=secret>
        <div id=e contenteditable>edit me</div><p id=empty></p>""")
    assert await run("select-text '#t'") == 'Selected "one two three" (13 characters)'
    assert await run("select-text '#t' --from two --to th") == 'Selected "two th" (6 characters)'
    await run("type X")
    assert await run("value '#t'") == "one Xree"
    assert await run("select-text '#p' --from bold --to and") == 'Selected "bold words and" (14 characters)'
    assert (await run("js", "getSelection().toString()")).split() == ["bold", "words", "and"]
    assert await run("select-text '#s'") == "Selected 6 characters of a secret"
    await run("js", "t.onkeyup = e.onkeyup = () => { seen = String(getSelection()) }; 0")
    await run("select-text '#t' --to Xre")
    assert await run("js seen") == "one Xre", "toolbars of a field look when a key comes up"
    await run("select-text '#e' --to edit")
    assert await run("js seen") == "edit", "so do those of editors"
    await run("press Delete")
    assert (await run("text '#e'")).strip() == "me"
    reply = await fails("select-text '#p' --from nowhere", NoMatch)
    assert reply.message.endswith('has no text "nowhere"')
    assert reply.hint.startswith('It has "First bold words')
    await fails("select-text '#empty' --timeout 100", NotInteractable)


async def test_a_pane_is_scrolled_by_name_and_says_what_it_shows(run: Run, fails: Fails, show: Show) -> None:
    rows = "".join(f"<div role=row aria-rowindex={n} style='height: 20px'>Row {n}</div>" for n in range(1, 101))
    await show(f"""
        <div id=g role=grid aria-rowcount=10000><div id=pane style="height: 100px; overflow: auto">{rows}</div></div>
        <div id=wide style="width: 100px; overflow: auto"><p style="width: 900px">wide</p></div><p id=p>no</p>""")
    pane = '→ what scrolls is <div#pane> "Row 1 Row 2 Row 3 Row 4 Ro…"'
    assert await run("scroll '#pane' down 600") == "Scrolled #pane down 600 (rows 31–35 of 10,000)"
    assert await run("scroll '#g' up 100") == f"Scrolled #g up 100 (rows 26–30 of 10,000)\n{pane}"
    assert await run("scroll '#wide' right 50") == "Scrolled #wide right 50 (50 of 800 pixels)"
    said = await run("scroll", '#pane >> text="Row 3"', "up", "100000")
    assert said.splitlines()[0].endswith("up 500 (rows 1–5 of 10,000)")
    assert "→ nothing moved: that is its end" in await run("scroll '#pane' up")
    assert "mouse wheel" in (await fails("scroll '#p' left", NotInteractable)).hint
    for words in ("'#pane' 50", "down left", "top 50", "'#pane' down --times 3"):
        await fails(f"scroll {words}", UsageError)


async def test_drop_gives_files_and_text(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    (shell.workspace / "a.txt").write_text("hello")
    await show("""
        <div id=z style="height: 40px">zone</div><p id=n>none</p><textarea id=t></textarea><input type=file id=f><output id=o></output><script>
        z.ondragover = event => event.preventDefault(); z.ondrop = async event => { event.preventDefault()
          const { files } = event.dataTransfer; o.value = event.dataTransfer.getData('text') || event.dataTransfer.getData('text/uri-list')
          for (const file of files) o.value += `${file.name} ${await file.text()};` }</script>""")
    for command in ("drag #x 1,1", "focus #x", "select-text #x", "drop #x --text a", "scroll #x up"):
        assert (await fails(f"{command} --timeout 50", NoMatch)).message == "No element matches #x"
    assert await run("drop '#z' a.txt") == "Dropped a.txt (5B) on #z"
    await run("wait --text 'a.txt hello;'")
    (shell.workspace / "old").mkdir(exist_ok=True)
    (shell.workspace / "old/a.txt").write_text("before")
    several = f"{shell.workspace.name}/a.txt (5B), old/a.txt (6B)"
    assert await run("drop '#z' a.txt old/a.txt") == f"Dropped {several} on #z"
    assert await run("drop '#f' a.txt") == 'Dropped a.txt (5B) on #f\n→ value "a.txt" (was "")'
    assert await run("drop '#z' --text 'some words'") == "Dropped 10 characters on #z"
    assert await run("value '#o'") == "some words"
    await run("drop '#t' --url http://a.test/")
    assert await run("value '#t'") == "http://a.test/"
    for target in ("#n", "#t"):
        assert "does not take" in (await fails(f"drop {target} a.txt", ActionFailed)).message
    assert len((await run("tabs")).splitlines()) == 1, "Chromium has not opened the file"
    await fails("drop '#z' missing.txt", FileFailed)
    await fails("drop '#z' /etc/hostname", Refused)
    await run("drop '#z' /etc/hostname --any-file")
    await fails("drop '#z'", UsageError)
