import json

import pytest

from gstack_browse.errors import ProblemsFound
from tests.commands.conftest import Fails, Run, Show

pytestmark = pytest.mark.same_session

STRICT = {
    "Content_Security_Policy": "default-src 'self' 'unsafe-inline'; script-src 'self'; frame-ancestors 'none'",
    "X_Content_Type_Options": "nosniff", "Cross_Origin_Opener_Policy": "same-origin", "Cross_Origin_Resource_Policy": "same-origin",
}  # fmt: skip


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


async def test_a_strict_page_has_no_problems(run: Run, show: Show) -> None:
    await show("<h1>Fine</h1>", **STRICT)
    assert "version" in await run("security")  # of the test's own server
    assert "high" not in await run("security --fail-on medium")
    await run("goto about:blank")
    assert await run("security --fail-on low") == "No problems found"
