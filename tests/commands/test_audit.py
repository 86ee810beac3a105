"""Test `audit` and `security`: they look into every frame and shadow tree, whatever the page does."""

import json

import pytest

from gstack_browse.browser.reading.page_scripts import AXE
from gstack_browse.errors import NoMatch, ProblemsFound, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import STRICT, Web

pytestmark = pytest.mark.same_session

HEAD = "<!doctype html><html lang=en><head><title>Shop</title></head><body><main><h1>Shop</h1>"
BAD = (
    "<button style='color:#999;background:#fff'>Buy</button><img src=data:,><p>Fine</p><input>"
    "<ul><p>no item</p></ul><div role=checkbox tabindex=0>Agree</div><h4>Deep</h4><div id=host></div>"
    "<script>host.attachShadow({ mode: 'open' }).innerHTML = '<button></button><a href=/x></a>'</script>"
)
CLOSED = (
    "<x-card></x-card><script>document.querySelector('x-card').attachShadow({ mode: 'closed' })"
    ".innerHTML = '<img id=hidden src=data:,>'</script>"
)
ALONE = """axe.run({ resultTypes: ['violations', 'incomplete'], pingWaitTime: 0 }).then((found) => JSON.stringify(Object.fromEntries(
  ['violations', 'incomplete'].map((kind) => [kind, Object.fromEntries(found[kind].map((rule) => [rule.id, rule.nodes.length]))]))))"""
"""By itself axe leaves out frames that do not answer in half a second, as those of another process on a busy machine."""


async def test_audit_finds_what_axe_finds_by_itself(run: Run, show: Show, web: Web, shell: Shell) -> None:
    everywhere = "axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })"
    axe = f"<script src='{web.script('axe.js', AXE.source() + everywhere)}'></script>"
    inner = web.show(f"{HEAD}{BAD}{axe}")
    other = web.show_elsewhere(f"<html><body>{BAD}<iframe src='{inner}'></iframe>{axe}")
    frames = f"<iframe title=same src='{inner}'></iframe><iframe src='{other}'></iframe>"
    await show(f"{HEAD}{BAD}<h2>Again</h2>{frames}{axe}")
    await run("wait --load")  # axe asks in frames that are there
    alone = json.loads(await run("js", ALONE))
    assert alone["violations"]["image-alt"] == 4
    told = json.loads((await shell.send("audit --json")).text)
    assert {kind: {rule["id"]: rule["count"] for rule in told[kind]} for kind in alone} == alone
    await show(f"{HEAD}<p>Fine</p>")
    assert (await run("audit")).startswith("axe-core found no problems (")


async def test_problem_is_a_line_with_a_ref_that_acts(run: Run, fails: Fails, show: Show, web: Web) -> None:
    inner = web.show_elsewhere("<html lang=en><title>In</title><input id=inner>")
    await show(f"{HEAD}{BAD}{CLOSED}<iframe title=in src='{inner}'></iframe>")
    reply = await fails("audit --tags wcag2a,wcag2aa", ProblemsFound)
    lines = reply.text.splitlines()
    assert reply.message == f"axe-core found {len(lines)} problems: 6 critical, 3 serious"
    refs = {line.split(" @")[1].split()[0].rstrip(":"): line for line in lines}
    contrast = next(line for line in lines if "color-contrast" in line)
    assert contrast == f'serious color-contrast {contrast.split()[2]} "Buy": 2.84:1, needs 4.5:1'
    ids = {await run("js", f"@{ref}.id") for ref in refs}
    assert {"hidden", "inner"} <= ids
    await run(f"click {contrast.split()[2]}")
    assert len((await fails("audit button", ProblemsFound)).text.splitlines()) == 1
    assert "critical label" in (await fails("audit input", ProblemsFound)).text
    await run("frame iframe")
    (line,) = (await fails("audit --tags wcag2a", ProblemsFound)).text.splitlines()
    assert line.split()[1] == "label"
    await run("frame main")
    await fails("audit nothing", NoMatch)
    assert "Did you mean wcag2a?" in (await fails("audit --tags wcag2x", UsageError)).hint


