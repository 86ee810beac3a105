"""Frames of a page that an action leads elsewhere."""

import pytest

from tests.commands.conftest import Run
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

TO_FRAME = """<iframe name=result></iframe><iframe src={inner} title=Inner></iframe><form target=result action={page}><button>Send</button></form>
    <a href={page} target=result>Open</a><button onclick="document.body.append(document.createElement('iframe'))">Add</button>"""


@pytest.mark.both_browsers
async def test_frame_that_an_action_leads_elsewhere_is_told(run: Run, web: Web) -> None:
    """Lead frames to another site and within it, which are in a process of their own."""
    page = web.show("<h1>Result</h1>").replace(web.url, web.other)
    inner = web.show(f"<a href='{page}'>Inside</a>").replace(web.url, web.other)
    await run("goto", web.show(TO_FRAME.format(page=page, inner=inner)))
    refs = [line.split()[0] for line in (await run("snapshot --role iframe")).splitlines()]
    assert await run("click text=Open") == f"Clicked text=Open\n→ frame {refs[0]} now at {page}"
    sent = f"Clicked text=Send\n→ frame {refs[0]} now at {page}"
    assert await run("click text=Send") in (sent, f"{sent}?")
    assert await run("click text=Add") == "Clicked text=Add"
    (link,) = [line.split()[0] for line in (await run("snapshot -i")).splitlines() if "Inside" in line]
    assert await run("click", link) == f"Clicked {link}\n→ frame {refs[1]} now at {page}"
