"""The picker as a person uses it, in a real browser, and as others would like to."""

import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import make_workspace
from tests.e2e.daemon.harness import until
from tests.e2e.owner import Owner
from tests.e2e.visitor import Knock, is_listening, visiting
from tests.other_user import OtherUser
from tests.unit.cookies import makers
from tests.unit.cookies.makers import row

NAME = "cookie-import-browser"
VALUE = "v4lue-not-to-be-shown"


@pytest.fixture(scope="module")
def visitor() -> Iterator[BrowserContext]:
    with visiting() as context:
        yield context


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("picker"))


@pytest.fixture(scope="module")
def ann(tmp_path_factory: pytest.TempPathFactory, workspace: Path) -> Iterator[Owner]:
    """Ann has two profiles, a desktop, and a daemon."""
    owner = Owner(tmp_path_factory.mktemp("ann"))
    owner.give_desktop()
    root = owner.home / ".config/google-chrome"
    rows = [row(host, value=VALUE) for host in (".github.test", "www.github.test", "mail.test", "news.test")]
    makers.chromium(root / "Default/Cookies", [*rows, row("github.test", "theme", value=VALUE)])
    (root / "Default/Preferences").write_text('{"account_info":[{"email":"ann@example.test"}]}')
    makers.chromium(
        root / "Profile 1/Cookies", [row("work.test", value=VALUE), row("<b>x</b>.test", value="x")]
    )
    yield owner
    owner.gbrowse(workspace, "stop")


@pytest.fixture
def address(ann: Owner, workspace: Path) -> str:
    """Return the current address of the picker, which Ann's desktop is asked to open."""
    said = ann.gbrowse(workspace, NAME)
    found = re.search(r"http://127\.0\.0\.1:\d+/\S+", said.stdout)
    assert found, said.stderr
    assert "a browser was asked to open it" in said.stdout
    until(lambda: ann.opened_addresses()[-1:] == [found[0]])
    return found[0]


@pytest.fixture
def page(visitor: BrowserContext, address: str, ann: Owner, workspace: Path) -> Iterator[Page]:
    """The picker's page, opened; nothing is imported yet."""
    page = visitor.new_page()
    page.goto(address)
    expect(page.locator("#domains li")).to_have_count(4)
    imported = page.locator("#imported li")
    for left in reversed(range(imported.count())):
        imported.first.get_by_role("button").click()
        expect(imported).to_have_count(left)
    yield page
    for opened in visitor.pages:
        opened.close()


def domains(ann: Owner, workspace: Path) -> set[str]:
    """Hosts of the cookies that gbrowse's browser has."""
    return set(re.findall(r'"domain": "([^"]+)"', ann.gbrowse(workspace, "cookies").stdout))


def test_picker_shows_profiles_domains_and_counts_but_no_values_until_the_next_one_closes_it(
    page: Page, ann: Owner, workspace: Path
) -> None:
    profiles = ["Chrome: Default (ann@example.test)", "Chrome: Profile 1"]
    expect(page.locator("#profiles label")).to_have_text(profiles)
    first = page.locator("#domains li").first
    expect(first.get_by_role("button")).to_be_visible()
    assert first.inner_text().split() == ["github.test", "2", "Import"]
    assert VALUE not in page.content()
    assert "token" not in page.url, "it does not stay in the address bar"
    page.reload()
    expect(page.locator("#domains li")).to_have_count(4)
    see_that_a_site_cannot_frame_it_nor_use_its_cookie(page)
    ann.gbrowse(workspace, NAME)
    page.get_by_role("button", name="Import mail.test").click()
    expect(page.get_by_role("status")).to_contain_text("The picker is closed")


def see_that_a_site_cannot_frame_it_nor_use_its_cookie(page: Page) -> None:
    other = page.context.new_page()
    other.goto("data:text/html,<iframe></iframe>")
    other.evaluate("url => document.querySelector('iframe').src = url", page.url)
    other.wait_for_function("() => frames.length === 1")
    expect(other.frame_locator("iframe").locator("#domains li")).to_have_count(0)
    failed = other.evaluate(
        "url => fetch(url + 'profiles', {credentials: 'include'}).then(() => '', String)", page.url
    )
    assert "Failed to fetch" in failed
    other.close()


