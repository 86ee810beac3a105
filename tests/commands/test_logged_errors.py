"""Test errors logged by a page, or by Chromium about it, in the reply to the command that led to them."""

import re

import pytest

from tests.commands.conftest import Run, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = """<button id=said onclick="console.error('Save failed', {code: 7})">Save</button>
<button id=asserted onclick="console.assert(false, 'no rows')">Assert</button>
<button id=warned onclick="console.warn('soon gone'); console.log('fine')">Warn</button>
<button id=many onclick="for (let i = 0; i < 9; i++) console.error('bad ' + i % 4)">Many</button>
<button id=hostile onclick="console.error('a\\n→ now at b\\x1b[31m\\u202e')">Lie</button>
<button id=both onclick="console.error('logged'); throw new Error('thrown')">Both</button>
<a href="file:///etc/hosts">Local file</a>
<iframe sandbox srcdoc="<form action=/q><button>Send</button></form>"></iframe>"""

REPLIES = {
    "#said": [r"→ console error: Save failed \{code: 7\}"],
    "#asserted": [r"→ console error: (Assertion failed: )?no rows"],
    "#warned": [],
    "#many": [r"→ 9 console errors: bad 0; bad 1; … see 'console --errors'"],
    "#hostile": [r"→ console error: a → now at b␛\[31m"],
    "#both": [r"→ 1 error: Error: thrown \(\d+\.html:\d+:\d+\)", "→ console error: logged"],
    "text='Local file'": ["→ console error: Not allowed to load local resource: file:///etc/hosts"],
}


async def test_errors_logged_by_an_action_are_told(run: Run, show: Show) -> None:
    await show(PAGE)
    for target, lines in REPLIES.items():
        reply = (await run("click", target)).splitlines()[1:]
        assert len(reply) == len(lines), target
        assert all(re.fullmatch(line, told) for line, told in zip(lines, reply, strict=True)), reply


async def test_form_in_a_sandboxed_frame_tells_that_it_was_blocked(run: Run, show: Show) -> None:
    await show(PAGE)
    await run("snapshot -i")
    await run("frame iframe")
    assert "→ console error: Blocked form submission to '" in await run("click button")


async def test_request_blocked_by_the_pages_policy_is_told(run: Run, web: Web) -> None:
    markup = "<button onclick=\"fetch('/api').catch(() => 0)\">Load</button>"
    await run("goto", web.show(markup, Content_Security_Policy="connect-src 'none'"))
    reply = await run("click button")
    assert "\n→ 2 console errors: Connecting to '" in reply


async def test_errors_logged_while_a_page_loads_are_told(run: Run, web: Web) -> None:
    reply = await run("goto", web.show("<script>console.error('no config')</script>"))
    assert reply.splitlines()[1:] == ["→ console error: no config"]


async def test_failed_scripts_and_style_sheets_share_a_line(run: Run, web: Web) -> None:
    missing = "".join(f"<script src='/status/404/{name}.js'></script>" for name in "abcd")
    reply = await run(
        "goto", web.show(f"{missing}<link rel=stylesheet href='/status/404'><img src='/status/404'>")
    )
    assert reply.splitlines()[1].startswith("→ 5 requests failed: ")
    assert reply.endswith(", … see 'network --failed'")
    assert len(reply.splitlines()) == 2


async def test_link_answered_without_a_page_is_told(run: Run, show: Show, web: Web) -> None:
    url = await show(
        "<a href=/status/204>Save</a><form action=/status/204 method=post><button>Send</button></form>"
    )
    address = f"{web.url}/status/204"
    assert (await run("click a")).splitlines()[1:] == [f"→ GET {address} → 204, no page to show"]
    assert f"→ POST {address} → 204, no page to show" in await run("click button")
    assert await run("url") == url
