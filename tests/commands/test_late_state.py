"""Test fields whose page keeps their value itself and puts it in later.

They are waited for, and not written into once more meanwhile.
"""

import pytest

from gstack_browse.browser.input import settling
from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Show
from tests.commands.replies import check_replies, ref_of

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


@pytest.mark.parametrize("delay", [0, 120])
async def test_value_put_in_late_by_the_page_is_waited_for(run: Run, show: Show, delay: int) -> None:
    await show(LATER.replace("DELAY", str(delay)))
    for target, value in [*FILLED.items(), ("#f", "again"), ("#t", "other")]:
        assert await run(f"fill '{target}' '{value}'") == f"Filled {target}"
        assert await run(f"value '{target}'") == value
    replies = {
        "select '#s' b": 'Selected "b" in #s',
        "select '#m' a c": 'Selected "a", "c" in #m',
        "value '#m'": "a\nc",
        "js 'heard.filter((key) => key === `l`).length'": "0",  # no text was typed once more
    }
    await check_replies(run, replies)


async def test_a_form_whose_state_comes_later_is_filled(run: Run, show: Show) -> None:
    await show(LATER.replace("DELAY", "30"))
    values = '{"#f": "hello", "#t": "words", "#s": "c", "#r": "20"}'
    assert await run("fill-form", values) == "Filled 4 fields"
    assert await run("js", "[f, t, s, r].map((field) => field.value).join()") == "hello,words,c,20"
    arrows = await run("js", "heard.filter((key) => key.startsWith('Arrow')).length")
    assert arrows == "1", "a second one would move the slider on from a value that is about to be replaced"


EATS = """<label>Tags <input id=f></label><p id=chips></p><script>
f.EVENT = (event) => { if ((event.key ?? f.value.at(-1)) !== ',') return; event.preventDefault();
  if (f.value) chips.innerHTML += `<button>${f.value.replace(',', '')}</button>`; f.value = '' }</script>"""


async def test_text_taken_out_by_the_page_is_not_written_twice(run: Run, show: Show) -> None:
    for event in ("onkeydown", "oninput"):
        await show(EATS.replace("EVENT", event))
        for words in ("alpha", "beta gamma"):
            reply = await run("fill '#f'", f"{words},")
            assert reply == "Filled #f\n→ the page has taken the text out of the field"
        assert await run("js", "[...chips.children].map(chip => chip.textContent).join()") == "alpha,beta gamma"


MASK = """<input id=f value="31/01/2025"><script>
// Digits go to the caret one by one, as keys are heard; anything else that comes into the field is read as it stands, one letter too early.
const form = 'dd/mm/yyyy'; let digits = '';
const draw = () => { let at = 0; f.value = form.replace(/[a-z]/g, (letter) => digits[at++] ?? letter) };
f.onkeydown = (event) => { if (/^[0-9]$/.test(event.key)) { event.preventDefault(); if (f.selectionEnd - f.selectionStart > 1) digits = ''; digits = (digits + event.key).slice(0, 8); draw(); f.setSelectionRange(10, 10) }
  else if (/^(Backspace|Delete)$/.test(event.key)) { event.preventDefault(); digits = ''; draw() } else if (event.key.length === 1 && !event.ctrlKey) event.preventDefault() };
f.oninput = () => { digits = f.value.replace(/[^0-9]/g, '').slice(7); draw() };
</script>"""


async def test_a_mask_that_reads_keys_only_gets_keys(run: Run, show: Show) -> None:
    await show(MASK)
    assert await run("fill '#f' 24/12/2026") == "Filled #f"
    assert await run("value '#f'") == "24/12/2026"


async def test_value_formatted_at_once_is_not_waited_for(
    run: Run, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settling, "LATE_SECONDS", 600.0)
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
DRAWS_ON = """state[id] = now; document.title = ''; window.runs = (window.runs ?? 0) + 1;
const on = left => { draw(); if (left) setTimeout(() => on(left - 1), 4); else if (!--window.runs) document.title = id }; on(12)"""


@pytest.mark.parametrize(
    ("by_ref", "takes"),
    [(False, KEEPS), (True, KEEPS_LATER), (True, DRAWS_ON)],
    ids=["at once", "later", "many times"],
)
async def test_a_field_that_is_drawn_anew_with_its_value_is_filled(
    run: Run, show: Show, by_ref: bool, takes: str
) -> None:
    async def name(field: str) -> str:
        return await ref_of(run, f'"{field}"', "") if by_ref else f"#{field}"

    await show(ANEW.replace("TAKES", takes))
    for field, value in ANEW_VALUES.items():
        named = await name(field)
        assert await run(f"fill {named!r} {value!r}") == f"Filled {named}"
        if takes is DRAWS_ON:
            await run(f"wait --js 'document.title === \"{field}\"'")
        assert await run(f"value '#{field}'") == value
    for field, chosen in (("s", "b"), ("m", "a c")):
        named, told = await name(field), chosen.replace(" ", '", "')
        assert await run(f"select {named!r} {chosen}") == f'Selected "{told}" in {named}'


async def test_a_field_that_is_drawn_anew_with_its_old_value_is_not_filled(
    run: Run, fails: Fails, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settling, "LATE_SECONDS", 0.0)
    await show(ANEW.replace("TAKES", "setTimeout(draw)"))
    for field, value in ANEW_VALUES.items():
        said = await fails(f"fill '#{field}' {value!r}", ActionFailed)
        assert "did not take the value" in said.message
    for field in ("s", "m"):
        assert "did not keep the selection" in (await fails(f"select '#{field}' b", ActionFailed)).message
