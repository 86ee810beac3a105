import asyncio
import json

import pytest

from gstack_browse.errors import ActionFailed, NoMatch, NotInteractable, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.hurried import hurried
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

LIST = """<select id=s {attributes}><option value=''>Choose…</option><option value=de>Germany</option>
    <optgroup label=West><option value=fr>France</option><option value=xx disabled>Nowhere</option></optgroup></select>
    <output id=log></output><script>for (const t of ['input', 'change']) s.addEventListener(t, e => log.value += `${t}:${s.value} `)</script>"""


async def listing(show: Show, attributes: str = "") -> None:
    await show(LIST.replace("{attributes}", attributes))


async def test_select_by_value_or_label_fires_input_and_change(run: Run, show: Show) -> None:
    await listing(show)
    assert await run("select '#s' de") == 'Selected "Germany" in #s'
    assert await run("text '#log'") == "input:de change:de"
    assert await run("select '#s' France") == 'Selected "France" in #s'
    assert await run("select '#s' germany") == 'Selected "Germany" in #s'
    assert await run("select '#s'", "") == 'Selected "Choose…" in #s'
    assert await run("js", "s.value") == ""


async def test_an_unknown_option_lists_the_available_ones(fails: Fails, run: Run, show: Show) -> None:
    await listing(show)
    reply = await fails("select '#s' Spain", NoMatch)
    assert reply.message == 'There is no option "Spain"'
    assert reply.hint == "Available: Choose…, Germany, France"
    assert await run("js", "s.value") == ""


@pytest.mark.parametrize("attributes", ["multiple", "size=4", "multiple style='border:0;padding:1px'", ""])
async def test_a_list_without_options_says_so(fails: Fails, show: Show, attributes: str) -> None:
    """Its box is as wide as nothing."""
    await show(f"<select {attributes} id=none></select>")
    reply = await fails("select '#none' Blue --timeout 300", NoMatch)
    assert (reply.message, reply.hint) == ('There is no option "Blue"', "It has no options to select")


async def test_a_disabled_option_or_list_says_so(fails: Fails, show: Show) -> None:
    await listing(show)
    assert 'The option "Nowhere" is disabled' in (await fails("select '#s' xx", NotInteractable)).message
    await listing(show, "disabled")
    assert "is disabled" in (await fails("select '#s' de --timeout 50", NotInteractable)).message


async def test_several_options_where_the_list_allows_it(run: Run, fails: Fails, show: Show) -> None:
    await listing(show)
    assert "takes one option, not 2" in (await fails("select '#s' de fr", NotInteractable)).message
    await listing(show, "multiple size=4")
    assert await run("select '#s' de France") == 'Selected "Germany", "France" in #s'
    assert json.loads(await run("js", "[...s.selectedOptions].map(o => o.value)")) == ["de", "fr"]
    assert await run("select '#s' fr") == 'Selected "France" in #s'
    assert json.loads(await run("js", "[...s.selectedOptions].map(o => o.value)")) == ["fr"]


async def test_options_that_arrive_late_are_waited_for(run: Run, show: Show) -> None:
    await show("<select id=s></select><script>setTimeout(() => s.innerHTML = '<option>Late', 300)</script>")
    assert await run("select '#s' Late") == 'Selected "Late" in #s'


async def test_select_on_something_else_says_what_to_do(fails: Fails, show: Show) -> None:
    await show(
        "<div id=s role=combobox>Choose</div><input id=i><label id=l>Land <select id=t><option>A<option>B</select></label>"
    )
    with hurried():
        reply = await fails("select '#s' a", NotInteractable)
    assert "did not show any options" in reply.message
    assert "is not a <select>" in (await fails("select '#i' a", NotInteractable)).message


async def test_select_by_its_label_or_an_option(run: Run, show: Show) -> None:
    await show("<label id=l>Land <select id=t><option>A<option>B</select></label>")
    assert await run("select '#l' B") == 'Selected "B" in #l'
    assert await run("js", "t.value") == "B"


