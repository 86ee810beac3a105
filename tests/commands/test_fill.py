import json

import pytest

from gstack_browse.errors import ActionFailed, ManyMatches, NoMatch, NotInteractable, UsageError
from tests.commands.conftest import Fails, Run, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

VALUE = "document.querySelector('#f').value"


KINDS = [
    ("text", "Ann O'Neil"), ("search", "shoes"), ("email", "ann@example.com"), ("url", "https://a.b/c?d=e"),
    ("tel", "+49 30 1234"), ("password", "correct horse"), ("number", "-3.5"), ("date", "2026-12-31"),
    ("time", "23:59"), ("datetime-local", "2026-12-31T23:59"), ("month", "2026-12"), ("week", "2026-W53"),
    ("color", "#ff8800"), ("range", "70"), ("text", "ünï → 😀"), ("text", "--flag"), ("text", "-5"),
]  # fmt: skip


async def test_every_kind_of_input_is_filled_and_cleared(run: Run, show: Show) -> None:
    await show("".join(f"<input id=f{number} type={kind}>" for number, (kind, _) in enumerate(KINDS)))
    for number, (kind, value) in enumerate(KINDS):
        field, value_now = f"#f{number}", f"document.querySelector('#f{number}').value"
        assert await run(f"fill '{field}'", value) == f"Filled {field}", kind
        assert await run("js", value_now) == value, kind
        cleared = await run(f"fill '{field}'", "")
        at_rest = {"color": "#000000", "range": "50"}.get(kind, "")
        told = f'\n→ the page made it "{at_rest}"' if at_rest else ""
        assert cleared == f"Filled {field}{told}", kind
        assert await run("js", value_now) == at_rest, kind


async def test_input_and_change_are_fired(run: Run, show: Show) -> None:
    await show("""<input id=f value=old><input id=d type=date><output id=log></output><script>
        for (const type of ['input', 'change']) document.addEventListener(type, e => log.value += `${e.target.id}:${type} `)</script>""")
    await run("fill '#f' new")
    await run("fill '#d' 2026-01-02")
    await run("press Tab")
    said = (await run("text '#log'")).split()
    assert "f:input" in said
    assert "f:change" in said
    assert "d:input" in said
    assert "d:change" in said


async def test_fill_joins_several_words_into_one_value(run: Run, show: Show) -> None:
    await show("<input id=f>")
    await run("fill '#f' Ann Smith")
    assert await run("js", VALUE) == "Ann Smith"


async def test_textarea_keeps_lines(run: Run, show: Show) -> None:
    await show("<textarea id=f>old</textarea>")
    await run("fill '#f'", "one\ntwo\n\nfour")
    assert json.loads(await run("js", f"[{VALUE}]")) == ["one\ntwo\n\nfour"]
    await run("fill '#f'", "ends with a line\n")
    assert json.loads(await run("js", f"[{VALUE}]")) == ["ends with a line\n"]


async def test_contenteditable_is_filled_and_cleared(run: Run, show: Show) -> None:
    await show(
        "<div id=f contenteditable><b>old</b> text</div><output id=n>0</output><script>f.oninput = () => n.value++</script>"
    )
    assert await run("fill '#f'", "new text") == "Filled #f"
    assert await run("text '#f'") == "new text"
    assert await run("fill '#f'", "") == "Filled #f"
    assert await run("text '#f'") == ""
    assert int(await run("text '#n'")) >= 2


@pytest.mark.parametrize("text", ["One\nTwo", "One\n\nTwo", "One"])
@pytest.mark.parametrize("line", ["p", "div", "h1"])
async def test_the_lines_of_an_editor_are_those_that_were_written(
    run: Run, show: Show, line: str, text: str
) -> None:
    """Each line is a block, and between two paragraphs `innerText` has an empty line."""
    await show(f"<div id=f contenteditable><{line}>old</{line}></div>")
    assert await run("fill", "#f", text) == "Filled #f", "the page has made nothing else of it"
    assert await run("value", "#f") == text
    await run("type", "!")
    assert await run("value", "#f") == f"{text}!", "and the caret is at the end"


async def test_a_child_of_contenteditable_and_plaintext_only(run: Run, show: Show) -> None:
    await show("<div contenteditable><p id=p>para</p></div><pre id=q contenteditable=plaintext-only>x</pre>")
    await run("fill '#q'", "two\nlines")
    assert await run("text '#q'") == "two\nlines"


