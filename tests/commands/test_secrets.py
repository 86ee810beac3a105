"""Secrets that are filled in, and that nothing repeats."""

import json
from pathlib import Path

import pytest

from gstack_browse.daemon.base.journal import Journal
from gstack_browse.errors import ActionFailed, NotInteractable, Refused, TimedOut, UsageError
from gstack_browse.security.vault import totp
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.replies import told_by
from tests.commands.web import Web

VALUE = "correct & horse"
KEY = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    monkeypatch.setenv("GSTACK_HOME", str(tmp_path / "own"))


async def test_a_secret_is_filled_in_and_hidden_everywhere(
    run: Run, fails: Fails, show: Show, web: Web, shell: Shell
) -> None:
    said = await run(f"secret-set shop --origin {web.url}/login", stdin=f"{VALUE}\n")
    assert said.startswith(f"Secret kept: shop, for {web.url}, in ")
    assert "not encrypted" in said
    await show(
        "<form action=/echo><label>Name <input id=name name=n></label><input id=pw type=password></form><p id=p></p>"
    )
    assert await run("fill '#name' --secret shop") == "Filled #name with secret shop"
    await run("fill '#pw' --secret shop")
    assert await run("js", "pw.value.length") == str(len(VALUE))
    await run("js", "p.textContent = document.querySelector('#name').value; console.log(p.textContent); 1")
    for line in (
        "value '#name'", "text", "html", "snapshot", "forms", "js p.textContent", "js encodeURIComponent(p.textContent)",
        "js btoa(p.textContent)", "attrs '#name'", "console",
    ):  # fmt: skip
        assert "horse" not in await run(line), line
    await run("fill '#name' --secret shop --submit")
    await run("network")
    await run("url")
    await fails("wait --url '**/nowhere' --timeout 50", TimedOut)
    await run("recent")
    Journal(shell.service.state, shell.service.default_context.logs, shell.service.hide_secrets).flush_now()
    shell.service.record_writer.write()
    logs = "".join(file.read_text() for file in shell.browser.pictures.glob("browse-*.log"))
    for form in ("horse", "Y29ycmVjdCAmIGhvcnNl"):
        assert form not in told_by(shell) + logs
    assert "[redacted]" in logs


async def test_another_origin_is_refused_also_of_a_frame(run: Run, fails: Fails, show: Show, web: Web) -> None:
    await run(f"secret-set shop --origin {web.url}", stdin=VALUE)
    inner = web.show("<input id=in>").replace(web.url, web.other)
    await show(
        f"<input id=out><iframe id=other src='{inner}'></iframe><iframe id=none sandbox srcdoc='<input id=box>'></iframe>"
    )
    await run("fill '#out' --secret shop")
    await run("frame '#other'")
    reply = await fails("fill '#in' --secret shop", Refused)
    assert reply.message == f"The secret shop is for {web.url}, and #in is on {web.other}"
    assert await run("value '#in'") == ""
    await run("frame main")
    await run("frame '#none'")
    await fails("fill '#box' --secret shop", Refused)
    await run("goto", inner)
    await fails("fill '#in' --secret shop", Refused)


async def test_wrong_use_of_a_secret_is_refused_without_its_value(
    run: Run, fails: Fails, show: Show, web: Web, shell: Shell
) -> None:
    await show("<input id=name><input id=n type=number><select id=s><option>a</select>")
    for line, stdin in {
        "secret-set shop s3cret-of-mine --origin https://x.org": None, "secret-set shop --origin https://x.org": None,
        "secret-set shop": "s3cret-of-mine", "secret-set shop --origin x:y:z": "s3cret-of-mine",
        "secret-set shop --origin https://x.org --totp": "s3cret-of-mine-1", "fill '#name' word --secret shop": None, "fill '#name'": None,
        "type --secret shop": None, "type words --into '#name' --secret shop": None, "type": None, "type --into '#name'": None,
    }.items():  # fmt: skip
        await fails(line, UsageError, stdin=stdin)
    for line in ("fill '#name' --secret shop", "type --into '#name' --secret shop", "secret-delete shop"):
        await fails(line, ActionFailed)
    await run(f"secret-set shop --origin {web.url}", stdin="s3cret-of-mine")
    for line in ("fill '#s' --secret shop", "type --into '#s' --secret shop"):
        await fails(line, NotInteractable)
    assert await run("value '#name'") == ""
    assert await run("secrets") == f"shop  password  {web.url}"
    assert await run("secret-delete shop") == "Secret deleted: shop"
    assert "no secrets" in await run("secrets")
    assert "s3cret-of-mine" not in told_by(shell)