async def test_an_option_stands_for_its_list(run: Run, fails: Fails, show: Show) -> None:
    options = "<option value={0}1>Plum<option value={0}2>Pear<option value={0}3>Fig"
    await show(
        f"<select id=one>{options.format('a')}</select><select id=several multiple>{options.format('b')}</select>"
    )
    for target, word, held in (
        ("#one option", "Pear", "a2"),
        ("#one option[value=a1]", "a3", "a3"),
        ("#one option", "Plum", "a1"),
        ("#several option[value=b2]", "pear", "b2"),
        ("#several option[value=b3]", "Fig", "b2,b3"),
        ("#several option[value=b3]", "Plum", "b1"),
    ):
        found = target.partition(" ")[0]
        await run("select", target if "[" in target else f"{target} >> nth=0", word)
        assert (
            await run("js", f"[...document.querySelector('{found}').selectedOptions].map(o => o.value).join()")
            == held
        )
    reply = await fails("select '#one option[value=a1]' Cherry", NoMatch)
    assert (reply.message, reply.hint) == ('There is no option "Cherry"', "Available: Plum, Pear, Fig")


async def test_a_page_that_puts_its_selection_back_is_a_failure(fails: Fails, show: Show) -> None:
    from gstack_browse.errors import ActionFailed

    await show("<select id=s onchange='this.value = \"a\"'><option>a<option>b</select>")
    reply = await fails("select '#s' b", ActionFailed)
    assert reply.message == "The page did not keep the selection: a is selected"


async def test_navigation_started_by_a_selection_is_told(run: Run, show: Show, web: object) -> None:
    await show(
        "<select id=s onchange='location = this.value'><option>-<option value=/plain.html>Plain</select>"
    )
    assert (await run("select '#s' Plain")).splitlines()[1].endswith("/plain.html")


async def test_options_with_the_same_label(run: Run, show: Show) -> None:
    await show("<select id=s><option value=1>Same<option value=2>Same<option value=3>Other</select>")
    assert await run("select '#s' 2") == 'Selected "Same" in #s'
    assert await run("js", "s.value") == "2"


async def test_type_sends_real_keys_and_never_echoes(run: Run, show: Show) -> None:
    await show("""<input id=f autofocus><output id=n></output><script>
        f.focus(); f.onkeydown = e => n.value += e.key + (e.isTrusted ? '' : '!')</script>""")
    assert await run("type", "Hi there") == "Typed 8 characters"
    assert await run("js", "f.value") == "Hi there"
    assert await run("text '#n'") == "Hi there"


async def test_type_takes_words_and_every_script(run: Run, show: Show) -> None:
    await show("<textarea id=f></textarea>")
    await run("click '#f'")
    assert await run("type", "two", "words") == "Typed 9 characters"
    assert await run("type", " ünï 😀 漢字") == "Typed 9 characters"
    assert await run("type", "\nnext") == "Typed 5 characters"
    assert await run("js", "f.value") == "two words ünï 😀 漢字\nnext"


async def test_type_does_not_write_a_ref_into_the_field(run: Run, fails: Fails, show: Show) -> None:
    """Other tools take a target first: it is the field then."""
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


@pytest.mark.parametrize(
    "markup", ["<a id=x href=#z>z</a>", "<button id=x>z</button>", "<input id=x type=checkbox>"]
)
async def test_type_into_what_takes_no_text_says_so(run: Run, show: Show, markup: str) -> None:
    await show(markup)
    await run("focus '#x'")
    said = await run("type hello")
    assert said.endswith("has the focus, and takes no text: the page got the keys")


async def test_type_without_focus_says_so(run: Run, show: Show) -> None:
    await show("<output id=n></output><script>document.onkeydown = e => n.value += e.key</script>")
    assert await run("type ab") == "Typed 2 characters\n→ nothing has the focus: the page got the keys"
    assert await run("text '#n'") == "ab"


async def test_type_into_a_read_only_field_says_so(run: Run, show: Show) -> None:
    await show("<input id=f readonly value=old><script>f.focus()</script>")
    assert await run("type new") == "Typed 3 characters\n→ <input#f> has the focus, and is read-only"


async def test_type_tells_what_followed(run: Run, show: Show, web: object) -> None:
    await show("<form action=/echo method=post><input name=q id=f></form>")
    await run("click '#f'")
    assert (await run("type", "abc\n")).splitlines()[1].endswith("/echo")
    assert await run("text") == "q = abc"