async def test_controlled_fields_take_values_as_their_program_means(run: Run, visit: Show) -> None:
    await visit("controlled.html")
    assert await run("fill '#name' Ann") == "Filled #name"
    assert await run("fill '#notes'", "a\nb") == "Filled #notes"
    assert json.loads(await run("js", "state")) == {"name": "Ann", "amount": "", "notes": "a\nb", "phone": ""}
    await run("fill '#name'", "")
    await run("fill '#notes'", "")
    assert json.loads(await run("js", "state"))["name"] == ""
    assert json.loads(await run("js", "state"))["notes"] == ""


async def test_value_formatted_by_the_page_is_told(run: Run, visit: Show) -> None:
    await visit("controlled.html")
    assert await run("fill '#phone' 0301234567") == 'Filled #phone\n→ the page made it "(030) 123-4567"'
    assert await run("fill '#amount' 12.50EUR") == 'Filled #amount\n→ the page made it "12.50"'


async def test_a_value_the_page_rejects_is_a_failure(fails: Fails, visit: Show, run: Run) -> None:
    await visit("controlled.html")
    reply = await fails("fill '#amount' abc", ActionFailed)
    assert reply.message == '<input#amount> "Amount" did not take the value'
    await run("fill '#amount' 5")
    reply = await fails("fill '#amount' abc", ActionFailed)
    assert "did not take the value" in reply.message


async def test_a_mask_that_takes_nothing_but_keys(run: Run, show: Show) -> None:
    await show("""<input id=f aria-label=Code><script>let kept = '';
        const draw = () => { f.value = (kept + '______').slice(0, 3) + '-' + (kept + '______').slice(3, 6) };
        f.onkeypress = e => { e.preventDefault(); if (/\\d/.test(e.key) && kept.length < 6) { kept += e.key; draw() } };
        f.oninput = () => { if (f.value === '') kept = ''; draw() }</script>""")
    assert await run("fill '#f' 123456") == 'Filled #f\n→ the page made it "123-456"'
    assert await run("fill '#f' 98") == 'Filled #f\n→ the page made it "98_-___"'


async def test_a_mask_that_types_key_by_key(run: Run, show: Show) -> None:
    await show("""<input id=f><script>f.oninput = () => {
        const digits = f.value.replace(/\\D/g, '').slice(0, 8);
        f.value = [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4)].filter(Boolean).join('.') }</script>""")
    assert await run("fill '#f' 31122026") == 'Filled #f\n→ the page made it "31.12.2026"'
    assert await run("fill '#f' 01.02.2027") == "Filled #f"


@pytest.mark.parametrize(
    ("kind", "value", "hint"),
    [
        ("date", "31.12.2026", "2026-12-31"), ("date", "2026-02-30", "2026-12-31"), ("time", "25:00", "23:59"),
        ("month", "2026-13", "2026-12"), ("week", "W53", "2026-W53"), ("color", "no color", "#a1b2c3"),
        ("number", "many", "number"), ("datetime-local", "tomorrow", "2026-12-31T23:59"),
    ],
)  # fmt: skip
async def test_a_value_of_the_wrong_form_says_how_it_should_be(
    fails: Fails, run: Run, show: Show, kind: str, value: str, hint: str
) -> None:
    await show(f"<input id=f type={kind}>")
    before = await run("js", VALUE)
    reply = await fails("fill '#f'", ActionFailed, value)
    assert hint in reply.hint
    assert await run("js", VALUE) == before


MONEY = """<input id=f><script>
// Takes a point that is typed for the comma, and one that is in the text for a sign between thousands.
const put = (text) => { f.value = text ? `${text} €` : ''; f.setSelectionRange(text.length, text.length) };
f.onkeypress = (event) => { event.preventDefault(); const key = event.key === '.' ? ',' : event.key;
  if (/^[0-9,]$/.test(key)) put(f.value.slice(0, f.selectionStart).replace(/[ €.]/g, '') + key) };
f.oninput = () => put(f.value.replace(/[ €.]/g, ''));
</script>"""


async def test_a_number_that_the_page_takes_for_another_is_written_by_keys(run: Run, show: Show) -> None:
    await show(MONEY)
    for value, held in (("12.3", "12,3 €"), ("1234.56", "1234,56 €"), ("7", "7 €")):
        assert await run("fill '#f'", value) == f'Filled #f\n→ the page made it "{held}"'
        assert await run("value '#f'") == held


