import json

import pytest

from gstack_browse.browser.actions.input import field_settling
from gstack_browse.errors import ActionFailed, NotInteractable
from tests.commands.conftest import Check, Fails, Run, Show
from tests.commands.web import Web
from tests.each import each

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


async def test_lines_are_kept_in_textareas_and_editors(run: Run, show: Show) -> None:
    """Each block of an editor is a line: between two paragraphs `innerText` has an empty one."""
    blocks = {"p": "One\n\nTwo", "div": "One\nTwo", "h1": "One"}
    await show(f"""<textarea id=f>old</textarea><div id=e contenteditable><b>old</b> text</div><pre id=q contenteditable=plaintext-only>x</pre>
        {"".join(f"<div id=in_{block} contenteditable><{block}>old</{block}></div>" for block in blocks)}
        <script>heard = 0; e.oninput = () => heard++</script>""")
    for value in ("one\ntwo\n\nfour", "ends with a line\n"):
        await run("fill '#f'", value)
        assert json.loads(await run("js", f"[{VALUE}]")) == [value]
    assert await run("fill '#f'", "line\n" * 5_000) == "Filled #f"
    assert await run("js", f"{VALUE}.length") == "25000"
    for target, value in (("#e", "new text"), ("#e", ""), ("#q", "two\nlines")):
        assert await run("fill", target, value) == f"Filled {target}"
        assert await run("text", target) == value
    assert int(await run("js heard")) >= 2
    for block, text in blocks.items():
        assert await run("fill", f"#in_{block}", text) == f"Filled #in_{block}", (
            "the page made nothing else of it"
        )
        assert await run("value", f"#in_{block}") == text
        await run("type", "!")
        assert await run("value", f"#in_{block}") == f"{text}!", "and the caret is at the end"


