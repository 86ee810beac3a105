"""Test `forms`, fields that the browser does not accept, and `fill-form`, which fills all or tells which it did not."""

import json
from typing import Any

import pytest

from gstack_browse import errors
from gstack_browse.browser.cdp.session import Session
from gstack_browse.errors import ActionFailed, BrowseError, ManyMatches, NoMatch, NotInteractable, UsageError
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session


async def test_forms_lists_fields_with_their_kind_and_value(run: Run, visit: Show, show: Show) -> None:
    """Fields outside of a form stand under null."""
    await visit("plain.html")
    assert await run("forms --json") == "[]"
    await visit("form.html")
    await run("fill '#name' Ann")
    (form,) = json.loads(await run("forms --json"))
    assert (form["index"], form["method"]) == (0, "post")
    assert form["action"].endswith("/echo")
    name, email, country, terms, send = form["fields"]
    assert name == {"tag": "input", "type": "text", "name": "name", "id": "name", "value": "Ann"}
    assert email["type"] == "email"
    assert country["options"][0] == {"value": "", "text": "Choose…", "selected": True}
    box = {"tag": "input", "type": "checkbox", "name": "terms", "id": "terms", "value": "on", "checked": False}
    assert terms == box
    assert (send["tag"], send["type"]) == ("button", "submit")
    loose = {"tag": "input", "type": "text", "id": "loose", "placeholder": "Search", "required": True}
    await show(
        "<input id=loose placeholder='Search' required><form id=one><input name=a></form><input form=one name=b>"
    )
    form, rest = json.loads(await run("forms --json"))
    assert (form["id"], [field["name"] for field in form["fields"]]) == ("one", ["a", "b"])
    assert (rest["index"], rest["fields"]) == (None, [loose])


async def test_secret_fields_are_redacted(run: Run, show: Show) -> None:
    await show("""<form><input type=password name=p value=hunter22><input name=cvc value=999111>
        <input type=hidden name=csrf_token value=tok3n><input type=hidden name=page value=7></form>""")
    said = await run("forms --json")
    assert not any(secret in said for secret in ("hunter22", "999111", "tok3n"))
    assert [field["value"] for field in json.loads(said)[0]["fields"]] == ["[redacted]"] * 3 + ["7"]


async def test_forms_looks_into_shadow_roots_and_survives_clobbering(run: Run, show: Show) -> None:
    """Clobber the properties of a form, and the page's own address."""
    url = await show("""<div id=host></div><form name=f><input name=action value=x><input name=method></form>
        <form name=URL></form><form name=baseURI action='http://['><input name=b></form><form name=querySelectorAll></form>
        <script>host.attachShadow({mode: 'open'}).innerHTML = '<form><input name=inside></form>'</script>""")
    forms = json.loads(await run("forms --json"))
    names = [field.get("name") for form in forms for field in form["fields"]]
    assert names == ["inside", "action", "method", "b"]
    assert forms[1]["method"] == "get"
    assert json.loads(await run("forms '#host' --json")) == forms[:1]
    assert [form["action"] for form in forms[2:]] == [url, "http://[", url]
    assert "form get → http://[" in await run("forms")


async def test_accessibility_prints_the_tree_with_frames_and_without_secrets(run: Run, show: Show) -> None:
    await run("goto about:blank")
    assert await run("accessibility") == "(nothing)"
    await show("""<h1>Shop</h1><div><div><button disabled>Buy</button></div></div>
        <iframe srcdoc='<a href=/help>Help</a><input type=password aria-label=Inner value=framed22>'></iframe>
        <input type=password aria-label=Password value='hunter2: #x'><input type=password aria-label=Pin value=ab>
        <input aria-label=Name value='ab c'>""")
    assert (await run("accessibility")).splitlines() == [
        '- heading "Shop" [level=1]',
        '- button "Buy" [disabled]',
        "- iframe:",
        '  - link "Help":',
        "    - /url: /help",
        '  - textbox "Inner" [password]: "[redacted]"',
        '- textbox "Password" [password]: "[redacted]"',
        '- textbox "Pin" [password]: "[redacted]"',
        '- textbox "Name": ab c',
    ]