async def test_a_range_beyond_its_limits_says_what_it_became(run: Run, show: Show) -> None:
    await show("<input id=f type=range min=0 max=10 step=2 value=4>")
    assert await run("fill '#f' 99") == 'Filled #f\n→ the page made it "10"'
    assert await run("fill '#f' 99") == 'Filled #f\n→ the page made it "10"', (
        "also where that is what it holds already"
    )
    assert await run("fill '#f' 6") == "Filled #f"


@pytest.mark.parametrize("attributes", ["", "step=5 min=-20", "max=70 dir=rtl", "min=60", "step=0.1"])
async def test_a_slider_ends_with_a_key_as_many_pages_take_a_value_only_then(
    run: Run, show: Show, attributes: str
) -> None:
    await show(f"""<input id=f type=range {attributes}><p id=taken></p><script>
        f.onkeyup = event => taken.textContent = event.isTrusted ? f.value : ''</script>""")
    for value in ("70", "65", "-20"):
        await run(f"fill '#f' {value}")
        assert await run("text '#taken'") == await run("js", VALUE)


async def test_a_slider_that_makes_another_step_of_a_key_has_the_value_all_the_same(
    run: Run, show: Show
) -> None:
    await show("""<input id=f type=range><input id=a type=range step=any><input id=l type=range><script>
        f.onkeydown = event => { f.value = +f.value + 10; event.preventDefault() }; l.onfocus = () => l.blur()</script>""")
    for target in ("#f", "#a", "#l"):
        assert await run(f"fill '{target}' 70") == f"Filled {target}"
        assert await run("js", f"document.querySelector('{target}').value") == "70"


async def test_a_slider_whose_page_knows_its_value_itself(run: Run, show: Show) -> None:
    """As in SurveyJS: the page heeds what keys and the mouse do, and puts its own value back before."""
    await show("""<input id=f type=range><p id=taken></p><script>
        let known = 0, isHeld = false
        f.onfocus = () => { f.value = known }
        f.onkeydown = () => { isHeld = true; f.value = known }
        f.onkeyup = () => { isHeld = false; f.value = known; taken.textContent = known }
        f.oninput = () => { if (isHeld) known = +f.value }</script>""")
    for value in ("30", "77", "2"):
        assert await run(f"fill '#f' {value}") == "Filled #f"
        assert await run("text '#taken'") == value


async def test_a_slider_that_its_first_change_takes_away(run: Run, show: Show) -> None:
    """As the editor of a cell in Tabulator."""
    await show("""<p><input id=f type=range></p><script>
        f.onchange = () => { f.parentElement.textContent = 'saved ' + f.value }</script>""")
    assert await run("fill '#f' 30") == (
        "Filled #f\n→ the page has taken the field away since: what it holds cannot be read"
    )
    assert await run("text p") == "saved 30"


async def test_maxlength_is_told(run: Run, show: Show) -> None:
    await show("<input id=f maxlength=3>")
    said = await run("fill '#f' abcdef")
    held = await run("js", VALUE)
    assert said == ("Filled #f" if held == "abcdef" else f'Filled #f\n→ the page made it "{held}"')


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ("<input id=f value=old readonly>", "is read-only"),
        ("<input id=f value=old disabled>", "is disabled"),
        ("<fieldset disabled><input id=f value=old></fieldset>", "is disabled"),
        ("<textarea id=f readonly>old</textarea>", "is read-only"),
        ("<input id=f value=old readonly role=combobox aria-haspopup=dialog>", "is read-only"),
        ("<input id=f value=old style='display:none'>", "is hidden"),
        ("<input id=f value=old hidden>", "is hidden"),
    ],
)
async def test_a_field_that_cannot_be_filled_keeps_its_value(
    fails: Fails, run: Run, show: Show, markup: str, reason: str
) -> None:
    await show(markup)
    reply = await fails("fill '#f' new --timeout 100", NotInteractable)
    assert reason in reply.message
    assert reason != "is read-only" or reply.hint.startswith("Click it"), "as fields of date pickers are"
    assert await run("js", VALUE) == "old"


