import json
import time
from typing import Any

import pytest

from gstack_browse.browser.command import page_settling
from gstack_browse.errors import ActionFailed, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"


async def kept_cookies(shell: Shell) -> list[Any]:
    """Return all cookies that the browser context has."""
    return await shell.browser.current.jar.cookies()


async def test_storage_prints_both_areas_with_secrets_redacted(run: Run, fails: Fails, visit: Show) -> None:
    await visit("plain.html")
    await run(
        "js",
        f"localStorage.theme = 'dark'; localStorage.accessToken = 'abc'; localStorage.x = '{TOKEN}';"
        "sessionStorage.step = '2'; sessionStorage.user = JSON.stringify({id: 7, apiKey: 'k-1'}); 1",
    )
    found = json.loads(await run("storage"))
    assert found["localStorage"] == {"theme": "dark", "accessToken": "[redacted]", "x": "[redacted]"}
    assert found["sessionStorage"]["step"] == "2"
    assert json.loads(found["sessionStorage"]["user"]) == {"id": 7, "apiKey": "[redacted]"}
    for line in ("set", "set key", "delete", "delete a b", "clear a"):
        assert "Usage: gbrowse storage" in (await fails(f"storage {line}", UsageError)).hint
    full = await fails("storage set big", ActionFailed, "x" * 6_000_000)
    assert full.message == "The local storage did not take the item: it is full"
    await run("storage clear")
    await run("storage-clear --session")
    await run("goto about:blank")
    await fails("storage", ActionFailed)
    await fails("storage set a b", ActionFailed)


async def test_items_of_both_areas_are_set_deleted_and_cleared(run: Run, fails: Fails, visit: Show) -> None:
    await visit("plain.html")
    assert await run("storage-set a ''") == 'Set localStorage["a"]'
    assert await run("js localStorage.a") == ""
    assert await run("storage-set a one", "two") == 'Set localStorage["a"]'
    assert await run("storage-set b - --session", stdin="from a pipe\n") == 'Set sessionStorage["b"]'
    assert await run("storage set --session step 3") == 'Set sessionStorage["step"]'
    assert await run("storage set --session __proto__ 4") == 'Set sessionStorage["__proto__"]'
    both = {
        "localStorage": {"a": "one two"},
        "sessionStorage": {"b": "from a pipe", "step": "3", "__proto__": "4"},
    }
    assert json.loads(await run("storage")) == both
    assert await run("storage delete b --session") == 'Deleted sessionStorage["b"]'
    reply = await fails("storage-delete b --session", ActionFailed)
    assert reply.message == 'There is no sessionStorage["b"]'
    assert json.loads(await run("storage --session")) == {"step": "3", "__proto__": "4"}
    assert await run("storage-clear --session") == "Deleted 2 items of sessionStorage"
    assert await run("storage clear") == "Deleted 1 item of localStorage"
    assert json.loads(await run("storage")) == {"localStorage": {}, "sessionStorage": {}}


@pytest.mark.both_browsers
async def test_the_storage_that_is_meant_is_that_of_the_frame(run: Run, show: Show, web: Web) -> None:
    await show(f"<iframe src='{web.other}/plain.html'></iframe>")
    await run("frame iframe")
    await run("storage-set inside yes")
    assert json.loads(await run("storage"))["localStorage"] == {"inside": "yes"}
    assert await run("storage clear") == "Deleted 1 item of localStorage"
    assert await run("js", "document.cookie = 'kept=yes; SameSite=None; Secure'; document.cookie") == "kept=yes"
    await run("cookies-clear")
    await run("frame main")
    assert json.loads(await run("storage"))["localStorage"] == {}


async def test_a_cookie_is_set_shown_and_deleted(run: Run, fails: Fails, visit: Show, shell: Shell) -> None:
    await visit("plain.html")
    said = await run("cookie-set session ann --http-only --same-site Lax")
    assert said == 'Cookie set: "session" for 127.0.0.1'
    await visit("welcome")
    assert "Hello ann" in await run("text")
    options = "--domain .example.com --path /app --expires 2h --secure"
    assert await run(f"cookie-set wide - {options}", stdin="x=y z\n") == 'Cookie set: "wide" for .example.com'
    (wide,) = [cookie for cookie in await kept_cookies(shell) if cookie["name"] == "wide"]
    facts = [wide[name] for name in ("domain", "path", "value", "secure")]
    assert facts == [".example.com", "/app", "x=y z", True]
    assert 7100 < wide["expires"] - time.time() < 7300
    assert [item["name"] for item in json.loads(await run("cookies --domain app.example.com"))] == ["wide"]
    assert await run("cookie-delete session") == 'Deleted 1 cookie: "session" for 127.0.0.1'
    reply = await fails("cookie-delete session", ActionFailed)
    assert (reply.message, reply.hint[:13]) == ('There is no cookie "session" for 127.0.0.1', "Run 'cookies'")
    assert await run("cookies-clear --domain other.org") == "Deleted 0 cookies"
    await run("cookie-set '' without-a-name")
    assert await run("cookies-clear") == "Deleted 2 cookies: .example.com, 127.0.0.1"
    assert await run("cookies") == "[]"


