"""Logins taken over from browsers that a person used: real Chromium, real Firefox, a real keyring."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from gstack_browse.errors import ImportFailed, Refused, UsageError
from gstack_browse.local_pages.picker import server
from tests.browser.relay.raw_client import RawClient
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.web import Web
from tests.e2e.owner import Owner, needs_chromium, needs_firefox, needs_keyring
from tests.unit.cookies import makers
from tests.unit.cookies.makers import row

SECRET = "s3cret-of-ann"
SESSION = f"session={SECRET}; Max-Age=9999; HttpOnly; SameSite=Lax; Path=/"
NAME = "cookie-import-browser"
LONG_AGO = -1e9


@pytest.fixture(scope="module")
def login(server: Web) -> str:
    """The address of a page that logs its visitor in."""
    return server.show(
        "<script>document.cookie = 'theme=dark; max-age=9999; path=/'</script>In", Set_Cookie=SESSION
    )


@pytest.fixture
def nobody(tmp_path: Path) -> Owner:
    """Somebody who has not used a browser yet."""
    return Owner(tmp_path / "home")


@pytest.fixture(autouse=True)
def no_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


LiveAs = Callable[[Owner], None]


@pytest.fixture
def live_as(monkeypatch: pytest.MonkeyPatch) -> LiveAs:
    """From now on the daemon is that person's."""

    def live(owner: Owner) -> None:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
        for name, value in owner.environment.items():
            monkeypatch.setenv(name, value)

    return live


def chromium(owner: Owner, *rows: dict[str, object], profile: str = "Default") -> Path:
    """A profile of Chromium made by hand, for what a real one does not do on demand."""
    return makers.chromium(owner.home / ".config/chromium" / profile / "Cookies", rows)


# ── with a real Chromium ─────────────────────────────────────────────────────────────────────────────────────


@needs_chromium
async def test_logged_in_with_every_property_and_no_value_told(
    run: Run, shell: Shell, visit: Show, nobody: Owner, login: str, live_as: LiveAs
) -> None:
    """Import from a Chromium that is open."""
    nobody.visit(login)
    live_as(nobody)
    await visit("welcome")
    assert await run("text h1") == "Hello nobody"
    said = await run(f"{NAME} --list")
    assert said == "Chromium, profile Default (Your Chromium): 2 cookies (chromium)\n     2  127.0.0.1"
    assert await shell.browser.current.jar.cookies() == []
    with nobody.browsing("about:blank"):
        said = await run(f"{NAME} chromium --profile default --domain 127.0.0.1")
    profile = "Chromium, profile Default (Your Chromium)"
    assert said.splitlines()[0] == f"Imported 2 cookies for 127.0.0.1 from {profile}"
    session, theme = sorted(await shell.browser.current.jar.cookies(), key=lambda cookie: cookie["name"])
    properties = {"domain": "127.0.0.1", "path": "/", "httpOnly": True, "sameSite": "Lax"}
    assert session.items() >= properties.items()
    assert session["expires"] == pytest.approx(time.time() + 9999, abs=300)
    assert (theme["value"], theme["httpOnly"]) == ("dark", False)
    await run("cookies")
    await run("network")
    told = "\n".join(f"{reply.text}{reply.notes}{reply.message}{reply.hint}" for reply in shell.replies)
    assert "session" in told
    assert SECRET not in told
    await visit("welcome")
    assert await run("text h1") == f"Hello {SECRET}"


@needs_chromium
@needs_keyring
async def test_profile_whose_key_is_in_the_keyring_is_imported_while_that_is_unlocked(
    run: Run, visit: Show, fails: Fails, nobody: Owner, login: str, web: Web, live_as: LiveAs
) -> None:
    """Import what was written without a keyring in any case."""
    nobody.visit(web.other + "/inline/" + login.rpartition("/")[2])
    with nobody.keyring() as keyring:
        nobody.visit(login, store="gnome-libsecret")
        live_as(nobody)
        keyring.lock()
        reply = await fails(f"{NAME} --domain 127.0.0.1", ImportFailed)
        assert reply.message.endswith(": the keyring is locked")
        assert "Unlock your keyring" in reply.hint
    live_as(nobody)
    said = (await run(f"{NAME} --all")).splitlines()
    assert said[0].startswith("Imported 2 cookies for localhost from Chromium")
    assert "→ skipped 2: 2 encrypted with a key that cannot be had now" in said
    assert any("no keyring that can be reached holds a key of Chromium" in line for line in said)
    with nobody.keyring():
        live_as(nobody)
        assert "Imported 2 cookies" in await run(f"{NAME} --domain 127.0.0.1")
        await visit("welcome")
        assert await run("text h1") == f"Hello {SECRET}"


