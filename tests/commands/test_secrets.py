import json
import re
from pathlib import Path

import pytest

from gstack_browse.daemon.base.log_files import Journal
from gstack_browse.errors import ActionFailed, NotInteractable, Refused, TimedOut, UsageError
from gstack_browse.security.vault import parse_totp_key
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.replies import ref_of, told_by
from tests.commands.web import Web

VALUE = "correct & horse"
KEY = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    monkeypatch.setenv("GSTACK_HOME", str(tmp_path / "own"))


async def test_secret_is_hidden_everywhere(run: Run, check: Check, show: Show, web: Web, shell: Shell) -> None:
    said = await run(f"secret-set shop --origin {web.url}/login", stdin=f"{VALUE}\n")
    assert re.match(f"Secret kept: shop, for {web.url}, in .*not encrypted", said, re.S)
    await show("<form action=/echo><label>Name <input id=name name=n></label><input id=pw type=password></form><p id=p></p>")  # fmt: skip
    await check({
        "fill '#name' --secret shop": "Filled #name with secret shop", "fill '#pw' --secret shop": "…", "js pw.value.length": str(len(VALUE)),
        "js p.textContent = document.querySelector('#name').value; console.log(p.textContent); 1": "1",
    })  # fmt: skip
    for line in (
        "value '#name'", "text", "html", "snapshot", "forms", "js p.textContent", "js encodeURIComponent(p.textContent)",
        "js btoa(p.textContent)", "attrs '#name'", "console",
    ):  # fmt: skip
        assert "horse" not in await run(line), line
    await check({
        "fill '#name' --secret shop --submit": "…", "network": "…", "url": "…", "wait --url '**/nowhere' --timeout 50": TimedOut, "recent": "…",
    })  # fmt: skip
    Journal(shell.service.state, shell.service.default_context.logs, shell.service.hide_secrets).flush_now()
    shell.service.record_writer.write()
    logs = "".join(file.read_text() for file in shell.browser.pictures.glob("browse-*.log"))
    for form in ("horse", "Y29ycmVjdCAmIGhvcnNl"):
        assert form not in told_by(shell) + logs
    assert "[redacted]" in logs


async def test_a_secret_goes_to_its_origin_alone(run: Run, check: Check, show: Show, web: Web) -> None:
    """Refuse a frame and a page of another one, and type nothing more when the focus leaves the field's document."""
    await run(f"secret-set shop --origin {web.url}", stdin=VALUE)
    inner = web.show_elsewhere("<input id=in>")
    await show(
        f"<input id=out oninput='if (this.value.length == 3) f.focus()'><iframe id=f src='{inner}'></iframe>"
        "<iframe id=none sandbox srcdoc='<input id=box>'></iframe>"
    )
    await check([
        ("fill '#out' --secret shop", "…"), ("frame '#f'", "…"),
        ("fill '#in' --secret shop", (Refused, f"The secret shop is for {web.url}, and #in is on {web.other}")), ("value '#in'", ""),
        ("frame main", "…"), ("frame '#none'", "…"), ("fill '#box' --secret shop", Refused), ("frame main", "…"),
        ("frame '#f'", "…"), ("click '#in'", "…"), ("frame main", "…"), ("fill '#out' ''", "…"),
        ("type --into '#out' --secret shop", (ActionFailed, "The focus left the document of #out: the rest of the secret was not typed")),
        ("frame '#f'", "…"), ("value '#in'", ""), (f"goto {inner}", "…"), ("fill '#in' --secret shop", Refused),
    ])  # fmt: skip