async def test_a_cookie_that_cannot_be_is_refused_with_the_reason(fails: Fails, run: Run) -> None:
    for line, reason in {
        "old x --domain example.com --expires 2001-01-01": "expired",
        "'a;b' x --domain example.com": "rejected by Chromium",
        "a x --domain example.com --path nowhere": "with a path that does not begin with /",
    }.items():
        assert (await fails(f"cookie-set {line}", ActionFailed)).message.endswith(f"was not set: {reason}")
    await run("goto about:blank")
    await fails("cookie-set a b", UsageError)
    assert "the active tab has no host" in (await fails("cookie-delete a", ActionFailed)).message


async def test_values_are_in_no_reply_and_not_in_recent(
    run: Run, fails: Fails, visit: Show, shell: Shell, web: Web
) -> None:
    """Show at most the first letters of a value."""
    await visit("plain.html")
    await run("cookie-set a s3cret-of-mine")
    await run("storage-set a s3cret-of-mine")
    await fails("storage-set a", ActionFailed, "s3cret-of-mine" * 500_000)
    await fails("cookie-set 'x;y' s3cret-of-mine", ActionFailed)
    await run("recent")
    await run("storage clear")
    await run("cookies-clear")
    told = [part for reply in shell.replies for part in (reply.text, reply.message, reply.hint, *reply.notes)]
    assert not [part for part in told if "s3cret-of-mine" in part]
    values = {"sid": "s3cr3tsessionvalue", "theme": "d", "two": "ab"}
    await shell.browser.current.jar.set_cookies(
        [{"name": n, "value": v, "url": web.url} for n, v in values.items()]
    )
    found = {cookie["name"]: cookie for cookie in json.loads(await run("cookies"))}
    assert found["sid"]["value"] == "s3cr… (18 characters)"
    assert found["theme"]["value"] == "… (1 character)"
    assert found["sid"]["domain"] == "127.0.0.1"
    assert {"path", "expires", "httpOnly", "secure", "sameSite"} <= found["sid"].keys()
    await run("cookies-clear")


async def test_perf_lists_the_phases(
    run: Run, visit: Show, show: Show, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Print no negative numbers before a page is loaded."""
    monkeypatch.setattr(page_settling, "LOAD_SECONDS", 0.3)
    await run("goto about:blank")
    assert "not yet" not in await run("perf")
    await visit("plain.html")
    await run("wait --load")
    phases = dict(line.split(maxsplit=1) for line in (await run("perf")).splitlines())
    assert list(phases) == ["dns", "tcp", "ssl", "ttfb", "download", "domParse", "domReady", "load"]
    assert all(value.removesuffix("ms").isdigit() for value in phases.values()), phases
    gate = web.gate("slow-picture")
    await show("<h1>Early</h1><img src=/gate/slow-picture>")
    said = await run("perf")
    gate.set()
    assert "-" not in said
    assert said.splitlines()[-1] == "load      not yet"


async def test_cookie_without_a_domain_is_imported_for_the_site_that_is_shown(
    run: Run, visit: Show, shell: Shell
) -> None:
    await visit("plain.html")
    (shell.workspace / "bare.json").write_text('[{"name": "a", "value": "1"}]')
    assert await run("cookie-import bare.json") == f"Loaded 1 cookie from {shell.workspace / 'bare.json'}"
    (cookie,) = await kept_cookies(shell)
    assert (cookie["name"], cookie["value"], cookie["domain"]) == ("a", "1", "127.0.0.1")
    await run("cookies-clear")


async def test_cookie_import_counts_what_was_not_loaded_and_why(run: Run, shell: Shell) -> None:
    file = shell.workspace / "mixed.json"
    good = {"name": "good", "value": "1", "domain": "example.com"}
    cookies = [
        good, good | {"name": "old", "expires": 1_000_000_000}, good | {"name": "__Host-x"}, {"value": "1"},
        good | {"name": "bad;name"}, 7,
    ]  # fmt: skip
    file.write_text(json.dumps(cookies))
    first, second = (await run("cookie-import mixed.json")).splitlines()
    assert first == f"Loaded 1 cookie from {file}"
    assert second.startswith("→ 5 not loaded: ")
    reasons = "1 expired", "__Host-", "1 rejected by Chromium", "1 without a name or a value", "1 not an object"
    assert [reason for reason in reasons if reason not in second] == []
    assert [cookie["name"] for cookie in await kept_cookies(shell)] == ["good"]
    await run("cookies-clear")
    shell.cwd = shell.workspace / "below"
    shell.cwd.mkdir(exist_ok=True)
    (shell.cwd / "here.json").write_text("[]")
    assert await run("cookie-import here.json") == f"Loaded 0 cookies from {shell.cwd / 'here.json'}"


async def test_cookie_import_of_nothing_usable_fails(fails: Fails, shell: Shell) -> None:
    (shell.workspace / "old.json").write_text('[{"name":"a","value":"s3cr3t","domain":"a.b","expires":5}]')
    reply = await fails("cookie-import old.json", ActionFailed)
    assert "1 expired" in reply.message
    assert "s3cr3t" not in reply.message + reply.hint
    for content in ("", "hello\nworld", "[1,", "\x00\x01", "\xff"):
        (shell.workspace / "odd").write_bytes(content.encode("latin-1"))
        assert "The file" in (await fails("cookie-import odd", UsageError)).message
