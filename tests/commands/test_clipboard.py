"""Test `copy` and `paste`, by keys and by the page's buttons, and who may read the clipboard."""

import pytest

from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

PAGE = """<input id=a value="one two"><textarea id=t></textarea><div id=rich contenteditable aria-label=Rich></div><p id=p>Some <b>words</b></p>
<input id=ro readonly value=fixed><div id=grid tabindex=0>Cells</div><script>
  let pastes = []
  document.addEventListener('paste', e => pastes.push([e.isTrusted, e.clipboardData.getData('text/plain'), e.clipboardData.getData('text/html')]))
  grid.addEventListener('copy', e => { e.clipboardData.setData('text/plain', 'a\\tb'); e.preventDefault() })
  grid.addEventListener('paste', e => { grid.textContent = e.clipboardData.getData('text/plain'); e.preventDefault() })
  let copies = 0; document.addEventListener('copy', () => copies++)
</script>"""


async def test_a_text_is_pasted_with_its_event(run: Run, show: Show, shell: Shell) -> None:
    await show(PAGE)
    await run("click #t")
    said = await run("paste first line")
    assert said.startswith("Pasted 10 characters into @e")
    assert await run("paste -", stdin="\nsecond") == said.replace("10", "7")
    assert await run("value #t") == "first line\nsecond"
    (shell.workspace / "a.html").write_text("<h2>Head</h2><p>and <b>bold</b></p>")
    rich = await ref_of(run, '"Rich"')
    await run("click", rich)
    await run("js", "document.querySelector('#rich').innerHTML = '<p><br></p>'")
    assert await run("paste --html a.html") == f"Pasted a.html into {rich}"
    assert "<b>bold</b>" in await run("html #rich")
    heard = await run("js", "pastes.map(p => p[0] + p[1]).join('|')")
    assert heard == "truefirst line|true\nsecond|trueHeadand bold"
    assert "<h2>Head</h2>" in await run("js", "pastes[2][2]")
    assert await run("js copies") == "0", "the page hears nothing of how the text got there"


async def test_markup_is_pasted_where_only_trusted_types_are_taken(run: Run, show: Show, shell: Shell) -> None:
    policy = "require-trusted-types-for 'script'; trusted-types 'none'"
    await show("<div contenteditable></div><textarea></textarea>", Content_Security_Policy=policy)
    (shell.workspace / "a.html").write_text("<b>bold</b><script>hidden</script>")
    await run("click div")
    await run("paste --html a.html")
    assert "<b>bold</b>" in await run("html div")
    await run("click textarea")
    await run("paste --html a.html")
    assert await run("value textarea") == "bold"


async def test_selection_is_copied_and_pasted_elsewhere(run: Run, fails: Fails, show: Show) -> None:
    """Say where a paste does nothing."""
    await show(PAGE)
    nothing = "→ it takes no text, and the page did nothing with it"
    assert await run("paste x") == f"Pasted 1 character into the page\n{nothing}"
    await run("js ro.focus()")
    assert (await run("paste x")).endswith(nothing)
    await run("js", "a.focus(); a.setSelectionRange(4, 7)")
    assert await run("copy") == 'Copied "two" (3 characters)'
    await run("click #t")
    assert (await run("paste")).startswith("Pasted what was copied into @e")
    assert await run("value #t") == "two"
    await run("js", "document.activeElement.blur(); getSelection().selectAllChildren(p)")
    assert await run("copy") == 'Copied "Some words" (10 characters)'
    await run("js", "getSelection().removeAllRanges()")
    assert (await fails("copy", ActionFailed)).message == "Nothing was copied: nothing is selected"
    await run("click #grid")
    assert await run("copy") == 'Copied "a b" (3 characters)', "what the page makes of it"
    assert (await run("paste x y")).startswith("Pasted 3 characters into ")
    assert await run("text #grid") == "x y"


async def test_text_is_pasted_into_editors_of_frames_and_copied_there(run: Run, show: Show, web: Web) -> None:
    """Name an editor that is all of a frame, as TinyMCE and CKEditor 4 are."""
    await show(f"<iframe src='{web.show('<body contenteditable aria-label=Rich>old')}'></iframe>")
    ref = await ref_of(run, '"Rich"')
    await run("type --into", ref, "x")
    assert await run("paste --timeout 3000 new") == f"Pasted 3 characters into {ref}"
    assert await run("text", ref) == "oldxnew"
    await show(f"<iframe src='{web.show_elsewhere(PAGE)}' width=800 height=500></iframe>")
    ref = await ref_of(run, '"Rich"')
    await run("click", ref)
    assert await run("paste inside") == f"Pasted 6 characters into {ref}"
    assert await run("text", ref) == "inside"
    await run("press Control+A")
    assert await run("copy") == 'Copied "inside" (6 characters)'


@each(["ctrlKey && event.key === 'v'", "shiftKey && event.key === 'Insert'"])
async def test_a_terminal_gets_the_text_and_no_control_character(takes: str, run: Run, show: Show) -> None:
    """Paste by Shift+Insert, which xterm.js leaves to the browser; other terminals leave it Control+V."""
    await show(f"""<textarea id=t style="width:9px;height:17px;padding:0;border:0;resize:none;overflow:hidden"></textarea><pre id=o></pre><script>let taken = 0;
        t.onkeydown = event => {{ if (event.{takes}) {{ event.preventDefault(); taken++ }} }};
        t.onpaste = event => {{ event.preventDefault(); o.textContent += event.clipboardData.getData('text/plain') }}</script>""")
    await run("click #t")
    said = await run("paste ls -l")
    assert said.startswith("Pasted 5 characters into "), said
    assert "nothing" not in said
    assert await run("text #o") == "ls -l"
    assert await run("js taken") == ("1" if "shift" in takes else "0")


COPY = """<button id=a onclick="navigator.clipboard.writeText('from a').then(() => out.value = 'copied', e => out.value = e)">A</button>
    <button id=r onclick="navigator.clipboard.readText().then(t => out.value = t, e => out.value = e.name)">Read</button>
    <output id=out></output>"""


async def test_a_copy_button_works_in_other_tabs_frames_and_contexts(run: Run, show: Show) -> None:
    """Press it in the background, in another tab, in a frame, and in a new browser context."""

    async def copied(tab: int | None = None) -> str:
        await run("click '#a'", tab=tab)
        return await run("text '#out'", tab=tab)

    page = await show(COPY)
    await run("newtab")
    assert await copied(1) == "copied"
    await show(f"<iframe src='{page}'></iframe>")
    await run("frame iframe")
    assert await copied() == "copied"
    await run("newtab", page)
    assert await copied() == "copied"
    await run("useragent Test/1.0")
    assert await copied() == "copied"


@pytest.mark.both_browsers
async def test_a_page_does_not_read_the_clipboard_unasked(run: Run, show: Show) -> None:
    await show(COPY)
    await run("click '#a'")
    state = "navigator.permissions.query({name: 'NAME'}).then(found => found.state)"
    assert await run("js", state.replace("NAME", "clipboard-write")) == "granted"
    for name in ("clipboard-read", "geolocation", "notifications"):
        assert await run("js", state.replace("NAME", name)) == "prompt"
    await run("click '#r'")
    assert await run("text '#out'") == "NotAllowedError"