async def test_a_page_neither_prevents_it_nor_notices_it(run: Run, fails: Fails, show: Show) -> None:
    spoilt = (
        "<form id=axe><input name=runPartial></form><script>window.heard = 0; addEventListener('message', () => heard++);"
        "for (const name of ['querySelectorAll', 'createElement', 'elementsFromPoint']) document[name] = () => { heard++; throw name };"
        "JSON.stringify = Array.prototype.map = window.getComputedStyle = () => { heard++; throw 1 }</script>"
    )
    await show(f"{HEAD}{BAD}{CLOSED}{spoilt}<iframe srcdoc='<img src=data:,>'></iframe>")
    found = (await fails("audit", ProblemsFound)).text
    assert "color-contrast" in found
    assert found.count("critical image-alt") == 3
    told = "`${heard} ${Object.keys(window).filter((name) => /gbrowse/.test(name))} ${axe.tagName}`"
    assert await run("js", told) == "0  FORM"
    assert await run("js", "document.body.getElementsByTagName('x-card')[0].shadowRoot") == "null"
    await show(f"{HEAD}{BAD}", Content_Security_Policy=STRICT)
    assert "color-contrast" in (await fails("audit", ProblemsFound)).text


async def test_many_elements_of_one_rule_are_counted(fails: Fails, show: Show) -> None:
    """Tell nothing of what secret fields hold."""
    await show(
        f"{HEAD}{'<img src=data:,>' * 25}<input type=password value=hunter2><div tabindex=0 role=button><input type='password' value='hunter2'></div>"
    )
    found = (await fails("audit --tags wcag2a", ProblemsFound)).text.splitlines()
    assert "… 15 more elements of image-alt: audit --all" in found
    assert "\n".join(found).count("critical image-alt") == 10
    assert (await fails("audit --all", ProblemsFound)).text.count("critical image-alt") == 25
    reply = await fails("audit --json --incomplete", ProblemsFound)
    assert "password" in reply.text
    assert "hunter2" not in reply.text


FOUND = (
    'high form-http: "sign-in" sends to http://shop.example/login by http → send by https',
    "medium csp: no Content-Security-Policy: a script that is injected runs → send Content-Security-Policy; begin with default-src 'self'",
    "medium cookie-httponly: sid: an injected script can read it → set HttpOnly",
    "low cookie-samesite: sid: no SameSite: browsers differ in when other sites send it → set SameSite=Lax",
)


async def test_a_line_says_what_is_wrong_why_and_what_to_do(run: Run, fails: Fails, show: Show) -> None:
    await show(
        "<form name=sign-in action=http://shop.example/login><input type=password></form><img name=querySelectorAll>",
        Set_Cookie="sid=1",
    )
    *lines, counts = (await run("security")).split("\n")
    assert {*FOUND} <= {*lines}
    assert any(line.startswith('high form-get: "sign-in" puts a password into an address') for line in lines)
    assert counts.startswith(f"{len(lines)} problems: 2 high, ")
    reply = await fails("security --fail-on high", ProblemsFound)
    assert (reply.text, reply.message) == ("\n".join(lines), f"{counts}; --fail-on high")
    assert len(json.loads((await fails("security --json --fail-on low", ProblemsFound)).text)) == len(lines)
    await run("cookies-clear")


@pytest.mark.fresh_session  # the cookies of other tests are problems
async def test_a_strict_page_has_no_problems(run: Run, show: Show) -> None:
    await show(
        "<h1>Fine</h1>",
        Content_Security_Policy="default-src 'self' 'unsafe-inline'; script-src 'self'; frame-ancestors 'none'",
        X_Content_Type_Options="nosniff",
        Cross_Origin_Opener_Policy="same-origin",
        Cross_Origin_Resource_Policy="same-origin",
    )
    assert "version" in await run("security")  # of the test's own server
    assert "high" not in await run("security --fail-on medium")
    await run("goto about:blank")
    assert await run("security --fail-on low") == "No problems found"