@pytest.mark.parametrize(
    ("markup", "instead"),
    [
        ("<select id=f><option>a</select>", "select <target>"),
        ("<input id=f type=checkbox>", "click <target>"),
        ("<input id=f type=radio>", "click <target>"),
        ("<input id=f type=file>", "upload <target>"),
        ("<input id=f type=submit>", "snapshot"),
        ("<div id=f>text</div>", "snapshot"),
        ("<button id=f>b</button>", "snapshot"),
        ("<div role=grid><div role=row><div role=gridcell id=f>b</div></div></div>", "dblclick <target>"),
    ],
)
async def test_fill_of_an_element_that_is_no_field_names_the_right_command(
    fails: Fails, show: Show, markup: str, instead: str
) -> None:
    await show(markup)
    reply = await fails("fill '#f' new", NotInteractable)
    assert "cannot be filled" in reply.message
    assert instead in reply.hint


async def test_a_label_fills_its_field(run: Run, show: Show) -> None:
    await show("<label id=l>Name <input id=f></label>")
    assert await run("fill '#l' Ann") == "Filled #l"
    assert await run("js", VALUE) == "Ann"


async def test_a_field_with_a_floating_label_over_it_is_not_covered(run: Run, show: Show) -> None:
    await show("""<div style='position:relative'><input id=f style='width:200px'>
        <label for=f style='position:absolute;left:2px;top:2px;width:190px'>Email</label></div>""")
    assert await run("fill '#f' a@b.c") == "Filled #f"


async def test_a_field_that_is_enabled_or_appears_late(run: Run, show: Show) -> None:
    await show("""<input id=f disabled><script>setTimeout(() => f.disabled = false, 300);
        setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<input id=g readonly>'), 100); setTimeout(() => g.readOnly = false, 400)</script>""")
    assert await run("fill '#f' now") == "Filled #f"
    assert await run("fill '#g' now") == "Filled #g"


async def test_missing_and_ambiguous_targets(fails: Fails, show: Show) -> None:
    await show("<label>Email <input id=email></label><input class=x><input class=x>")
    reply = await fails("fill '#emial' a --timeout 50", NoMatch)
    assert "<input#email>" in reply.hint
    await fails("fill .x a", ManyMatches)
    await fails("fill '#email'", UsageError)


async def test_the_value_is_not_repeated_in_failures(fails: Fails, show: Show) -> None:
    await show("<input id=f type=password readonly>")
    reply = await fails("fill '#f' hunter2secret --timeout 50", NotInteractable)
    assert "hunter2secret" not in reply.message + reply.hint


async def test_dialog_opened_after_a_fill_is_told(run: Run, show: Show) -> None:
    await show("<input id=f onchange='alert(`Checked`)'><input id=g>")
    said = await run("fill '#f' x")
    said += await run("press Tab")
    assert '→ alert "Checked": accepted' in said


async def test_a_field_that_is_replaced_when_it_changes(run: Run, show: Show) -> None:
    await show("<div id=w><input id=f oninput='w.innerHTML = `<input id=f value=${this.value}>`'></div>")
    assert await run("fill '#f' new") == "Filled #f"


async def test_fields_in_shadow_roots_and_frames(run: Run, show: Show) -> None:
    await show("""<my-field></my-field><iframe srcdoc='<label>Inner <input id=i></label>'></iframe><script>
        document.querySelector('my-field').attachShadow({mode: 'open'}).innerHTML = '<input id=deep aria-label=Deep>'</script>""")
    assert await run("fill '#deep' value") == "Filled #deep"
    listing = await run("snapshot -i")
    ref = next(line.split()[0] for line in listing.splitlines() if "Inner" in line)
    assert await run(f"fill {ref} value") == f"Filled {ref}"
    assert "value" in await run("snapshot -i")


async def test_a_long_value_is_filled_whole(run: Run, show: Show) -> None:
    await show("<textarea id=f></textarea>")
    assert await run("fill '#f'", "line\n" * 20_000) == "Filled #f"
    assert await run("js", f"{VALUE}.length") == "100000"


HEARD = """<script>heard = []; for (const type of ['keydown', 'keypress', 'input', 'keyup'])
    document.addEventListener(type, e => heard.push(type + (e.key ? ' ' + e.key : '') + ' ' + e.target.value + (e.isTrusted ? '' : '!')))</script>"""