def test_domains_are_imported_and_removed_in_each_way(page: Page, ann: Owner, workspace: Path) -> None:
    search, status = page.get_by_role("searchbox", name="Search domains"), page.get_by_role("status")
    search.fill("MAIL")
    expect(page.locator("#domains li")).to_have_count(1)
    expect(page.get_by_title("1 cookie", exact=True)).to_be_visible()
    page.get_by_role("button", name="Import mail.test").click()
    expect(status).to_have_text("Imported 1 cookie")
    expect(page.get_by_role("list", name="Imported domains")).to_contain_text("mail.test")
    assert domains(ann, workspace) == {"mail.test"}

    search.fill("github")
    page.get_by_role("button", name="Import www.github.test").click()
    expect(status).to_have_text("Imported 1 cookie")
    page.get_by_role("button", name="Import all (1)").click()
    expect(status).to_have_text("Imported 2 cookies")
    expect(page.get_by_role("button", name="Import all")).to_have_count(0)
    expect(search).to_be_focused()
    github = {".github.test", "github.test", "www.github.test"}
    assert domains(ann, workspace) == github | {"mail.test"}

    page.get_by_role("button", name="Remove mail.test").click()
    expect(status).to_have_text("Removed 1 cookie of mail.test")
    expect(page.get_by_role("button", name="Remove mail.test")).to_have_count(0)
    assert domains(ann, workspace) == github

    search.fill("")
    expect(page.get_by_role("button", name="Import all (2)")).to_be_visible()
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body")).to_have_css("background-color", "rgb(20, 23, 27)")
    page.get_by_text("Chrome: Profile 1").click()  # where a name is markup
    search.fill("")
    expect(page.locator("#domains li")).to_have_count(1)
    page.get_by_role("button", name="Import work.test").click()
    expect(status).to_have_text("Imported 1 cookie")
    assert domains(ann, workspace) == github | {"work.test"}


def test_by_keyboard_alone_until_done_closes_it(page: Page, address: str) -> None:
    page.keyboard.type("news")
    expect(page.locator("#domains li")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Import news.test")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Imported 1 cookie")
    page.get_by_role("button", name="Done").press("Enter")
    expect(page.get_by_role("status")).to_have_text("Done. You can close this page.")
    port = urlsplit(address).port
    assert port
    assert any(not is_listening(port) for _ in range(1000)), "it closes right after its answer"


SENSELESS = (
    "", "[]", "{", "{}", '{"profile":9,"domains":[]}', '{"profile":-1,"domains":["x"]}', '{"profile":0,"domains":[1]}',
    '{"profile":true,"domains":null}',
)  # fmt: skip


def test_only_who_has_the_token_gets_in_once_and_only_sense_is_taken(address: str) -> None:
    """Keep others out as each page of ours does: a board and `watch` stand behind the same door."""
    knock = Knock(address)
    # Else nobody can be, or is told from, another user.
    if os.getuid() == 0 and os.path.exists("/proc/net/tcp"):
        see_that_another_user_is_refused_even_with_the_token(knock)
    for query in ("", "?token=", "?token=wrong", "?token=%FF"):
        assert knock(query).status == 403
    for path in ("profiles", "profiles/0", "imported", "script.js", "nothing"):
        assert knock(path).status == 403, "without the cookie nothing is told"
    shown = knock(f"?{knock.query}")
    assert shown.status == 200, "the token was not used up"
    said = str(shown.headers["Set-Cookie"])
    assert {"HttpOnly", "SameSite=Strict", f"Path={knock.path}"} <= set(said.split("; "))
    assert re.search(r"gbrowse-picker=[\w-]{43};", said), "256 bits"
    assert knock(f"?{knock.query}").status == 403

    cookie = said.partition(";")[0]
    assert knock("profiles", Cookie=cookie).status == 200
    for host in ("evil.test", f"evil.test:{knock.port}", f"localhost:{knock.port}", "127.0.0.1", ""):
        assert knock("profiles", Cookie=cookie, Host=host).status == 403
    own = f"http://127.0.0.1:{knock.port}"
    body = '{"profile":0,"domains":["mail.test"]}'
    origins = ("https://evil.test", "null", f"http://localhost:{knock.port}")
    wrong: list[dict[str, str]] = [
        *({"Origin": origin} for origin in origins),
        {},
        {"Origin": own, "Content_Type": "text/plain"},
    ]
    for headers in wrong:
        sent = {"Content_Type": "application/json"} | headers
        assert knock("import", "POST", body, Cookie=cookie, **sent).status == 403
    sent = {"Cookie": cookie, "Origin": own, "Content_Type": "application/json"}
    assert knock("import", "POST", body, **sent).status == 200
    assert [knock("import", "POST", body, **sent).status for body in SENSELESS] == [400] * len(SENSELESS)
    too_large = '{"profile":0,"domains":"' + "x" * 2_000_000 + '"}'
    assert knock("import", "POST", too_large, **sent).status == 413
    unknown = ("../../etc/passwd", "profiles/999", "profiles/-1", "%2e%2e/", "import")
    assert [knock(path, Cookie=cookie).status for path in unknown] == [404, 404, 404, 404, 405]
    for response in (shown, knock("?token=wrong"), knock("nothing")):
        policy = response.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "frame-ancestors 'none'" in policy
        assert (response.headers["Cache-Control"], response.headers["Referrer-Policy"]) == (
            "no-store",
            "no-referrer",
        )


def see_that_another_user_is_refused_even_with_the_token(knock: Knock) -> None:
    """Refuse a user who saw the address in the list of processes."""
    request = f"GET {knock.path}?{knock.query} HTTP/1.1\r\nHost: 127.0.0.1:{knock.port}\r\n\r\n"

    def ask() -> bytes:
        with socket.socket() as connection:
            connection.connect(("127.0.0.1", knock.port))
            connection.sendall(request.encode())
            return connection.recv(12)

    assert OtherUser(ask).result() == b"HTTP/1.1 403"
