import json

import pytest

from tests.commands.conftest import Run, Shell, Show

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
