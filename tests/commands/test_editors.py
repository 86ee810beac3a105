"""Test editors that take keys in an unseen field and draw their text beside it.

Monaco, CodeMirror 5, Ace.
"""

import json

import pytest

from gstack_browse.errors import ActionFailed, NotInteractable, TimedOut
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

HIDDEN_FIELD = """<div class=CodeMirror style="position:relative;height:90px;width:300px;overflow:hidden">
 <div style="overflow:hidden;position:relative;width:3px;height:0"><textarea id=f tabindex=0
  style="position:absolute;bottom:-1em;padding:0;width:1000px;height:1em;outline:none"></textarea></div>
 <div class=CodeMirror-code id=drawn></div></div>"""
EDIT_CONTEXT = """<div class=monaco-editor style="position:relative;height:90px;width:300px"><div style="overflow:hidden">
 <div id=f role=textbox aria-multiline=true aria-label="Editor content" tabindex=0
  style="position:absolute;overflow-y:scroll;scrollbar-width:none;width:0;height:19px"></div>
 <div class=view-lines id=drawn aria-hidden=true></div></div></div>"""
EDITOR = """<script>
 let text = 'one\\ntwo', all = false; const field = document.querySelector('#f')
 const line = field.editContext === undefined || field.localName === 'textarea' ? 'CodeMirror-line' : 'view-line'
 const draw = () => requestAnimationFrame(() => drawn.replaceChildren(...text.split('\\n').map(each =>
   Object.assign(document.createElement('div'), { className: line, textContent: each }))))
 const put = more => { if (!window.locked) text = all ? more : text + more; all = false; draw() }
 field.addEventListener('keydown', event => {
   if (event.ctrlKey && event.key === 'a') { all = true; event.preventDefault() }
   if (event.key === 'Delete' && all) put('') })
 if (line === 'CodeMirror-line') field.addEventListener('input', () => { put(field.value); field.value = '' })
 else { const context = field.editContext = new EditContext()
   context.addEventListener('textupdate', event => put(event.text)) }
 draw()</script>"""
EDITORS = {"hidden field": HIDDEN_FIELD, "edit context": EDIT_CONTEXT}


@each(EDITORS)
async def test_editor_is_listed_with_lines_and_filled(kind: str, run: Run, show: Show, fails: Fails) -> None:
    """Fail where it keeps its text."""
    await show(EDITORS[kind] + EDITOR)
    await run("wait --js drawn.firstChild")
    listed = (await run("snapshot -i")).splitlines()[0]
    assert "[textbox]" in listed
    assert listed.endswith("one⏎two")
    ref = listed.split()[0]
    for value in ("three\n  four", ""):
        assert await run(f"fill {ref}", value) == f"Filled {ref}"
        assert await run("js", "JSON.stringify(text)") == json.dumps(value)
    if kind == "hidden field":
        await run("fill '#f' one")
        await run("js", "locked = true")
        reply = await fails("fill '#f'", ActionFailed, "three")
        assert 'did not take the value and still reads "one' in reply.message


HEARD = """<script>heard = []; for (const type of ['mousedown', 'contextmenu', 'mouseover']) f.parentNode.parentNode.addEventListener(type,
    e => { heard.push(type); if (type === 'mousedown') { e.preventDefault(); field.focus() } })</script>"""


async def test_press_on_the_field_of_an_editor_reaches_its_text(run: Run, show: Show, web: Web) -> None:
    """Press the text, as a person does for the caret or the menu: the field itself is out of sight."""
    await show(f"<iframe width=600 height=300 src={web.show(HIDDEN_FIELD + EDITOR + HEARD)}></iframe>")
    await run("frame iframe")
    await run("wait --js drawn.firstChild")
    told = "→ through what is drawn in its place"
    assert await run("click '#f'") == f"Clicked #f\n{told}"
    assert await run("js 'document.activeElement.id'") == "f"
    assert await run("click '#f' --button right") == f"Clicked #f\n{told}"
    assert "contextmenu" in await run("js 'heard.splice(0).join()'")
    assert await run("hover '#f'") == "Hovered #f"
    assert await run("fill '#f' three") == "Filled #f"
    assert await run("js text") == "three"


