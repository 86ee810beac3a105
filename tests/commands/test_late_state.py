"""Test fields whose page keeps the value itself, and writes it late or as the field is left.

They are waited for, and not written into once more meanwhile; `fill` leaves what was meant, or says that it did not.
"""

import re

import pytest

from gstack_browse.browser.actions.input import field_settling
from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web
from tests.each import each, each_row

pytestmark = pytest.mark.same_session

LATER = """<input id=f><textarea id=t></textarea><input id=r type=range value=50><input id=d type=date><input id=c type=checkbox>
<select id=s><option>a<option>b<option>c</select><select id=m multiple><option>a<option>b<option>c</select><div id=e contenteditable></div><script>
heard = []; addEventListener('keydown', (event) => heard.push(event.key));
const later = (field, read, write) => { let state = read(); field.addEventListener(field.localName === 'select' ? 'change' : 'input', () => {
  const now = read(); write(state); setTimeout(() => { state = now; write(now) }, DELAY) }) };
for (const field of [f, t, r, d]) later(field, () => field.value, (value) => { field.value = value });
for (const list of [s, m]) later(list, () => [...list.options].map((option) => option.selected), (on) => on.forEach((is, at) => { list.options[at].selected = is }));
</script>"""
FILLED = {"#f": "hello", "#t": "some words", "#r": "70", "#d": "2026-02-03"}


@each([0, 120])
async def test_value_put_in_late_by_the_page_is_waited_for(delay: int, run: Run, show: Show) -> None:
    """Write no text once more meanwhile, and press no second key, which would move the slider on from the old value."""
    await show(LATER.replace("DELAY", str(delay)))
    for target, value in [*FILLED.items(), ("#f", "again"), ("#t", "other")]:
        assert await run(f"fill '{target}' '{value}'") == f"Filled {target}"
        assert await run(f"value '{target}'") == value
    assert await run("select '#s' b") == 'Selected "b" in #s'
    assert await run("select '#m' a c") == 'Selected "a", "c" in #m'
    assert await run("value '#m'") == "a\nc"
    assert await run("js", "heard.filter((key) => key === 'l').length") == "0"
    await run("js", "heard = []")
    values = '{"#f": "hello", "#t": "words", "#s": "c", "#r": "20"}'
    assert await run("fill-form", values) == "Filled 4 fields"
    assert await run("js", "[f, t, s, r].map((field) => field.value).join()") == "hello,words,c,20"
    assert await run("js", "heard.filter((key) => key.startsWith('Arrow')).length") == "1"


EATS = """<label>Tags <input id=f></label><p id=chips></p><script>
f.EVENT = (event) => { if ((event.key ?? f.value.at(-1)) !== ',') return; event.preventDefault();
  if (f.value) chips.innerHTML += `<button>${f.value.replace(',', '')}</button>`; f.value = '' }</script>"""


async def test_text_taken_out_by_the_page_is_not_written_twice(run: Run, show: Show) -> None:
    for event in ("onkeydown", "oninput"):
        await show(EATS.replace("EVENT", event))
        reply = await run("fill '#f' 'beta gamma,'")
        assert reply == "Filled #f\n→ the page has taken the text out of the field"
        assert await run("js", "[...chips.children].map(chip => chip.textContent).join()") == "beta gamma"


async def test_value_formatted_is_not_awaited(run: Run, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field_settling, "LATE_SECONDS", 600.0)
    cases = [
        ("this.value.toUpperCase()", "abc", "ABC"),
        ("this.value.replace(/(...)(?=.)/g, '$1 ')", "123456", "123 456"),
        ("this.value + ' kg'", "12", "12 kg"),
    ]
    await show("".join(f'<input onchange=1 oninput="this.value = {made}">' for made, *_ in cases))
    for at, (_, value, holds) in enumerate(cases):
        assert (await run(f"fill 'input >> nth={at}' {value}")).endswith(f'\n→ the page made it "{holds}"')