async def test_forms_prints_a_line_for_each_field_that_can_be_seen(run: Run, show: Show, shell: Shell) -> None:
    """Leave out hidden fields and buttons that send nothing; name types that roles do not tell."""
    await show("""<form id=sign action=/in method=post><label>Name <input required value=Ann></label>
        <label>Mail <input type=email></label><input type=password aria-label=Word value=hunter22>
        <select aria-label=Size><option>S<option selected>L</select><label><input type=checkbox checked>ok</label>
        <div role=textbox contenteditable aria-label=Rich>hey</div><input type=file aria-label=Photo>
        <input type=hidden name=nonce value=n><input style='display:none' aria-label=Unseen>
        <button type=button>Help</button><button>Sign in</button></form>
        <input type=search aria-label=Find><button>Loose</button><input name=key><iframe srcdoc='<input aria-label=Inner>'></iframe>""")
    reply = await shell.send("forms")
    assert reply.text.splitlines() == [
        'form "sign" post → /in',
        '  @e1 [textbox] "Name" [required]: Ann',
        '  @e2 [textbox email] "Mail"',
        '  @e3 [textbox] "Word" [password]: [redacted]',
        '  @e4 [combobox] "Size": L',
        '  @e5 [checkbox] "ok" [checked]',
        '  @e6 [textbox] "Rich": hey',
        '  @e7 [button file] "Photo"',
        '  @e8 [button submit] "Sign in"',
        "(in no form)",
        '  @e9 [searchbox] "Find"',
        "  @e10 [textbox] (name=key)",
    ]
    assert reply.notes == ["1 more in frames: 'frame <selector>' goes into one"]
    assert await run("fill @e1 Bea") == "Filled @e1"
    await show("""
        <select multiple aria-label=A><option selected>Red<option selected>Dark, blue<option>Green</select>
        <select multiple aria-label=B><option>No</select><div role=listbox aria-label=C><div role=option aria-selected=true>x</div></div>""")
    assert (await run("forms")).splitlines()[1:] == [
        '  @e11 [listbox] "A" [multiple]: Red, "Dark, blue"',
        '  @e12 [listbox] "B" [multiple]',
        '  @e13 [listbox] "C": x',
    ]
    await show("<div id=a><input aria-label=A></div><form id=b><input name=b aria-label=B></form>")
    assert await run("forms '#b'") == 'form "b" get\n  @e14 [textbox] "B"'
    assert [form["id"] for form in json.loads(await run("forms '#b' --json"))] == ["b"]
    assert await run("forms '#a input'") == '(in no form)\n  @e15 [textbox] "A"'
    await show("<p>no fields")
    assert await run("forms") == "(no fields to fill)"


FIELDS = "<label>Name <input id=name></label><label>Email <input id=email type=email required></label>"
EMPTY = '→ the browser does not accept <input#email> "Email": Please fill out this field.'
FORM = f"<form action=/plain.html>{FIELDS}<button>Send</button></form>"


async def test_click_kept_from_sending_a_form_is_told(run: Run, check: Check, show: Show) -> None:
    await show(
        f"<form action=/plain.html>{FIELDS}<button>Send</button><button type=button onclick='this.form.requestSubmit()'>Ask</button></form>"
    )
    await check([
        ("click text=Send", f"Clicked text=Send\n{EMPTY}"), ("click text=Send --at 5,5", f"Clicked text=Send\n{EMPTY}"),
        ("click text=Ask", f"Clicked text=Ask\n{EMPTY}"), ("fill '#email' me", "…"),
        ("click text=Send", "…→ the browser does not accept <input#email> \"Email\": Please include an '@'…"), ("fill '#email' me@example.com", "…"),
    ])  # fmt: skip
    assert "does not accept" not in await run("click text=Ask")


OWN = """<form action=/plain.html><my-choice tabindex=0 id=choice aria-label=Size></my-choice><button>Send</button></form><script>
customElements.define('my-choice', class extends HTMLElement {
  static formAssociated = true;
  constructor() { super(); this.attachInternals().setValidity({ valueMissing: true }, 'Choose one.', this); }
});</script>"""


