"""Test fields that keep their text themselves, from keys, or give their place to another field.

`fill` leaves what was meant, or says that it did not.
"""

import pytest

from tests.commands.conftest import Run, Show

pytestmark = pytest.mark.same_session

KEPT = """<label>Price <input id=f value=5.00></label><script>
/* Keeps its text from keys: what comes by another way is replaced by what it knows. */
let kept = '500';
const isAll = () => f.selectionStart === 0 && f.selectionEnd === f.value.length;
const draw = () => { f.value = (kept / 100).toFixed(2) };
f.onkeydown = event => {
  if (event.ctrlKey) return;
  if (/^\\d$/.test(event.key)) { kept = (isAll() ? '' : kept) + event.key; draw() }
  else if (event.key === 'Backspace' || event.key === 'Delete') { kept = isAll() ? '' : kept.slice(0, -1); draw() }
  if (event.key !== 'Tab') event.preventDefault();
};
f.oninput = draw;
</script>"""


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


async def test_number_that_a_field_keeps_from_keys_is_typed_in_the_place_of_the_old_one(
    run: Run, show: Show
) -> None:
    """Type over text, too, that the page leaves in an emptied field."""
    for page, kept, values in (
        (KEPT, "kept / 100", ("17.50", "120.00")),
        (PLACED, "whole + '.' + decimals", ("17.50", "3.25")),
    ):
        await show(page)
        for value in values:
            told = f'\n→ the page made it "{value.rjust(6, "_")}"' if page is PLACED else ""
            assert await run("fill #f", value) == f"Filled #f{told}"
            assert float(await run("js", kept)) == float(value)


GIVES_ITS_PLACE = """<p><span><input id=shown aria-label=Price role=spinbutton value="$5.00"><input id=inner type=text value=5 role=spinbutton style="display:none"></span></p>
<p><input id=other value=other></p><script>
/* Gives its place to the field that is typed into as it gets the focus, as Kendo's NumericTextBox does. */
let kept = 5;
const give = () => { shown.style.display = 'none'; inner.style.display = ''; inner.focus(); inner.select() };
shown.onfocus = () => GIVES;
inner.onblur = () => { kept = Number(inner.value); shown.value = '$' + kept.toFixed(2); inner.style.display = 'none'; shown.style.display = '' };
LISTENS
</script>"""


@pytest.mark.parametrize(
    ("gives", "listens"), [("give()", "document.onkeydown = () => {}"), ("setTimeout(give)", "")]
)
async def test_field_that_gives_its_place_to_another_one_has_that_filled(
    run: Run, show: Show, listens: str, gives: str
) -> None:
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