@pytest.mark.parametrize("field", ["<input id=f value=old>", "<textarea id=f>old</textarea>"])
@pytest.mark.parametrize("framed", [False, True])
async def test_a_page_hears_the_last_key(run: Run, show: Show, web: Web, field: str, framed: bool) -> None:
    markup = f"{field}{HEARD}"
    await show(f"<iframe src='{web.show(markup)}'></iframe>" if framed else markup)
    if framed:
        await run("frame iframe")
    assert await run("fill '#f' Ann") == "Filled #f"
    heard = json.loads(await run("js heard"))
    assert heard[-4:] == ["keydown n An", "keypress n An", "input Ann", "keyup n Ann"]
    await run("js", "heard = []")
    await run("fill '#f'", "")
    assert json.loads(await run("js heard"))[-3:] == ["keydown Delete Ann", "input ", "keyup Delete "] or framed
    await run("js", "heard = []")
    assert await run("fill '#f' Ann") == "Filled #f"
    await run("js", "heard = []")
    assert await run("fill '#f' Ann") == "Filled #f", "the same value again"
    assert json.loads(await run("js heard"))[-1] == "keyup n Ann"


@pytest.mark.parametrize("value", ["é", "Zoë", "a b ", "5 €", "漢字", "🙂", "e\u0301", "fin\n", "a\tb\t", "{}"])
async def test_every_last_character_arrives_and_is_heard(run: Run, show: Show, value: str) -> None:
    await show(f"<textarea id=f>old</textarea>{HEARD}")
    assert await run("fill '#f'", value) == "Filled #f"
    assert json.loads(await run("js", f"[{VALUE}]")) == [value]
    heard = await run("js", "heard.map(one => one.split(' ')[0]).join()")
    assert "keydown" in heard
    assert heard.endswith("keyup")
    assert heard.count("input") == (2 if "\n" in value else 1), "Chromium tells of a line break by itself"
    assert "!" not in await run("js", "heard.join()")


async def test_a_field_that_is_filtered_by_keys(run: Run, show: Show) -> None:
    """As the lists of Django's admin are, and comboboxes that look at each key."""
    await show("""<input id=f><select id=s size=4><option>apple<option>banana<option>cherry</select><script>
        f.addEventListener('keyup', () => { for (const o of s.options) o.hidden = !o.value.startsWith(f.value) })</script>""")
    await run("fill '#f' ban")
    assert await run("js", "[...s.options].filter(o => !o.hidden).map(o => o.value).join()") == "banana"
    await run("fill '#f'", "")
    assert await run("js", "[...s.options].filter(o => !o.hidden).length") == "3"


async def test_a_page_that_takes_keys_for_itself(run: Run, show: Show, fails: Fails) -> None:
    await show("""<input id=f><input id=g><script>
        f.onkeydown = e => { if (e.key.length === 1) { e.preventDefault(); f.value += e.key.toUpperCase() } };
        g.onkeydown = e => { if (!/[0-9]/.test(e.key)) e.preventDefault() }</script>""")
    assert await run("fill '#f' abc") == 'Filled #f\n→ the page made it "abC"'
    assert await run("fill '#g' 123") == "Filled #g"
    assert await run("fill '#g' 12x") == 'Filled #g\n→ the page made it "12"'
    assert "did not take" in (await fails("fill '#g'", ActionFailed, "")).message


async def test_no_key_goes_astray(run: Run, show: Show) -> None:
    """Boxes for one digit each move the focus on; the key for one field must not end up in the next."""
    await show("""<input id=a maxlength=1><input id=b maxlength=1><script>n = 0;
        a.oninput = () => { if (a.value) b.focus() }; onkeydown = () => n++</script>""")
    assert await run("fill '#a' 1") == "Filled #a"
    assert await run("fill '#a' 23") == 'Filled #a\n→ the page made it "2"'
    assert await run("js", "[a.value, b.value].join()") == "2,"


async def test_a_field_whose_focus_is_taken_while_it_is_filled(run: Run, show: Show) -> None:
    await show("""<input id=f><input id=thief><script>
        f.addEventListener('focus', () => queueMicrotask(() => thief.focus()))</script>""")
    assert await run("fill '#f' hello") == "Filled #f"
    assert await run("js", "[f.value, thief.value].join()") == "hello,"