async def test_typing_into_a_frame(run: Run, show: Show) -> None:
    await show("<iframe srcdoc='<input id=i aria-label=Inner>'></iframe>")
    ref = next(line.split()[0] for line in (await run("snapshot -i")).splitlines() if "Inner" in line)
    await run("click", ref)
    assert await run("type abc") == "Typed 3 characters"
    assert await run(f"is focused {ref}") == "true"
    assert ": abc" in await run("snapshot -i")


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("Enter", "Enter"), ("enter", "Enter"), ("Return", "Enter"), ("Esc", "Escape"), ("a", "a"), ("A", "A"),
        ("ArrowDown", "ArrowDown"), ("down", "ArrowDown"), ("Space", " "), ("Tab", "Tab"), ("F5", "F5"), ("+", "+"),
        ("Shift+a", "A"), ("ctrl+A", "A"), ("Control++", "+"), ("PageDown", "PageDown"), ("1", "1"),
        ("Backspace", "Backspace"), ("Delete", "Delete"), ("?", "?"),
    ],
)  # fmt: skip
async def test_press_sends_that_key(run: Run, show: Show, typed: str, key: str) -> None:
    await show("<script>var last; onkeydown = e => { last = e.key; e.preventDefault() }</script>")
    assert (await run("press", typed)).startswith("Pressed ")
    assert json.loads(await run("js", "[last]")) == [key]


async def test_press_inserts_a_character_that_no_key_has(run: Run, show: Show) -> None:
    await show("<input id=f><script>f.focus()</script>")
    assert await run("press é") == "Pressed é"
    assert await run("js", "f.value") == "é"


async def test_press_prints_the_key(run: Run, show: Show) -> None:
    await show("<input id=f>")
    await run("click '#f'")
    assert await run("press Enter") == "Pressed Enter"
    assert await run("press ctrl+a") == "Pressed Control+a"


async def test_an_unknown_key_names_the_nearest(fails: Fails) -> None:
    assert (await fails("press Entr", UsageError)).hint.startswith("Did you mean Enter?")
    assert (await fails("press ArowDown", UsageError)).hint.startswith("Did you mean ArrowDown?")
    assert "is not a modifier" in (await fails("press Enter+a", UsageError)).message
    await fails("press", UsageError, "")
    await fails("press", UsageError, "Control+")


async def test_press_submits_a_form_and_tells(run: Run, visit: Show) -> None:
    await visit("form.html")
    await run("fill '#name' Ann")
    assert (await run("press Enter")).splitlines()[1].endswith("/echo")
    assert "name = Ann" in await run("text")


async def test_typing_stops_when_the_page_navigates(run: Run, fails: Fails, show: Show) -> None:
    await show("<input autofocus onkeydown=\"location = '/form.html'\">")
    await run("focus input")
    assert "went elsewhere" in (await fails("type abcdefghijklmnop --delay 100", ActionFailed)).message


async def test_keys_come_after_those_of_a_client_that_went_away(run: Run, shell: Shell, show: Show) -> None:
    await show("<input oninput=\"console.log('heard')\">")
    await run("focus input")
    typing = asyncio.ensure_future(shell.send("type abcdefgh --delay 50"))
    await until(lambda: any("heard" in entry.render() for entry in shell.service.logs.console))
    typing.cancel()
    await asyncio.wait([typing])
    assert await run("press X") == "Pressed X"
    assert await run("value input") in ("aX", "abX", "abcX"), "nothing is typed any more, or later"


async def test_press_moves_the_focus(run: Run, show: Show) -> None:
    await show("<input id=a><input id=b>")
    await run("click '#a'")
    await run("press Tab")
    assert await run("is focused '#b'") == "true"
    await run("press Shift+Tab")
    assert await run("is focused '#a'") == "true"


LIST_BOX = """<select id=s multiple size=4><option>red<option>green<option>blue<option disabled>gray
    <option>pink<option>cyan</select><script>heard = [];
    for (const type of ['mousedown', 'click', 'dblclick', 'contextmenu', 'input', 'change']) s.addEventListener(type, e => heard.push(type + ':' + e.isTrusted));
    </script>"""
HELD = "[...s.selectedOptions].map(o => o.value)"


async def test_an_option_of_a_list_box_is_pressed_like_any_element(run: Run, show: Show) -> None:
    await show(LIST_BOX)
    assert await run("click 'option >> nth=0'") == 'Clicked option >> nth=0\n→ selected "red"'
    assert (await run("js", "heard.join(' ')")) == "mousedown:true input:true change:true click:true"
    assert await run("click", "text=blue") == 'Clicked text=blue\n→ selected "blue"'
    assert json.loads(await run("js", HELD)) == ["blue"], "a press replaces the selection"


