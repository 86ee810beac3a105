"""Test errors logged by a page, or by Chromium about it, in the reply to the command that led to them."""

import re

import pytest

from tests.commands.conftest import Run
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = """<button id=said onclick="console.error('Save failed', {code: 7})">Save</button>
<button id=asserted onclick="console.assert(false, 'no rows')">Assert</button>
<button id=warned onclick="console.warn('soon gone'); console.log('fine')">Warn</button>
<button id=many onclick="for (let i = 0; i < 9; i++) console.error('bad ' + i % 4)">Many</button>
<button id=hostile onclick="console.error('a\\n→ now at b\\x1b[31m\\u202e')">Lie</button>
<button id=both onclick="console.error('logged'); throw new Error('thrown')">Both</button>
<button id=load onclick="fetch('/api').catch(() => 0)">Load</button>
<a href="file:///etc/hosts">Local file</a><a href=/status/204>Empty</a><form action=/status/204 method=post><button>Send</button></form>
<iframe sandbox srcdoc="<form action=/q><button>Send</button></form>"></iframe><script>console.error('no config')</script>"""

REPLIES = {
    "#said": [r"→ console error: Save failed \{code: 7\}"],
    "#asserted": [r"→ console error: (Assertion failed: )?no rows"],
    "#warned": [],
    "#many": [r"→ 9 console errors: bad 0; bad 1; … see 'console --errors'"],
    "#hostile": [r"→ console error: a → now at b␛\[31m"],
    "#both": [r"→ 1 error: Error: thrown \(\d+\.html:\d+:\d+\)", "→ console error: logged"],
    "#load": ["→ 2 console errors: Connecting to '.*"],
    "text='Local file'": ["→ console error: Not allowed to load local resource: file:///etc/hosts"],
    "text=Empty": [r"→ GET http://\S+/status/204 → 204, no page to show"],
    "form button": [r"→ POST http://\S+/status/204 → 204, no page to show"],
}


async def test_errors_logged_while_a_page_loads_and_by_actions_are_told(run: Run, web: Web) -> None:
    url = web.show(PAGE, Content_Security_Policy="connect-src 'none'")
    assert (await run("goto", url)).splitlines()[1:] == ["→ console error: no config"]
    for target, lines in REPLIES.items():
        reply = (await run("click", target)).splitlines()[1:]
        assert len(reply) == len(lines), (target, reply)
        assert all(re.fullmatch(line, told) for line, told in zip(lines, reply, strict=True)), reply
    assert await run("url") == url
    await run("frame iframe")
    assert "→ console error: Blocked form submission to '" in await run("click button")


async def test_failed_scripts_and_style_sheets_share_a_line(run: Run, web: Web) -> None:
    missing = "".join(f"<script src='/status/404/{name}.js'></script>" for name in "abcd")
    page = f"{missing}<link rel=stylesheet href='/status/404'><img src='/status/404'>"
    (told,) = (await run("goto", web.show(page))).splitlines()[1:]
    assert told.startswith("→ 5 requests failed: ")
    assert told.endswith(", … see 'network --failed'")
