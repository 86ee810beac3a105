"""Test `select`, `type` and `press`: what a field or list does with them, and what the reply says."""

import asyncio
import json

import pytest

from gstack_browse.browser.actions.lists import choosing
from gstack_browse.errors import ActionFailed, ManyMatches, NoMatch, NotInteractable, UsageError
from tests.commands.conftest import Check, Fails, Run, Shell, Show, until
from tests.commands.hurried import hurried
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

LIST = """<select id=s><option value=''>Choose…</option><option value=de>Germany</option>
    <optgroup label=West><option value=fr>France</option><option value=xx disabled>Nowhere</option></optgroup></select>
    <output id=log></output><script>for (const t of ['input', 'change']) s.addEventListener(t, e => log.value += `${t}:${s.value} `)</script>"""


async def test_select_by_value_or_label_fires_events(
    run: Run, fails: Fails, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Name the options there are where one is unknown, and refuse one that is disabled, and several."""
    monkeypatch.setattr(choosing, "OPTION_SECONDS", 0.2)
    await show(LIST)
    assert await run("select '#s' de") == 'Selected "Germany" in #s'
    assert await run("text '#log'") == "input:de change:de"
    assert await run("select '#s' France") == 'Selected "France" in #s'
    assert await run("select '#s' germany") == 'Selected "Germany" in #s'
    assert await run("select '#s'", "") == 'Selected "Choose…" in #s'
    reply = await fails("select '#s' Spain", NoMatch)
    assert reply.message == 'There is no option "Spain"'
    assert reply.hint == "Available: Choose…, Germany, France"
    assert 'The option "Nowhere" is disabled' in (await fails("select '#s' xx", NotInteractable)).message
    assert "takes one option, not 2" in (await fails("select '#s' de fr", NotInteractable)).message
    assert await run("js", "s.value") == ""
    await run("js", "s.disabled = true; 0")
    assert "is disabled" in (await fails("select '#s' de --timeout 50", NotInteractable)).message


async def test_select_takes_the_focus_as_a_person_does(run: Run, show: Show) -> None:
    """The field before is left, the list is loaded at its focus, and leaving it enables a button."""
    await show("""<input id=f onchange="log.textContent += 'left '"><select id=s onfocus="if (length < 2) add(new Option('Late'))"
        onblur="go.disabled = false"><option>Old</select><button id=go disabled onclick="log.textContent += 'go'">Go</button><p id=log>""")
    await run("fill '#f' Ann")
    assert await run("select '#s' Late") == 'Selected "Late" in #s'
    assert await run("text '#log'") == "left"
    assert await run("click '#go'") == "Clicked #go"
    assert await run("text '#log'") == "left go"


async def test_label_and_option_stand_for_their_list(run: Run, fails: Fails, show: Show) -> None:
    """Select several where the list allows it. Put the next choice into the place of the one before."""
    options = "<option value={0}1>Plum<option value={0}2>Pear<option value={0}3>Fig"
    await show(
        f"<label id=l>Fruit <select id=one>{options.format('a')}</select></label><select id=several multiple>{options.format('b')}</select>"
    )
    for target, words, held in (
        ("#l", ["Fig"], "a3"), ("#one option >> nth=0", ["Pear"], "a2"), ("#one option[value=a1]", ["a3"], "a3"), ("#one option >> nth=0", ["Plum"], "a1"),
        ("#several option[value=b2]", ["pear"], "b2"), ("#several option[value=b3]", ["Fig"], "b2,b3"), ("#several option[value=b3]", ["Plum"], "b1"),
        ("#several", ["b2", "Fig"], "b2,b3"), ("#several", ["b3"], "b3"),
    ):  # fmt: skip
        said = await run("select", target, *words)
        selected = {"b2,b3": '"Pear", "Fig"', "b3": '"Fig"'}.get(held, "")
        assert target != "#several" or said == f"Selected {selected} in #several"
        found = "#several" if held.startswith("b") else "#one"
        selected = f"document.querySelector('{found}').selectedOptions"
        assert await run("js", f"[...{selected}].map(o => o.value).join()") == held
    reply = await fails("select '#one option[value=a1]' Cherry", NoMatch)
    assert (reply.message, reply.hint) == ('There is no option "Cherry"', "Available: Plum, Pear, Fig")


async def test_list_without_options_or_that_is_put_back_says_so(fails: Fails, show: Show) -> None:
    """Look at lists whose box is as wide as nothing. Put the choice back at once, and in the next turn."""
    kinds = ["multiple style='border:0;padding:1px'", ""]
    await show(
        "".join(f"<select {kind} id=none{number}></select>" for number, kind in enumerate(kinds))
        + "<select id=s onchange='this.value = \"a\"'><option>a<option>b</select>"
        "<select id=t onchange='Promise.resolve().then(() => { this.value = \"a\" })'><option>a<option>b</select>"
    )
    for number, kind in enumerate(kinds):
        reply = await fails(f"select '#none{number}' Blue --timeout 100", NoMatch)
        assert (kind, reply.message) == (kind, 'There is no option "Blue"')
        assert reply.hint.startswith("It has no options to select")
    for name in "st":
        reply = await fails(f"select '#{name}' b", ActionFailed)
        assert reply.message == "The page did not keep the selection: a is selected"


async def test_type_sends_real_keys_and_never_echoes(run: Run, show: Show) -> None:
    """Write words, lines and every script."""
    await show("""<textarea id=f autofocus></textarea><output id=n></output><script>
        f.focus(); f.onkeydown = e => n.value += e.key + (e.isTrusted ? '' : '!')</script>""")
    assert await run("type", "Hi there") == "Typed 8 characters"
    assert await run("text '#n'") == "Hi there"
    assert await run("type", "two", "words") == "Typed 9 characters"
    assert await run("type", " ünï 😀 漢字") == "Typed 9 characters"
    assert await run("type", "\nnext") == "Typed 5 characters"
    assert await run("js", "f.value") == "Hi theretwo words ünï 😀 漢字\nnext"


async def test_type_does_not_write_a_ref_into_the_field(run: Run, fails: Fails, show: Show) -> None:
    """Take a ref first, as other tools do, for the field."""
    await show("<input id=f aria-label=Name>")
    ref = (await run("snapshot -i")).split()[0]
    await run("click", ref)
    assert await run("type", ref, "Ann Lee") == f"Typed 7 characters into {ref}"
    assert await run("value", "#f") == "Ann Lee"
    await run("fill #f ''")
    refused = await fails("type", UsageError, f"{ref} Ann Lee")
    assert (refused.message, refused.hint.split("\n")[0]) == (
        f"{ref} would be typed as text",
        f"Run 'type --into {ref} <text>'",
    )
    assert await run("value", "#f") == ""
    await run("type", "@e77 hello")
    assert await run("value", "#f") == "@e77 hello", "a number that was never printed is text"
    await run(f"type --into {ref}", f" {ref} x")
    assert await run("value", "#f") == f"@e77 hello {ref} x"


async def test_type_says_where_the_text_did_not_go(run: Run, show: Show) -> None:
    """Say nothing of unseen fields: editors and terminals empty them at once."""
    await show("""<output id=n></output><a class=x href=#z>z</a><button class=x>z</button><input class=x type=checkbox>
        <input id=o readonly value=old><input id=f value=12><input id=g><textarea id=h></textarea>
        <div style='overflow:hidden;width:3px;height:0;position:relative'><textarea id=k></textarea></div><pre id=p></pre><script>
        document.onkeydown = e => n.value += e.key; f.onkeydown = e => { if (/[a-z]/.test(e.key)) e.preventDefault() };
        g.oninput = () => { g.value = '' }; k.oninput = () => { p.textContent += k.value; k.value = '' }</script>""")
    assert await run("type ab") == "Typed 2 characters\n→ nothing has the focus: the page got the keys"
    assert await run("text '#n'") == "ab"
    for number in range(3):
        await run(f"focus '.x >> nth={number}'")
        said = await run("type hello")
        assert said.endswith("has the focus, and takes no text: the page got the keys")
    unchanged = "\n→ the value of <input#{}> did not change"
    for field, text, told in (
        ("o", "new", "\n→ <input#o> has the focus, and is read-only"), ("f", "abc", unchanged.format("f")),
        ("f", "a3", '\n→ <input#f> holds "312"'),
        ("g", "abc", unchanged.format("g")), ("h", "\n", ""), ("k", "abc", ""),
    ):  # fmt: skip
        await run("js", f"{field}.focus()")
        assert await run("type", text) == f"Typed {len(text)} character{'s' * (len(text) > 1)}{told}"
    assert await run("text '#p'") == "abc"


CODES = {
    "if (c.value.length == 2) c.blur()": '→ <input#c> holds "12"',
    "if (c.value.length == 2) d.focus()": '→ <input#c> holds "12"',
    "if (c.value.length == 2) c.type = 'password', c.blur()": "→ <input#c> does not hold all of it",
    "if (c.value.length == 2) r.innerHTML = r.innerHTML": "→ the page removed <input#c> meanwhile",
    "c.value = c.value.replace(/^(..)-?(.)/, '$1-$2')": "",
}
"""What a field does with 1234 as it is typed, and what the reply says of it."""


async def test_type_says_what_a_field_holds_that_did_not_take_all(run: Run, show: Show) -> None:
    await show("<div id=r></div><input id=d>")
    for does, told in CODES.items():
        await run("js", f"r.innerHTML = '<input id=c>'; c.oninput = () => {{ {does} }}; 0")
        said = await run("type --into '#c' 1234")
        assert said == "\n".join(filter(None, ("Typed 4 characters into #c", told))), does


async def test_type_into_a_field_that_passes_the_focus_on_types_nothing(show: Show, check: Check) -> None:
    await show(
        "<input id=c value=one onfocus='d.focus()'><input id=e value=one onfocus='setTimeout(() => d.focus())'><input id=d value=two>"
    )
    for line, target in {"type --into #c --clear x": "#c", "type --into #e x": "#e"}.items():
        await check({line: (ActionFailed, f"<input#d> got the focus instead of {target}: nothing was typed")})
    await check({"js c.value + e.value + d.value": "oneonetwo"})


async def test_type_tells_what_followed_and_stops_there(run: Run, fails: Fails, show: Show, web: Web) -> None:
    await show("<form action=/echo method=post><input name=q id=f></form>")
    await run("click '#f'")
    assert (await run("type", "abc\n")).splitlines()[1].endswith("/echo")
    assert await run("text") == "q = abc"
    await show("<input id=f><script>f.focus(); f.onkeyup = () => { location = '/gate/typed' }</script>")
    web.later(0.5, web.gate("typed").set)
    assert await run("type a") == f"Typed 1 character\n→ now at {web.url}/gate/typed"
    await show("<input autofocus onkeydown=\"location = '/form.html'\">")
    await run("focus input")
    assert "went elsewhere" in (await fails("type abcdefghijklmnop --delay 100", ActionFailed)).message


async def test_press_sends_that_key(run: Run, show: Show) -> None:
    """Take keys by their usual names, insert characters that no key has."""
    keys = [
        ("Enter", "Enter"), ("enter", "Enter"), ("Return", "Enter"), ("Esc", "Escape"), ("a", "a"), ("A", "A"),
        ("down", "ArrowDown"), ("Space", " "), ("Tab", "Tab"), ("F5", "F5"), ("+", "+"), ("Shift+a", "A"), ("Shift+1", "!"), ("ctrl+A", "A"),
        ("Control++", "+"), ("PageDown", "PageDown"), ("1", "1"), ("Backspace", "Backspace"), ("?", "?"),
    ]  # fmt: skip
    await show(
        "<input id=f><input id=g><script>heard = []; onkeydown = e => { heard.push(e.key); e.preventDefault() }</script>"
    )
    for typed, _ in keys:
        assert (await run("press", typed)).startswith("Pressed ")
    heard = json.loads(await run("js", "heard.filter(key => key !== 'Shift' && key !== 'Control')"))
    assert heard == [key for _, key in keys]
    await run("focus '#f'")
    await run("js", "heard = []; onkeydown = onkeyup = (event) => heard.push(event.type, event.key); 0")
    assert await run("press é") == "Pressed é"
    await run("type Æж漢😀")
    assert await run("js", "f.value + heard") == "éÆж漢😀" + ",".join(
        f"keydown,{character},keyup,{character}" for character in "éÆж漢"
    )
    assert await run("press ctrl+a") == "Pressed Control+a"
    await run("js", "onkeydown = null")
    for key, focused in {"Tab": "#g", "Shift+Tab": "#f"}.items():
        await run(f"press {key}")
        assert await run(f"is focused '{focused}'") == "true"


async def test_access_key_works_as_in_a_window_and_types_nothing(check: Check, show: Show) -> None:
    await show("""<input accesskey=f onkeydown="heard += event.key" onkeypress="heard += 'press'"><button accesskey=s onclick="heard += 'clicked'">Save</button>
        <script>heard = ''</script>""")
    await check({
        "press Alt+f": "Pressed Alt+f", "is focused input": "true", "press Alt+d": "…", "value input": "", "press Alt+Shift+s": "…",
        "js heard": "AltdAltShiftclickedS",
    })  # fmt: skip


async def test_escape_leaves_the_full_screen(check: Check, show: Show) -> None:
    await show(
        "<div id=box><button onclick='box.requestFullscreen()'>Full</button></div><i onclick='title = 1'>Beside</i>"
    )
    full = "js document.fullscreenElement !== null"
    await check([
        ("click button", "…"), (full, "true"), ("press Escape", "Pressed Escape\n→ left the full screen"), (full, "false"),
        ("press Escape", "Pressed Escape"), ("click i", "Clicked i"),
    ])  # fmt: skip


async def test_keys_come_after_those_of_a_client_that_went_away(run: Run, shell: Shell, show: Show) -> None:
    await show("<input oninput=\"console.log('heard')\">")
    await run("focus input")
    typing = asyncio.ensure_future(shell.send("type abcdefgh --delay 50"))
    await until(lambda: any("heard" in entry.render() for entry in shell.service.default_context.logs.console))
    typing.cancel()
    await asyncio.wait([typing])
    assert await run("press X") == "Pressed X"
    assert await run("value input") in ("aX", "abX", "abcX"), "nothing is typed any more, or later"


HELD = "[...s.selectedOptions].map(o => o.value)"


async def test_option_of_a_list_box_is_pressed_like_any_element(run: Run, show: Show, fails: Fails) -> None:
    """Replace the selection; add, take out and extend it by modifiers. Move options between two lists by a double click."""
    await show("""<select id=s multiple size=4><option>red<option>green<option>blue<option disabled>gray<option>pink<option>cyan</select>
        <select id=t><option>one<option>two</select><select id=from multiple><option>a<option>b</select><select id=to multiple></select><script>
        heard = []; for (const type of ['mousedown', 'click', 'dblclick', 'contextmenu', 'input', 'change']) s.addEventListener(type, e => heard.push(type + ':' + e.isTrusted));
        from.ondblclick = event => to.append(event.target)</script>""")
    assert await run("click 'option >> nth=0'") == 'Clicked option >> nth=0\n→ selected "red"'
    assert (await run("js", "heard.join(' ')")) == "mousedown:true input:true change:true click:true"
    assert await run("click", "text=green") == 'Clicked text=green\n→ selected "green"'
    assert json.loads(await run("js", HELD)) == ["green"]
    for target, modifier, told in (
        ("cyan", "Control", 'selected "cyan"; also selected: "green"'),
        ("cyan", "Control", 'deselected "cyan"; also selected: "green"'),
        ("pink", "Shift", 'selected "pink"; also selected: "cyan"'),
    ):
        said = await run(f"click text={target} --modifiers {modifier}")
        assert said == f"Clicked text={target}\n→ {told}"
    await run("js", "heard = []")
    assert await run("click text=red --double") == 'Clicked text=red\n→ selected "red"'
    await run("click text=red --button right")
    assert {"dblclick:true", "contextmenu:true"} <= set((await run("js", "heard.join(' ')")).split())
    assert "is disabled" in (await fails("click text=gray --timeout 50", NotInteractable)).message
    for how in ("--double", "--button right", "--modifiers Control"):
        reply = await fails(f"click 'text=two' {how}", NotInteractable)
        assert "is in a closed list" in reply.message
    assert await run("js t.value") == "one"
    assert await run("click text=two") == 'Clicked text=two\n→ selected "two"'
    moved = "#from option >> nth=1"
    assert await run("click", moved, "--double") == f'Clicked {moved}\n→ "b" is in another list now'
    assert await run("js", "[...to.options].map(o => o.value).join()") == "b"


GUESTS = """<select id=guests>
<option value=0>1</option><option value=1>2</option><option value=2>3</option></select>
<select id=kind><optgroup label=Fruit><option value=f1>Apple<option value=f2>Other</optgroup>
<optgroup label=Veg><option value=v1>Leek<option value=v2>Other<option value=v3>Straße 1</optgroup></select>
<select id=size><option value=s>Small size<option value=l>Large size<option value=x disabled>Large</select>
<select id=twins><option>-<option value=a>Same<option value=a>Same</select>"""


MEANT = {
    ("#guests", "2"): "1", ("#guests", "0"): "0", ("#kind", "apple"): "f1", ("#kind", "v2"): "v2", ("#kind", "Veg / Other"): "v2",
    ("#kind", "veg > other"): "v2", ("#kind", "STRASSE 1"): "v3", ("#size", "Small"): "s", ("#twins", "Same"): "a",
}  # fmt: skip
"""A field and a word → the value that it means."""


async def test_select_prefers_the_label_then_the_value_then_a_part(run: Run, show: Show) -> None:
    """Mean by a word the same in a form."""
    await show(GUESTS)
    with hurried():
        for number, ((target, word), value) in enumerate(MEANT.items()):
            if number % 3:
                await run("select", target, word)
            else:
                await run("fill-form", json.dumps({target: word}))
            assert (word, await run("value", target)) == (word, value)


async def test_select_of_an_ambiguous_word_lists_the_options(fails: Fails, show: Show) -> None:
    await show(GUESTS)
    with hurried():
        for word, ways in {
            "Other": ['"Fruit / Other" (value f2)', '"Veg / Other" (value v2)'],
            "e": ['"Fruit / Apple" (value f1)', '"Veg / Leek" (value v1)'],
        }.items():
            reply = await fails("select '#kind'", ManyMatches, word)
            assert all(way in reply.hint for way in ways)
            reply = await fails("fill-form", ManyMatches, json.dumps({"#kind": word}))
            assert all(way[-10:] in reply.hint for way in ways)  # it repeats no values
        await fails("select '#kind' plum", NoMatch)