async def test_a_search_field_within_an_editor_is_a_field(run: Run, show: Show) -> None:
    code, field = "<div class=CodeMirror-code", "<textarea aria-label=Find id=s></textarea>"
    await show(HIDDEN_FIELD.replace(code, field + code) + EDITOR)
    assert '[textbox] "Find"' in await run("snapshot -i")
    assert (await run("snapshot -i --find Find")).endswith('"Find"'), "its value is not the editor's text"
    await run("fill '#s' two")
    assert await run("js", "document.querySelector('#s').value + ' ' + text") == "two one\ntwo"


async def test_whatever_takes_the_keys_is_listed(run: Run, show: Show) -> None:
    """Not fields in which a widget only keeps its value, nor a folded panel until it has a size."""
    hidden = "position:absolute;overflow:hidden;clip-path:inset(50%);width:1px;padding:0;border:0"
    cuts = "overflow:hidden;position:relative"
    await show(f"""<style>.kept {{ {hidden} }}</style>
        <select class=kept tabindex=-1><option>One</select><input class=kept tabindex=-1><textarea class=kept tabindex=-1></textarea>
        <label for=box>Tick</label><input type=checkbox class=kept id=box tabindex=-1>
        <input class=kept aria-label="By Tab"><label for=l>By label</label><input class=kept id=l tabindex=-1>
        <div style="{cuts};width:0"><textarea aria-label=Keys></textarea></div>
        <div style="{cuts};width:0;height:20px"><div contenteditable aria-label=Lines>abc</div></div>
        <div style="{cuts};height:0"><textarea aria-label=Note></textarea><input aria-label=Code id=code></div>""")
    assert [line.split(" ", 1)[1] for line in (await run("snapshot -i")).splitlines()] == [
        '[checkbox] "Tick"', '[textbox] "By Tab"', '[textbox] "By label"', '[textbox] "Keys"', '[textbox] "Lines": abc',
    ]  # fmt: skip
    await run("js", "code.focus({preventScroll: true})")
    assert '[textbox] "Code" [focused]' in await run("snapshot -i")
    await run("type 7")
    assert await run("js", "code.value") == "7"


async def test_a_terminal_is_typed_into_and_not_filled(run: Run, fails: Fails, show: Show) -> None:
    """A text that was inserted, and ended with a key, came out in another order."""
    await show("""<pre id=p>$ </pre><textarea aria-label=Terminal style='width:8px;height:17px;opacity:0;resize:none'></textarea>
        <textarea aria-label=Growing style='field-sizing:content;width:auto;min-width:0'></textarea>
        <script>document.querySelector('textarea').onkeypress = (event) => { event.preventDefault(); p.textContent += event.key }</script>""")
    reply = await fails("fill label=Terminal ls", NotInteractable)
    assert reply.message == '<textarea> "Terminal" takes keys and keeps no text'
    assert await run("text '#p'") == "$"
    assert await run("type --into label=Terminal ls") == "Typed 2 characters into label=Terminal"
    assert await run("text '#p'") == "$ ls"
    assert await run("fill label=Growing ls") == "Filled label=Growing", "it is small only while it is empty"


KEEPS_BLOCKS = """<div id=f contenteditable></div><script>
 let lines = ['one', 'two', 'three']
 const draw = () => f.replaceChildren(...lines.map(line => {
   const block = document.createElement('p'); block.append(line || document.createElement('br')); return block }))
 const emptied = () => { if (getSelection().isCollapsed) return
   lines = ['']; draw(); getSelection().collapse(f.firstChild, 0) }
 f.addEventListener('keypress', emptied)
 f.addEventListener('keydown', event => { if (event.key === 'Delete') { event.preventDefault(); emptied() } })
 f.addEventListener('input', () => {
   if (f.children.length === lines.length) lines = [...f.children].map(block => block.textContent) })
 draw()</script>"""
"""An editor that keeps its text itself, hears of a selection's end by keys, and reads one block that has changed (VisualEditor)."""