@pytest.mark.parametrize("later", ["setTimeout", "requestAnimationFrame", "queueMicrotask"])
@pytest.mark.parametrize("kind", ["text", "email", "number"])
async def test_a_field_that_selects_all_of_itself_on_focus(run: Run, show: Show, later: str, kind: str) -> None:
    value = "1234" if kind == "number" else "ann@b.cd"
    await show(f"<input id=f type={kind}><script>f.onfocus = () => {later}(() => f.select())</script>")
    assert await run("fill '#f'", value) == "Filled #f"
    assert await run("js", VALUE) == value


async def test_a_field_that_completes_what_is_typed(run: Run, show: Show) -> None:
    await show("""<input id=f><script>f.onkeyup = e => { if (e.key.length > 1) return;
        const at = f.value.length; f.value = 'Alabama'; f.setSelectionRange(at, 7) }</script>""")
    assert await run("fill '#f' Ala") == 'Filled #f\n→ the page made it "Alabama"'


async def test_a_field_that_is_replaced_on_every_change_and_keeps_the_focus(run: Run, show: Show) -> None:
    await show("""<div id=w></div><script>const render = (value) => { w.innerHTML = '<input id=f>'; f.value = value; f.focus();
        f.oninput = () => { last = f.value; render(f.value) } }; render('')</script>""")
    assert await run("fill '#f' new") == "Filled #f"
    assert await run("js", f"[last, {VALUE}].join()") == "new,new"
    ref = (await run("snapshot -i")).split()[0]
    assert await run(f"fill {ref} newer") == f"Filled {ref}"
    assert await run("js", f"[last, {VALUE}].join()") == "newer,newer"


async def test_rich_text_hears_the_last_key(run: Run, show: Show) -> None:
    await show(f"<div id=f contenteditable><p>old</p></div>{HEARD}")
    assert await run("fill '#f'", "Hello there") == "Filled #f"
    assert await run("text '#f'") == "Hello there"
    assert (await run("js", "heard.at(-1)")).startswith("keyup e")


@pytest.mark.parametrize("when", ["focus", "keydown", "keypress"])
@pytest.mark.parametrize("later", ["(render => render())", "queueMicrotask", "setTimeout"])
async def test_a_page_that_puts_back_what_it_does_not_know_of(
    run: Run, show: Show, when: str, later: str
) -> None:
    """Controlled fields: a rendering, for whatever reason, sets the value that the last input event said."""
    await show(f"""<input id=f value=old><script>let known = 'old'; heard = [];
        f.addEventListener('input', e => {{ known = f.value; heard.push(known + e.isTrusted) }});
        f.addEventListener('{when}', () => {later}(() => {{ if (f.value !== known) f.value = known }}))</script>""")
    assert await run("fill '#f' hello") == "Filled #f"
    assert await run("js", f"[known, {VALUE}].join()") == "hello,hello"
    if "timeout" not in later.lower():
        assert await run("js", "heard.join()") == "hellotrue"


async def test_a_change_is_told_when_a_filled_field_is_left(run: Run, show: Show) -> None:
    await show("<input id=f value=old><script>heard = []; f.onchange = () => heard.push(f.value)</script>")
    for value in ("new", "newer", "n", ""):
        await run("fill '#f'", value)
        await run("js", "f.blur()")
    assert json.loads(await run("js heard")) == ["new", "newer", "n", ""]


@pytest.mark.parametrize("field", ["<input id=f>", "<textarea id=f></textarea>", "<input id=f type=email>"])
async def test_a_text_that_begins_like_the_one_before(run: Run, show: Show, field: str) -> None:
    await show(f"{field}<script>heard = []; f.oninput = () => heard.push(f.value)</script>")
    values = ["Ada", "Ada", "Adam", "Ada", "Ad", "Ada", "Anna"]
    for value in values:
        await run("fill '#f'", value)
    assert json.loads(await run("js heard")) == values


async def test_a_page_that_writes_the_key_itself_writes_it_once_however_often(run: Run, show: Show) -> None:
    await show("<input id=f><script>f.onkeydown = e => { e.preventDefault(); f.value += e.key }</script>")
    for _ in range(2):
        assert await run("fill '#f' Ada") == "Filled #f"
        assert await run("js", VALUE) == "Ada"


COLLECTS = """<script>gathered = ''; pressed = []; const field = document.getElementById('f') || host.shadowRoot.getElementById('f');
    field.addEventListener('keydown', e => pressed.push(e.key));
    field.addEventListener('keyup', e => { if (e.key.length === 1) gathered += e.key; if (!field.value) gathered = '' })</script>"""