async def test_wrong_use_of_a_secret_is_refused_without_its_value(
    run: Run, fails: Fails, check: Check, show: Show, web: Web, shell: Shell
) -> None:
    await show("<input id=name><input id=n type=number><select id=s><option>a</select>")
    for line, stdin in {
        "secret-set shop s3cret-of-mine --origin https://x.org": None, "secret-set shop --origin https://x.org": None,
        "secret-set shop": "s3cret-of-mine", "secret-set shop --origin x:y:z": "s3cret-of-mine",
        "secret-set shop --origin https://x.org --totp": "s3cret-of-mine-1", "fill '#name' word --secret shop": None,
        "fill '#name'": None, "type --secret shop": None, "type words --into '#name' --secret shop": None, "type": None,
        "type --into '#name'": None,
    }.items():  # fmt: skip
        await fails(line, UsageError, stdin=stdin)
    await check(dict.fromkeys(
        ("fill '#name' --secret shop", "type --into '#name' --secret shop", "secret-delete shop"), ActionFailed,
    ))  # fmt: skip
    await run(f"secret-set shop --origin {web.url}", stdin="s3cret-of-mine")
    await check({
        "fill '#s' --secret shop": NotInteractable, "type --into '#s' --secret shop": NotInteractable, "value '#name'": "",
        "secrets": f"shop  password  {web.url}", "secret-delete shop": "Secret deleted: shop",
    })  # fmt: skip
    assert "no secrets" in await run("secrets")
    assert "s3cret-of-mine" not in told_by(shell)


async def test_a_secret_is_typed_into_a_field_and_never_told(
    run: Run, check: Check, show: Show, web: Web, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    await run(f"secret-set shop --origin {web.url}", stdin=VALUE)
    await run(f"secret-set code --origin {web.url} --totp", stdin=f"otpauth://totp/shop:ann?secret={KEY}")
    monkeypatch.setattr("gstack_browse.commands.session.secrets.time.time", lambda: 1111111111.0)
    boxes = "<input class=box maxlength=1 oninput='this.nextElementSibling?.focus()'>" * 6
    await show(
        f"<input id=pw value=old onkeydown='window.keys = (window.keys || 0) + 1'><div id=host></div>{boxes}"
        "<input id=code inputmode=numeric autocomplete=one-time-code>"
        "<script>host.attachShadow({mode: 'open'}).innerHTML = '<input aria-label=Inner>'</script>"
    )
    code = parse_totp_key(KEY).code(1111111111)
    seen = "[...document.querySelectorAll('.box')].map(box => box.value).join('')"
    await check({
        "type --into '#pw' --clear --secret shop": "Typed secret shop into #pw", "value '#pw'": "[redacted]",
        "js [keys, pw.value.length].join()": f"{len(VALUE) + 1},{len(VALUE)}",
        "type --into label=Inner --secret shop": "Typed secret shop into label=Inner",
        "type --into '.box >> nth=0' --secret code": "Typed secret code into .box >> nth=0", f"js {seen} === '{code}'": "true",
        "fill '#code' --secret code": "…", f"js document.querySelector('#code').value === '{code}'": "true", "value '#code'": "[redacted]",
    })  # fmt: skip
    assert "horse" not in told_by(shell)
    assert code not in told_by(shell)


async def test_secrets_in_a_form(run: Run, fails: Fails, show: Show, web: Web, shell: Shell) -> None:
    await run(f"secret-set shop --origin {web.url}", stdin=VALUE)
    inner = web.show_elsewhere("<label>Inner <input id=in></label>")
    await show(
        "<input id=user><input id=pw type=password><input id=again oninput='this.value = this.value.toUpperCase()'>"
        f"<input id=agree type=checkbox><select id=s><option>a</select><iframe id=other src='{inner}'></iframe>"
    )
    there, shop = await ref_of(run, '"Inner"'), {"secret": "shop"}
    told = await run("fill-form", json.dumps({"#user": "ann", "#pw": shop, "#again": shop, "#agree": True}))
    assert told == "Filled 4 fields\n→ #again: the page changed it"
    assert await run("js", "[user.value, pw.value.length, agree.checked].join()") == f"ann,{len(VALUE)},true"
    nothing = "nothing was filled"
    for field, value, error, said in (
        (there, shop, Refused, f"The secret shop is for {web.url}, and {there} is on {web.other}; {nothing}"),
        ("#pw", {"secret": "shops"}, ActionFailed, f"There is no secret shops; {nothing}"),
        ("#agree", shop, NotInteractable, f"takes no secret; {nothing}"), ("#s", shop, NotInteractable, f"takes no secret; {nothing}"),
        ("#pw", {"secret": "../x"}, UsageError, '"../x" is no name for a secret'),
        ("#pw", {"secret": ["shop"]}, UsageError, "#pw has no value that a field can get"),
    ):  # fmt: skip
        assert said in (await fails("fill-form", error, json.dumps({"#user": "bob", field: value}))).message
    assert await run("value '#user'") == "ann"
    assert "horse" not in told_by(shell).lower()