async def test_modifiers_and_double_clicks_on_an_option(run: Run, show: Show) -> None:
    await show(LIST_BOX)
    await run("snapshot -i")
    await run("click text=green")
    said = await run("click text=cyan --modifiers Control")
    assert said == 'Clicked text=cyan\n→ selected "cyan"; also selected: "green"'
    said = await run("click text=cyan --modifiers Control")
    assert said == 'Clicked text=cyan\n→ deselected "cyan"; also selected: "green"'
    said = await run("click text=pink --modifiers Shift")
    assert said == 'Clicked text=pink\n→ selected "pink"; also selected: "cyan"'
    await run("js", "heard = []")
    assert await run("click text=red --double") == 'Clicked text=red\n→ selected "red"'
    assert "dblclick:true" in await run("js", "heard.join(' ')")
    await run("click text=red --button right")
    assert "contextmenu:true" in await run("js", "heard.join(' ')")


async def test_an_option_of_a_list_box_in_a_frame(run: Run, show: Show) -> None:
    await show("<iframe srcdoc='<select id=s size=3><option>a<option>b<option>c</select>'></iframe>")
    await run("frame iframe")
    assert await run("click 'option >> nth=1'") == 'Clicked option >> nth=1\n→ selected "b"'
    assert await run("click 'option >> nth=2' --double") == 'Clicked option >> nth=2\n→ selected "c"'
    assert await run("js s.value") == "c"


async def test_an_option_that_cannot_be_chosen_says_so(run: Run, show: Show, fails: Fails) -> None:
    await show(LIST_BOX + "<select id=t><option>one<option>two</select>")
    assert "is disabled" in (await fails("click text=gray --timeout 50", NotInteractable)).message
    for how in ("--double", "--button right", "--modifiers Control"):
        reply = await fails(f"click 'text=two' {how}", NotInteractable)
        assert "is in a closed list" in reply.message
    assert await run("js t.value") == "one"
    assert await run("click text=two") == 'Clicked text=two\n→ selected "two"'


async def test_a_press_on_an_option_that_moves_it_elsewhere_is_told_as_it_is(run: Run, show: Show) -> None:
    """Two lists between which a double click moves options."""
    await show(
        "<select id=from multiple><option>a<option>b</select><select id=to multiple></select>"
        "<script>from.ondblclick = event => to.append(event.target)</script>"
    )
    assert await run("click 'text=b' --double") == 'Clicked text=b\n→ "b" is in another list now'
    assert await run("js", "[...to.options].map(o => o.value).join()") == "b"


async def test_type_says_when_the_field_did_not_change(run: Run, show: Show) -> None:
    await show("""<input id=f value=12><input id=g><textarea id=h></textarea><script>
        f.onkeydown = e => { if (/[a-z]/.test(e.key)) e.preventDefault() };
        g.oninput = () => { g.value = '' }</script>""")
    await run("click '#f'")
    assert await run("type abc") == "Typed 3 characters\n→ the value of <input#f> did not change"
    assert await run("type a3") == "Typed 2 characters"
    await run("click '#g'")
    assert await run("type abc") == "Typed 3 characters\n→ the value of <input#g> did not change"
    await run("click '#h'")
    assert await run("type abc") == "Typed 3 characters"
    assert await run("type", "\n") == "Typed 1 character"


async def test_type_says_nothing_of_fields_that_nobody_sees(run: Run, show: Show) -> None:
    """Editors and terminals take their keys from a field that they empty at once."""
    await show("""<div style='overflow:hidden;width:3px;height:0;position:relative'><textarea id=f></textarea></div><pre id=p></pre>
        <div id=e contenteditable></div><script>
        f.oninput = () => { p.textContent += f.value; f.value = '' }; f.focus();
        e.onbeforeinput = event => event.preventDefault()</script>""")
    assert await run("type abc") == "Typed 3 characters"
    assert await run("text '#p'") == "abc"


async def test_type_in_a_page_that_goes_elsewhere_on_a_key(run: Run, show: Show, web: Web) -> None:
    await show("<input id=f><script>f.focus(); f.onkeyup = () => { location = '/gate/typed' }</script>")
    web.later(0.5, web.gate("typed").set)
    assert await run("type a") == f"Typed 1 character\n→ now at {web.url}/gate/typed"
