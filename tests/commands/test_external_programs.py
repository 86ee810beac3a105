"""Test that links to an external program call none, and that the page goes on hearing input."""

import pytest

from tests.commands.conftest import Run, Show
from tests.commands.web import Web
from tests.faults import fault

pytestmark = [pytest.mark.same_session, pytest.mark.both_browsers]

PAGE = """<a id=call href="tel:+4912345">Call us</a><a id=mail href="mailto:a@example.com">Mail us</a>
<a id=moved href="/redirect?to=zoommtg://zoom.us/join">Join</a><a id=apart href="slack://channel" target=_blank>Slack</a>
<button id=script onclick="location = 'ftp://files.example/x'">Files</button><button id=opened onclick="window.open('vscode://file/x')">Code</button>
<form action="intent://pay"><button id=sent>Pay by app</button></form><button id=framed onclick="inner.location = 'web+pay:1'">Inner</button>
<iframe name=inner srcdoc="<button onclick='parent.heard.push(`inner`)'>Go</button>"></iframe><button id=save onclick="heard.push('save')">Save</button>
<input id=field><script>heard = []</script>"""
LEADS = {
    "#call": "tel:+4912345", "#mail": "mailto:a@example.com", "#moved": "zoommtg://zoom.us/join", "#apart": "slack://channel",
    "#script": "ftp://files.example/x", "#opened": "vscode://file/x", "#sent": "intent://pay?", "#framed": "web+pay:1",
}  # fmt: skip


@fault(
    "Hangs",
    "a link or a script leads to an external program: tel:, mailto:, zoommtg:",
    "it is refused, and the reply says so; the page, its frames and the next page hear input",
)
async def test_click_that_leads_to_a_program_says_so_and_page_hears_input(run: Run, show: Show) -> None:
    await show(PAGE)
    for target, url in LEADS.items():
        reply = await run(f"click {target}")
        assert reply == f"Clicked {target}\n→ refused: {url} (an external program)"
        await run("frame iframe")
        await run("click button")
        await run("frame main")
        await run("click #save")
        await run("fill #field x")
        await run("press y")
        assert await run("js heard.splice(0).join()+field.value") == "inner,savexy", target


async def test_page_that_tries_its_program_on_load_and_the_next_one_hear_input(run: Run, web: Web) -> None:
    page = web.show("<button>Join here</button><script>location = 'zoommtg://zoom.us/1'; heard = 0</script>")
    arrived = await run(f"goto {page}")
    assert arrived.endswith("→ refused: zoommtg://zoom.us/1 (an external program)"), arrived
    await run("js 'document.querySelector(\"button\").onclick = () => heard++; 0'")
    await run("click button")
    assert await run("js heard") == "1"
    await run("goto", web.show("<button onclick=heard++>Save</button><script>heard = 0</script>"))
    await run("click button")
    assert await run("js heard") == "1"