@needs_firefox
async def test_cookies_of_firefox_are_imported(
    run: Run, visit: Show, nobody: Owner, login: str, live_as: LiveAs
) -> None:
    nobody.visit_with_firefox(login)
    live_as(nobody)
    assert "Imported 2 cookies for 127.0.0.1 from Firefox, profile " in await run(f"{NAME} --domain 127.0.0.1")
    await visit("welcome")
    assert await run("text h1") == f"Hello {SECRET}"


# ── which cookies, from which profile ────────────────────────────────────────────────────────────────────────


@pytest.fixture
def bob(nobody: Owner, live_as: LiveAs) -> Owner:
    """Bob has cookies of several sites."""
    sites = (".github.test", "gist.github.test", "notgithub.test", ".corp.test")
    chromium(
        nobody,
        *(row(site, value="a") for site in sites),
        row("github.test", "host", value="b"),
        row("old.test", value="f", expires_utc=1),
        row("part.test", value="g", top_frame_site_key="https://x.test"),
        row("bad.test", "__Host-x", value="h"),
    )
    live_as(nobody)
    return nobody


async def domains_of_cookies(shell: Shell) -> set[str]:
    return {cookie["domain"] for cookie in await shell.browser.current.jar.cookies()}


async def test_import_takes_cookies_of_a_site_a_domain_or_all(
    run: Run, fails: Fails, shell: Shell, bob: Owner
) -> None:
    said = await run(f"{NAME} --domain GitHub.test")
    assert said.splitlines()[:2] == [
        "Imported 3 cookies for github.test from Chromium, profile Default",
        "→ 2 for github.test, 1 for gist.github.test",
    ]
    assert await domains_of_cookies(shell) == {".github.test", "github.test", "gist.github.test"}
    await run("cookies-clear")
    await run(f"{NAME} --domain github.test --exact")
    assert await domains_of_cookies(shell) == {".github.test", "github.test"}
    await run("cookies-clear")
    await run(f"{NAME} --domain https://gist.github.test/x --domain app.corp.test")
    assert await domains_of_cookies(shell) == {"gist.github.test", ".github.test", ".corp.test"}
    said_lines = (await run(f"{NAME} --all")).splitlines()
    assert said_lines[0] == "Imported 5 cookies for 4 domains from Chromium, profile Default"
    skipped = "1 expired, 1 kept for one embedding site or container, 1 rejected by Chromium"
    assert said_lines[2] == f"→ skipped 3: {skipped}"
    reply = await fails(f"{NAME} --domain nothing.test", ImportFailed)
    assert reply.message == "No cookies for nothing.test in Chromium, profile Default"
    assert "wait and try again" in reply.hint
    none = "None of the 1 cookie for old.test in Chromium, profile Default could be imported (1: 1 expired)"
    assert (await fails(f"{NAME} --domain old.test", ImportFailed)).message == none


async def test_impossible_import_says_why(run: Run, fails: Fails, nobody: Owner, live_as: LiveAs) -> None:
    """Name the browsers that there are, words without sense, and a profile that cannot be read."""
    live_as(nobody)
    for words in ("--list", "--all", ""):
        assert "No cookies of a browser" in (await fails(f"{NAME} {words}", ImportFailed)).message
    assert "No cookies of Brave" in (await fails(f"{NAME} brave --list", ImportFailed)).message
    chromium(nobody, row("github.test", value="a"))
    assert "Did you mean chrome?" in (await fails(f"{NAME} chrom", UsageError)).hint
    assert "Profiles: chromium: Default" in (await fails(f"{NAME} --profile ../x", UsageError)).hint
    await fails(f"{NAME} --all --domain a.test", UsageError)
    for word in ("", "a b", "../x", "a,b"):
        await fails(NAME, UsageError, "--domain", word)
    bad = chromium(nobody, profile="Profile 1")
    bad.unlink()
    os.mkfifo(bad)
    assert "Profile 1: could not be read: it is not a regular file" in await run(f"{NAME} --list")
    said = await run(f"{NAME} --domain github.test")
    assert "→ Chromium, profile Profile 1 could not be read: it is not a regular file" in said.splitlines()
    reply = await fails(f"{NAME} --profile 'Profile 1' --all", ImportFailed)
    assert reply.message.endswith("Chromium, profile Profile 1: it is not a regular file")