async def test_refused_fields_are_told_wherever_they_are(check: Check, show: Show, web: Web) -> None:
    """In frames, shadow trees, and of a control that the page has made itself."""
    await show(FORM)
    enter = f"Pressed Enter\n{EMPTY}"
    await check([
        ("fill '#name' Zoe --submit", f"Filled #name and pressed Enter\n{EMPTY}"), ("focus '#name'", "…"), ("press Enter", enter),
        ("press Shift+Enter", f"Pressed Shift+Enter\n{EMPTY}"), ("press Control+Enter", "Pressed Control+Enter"),
        ("focus button", "…"), ("press Space", f"Pressed Space\n{EMPTY}"), ("focus button", "…"), ("press ' '", f"Pressed  \n{EMPTY}"), ("press Tab", "Pressed Tab"),
    ])  # fmt: skip
    await show(f"<div><template shadowrootmode=open>{FORM}</template></div>")
    await check({"click 'text=Send'": f"Clicked text=Send\n{EMPTY}"})
    await show(f"<iframe src={web.show_elsewhere(FORM)}></iframe>")
    await check({
        "frame iframe": "…", "click button": f"Clicked button\n{EMPTY}", "focus '#name'": "…", "press Enter": enter,
    })  # fmt: skip
    await show(OWN)
    await check({"click button": "…→ the browser does not accept <my-choice#choice>…"})
    await show(
        "<form><input aria-label=Code pattern='[A-Z]+' title='Capital letters' value=a><button>Send</button></form>"
    )
    await check({"click button": '…<input> "Code": Please match the requested format. Capital letters'})


NOTHING_REFUSED = {
    "novalidate": FORM.replace("<form", "<form novalidate"),
    "the page tells it itself": FORM.replace("required", "required oninvalid='event.preventDefault()'"),
    "the page only checks": f"<form>{FIELDS}<button type=button onclick='this.form.checkValidity()'>Check</button></form>",
}


@each(NOTHING_REFUSED)
async def test_no_refusal_is_told_where_the_browser_shows_none(why: str, run: Run, show: Show) -> None:
    await show(NOTHING_REFUSED[why])
    assert "does not accept" not in await run("click button")
    await run("press Enter")


async def test_a_page_that_goes_elsewhere_all_the_same(run: Run, show: Show, web: Web) -> None:
    await show(FORM.replace("<button>", "<button onclick=\"setTimeout(() => { location = '/plain.html' })\">"))
    assert (await run("click button")).endswith(f"\n→ now at {web.url}/plain.html")


FILLED_FORM = """<form onsubmit="event.preventDefault()"><label>Name <input id=name value=old></label><input id=day type=date><input id=n type=number>
<textarea id=notes></textarea><div id=rich contenteditable aria-label=Rich></div><input id=pass type=password>
<label><input type=checkbox id=agree>Agree</label><div role=switch id=dark aria-checked=true tabindex=0>Dark</div>
<select id=one><option value=de>Germany<option value=fr>France</select><select id=many multiple><option>Red<option selected>Green<option>Blue</select>
<fieldset role=radiogroup aria-label=Size id=size><label><input type=radio name=s value=s>Small</label><label><input type=radio name=s value=l id=large>Large</label></fieldset>
<input type=range id=level min=0 max=10><input id=file type=file multiple><input id=gone><input id=ro readonly></form>
<div id=box role=combobox aria-expanded=false aria-controls=list tabindex=0>Choose</div><ul id=list role=listbox hidden><li role=option>Cat<li role=option>Dog</ul>
<p id=words>Words</p><script>
 dark.onclick = () => dark.setAttribute('aria-checked', dark.getAttribute('aria-checked') !== 'true')
 const open = on => { list.hidden = !on; box.setAttribute('aria-expanded', on) }
 box.onclick = () => open(list.hidden); list.onclick = e => { box.textContent = e.target.textContent; open(false) }
 window.touched = 0; for (const kind of ['input', 'click', 'focusin']) addEventListener(kind, () => touched++, true)
 const held = () => [name.value, day.value, n.value, notes.value, rich.textContent, pass.value, agree.checked, dark.getAttribute('aria-checked'),
   one.value, [...many.selectedOptions].map(o => o.value), document.querySelector(':checked[name=s]')?.value, level.value, [...file.files].map(f => f.name), box.textContent]
 const name = document.getElementById('name')
</script>"""
VALUES = {
    "label=Name": "Ann", "#day": "2026-12-31", "#n": 3.50, "#notes": "one\ntwo", "#rich": "bold", "#pass": "hunter22",
    "label=Agree": True, "#dark": False, "#one": "France", "#many": ["Red", "Blue"], "#size": "Large", "#level": 7,
    "#file": {"file": ["a.txt", "b.txt"]}, "#box": "Dog",
}  # fmt: skip
HELD = ["Ann", "2026-12-31", "3.5", "one\ntwo", "bold", "hunter22", True, "false", "fr", ["Red", "Blue"], "l", "7", ["a.txt", "b.txt"], "Dog"]  # fmt: skip