async def test_editor_of_several_blocks_hears_that_all_of_them_went(run: Run, show: Show) -> None:
    """Write last characters that a key has, and others."""
    await show(KEEPS_BLOCKS)
    for value in ("Hello there", "é", "👍 yes"):
        await run("js", "lines = ['one', 'two', 'three']; draw()")
        assert await run("fill", "#f", value) == "Filled #f"
        assert json.loads(await run("js", "JSON.stringify(lines)")) == [value]
    assert await run("value", "#f") == value


async def test_filler_in_an_empty_editor_is_no_text(run: Run, show: Show) -> None:
    """Ignore the character without width that Slate puts into an empty line."""
    await show(
        "<div id=f contenteditable role=textbox style='white-space: pre-wrap'>Old</div><script>filler = '&#xfeff;'; f.oninput = () => {"
        " if (!f.innerText.trim()) f.innerHTML = `<p>${filler}<br></p>` }</script>"
    )
    assert await run("fill '#f' ''") == "Filled #f"
    await run("js", "filler = '&#x200b;'; f.innerText = 'Old'; 0")
    assert await run("fill '#f' ''") == "Filled #f"
    assert await run("fill '#f' New") == "Filled #f"


INSIDE = """<div id=doc contenteditable role=textbox><p id=p>Text</p><div contenteditable=false><div id=code contenteditable role=textbox
 style="white-space:pre">a</div></div><p id=q>End</p></div><script>
 let done = 0; const away = () => { doc.focus(); getSelection().collapse(p, 1) };
 WHEN</script>"""
TEXTS = "[code, p, q].map((one) => one.innerText).join('|')"
AS_A_KEY_COMES = "document.addEventListener('keydown', () => { if (!done++) away() })"
AS_THE_SELECTION_MOVES = """document.addEventListener('selectionchange', () => {
 if (code.innerText.includes('\\n') && document.activeElement === code && done++ === 1) away() })"""


@each([AS_A_KEY_COMES, AS_THE_SELECTION_MOVES])
async def test_no_key_for_an_editor_goes_into_the_one_around_or_in_it(when: str, run: Run, show: Show) -> None:
    """Fill one editor in another, as Milkdown's code block: ProseMirror around CodeMirror."""
    await show(INSIDE.replace("WHEN", when))
    for text in ("x=1\ny=9", "single"):
        assert await run("fill '#code'", text) == "Filled #code"
        assert await run("js", TEXTS) == f"{text}|Text|End"
    inward = "if (!done++) { code.focus(); getSelection().selectAllChildren(code) }"
    await show(INSIDE.replace("WHEN", f"document.addEventListener('keydown', () => {{ {inward} }})"))
    assert await run("fill '#p' other") == "Filled #p"
    assert await run("js", TEXTS) == "a|other|End"


async def test_an_editor_that_hears_late_of_what_is_selected_is_emptied(run: Run, show: Show) -> None:
    """Select as late as Lexical does on a busy machine."""
    await show("""<div id=ed contenteditable role=textbox><p>One</p><p>Two</p></div><script>let all = false;
        document.addEventListener('selectionchange', () => setTimeout(() => {
          all = ed.textContent !== '' && getSelection().toString().replace(/\\s+/g, '') === ed.textContent }, 40));
        ed.addEventListener('beforeinput', (event) => { if (!/^delete/.test(event.inputType)) return;
          event.preventDefault(); if (all) ed.innerHTML = '<p><br></p>' })</script>""")
    assert await run("fill '#ed' ''") == "Filled #ed"
    assert await run("js", "ed.textContent") == ""


async def test_busy_editor_may_hold_a_part_of_the_text(shell: Shell, show: Show, web: Web) -> None:
    """Have the page wait for an answer in the middle of it, and take no time of the processor."""
    await show("""<div id=f contenteditable>old</div><script>f.addEventListener('input', () => {
        const request = new XMLHttpRequest(); request.open('GET', '/gate/busy', false); request.send() }, { once: true })</script>""")
    reply = await shell.send("fill '#f' 'new text'", timeout=1000)
    web.gate("busy").set()
    assert reply.error == TimedOut.kind
    assert reply.message == '<div#f> "old" did not take the text in time, and may hold a part of it'