ANEW = """<div id=root></div><script>
// Draws all of its fields anew at each event, from a state of its own.
const names = { f: 'text', t: 'textarea', r: 'range', d: 'date', s: 'select', m: 'multiple', e: 'rich' };
const state = { f: 'old', t: 'old', r: '50', d: '2020-01-01', s: ['a'], m: ['a'], e: 'old' };
const options = (chosen) => ['a', 'b', 'c'].map((x) => `<option${chosen.includes(x) ? ' selected' : ''}>${x}</option>`).join('');
const draw = () => { root.innerHTML = Object.entries(names).map(([id, kind]) =>
  kind === 'select' || kind === 'multiple' ? `<select aria-label=${id} ${kind} id=${id}>${options(state[id])}</select>`
  : kind === 'textarea' ? `<textarea aria-label=${id} id=${id}>${state[id]}</textarea>`
  : kind === 'rich' ? `<div role=textbox aria-label=${id} id=${id} contenteditable>${state[id]}</div>`
  : `<input aria-label=${id} id=${id} type=${kind} value="${state[id]}">`).join('') };
const value = (field) => field.localName === 'select' ? [...field.selectedOptions].map((option) => option.value) : field.value ?? field.textContent;
root.addEventListener('input', (event) => { const { id } = event.target, now = value(event.target); TAKES });
draw();
</script>"""
ANEW_VALUES = {"f": "new", "t": "new words", "r": "70", "d": "2026-02-03", "e": "new"}
KEEPS = "state[id] = now; draw()"
KEEPS_LATER = "draw(); setTimeout(() => { state[id] = now; draw() }, 100)"


@each_row((False, KEEPS), (True, KEEPS_LATER))
async def test_field_drawn_anew_with_value_is_filled(by_ref: bool, takes: str, run: Run, show: Show) -> None:
    async def name(field: str) -> str:
        return await ref_of(run, f'"{field}"', "") if by_ref else f"#{field}"

    await show(ANEW.replace("TAKES", takes))
    for field, value in ANEW_VALUES.items():
        named = await name(field)
        assert await run(f"fill {named!r} {value!r}") == f"Filled {named}"
        assert await run(f"value '#{field}'") == value
    for field, chosen in (("s", "b"), ("m", "a c")):
        named, told = await name(field), chosen.replace(" ", '", "')
        assert await run(f"select {named!r} {chosen}") == f'Selected "{told}" in {named}'