@pytest.fixture
def files(shell: Shell) -> None:
    for name in ("a.txt", "b.txt"):
        (shell.workspace / name).write_text(name)


@pytest.mark.usefixtures("files")
async def test_fields_of_every_kind_are_filled_in_page_and_frame(run: Run, show: Show, web: Web) -> None:
    """Take values from standard input, too, and empty fields."""
    there = web.show_elsewhere("<label>Name <input></label><label><input type=checkbox>Agree</label>")
    await show(f"{FILLED_FORM}<iframe src='{there}'></iframe>")
    assert await run("fill-form", json.dumps(VALUES)) == "Filled 14 fields"
    assert json.loads(await run("js", "held()")) == HELD
    again = {"label=Name": "", "#agree": False, "#large": True, "#many": []}
    assert await run("fill-form -", stdin=json.dumps(again)) == "Filled 4 fields"
    assert await run("fill-form", stdin='{"#n": ""}') == "Filled 1 field"
    assert await run("js", "[held()[0], held()[2], held()[6], held()[9].length].join()") == ",,false,0"
    lines = (await run("snapshot -i")).splitlines()
    names = [line.split()[0] for line in lines if '"Name"' in line]
    boxes = [line.split()[0] for line in lines if '[checkbox] "Agree"' in line]
    values = {names[0]: "Here", boxes[0]: True, names[1]: "There", boxes[1]: True}
    assert await run("fill-form", json.dumps(values)) == "Filled 4 fields"
    assert [await run("value", name) for name in names] == ["Here", "There"]
    assert [await run("is checked", box) for box in boxes] == ["true", "true"]