"""A field that filters by the keys that it has collected, not by its value."""


@pytest.mark.parametrize(
    "field",
    [
        "<input id=f role=combobox value=old>",
        "<input id=f aria-autocomplete=both value=old>",
        "<textarea id=f role=combobox>old</textarea>",
        "<div id=host><template shadowrootmode=open><input id=f aria-autocomplete=list></template></div>",
    ],
)
@pytest.mark.parametrize("framed", [False, True])
async def test_a_field_that_collects_keys_gets_every_one(
    run: Run, show: Show, web: Web, field: str, framed: bool
) -> None:
    await show(f"<iframe src='{web.show(field + COLLECTS)}'></iframe>" if framed else field + COLLECTS)
    if framed:
        await run("frame iframe")
    assert await run("fill '#f' 'New Y.'") == "Filled #f"
    assert await run("js", "[gathered, field.value].join()") == "New Y.,New Y."
    assert await run("fill '#f' x") == "Filled #f"
    assert await run("js", "[field.value, pressed.at(-1)].join()") == "x,x"
    await run("fill '#f'", "")
    assert await run("js", "[gathered, field.value].join()") == ","


@pytest.mark.parametrize("value", ["a🙂b", "long " * 20])
async def test_emoji_or_long_text_is_inserted_in_one_piece(run: Run, show: Show, value: str) -> None:
    await show(f"<input id=f role=combobox>{COLLECTS}")
    assert await run("fill '#f'", value) == "Filled #f"
    assert json.loads(await run("js", f"[{VALUE}]")) == [value]


async def test_keys_for_a_combobox_do_not_go_astray(run: Run, show: Show) -> None:
    """Let the page move the focus while keys are typed.

    The rest goes to no other field, and the value is set.
    """
    await show("""<input id=f role=combobox><input id=thief><script>thief.onkeydown = () => { stolen = true }; stolen = false;
        f.oninput = () => { if (f.value.length === 2) thief.focus() }</script>""")
    assert await run("fill '#f' hello") == "Filled #f"
    assert await run("js", "[f.value, thief.value, stolen].join()") == "hello,,false"


async def test_a_combobox_that_completes_what_is_typed(run: Run, show: Show) -> None:
    await show("""<input id=f role=combobox aria-autocomplete=both><script>f.onkeyup = e => { if (e.key.length > 1) return;
        const at = f.value.length; if (!'Alabama'.startsWith(f.value)) return; f.value = 'Alabama'; f.setSelectionRange(at, 7) }</script>""")
    assert await run("fill '#f' Ala") == 'Filled #f\n→ the page made it "Alabama"'
    assert await run("fill '#f' Ohio") == "Filled #f"


POPUP = """<input id=t readonly><div id=pop style="display:none;position:absolute;top:60px;z-index:3"><input id=h size=3><input id=m size=3></div><script>
let inside = false; const closed = [];
t.onfocus = () => { pop.style.display = 'block' };
document.addEventListener('mousedown', event => { inside = pop.contains(event.target); if (!inside && event.target !== t) hide() });
const hide = () => { closed.push(1); pop.style.display = 'none' };
t.onblur = () => { if (!inside) hide() };
h.oninput = m.oninput = () => { t.value = h.value + ':' + m.value }</script>"""


@pytest.mark.parametrize("hears", ["", "<script>h.onkeydown = () => {}</script>"])
async def test_a_field_in_the_popup_of_another_is_pressed_into(run: Run, show: Show, hears: str) -> None:
    """air-datepicker: a popup that has heard of no press in it closes as its field loses the focus."""
    await show(POPUP + hears)
    await run("click #t")
    assert await run("fill #h 14") == "Filled #h"
    assert await run("fill #m 30") == "Filled #m"
    assert await run("js '[t.value, closed.length]'") == '["14:30",0]'


async def test_the_same_number_written_otherwise_has_been_taken(run: Run, show: Show, fails: Fails) -> None:
    """A mask that formats as the field is written into, and held that number before."""
    await show("<input id=f value='1,234.50'><script>f.oninput = () => f.value = '1,234.50'</script>")
    assert await run("fill '#f' 1234.5") == 'Filled #f\n→ the page made it "1,234.50"'
    await fails("fill '#f' 1", ActionFailed)