async def test_controlled_field_takes_what_it_means(
    run: Run, visit: Show, fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tell a value that the page formats, and fail where it rejects one."""
    monkeypatch.setattr(field_settling, "LATE_SECONDS", 0.2)
    await visit("controlled.html")
    for before in ("", "12.50"):
        reply = await fails("fill '#amount' abc", ActionFailed)
        assert reply.message.startswith('<input#amount> "Amount" did not take the value'), before
        assert await run("fill '#amount' 12.50EUR") == 'Filled #amount\n→ the page made it "12.50"'
    assert await run("fill '#name' Ann Lee") == "Filled #name"
    assert await run("fill '#notes'", "a\nb") == "Filled #notes"
    state = {"name": "Ann Lee", "amount": "12.50", "notes": "a\nb", "phone": ""}
    assert json.loads(await run("js", "state")) == state
    await run("fill '#name'", "")
    assert await run("js state.name") == ""
    for again in ("0301234567", "0301234567", "030 1234567"):
        assert await run(f"fill '#phone' {again}") == 'Filled #phone\n→ the page made it "(030) 123-4567"'


MASKS: dict[str, tuple[str, dict[str, str | None]]] = {
    "takes a point that is typed for the comma, and one in the text for a sign between thousands": (
        """<input id=f><script>
        const put = (text) => { f.value = text ? `${text} €` : ''; f.setSelectionRange(text.length, text.length) };
        f.onkeypress = (event) => { event.preventDefault(); const key = event.key === '.' ? ',' : event.key;
          if (/^[0-9,]$/.test(key)) put(f.value.slice(0, f.selectionStart).replace(/[ €.]/g, '') + key) };
        f.oninput = () => put(f.value.replace(/[ €.]/g, ''));</script>""",
        {"12.3": "12,3 €", "1234.56": "1234,56 €", "7": "7 €"},
    ),
    "cuts the value, also one that it has cut before": (
        "<input id=f oninput='this.value = this.value.slice(0, 4)'>",
        {"123456": "1234", "1234567": "1234", "12": "12"},
    ),
    "formats the same number otherwise, and held it before": (
        "<input id=f value='1,234.50'><script>f.oninput = () => f.value = '1,234.50'</script>",
        {"1234.5": "1,234.50", "1": None},
    ),
    "a range, also where its end is what it holds already": (
        "<input id=f type=range min=0 max=10 step=2 value=4>",
        {"99": "10", "99.0": "10", "6": "6"},
    ),
}
"""What a field does, its markup, and what becomes of each value: None, if it is not taken."""


@each(MASKS)
async def test_value_that_the_field_formats_is_told(kind: str, run: Run, show: Show, fails: Fails) -> None:
    markup, values = MASKS[kind]
    await show(markup)
    for value, held in values.items():
        if held is None:
            await fails("fill '#f'", ActionFailed, value)
            continue
        told = "" if held == value else f'\n→ the page made it "{held}"'
        assert await run("fill '#f'", value) == f"Filled #f{told}"
        assert await run("value '#f'") == held


async def test_password_that_the_page_changes_is_told_without_its_content(run: Run, show: Show) -> None:
    await show(
        """<input id=cut type=password oninput="this.value = this.value.slice(0, 4)"><input id=limited type=password maxlength=4>
        <input id=upper type=password oninput="this.value = this.value.toUpperCase()"><input id=kept type=password>"""
    )
    for field, remark in (
        ("cut", "\n→ the page kept the first 4 of 7 characters"), ("limited", "\n→ the page kept the first 4 of 7 characters"),
        ("upper", "\n→ the page changed it"), ("kept", ""),
    ):  # fmt: skip
        assert await run(f"fill '#{field}' horse42") == f"Filled #{field}{remark}"


async def test_value_of_the_wrong_form_says_how_it_should_be(fails: Fails, run: Run, show: Show) -> None:
    """Leave each field as it was."""
    wrong = [
        ("date", "31.12.2026", "2026-12-31"), ("date", "2026-02-30", "2026-12-31"), ("time", "25:00", "23:59"),
        ("month", "2026-13", "2026-12"), ("week", "W53", "2026-W53"), ("color", "no color", "#a1b2c3"),
        ("number", "many", "number"), ("datetime-local", "tomorrow", "2026-12-31T23:59"),
        ("range", "M", "number"),
    ]  # fmt: skip
    await show("".join(f"<input id=f{number} type={kind}>" for number, (kind, *_) in enumerate(wrong)))
    held = "[...document.querySelectorAll('input')].map(field => field.value).join()"
    before = await run("js", held)
    for number, (kind, value, hint) in enumerate(wrong):
        reply = await fails(f"fill '#f{number}'", ActionFailed, value)
        assert (kind, "does not take that value" in reply.message, hint in reply.hint) == (kind, True, True)
    assert await run("js", held) == before


async def test_slider_of_html_is_moved_to_a_name(run: Run, show: Show, fails: Fails) -> None:
    """Choose by `aria-valuetext`, as in Streamlit."""
    await show("""<input id=f type=range max=3 value=1 aria-valuetext=orange><script>
        f.oninput = () => f.setAttribute('aria-valuetext', ['red', 'orange', 'green', 'blue'][f.value])</script>""")
    assert await run("fill #f green") == "Filled #f"
    assert await run("js f.value") == "2"
    refused = await fails("fill #f pink", ActionFailed)
    assert refused.message.endswith('has no value of that name: it is at "green"')
    assert await run("js f.value") == "2"


async def test_slider_ends_with_a_key_as_many_pages_take_a_value_only_then(run: Run, show: Show) -> None:
    """Step back and forth. The value is kept where a key makes another step, or the focus is left."""
    kinds = ["step=5 min=-20", "max=70 dir=rtl", "min=60"]
    others = ["onkeydown='value = +value + 10; event.preventDefault()'", "step=any", "onfocus='this.blur()'"]
    sliders = [f"<input id=f{number} type=range {kind}>" for number, kind in enumerate(kinds + others)]
    await show(
        "".join(sliders)
        + "<script>onkeyup = event => taken = event.isTrusted ? event.target.value : ''</script>"
    )
    for number, kind in enumerate(kinds):
        for value in ("70", "-20"):
            await run(f"fill '#f{number}' {value}")
            assert await run("js", f"taken && taken === f{number}.value") == "true", kind
    for number in range(len(kinds), len(sliders)):
        assert await run(f"fill #f{number} 70") == f"Filled #f{number}"
        assert await run(f"value #f{number}") == "70"


REFUSED = {
    "<input value=old type=password readonly>": ("is read-only", "Click it"), "<input value=old disabled>": ("is disabled", ""),
    "<fieldset disabled><input value=old></fieldset>": ("is disabled", ""), "<input value=old style='display:none'>": ("is hidden", ""),
    "<input value=old readonly role=combobox aria-haspopup=dialog>": ("is read-only", "Click it"),  # as fields of date pickers are
    "<select><option>old</select>": ("cannot be filled", "select <target>"), "<input type=checkbox value=old>": ("cannot be filled", "check <target>"),
    "<input type=radio value=old>": ("cannot be filled", "click <target>"), "<input type=file>": ("cannot be filled", "upload <target>"),
    "<input type=submit value=old>": ("cannot be filled", "snapshot"), "<div>text</div>": ("cannot be filled", "snapshot"), "<button value=old>b</button>": ("cannot be filled", "snapshot"),
    "<div role=grid><div role=row><div role=gridcell>b</div></div></div>": ("cannot be filled", "dblclick <target>"),
}  # fmt: skip
"""Markup → a part of the message, and of the hint: what a person would do with it."""


async def test_element_that_cannot_be_filled_is_kept_and_says_why(fails: Fails, run: Run, show: Show) -> None:
    """Say not what was to be filled."""
    await show("".join(f"<section id=s{number}>{markup}</section>" for number, markup in enumerate(REFUSED)))
    for number, (markup, (message, hint)) in enumerate(REFUSED.items()):
        target = f"#s{number} :is(input, select, button, [role=gridcell], div:not([role]))"
        reply = await fails(f"fill '{target}' hunter2secret --timeout 50", NotInteractable)
        assert message in reply.message, markup
        assert reply.hint.startswith(hint) if message == "is read-only" else hint in reply.hint, markup
        assert "hunter2secret" not in reply.message + reply.hint
    held = json.loads(
        await run("js", "[...document.querySelectorAll('[value], select')].map(field => field.value)")
    )
    assert held == ["old"] * len(held)


HEARD = """<script>heard = []; for (const type of ['keydown', 'keypress', 'input', 'keyup'])
    document.addEventListener(type, e => heard.push(type + (e.key ? ' ' + e.key : '') + ' ' + e.target.value + (e.isTrusted ? '' : '!')))</script>"""


async def test_page_hears_the_last_key(run: Run, show: Show) -> None:
    """Whatever characters: those of a key, a dead key, an input method or none."""
    await show(
        f"<input id=f value=old><div id=rich contenteditable><p>old</p></div><textarea id=t></textarea>{HEARD}"
    )

    async def fill(target: str, value: str) -> list[str]:
        await run("js", "heard = []; 0")
        assert await run("fill", target, value) == f"Filled {target}"
        heard: list[str] = json.loads(await run("js heard"))
        return heard

    assert (await fill("#f", "Ann"))[-4:] == ["keydown n An", "keypress n An", "input Ann", "keyup n Ann"]
    assert (await fill("#f", "Ann"))[-1] == "keyup n Ann", "the same value again"
    assert (await fill("#f", ""))[-3:] == ["keydown Delete Ann", "input ", "keyup Delete "]
    assert (await fill("#rich", "Hello there"))[-1].startswith("keyup e")
    assert await run("text '#rich'") == "Hello there"
    for value in ("Zoë", "a b ", "漢字", "🙂", "e\u0301", "fin\n", "a\tb\t"):
        await run("js", "t.value = 'old'; 0")
        heard = await fill("#t", value)
        kinds = [one.split(" ")[0] for one in heard]
        assert (await run("js", "t.value"), "keydown" in kinds, kinds[-1]) == (value, True, "keyup")
        assert kinds.count("input") == (2 if "\n" in value else 1), "Chromium tells of a line break by itself"
        assert "!" not in "".join(heard), value


async def test_page_that_takes_keys_for_itself_is_told_of(run: Run, show: Show, fails: Fails) -> None:
    """Write a key once that the page writes itself. Tell what the page completes, also in a combobox."""
    await show("""<input id=f><input id=g><input id=h><input id=none value=Ann><input id=box role=combobox aria-autocomplete=both><script>
        f.onkeydown = e => { if (e.key.length === 1) { e.preventDefault(); f.value += e.key.toUpperCase() } };
        g.onkeydown = e => { if (!/[0-9]/.test(e.key)) e.preventDefault() };
        h.onkeydown = e => { e.preventDefault(); h.value += e.key }; none.onkeydown = e => e.preventDefault();
        box.onkeyup = e => { if (e.key.length > 1 || !'Alabama'.startsWith(e.target.value)) return;
          const at = e.target.value.length; e.target.value = 'Alabama'; e.target.setSelectionRange(at, 7) }</script>""")
    for target, value, made in (
        ("#f", "abc", "abC"), ("#g", "12x", "12"), ("#h", "Ada", ""), ("#h", "Ada", ""),
        ("#box", "Ala", "Alabama"), ("#box", "Ohio", ""),
    ):  # fmt: skip
        told = f'\n→ the page made it "{made}"' if made else ""
        assert await run(f"fill {target} {value}") == f"Filled {target}{told}"
        assert await run(f"value {target}") == (made or value)
    assert "did not take" in (await fails("fill '#g'", ActionFailed, "")).message
    assert "did not take the value" in (await fails("fill #none Bob", ActionFailed)).message
    assert await run("value #none") == "Ann"


async def test_page_that_puts_back_what_it_does_not_know_of_is_filled(run: Run, show: Show) -> None:
    """Render controlled fields for several reasons: each sets the value that the last input event said."""
    cases = {"keydown": "queueMicrotask", "keypress": "setTimeout", "focus": "(render => render())"}
    await show(
        "".join(f"<input id=by_{when} value=old>" for when in cases)
        + "<script>heard = []; const control = (f, when, later) => { let known = f.value;\n"
        "f.addEventListener('input', e => { known = f.value; heard.push(known + e.isTrusted) });\n"
        "f.addEventListener(when, () => later(() => { if (f.value !== known) f.value = known })); f.known = () => known };\n"
        + "".join(f"control(by_{when}, '{when}', {later});" for when, later in cases.items())
        + "</script>"
    )
    for when, later in cases.items():
        await run("js", "heard = []; 0")
        assert await run(f"fill '#by_{when}' hello") == f"Filled #by_{when}"
        assert await run("js", f"[by_{when}.known(), by_{when}.value].join()") == "hello,hello"
        if later != "setTimeout":
            assert await run("js", "heard.join()") == "hellotrue"


async def test_text_that_begins_like_the_one_before_is_heard(run: Run, show: Show) -> None:
    """Fill a field whose selection a page may set, and one whose selection it may not set."""
    await show("""<input id=f><input id=e type=email><script>heard = []; changed = [];
        oninput = event => heard.push(event.target.value); onchange = event => changed.push(event.target.value)</script>""")
    values = {"#f": ["Ada", "Ada", "Adam", "Ad", "Ada", "Anna", "A", ""], "#e": ["Ada", "Adam", "Ad"]}
    for target, texts in values.items():
        for text in texts:
            await run("fill", target, text)
            if target == "#f":
                await run("js", "f.blur()")
    assert json.loads(await run("js heard")) == [*values["#f"], *values["#e"]]
    assert json.loads(await run("js changed"))[:7] == ["Ada", "Adam", "Ad", "Ada", "Anna", "A", ""]


COLLECTS = """<script>gathered = ''; pressed = []; const field = document.getElementById('f') || host.shadowRoot.getElementById('f');
    field.addEventListener('keydown', e => pressed.push(e.key));
    field.addEventListener('keyup', e => { if (e.key.length === 1) gathered += e.key; if (!field.value) gathered = '' })</script>"""
"""A field that filters by the keys that it has collected, not by its value."""


async def test_field_that_collects_keys_gets_every_one(run: Run, show: Show, web: Web) -> None:
    """Write in one piece only what no keys have, and what is long. Fill in a root in a frame, too."""
    await show("<textarea id=f role=ComboBox>old</textarea>" + COLLECTS)
    for value in ("a🙂b", "long " * 20):
        assert await run("fill '#f'", value) == "Filled #f"
        assert json.loads(await run("js", f"[{VALUE}]")) == [value]
    field = "<div id=host><template shadowrootmode=open><input id=f aria-autocomplete=list></template></div>"
    await show(f"<iframe src='{web.show(field + COLLECTS)}'></iframe>")
    await run("frame iframe")
    assert await run("fill '#f' 'New Y.'") == "Filled #f"
    assert await run("js", "[gathered, field.value].join()") == "New Y.,New Y."
    assert await run("fill '#f' x") == "Filled #f"
    assert await run("js", "[field.value, pressed.at(-1)].join()") == "x,x"
    await run("fill '#f'", "")
    assert await run("js", "[gathered, field.value].join()") == ","


GONE = "\n→ the page has taken the field away since: what it holds cannot be read"
PAGES = {
    # as SurveyJS
    "takes what keys and the mouse do, and puts its own value back before": (
        """<input id=f type=range><p id=taken></p><script>
        let known = 0, isHeld = false
        f.onfocus = () => { f.value = known }
        f.onkeydown = () => { isHeld = true; f.value = known }
        f.onkeyup = () => { isHeld = false; f.value = known; taken.textContent = known }
        f.oninput = () => { if (isHeld) known = +f.value }</script>""",
        [("fill #f 30", "Filled #f"), ("text #taken", "30"), ("fill #f 2", "Filled #f"), ("text #taken", "2")],
    ),
    # as Tabulator does the editor of a cell
    "takes the field away on a change or on input": (
        """<p><input id=f type=range onchange="this.parentElement.textContent = 'saved ' + this.value"></p>
        <label><input id=g oninput="this.parentElement.textContent = 'thanks'"></label>""",
        [("fill #f 30", f"Filled #f{GONE}"), ("fill #g x1", f"Filled #g{GONE}"), ("text p", "saved 30"), ("text label", "thanks")],
    ),
    "moves the focus after each digit, within a word, and as the field gets it, at once or a turn later": (
        """<input id=a maxlength=1><input id=b maxlength=1><input id=f role=combobox><input id=g><input id=h><input id=thief><script>
        a.oninput = () => { if (a.value) b.focus() }; thief.onkeydown = () => { stolen = true }; stolen = false;
        f.oninput = () => { if (f.value.length === 2) thief.focus() }
        g.addEventListener('focus', () => queueMicrotask(() => thief.focus())); h.onfocus = () => thief.focus()</script>""",
        [
            ("fill #a 1", "Filled #a"), ("fill #a 23", 'Filled #a\n→ the page made it "2"'),
            *((f"fill {target} hello", f"Filled {target}") for target in ("#f", "#g", "#h")),
            ("js [a, b, f, g, h, thief].map(field => field.value).join() + stolen", "2,,hello,hello,hello,false"),
        ],
    ),
    "selects all of the field late on focus, also where no page can set the selection": (
        """<input id=f onfocus='setTimeout(() => this.select())'><input id=e type=email onfocus='requestAnimationFrame(() => this.select())'>
        <input id=n type=number onfocus='queueMicrotask(() => this.select())'>""",
        [
            ("fill #f ann@b.cd", "Filled #f"), ("value #f", "ann@b.cd"), ("fill #e ann@b.cd", "Filled #e"), ("value #e", "ann@b.cd"),
            ("fill #n 1234", "Filled #n"), ("value #n", "1234"),
        ],
    ),
    # as SurveyJS
    "empties a date as the field before it is left": (
        "<input id=n onchange='setTimeout(() => { d.value = null })'><input id=d type=date>",
        [("fill #n Ann", "Filled #n"), ("fill #d 2000-01-02", "Filled #d"), ("value #d", "2000-01-02")],
    ),
    # as air-datepicker
    "has a popup that closes with the focus of its field unless it hears a press": (
        """<input id=t readonly><div id=pop style="display:none;position:absolute;top:60px;z-index:3"><input id=h size=3><input id=m size=3></div><script>
        let inside = false; const closed = []; h.onkeydown = () => {};
        t.onfocus = () => { pop.style.display = 'block' };
        document.addEventListener('mousedown', event => { inside = pop.contains(event.target); if (!inside && event.target !== t) hide() });
        const hide = () => { closed.push(1); pop.style.display = 'none' };
        t.onblur = () => { if (!inside) hide() };
        h.oninput = m.oninput = () => { t.value = h.value + ':' + m.value }</script>""",
        [
            ("click #t", "Clicked #t"), ("fill #h 14", "Filled #h"), ("fill #m 30", "Filled #m"),
            ("js [t.value, closed.length]", '["14:30",0]'),
        ],
    ),
}  # fmt: skip
"""What a page does, its markup, and commands with their replies."""


@each(PAGES)
async def test_field_is_filled_whatever_its_page_does(what: str, show: Show, check: Check) -> None:
    markup, replies = PAGES[what]
    await show(markup)
    await check(replies)


async def test_component_without_a_shadow_tree_is_filled_by_its_only_field(
    run: Run, fails: Fails, show: Show
) -> None:
    """Fill the field in a component, as in Ionic. Refuse a plain box around a field."""
    await show("<my-input id=a><label>Name<input></label></my-input><div id=b><input></div>")
    assert await run("fill #a Ann") == "Filled #a"
    assert await run("value '#a input'") == "Ann"
    assert "cannot be filled" in (await fails("fill #b Ann", NotInteractable)).message