async def test_a_secret_is_typed_into_a_field_and_never_told(
    run: Run, show: Show, web: Web, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    await run(f"secret-set shop --origin {web.url}", stdin=VALUE)
    await run(f"secret-set code --origin {web.url} --totp", stdin=f"otpauth://totp/shop:ann?secret={KEY}")
    monkeypatch.setattr("gstack_browse.commands.acting.filled_secret.time.time", lambda: 1111111111.0)
    boxes = "".join(
        "<input class=box maxlength=1 oninput='this.nextElementSibling?.focus()'>" for _ in range(6)
    )
    await show(
        f"<input id=pw value=old onkeydown='window.keys = (window.keys || 0) + 1'><div id=host></div>{boxes}"
        "<input id=code inputmode=numeric autocomplete=one-time-code>"
        "<script>host.attachShadow({mode: 'open'}).innerHTML = '<input aria-label=Inner>'</script>"
    )
    assert await run("type --into '#pw' --clear --secret shop") == "Typed secret shop into #pw"
    assert await run("value '#pw'") == "[redacted]"
    assert await run("js", "[keys, pw.value.length].join()") == f"{len(VALUE) + 1},{len(VALUE)}"
    assert await run("type --into label=Inner --secret shop") == "Typed secret shop into label=Inner"
    assert await run("type --into '.box >> nth=0' --secret code") == "Typed secret code into .box >> nth=0"
    code = totp.parse_totp_key(KEY).code(1111111111)
    seen = "[...document.querySelectorAll('.box')].map(box => box.value).join('-')"
    assert await run("js", f"{seen} === '{'-'.join(code)}'") == "true"
    await run("fill '#code' --secret code")
    assert await run("js", f"document.querySelector('#code').value === '{code}'") == "true"
    assert await run("value '#code'") == "[redacted]"
    assert "horse" not in told_by(shell)
    assert code not in told_by(shell)


async def test_keys_of_a_secret_stay_in_the_document_of_the_field(
    run: Run, fails: Fails, show: Show, web: Web
) -> None:
    await run(f"secret-set shop --origin {web.url}", stdin=VALUE)
    inner = web.show("<input id=in>").replace(web.url, web.other)
    await show(
        f"<input id=pw oninput='if (this.value.length == 3) f.focus()'><iframe id=f src='{inner}'></iframe>"
    )
    await run("frame '#f'")
    await run("click '#in'")
    await run("frame main")
    reply = await fails("type --into '#pw' --secret shop", ActionFailed)
    assert reply.message == "The focus left the document of #pw: the rest of the secret was not typed"
    await run("frame '#f'")
    assert await run("value '#in'") == ""


async def test_secrets_in_a_form(run: Run, fails: Fails, show: Show, web: Web, shell: Shell) -> None:
    await run(f"secret-set shop --origin {web.url}", stdin=VALUE)
    inner = web.show("<label>Inner <input id=in></label>").replace(web.url, web.other)
    await show(
        "<input id=user><input id=pw type=password><input id=again oninput='this.value = this.value.toUpperCase()'>"
        f"<input id=agree type=checkbox><select id=s><option>a</select><iframe id=other src='{inner}'></iframe>"
    )
    there = next(line.split()[0] for line in (await run("snapshot -i")).splitlines() if '"Inner"' in line)
    shop = {"secret": "shop"}
    told = await run("fill-form", json.dumps({"#user": "ann", "#pw": shop, "#again": shop, "#agree": True}))
    assert told == "Filled 4 fields\n→ #again: the page changed it"
    assert await run("js", "[user.value, pw.value.length, agree.checked].join()") == f"ann,{len(VALUE)},true"
    nothing = "nothing was filled"
    for fields, error, said in (
        ({"#user": "bob", there: shop}, Refused, f"The secret shop is for {web.url}, and {there} is on {web.other}; {nothing}"),
        ({"#user": "bob", "#pw": {"secret": "shops"}}, ActionFailed, f"There is no secret shops; {nothing}"),
        ({"#user": "bob", "#agree": shop}, NotInteractable, f"takes no secret; {nothing}"),
        ({"#user": "bob", "#s": shop}, NotInteractable, f"takes no secret; {nothing}"),
        ({"#user": "bob", "#pw": {"secret": "../x"}}, UsageError, '"../x" is no name for a secret'),
        ({"#user": "bob", "#pw": {"secret": ["shop"]}}, UsageError, "#pw has no value that a field can get"),
    ):  # fmt: skip
        assert said in (await fails("fill-form", error, json.dumps(fields))).message
    assert await run("value '#user'") == "ann"
    assert "horse" not in told_by(shell).lower()