async def test_all_fields_are_found_in_a_trip(run: Run, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    await show("".join(f"<input id=f{number}>" for number in range(8)))
    values = {f"#f{number}": "a" for number in range(7)}
    ref = next(line for line in (await run("snapshot -i")).splitlines() if "@e8" in line).split()[0]
    send, evaluated = Session.send, []

    def note(session: Session, method: str, params: dict[str, Any] | None = None) -> Any:
        if method == "Runtime.evaluate":
            evaluated.append((params or {})["expression"])
        return send(session, method, params)

    monkeypatch.setattr(Session, "send", note)
    assert await run("fill-form", json.dumps({**values, ref: "a"})) == "Filled 8 fields"
    monkeypatch.undo()
    asked = [(part.count('"findFieldToFill"'), part.count('"readNativeTextField"')) for part in evaluated]
    assert [counts for counts in asked if any(counts)] == [(8, 0), (0, 8)]
    held = await run("js", "[...document.querySelectorAll('input')].map(field => field.value).join()")
    assert held == "a,a,a,a,a,a,a,a"


WRONG: list[tuple[dict[str, object], type[BrowseError], str]] = [
    ({"#name": "x", "#nothing": "y"}, NoMatch, "No element matches #nothing; nothing was filled"),
    ({"#name": "x", "input": "y"}, ManyMatches, "nothing was filled"),
    ({"#name": "x", "#words": "y"}, NotInteractable, '<p#words> "Words" is no field; nothing was filled'),
    ({"#name": "x", "#agree": "yes"}, NotInteractable, "takes true or false; nothing was filled"),
    ({"#name": True}, NotInteractable, '<input#name> "Name" takes no true or false; nothing was filled'),
    ({"#name": ["x"]}, NotInteractable, "takes one value, no list; nothing was filled"),
    ({"#large": False}, NotInteractable, "is a radio button"),
    ({"#file": "a.txt"}, NotInteractable, 'takes a file: {"file": "…"}; nothing was filled'),
    ({"#name": "x", "label=Name": "y"}, UsageError, "#name and label=Name are the same field; nothing was filled"),
]  # fmt: skip


@pytest.mark.usefixtures("files")
async def test_field_that_cannot_be_filled_is_refused_beforehand(run: Run, fails: Fails, show: Show) -> None:
    await show(FILLED_FORM)
    for fields, error, message in WRONG:
        assert message in (await fails("fill-form --timeout 50", error, json.dumps(fields))).message
        assert await run("js touched") == "0"
    ref = await ref_of(run, '"Name"')
    await run("js", "document.querySelector('label').remove(); touched = 0")
    message = (await fails("fill-form", errors.StaleRef, json.dumps({"#n": 3, ref: "Ann"}))).message
    assert message.startswith(f'Ref {ref} ([textbox] "Name") is stale')
    assert message.endswith("; nothing was filled")
    assert await run("js touched") == "0"


async def test_others_are_filled_where_one_does_not_take_its_value(run: Run, fails: Fails, show: Show) -> None:
    await show(
        f"{FILLED_FORM}<script>gone.oninput = () => {{ gone.value = '' }}; n.oninput = () => {{ notes.value = '' }}</script>"
    )
    fields = {"#name": "Ann", "#notes": "text", "#gone": "secret value", "#ro": "x", "#n": 5, "#one": "Spain", "#agree": True}  # fmt: skip
    reply = await fails("fill-form --timeout 600", ActionFailed, json.dumps(fields))
    said = reply.message.split(". ", 1)
    assert said[0] == "Filled 3 of 7 fields"
    assert said[1].split("; ") == [
        "#gone: <input#gone> did not take the value", "#ro: <input#ro> is read-only",
        '#one: There is no option "Spain"', "#notes: the page has emptied it since",
    ]  # fmt: skip
    assert await run("js", "[name.value, n.value, agree.checked].join()") == "Ann,5,true"
    fields = {"#name": "Spain", "#one": "Spain"}
    reply = await fails("fill-form --timeout 50", NoMatch, json.dumps(fields))
    told = 'There is no option "[redacted]"'  # another field has it, which may be for a secret
    assert reply.message.endswith(told)


async def test_a_field_that_the_one_before_it_changes_is_waited_for_or_found_anew(run: Run, show: Show) -> None:
    """Fill fields that change after the one before them was filled. Tell what the page formats."""
    await show("""<input id=a><input id=b><input id=c><input id=d><input id=e maxlength=3><input id=f><script>
      const later = (work, when = 30) => setTimeout(work, when)
      a.oninput = () => { b.disabled = true; later(() => { b.disabled = false }, 300) }
      b.oninput = () => later(() => { const other = c.cloneNode(); c.replaceWith(other) }, 0)
      c.onkeyup = () => later(() => a.focus(), 0)
      d.oninput = () => { d.value = d.value.toUpperCase() }
      e.onblur = () => { e.value += '.00' }
      f.oninput = () => later(() => { g.disabled = false }, 60)
      heard = []; addEventListener('keydown', event => heard.push(event.target.id + event.key), true)
      later(() => document.body.insertAdjacentHTML('beforeend', '<input id=g disabled>'), 150)
    </script>""")
    values = '{"#a": "one", "#b": "two", "#c": "six", "#d": "ten", "#e": "12", "#f": "end", "#g": "late"}'
    assert (await run("fill-form", values)).splitlines() == [
        "Filled 7 fields", '→ #d: the page made it "TEN"', '→ #e: the page has made it "12.00" since',
    ]  # fmt: skip
    held = await run("js", "[a, b, c, d, e, f, g].map(field => field.value).join()")
    assert held == "one,two,six,TEN,12.00,end,late"
    assert {"ae", "bo", "fd"} <= set((await run("js heard.join()")).split(","))


async def test_no_field_of_another_page_is_filled(run: Run, fails: Fails, show: Show, web: Web) -> None:
    """Not of one that comes while a field is missing, either, though it has all of them."""
    await show(f"<input id=a onchange=\"location = '{web.show('<input id=b>')}'\"><input id=q><input id=b>")
    values = '{"#a": "1", "#q": "2", "#b": "3"}'
    reply = await fails("fill-form", ActionFailed, values)
    assert reply.message.startswith("Filled ")
    assert reply.message.endswith("#b: not filled, the page has navigated")
    await run("wait --load")
    assert await run("value #b") == ""
    other = web.show("<input id=q><input id=b>")
    await show(f"""<input id=a><input id=q><input id=b><script>
        a.oninput = () => {{ q.remove(); setTimeout(() => {{ location = '{other}' }}, 100) }}</script>""")
    reply = await fails("fill-form", ActionFailed, values)
    assert reply.message == "Filled 1 of 3 fields. #q, #b: not filled, the page has navigated"
    assert await run("js", "[...document.querySelectorAll('input')].map((one) => one.value).join('')") == ""
    await run("dialog-hold")
    await show("<input id=a oninput='confirm(1)'><input id=b>")
    reply = await fails("fill-form", ActionFailed, '{"#a": "1", "#b": "2"}')
    assert reply.message.endswith("#b: not filled, a dialog is open")
    await run("dialog-accept")