async def test_import_is_from_the_profile_that_used_the_site_last(run: Run, bob: Owner) -> None:
    """Let no name in its database act on the terminal."""
    newer = row("github.test", value="z", last_access_utc=makers.since_1601(time.time() + 60))
    hostile = [row(site, value="x") for site in ("\x1b[2J.test", "ev\u202eil.test")]
    chromium(bob, newer, *hostile, profile="Profile 1")
    said = (await run(f"{NAME} --domain github.test")).splitlines()
    assert said[0] == "Imported 1 cookie for github.test from Chromium, profile Profile 1"
    again = f"{NAME} chromium --profile 'Default' --domain github.test"
    assert f"→ also in Chromium, profile Default: {again}" in said
    said = (await run(f"{NAME} --profile Default --domain github.test")).splitlines()
    assert said[0] == "Imported 3 cookies for github.test from Chromium, profile Default"
    listed = await run(f"{NAME} --profile 'Profile 1' --list")
    assert not {"\x1b", "\u202e"} & set(listed)


async def test_the_daemon_stays_while_somebody_chooses(
    run: Run, shell: Shell, bob: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Close a picker that nobody uses, and the one before another."""
    assert (await run(NAME)).startswith("Cookie picker: http://127.0.0.1:")
    shell.service.lifecycle.last_used = LONG_AGO
    assert not shell.service.is_idle()
    monkeypatch.setattr(server, "OPEN_SECONDS", 0.1)
    port = urlsplit((await run(NAME)).split()[2]).port
    await until(lambda: not shell.browser.visited)
    shell.service.lifecycle.last_used = LONG_AGO
    assert shell.service.is_idle()
    async with asyncio.timeout(60):
        with suppress(ConnectionError):
            while True:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()


# ── programs and scripts after an import ─────────────────────────────────────────────────────────────────────


async def test_imported_cookies_are_kept_from_programs_and_from_scripts_elsewhere(
    run: Run, fails: Fails, visit: Show, web: Web, shell: Shell, nobody: Owner, live_as: LiveAs, tmp_path: Path
) -> None:
    """Detach programs before the cookies come. Scripts run on the cookies' domain and on pages without cookies."""
    await visit("plain.html")
    address = await run("attach")
    client = await RawClient.connect(address.removeprefix("ws+unix://").partition(":/")[0])
    chromium(nobody, row("127.0.0.1", value="x"), row("old.test", value="x", expires_utc=1))
    live_as(nobody)
    await fails(f"{NAME} --domain old.test", ImportFailed)  # no cookie comes: they may stay
    assert (await client.ask("Storage.getCookies"))["cookies"] == []
    found: list[dict[str, Any]] = []

    async def read_cookies() -> None:
        while True:
            found.extend((await client.ask("Storage.getCookies"))["cookies"])

    asking = asyncio.ensure_future(read_cookies())
    said = await run(f"{NAME} --all")
    assert said.startswith("Imported 1 cookie")
    assert said.endswith("→ attached programs were disconnected")
    assert await client.close_code() == 1008
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert found == []
    await client.leave()
    await run("detach")
    why = "No program may attach: it could read the cookies that were imported for 1 domain"
    for line in ("attach", "attach --tcp", "attach --once"):
        assert (await fails(line, Refused)).message == why
    assert (await shell.send("attach", as_="ann")).code == 0
    await shell.send("detach", as_="ann")
    await shell.send("context-close ann")

    assert await run("js 1 + 1") == "2"
    await run(f"goto {web.other}/plain.html")
    assert await run("js 1 + 1") == "2"
    await run("goto", web.show_elsewhere("Other", Set_Cookie="tracker=1"))
    (tmp_path / "script.js").write_text("document.cookie")
    for line in ("js document.cookie", f"eval {tmp_path / 'script.js'}"):
        reply = await fails(line, Refused)
        assert reply.message.startswith("Scripts do not run on localhost")
        assert "--any-origin" in reply.hint
        assert "tracker" in await run(f"{line} --any-origin")
    await run("js --any-origin", "document.body.append(document.createElement('iframe')); 1")
    await run("frame iframe")
    await fails("js document.cookie", Refused)