async def test_field_drawn_anew_with_its_old_value_is_not_filled(
    fails: Fails, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(field_settling, "LATE_SECONDS", 0.0)
    await show(ANEW.replace("TAKES", "setTimeout(draw)"))
    for field, value in ANEW_VALUES.items():
        said = await fails(f"fill '#{field}' {value!r}", ActionFailed)
        assert "did not take the value" in said.message
    for field in ("s", "m"):
        assert "did not keep the selection" in (await fails(f"select '#{field}' b", ActionFailed)).message


PLACED = """<label>Price <input id=f value="__5.00"></label><script>
/* A number with blanks before it: takes digits where the caret is, and nothing at the end of its decimals. Delete on all of it leaves nought, and the caret at the end. */
let whole = '5', decimals = '00';
const draw = at => { f.value = whole.padStart(3, '_') + '.' + decimals; f.setSelectionRange(at, at) };
f.onkeydown = event => {
  if (event.ctrlKey || event.key === 'Tab') return;
  event.preventDefault();
  const isAll = f.selectionStart === 0 && f.selectionEnd === 6, at = f.selectionStart;
  if (event.key === 'Delete' && isAll) { whole = '0'; decimals = '00'; draw(6) }
  else if (event.key === '.') f.setSelectionRange(4, 4);
  else if (/^\\d$/.test(event.key) && isAll) { whole = event.key; decimals = '00'; draw(3) }
  else if (/^\\d$/.test(event.key) && at === 3) { whole = (whole + event.key).slice(-3); draw(3) }
  else if (/^\\d$/.test(event.key) && at < 6) { decimals = at === 4 ? event.key + decimals[1] : decimals[0] + event.key; draw(at + 1) }
};
f.oninput = () => draw(6);
</script>"""


async def test_value_that_a_field_keeps_from_keys_is_typed_in_its_place(run: Run, show: Show) -> None:
    """Type over text, too, that the page leaves in an emptied field."""
    await show(PLACED)
    for value in ("17.50", "3.25"):
        told = f'\n→ the page made it "{value.rjust(6, "_")}"'
        assert await run("fill #f", value) == f"Filled #f{told}"
        assert await run("js", "whole + '.' + decimals") == value


GIVES_ITS_PLACE = """<p><span><input id=shown aria-label=Price role=spinbutton value="$5.00"><input id=inner type=text value=5 role=spinbutton style="display:none"></span></p>
<p><input id=other value=other></p><script>
/* Gives its place to the field that is typed into as it gets the focus, as Kendo's NumericTextBox does. */
let kept = 5;
const give = () => { shown.style.display = 'none'; inner.style.display = ''; inner.focus(); inner.select() };
shown.onfocus = () => GIVES;
inner.onblur = () => { kept = Number(inner.value); shown.value = '$' + kept.toFixed(2); inner.style.display = 'none'; shown.style.display = '' };
LISTENS
</script>"""


@each_row(("give()", "document.onkeydown = () => {}"), ("setTimeout(give)", ""))
async def test_field_that_gives_its_place_is_filled(gives: str, listens: str, run: Run, show: Show) -> None:
    """Give it at once or later, to a page that hears keys and to one that does not."""
    await show(GIVES_ITS_PLACE.replace("LISTENS", listens).replace("GIVES", gives))
    for value in ("42", "7.25"):
        assert await run("fill #shown", value) == "Filled #shown"
        await run("press Tab")
        assert await run("js '[kept, shown.value].join()'") == f"{value},${float(value):.2f}"
    reply = await run("""fill-form '{"#other": "more", "#shown": "12"}'""")
    assert reply == "Filled 2 fields"
    await run("press Tab")
    assert await run("js '[kept, other.value].join()'") == "12,more"


CHANGED_AS_LEFT = """<label>Age <input id=age type=number></label><label>Price <input id=price></label>
    <label>Mail <input id=mail></label><label>City <input id=city></label><button>Save</button><script>
    age.onblur = () => { if (+age.value > 99) age.value = 99; };
    price.onblur = () => { price.value = Math.round(+price.value); };
    mail.onchange = () => { if (!mail.value.includes('@')) mail.value = ''; };
    </script>"""


@pytest.mark.both_browsers
async def test_action_that_leaves_a_field_tells_its_new_value(run: Run, show: Show, web: Web) -> None:
    """Once, and nothing of a secret, nor of an emptied field that kept the focus."""
    inner = web.show("<input aria-label=Inner onblur='this.value = 98'>")
    await show(f"""{CHANGED_AS_LEFT}<input id=secret type=password onblur='secret.value = secret.value.toUpperCase()'>
        <form onsubmit='event.preventDefault(); chat.value = ""'><input id=chat></form><iframe src='{inner}'></iframe><script>
        const newButton = document.createElement("b"); newButton.append("New"); newButton.onclick = () => 1</script>""")
    assert await run("fill '#age' 150") == "Filled #age"
    (line,) = (await run("fill '#price' 12.75")).splitlines()[1:]
    assert re.fullmatch('→ @e\\d+ is "99" now', line)
    inner_field, price = await ref_of(run, '"Inner"'), await ref_of(run, '"Price"')
    save = "click text=Save"
    for command, told in (
        ("fill '#mail' nobody", '→ @e\\d+ is "13" now'), (save, "→ @e\\d+ is empty now"), (save, ""),
        ("fill '#age' 150", ""), ("blur", '→ @e\\d+ is "99" now'),
        ("type --into '#age' --clear 1234", ""), ("press Tab", '→ @e\\d+ is "99" now'),
        ("fill '#age' 77", ""), ("press Tab", ""),
        ("fill '#city' Atlantis", ""), (save, ""), ("""js 'city.value = "Paris"; document.body.append(newButton)'""", None),
        ("snapshot -i", '(?s).*"New" \\[listener]'), (save, '→ @e\\d+ is "Paris" now'),  # reads the page again for the new listener
        ("fill '#secret' sesame", ""), (save, ""),
        ("fill '#chat' hello", ""), ("press Enter", ""), (save, ""),  # as that of a chat, which takes the text with Enter
        ("""fill-form '{"#age": "150", "#price": "12.75"}'""", '→ #age: the page has made it "99" since'),
        (save, f'→ {price} is "13" now'), (f"fill {inner_field} 150", ""), (save, f'→ {inner_field} is "98" now'),
    ):  # fmt: skip
        lines = (await run(command)).splitlines()[1:]
        assert told is None or re.fullmatch(told, "\n".join(lines)), (command, lines)


async def test_page_that_empties_its_form_has_its_last_two_fields_told(run: Run, show: Show) -> None:
    """Tell two fields, since a form may have fifty, and none of a dialog that closes."""
    await show(f"<form>{CHANGED_AS_LEFT}<button type=reset>Clear</button></form>")
    for line in ("fill '#age' 50", "fill '#price' 12", "fill '#city' Paris"):
        await run(line)
    changes = (await run("click text=Clear")).splitlines()[1:]
    assert changes == [f"→ {await ref_of(run, name)} is empty now" for name in ('"Price"', '"City"')]
    await run("fill '#city' Paris")
    await run(
        "js", "document.querySelector('[type=reset]').onclick = () => { document.forms[0].hidden = true }; 0"
    )
    assert await run("click text=Clear") == "Clicked text=Clear"
