"""Test what the browser does not accept of a form, and shows in a bubble that no page can read.

Replies tell it.
"""

import pytest

from tests.commands.conftest import Run, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

FIELDS = "<label>Name <input id=name></label><label>Email <input id=email type=email required></label>"
EMPTY = '→ the browser does not accept <input#email> "Email": Please fill out this field.'
FORM = f"<form action=/plain.html>{FIELDS}<button>Send</button></form>"


@each(
    [
        "<button>Send</button>",
        "<button type=button onclick='this.form.requestSubmit()'>Send</button>",
        "<button onmousedown='event.preventDefault()'>Send</button>",
    ],
)
async def test_a_click_that_the_browser_does_not_let_send_a_form(button: str, run: Run, show: Show) -> None:
    await show(f"<form action=/plain.html>{FIELDS}{button}</form>")
    send = "form > :last-child"
    assert await run(f"click '{send}'") == f"Clicked {send}\n{EMPTY}"
    assert await run(f"click '{send}' --at 5,5") == f"Clicked {send}\n{EMPTY}"
    await run("fill '#email' me")
    refused = "→ the browser does not accept <input#email> \"Email\": Please include an '@'"
    assert refused in await run(f"click '{send}'")
    await run("fill '#email' me@example.com")
    assert "does not accept" not in await run(f"click '{send}'")


async def test_enter_that_does_not_send_one(run: Run, show: Show) -> None:
    await show(FORM)
    assert await run("fill '#name' Zoe --submit") == f"Filled #name and pressed Enter\n{EMPTY}"
    await run("focus '#name'")
    assert await run("press Enter") == f"Pressed Enter\n{EMPTY}"
    await run("focus button")
    assert await run("press Space") == f"Pressed Space\n{EMPTY}"
    assert await run("press Tab") == "Pressed Tab"


async def test_fields_refused_in_frames_and_shadow_trees_are_told(run: Run, show: Show, web: Web) -> None:
    await show(f"<div><template shadowrootmode=open>{FORM}</template></div>")
    assert await run("click 'text=Send'") == f"Clicked text=Send\n{EMPTY}"
    await show(f"<iframe src={web.show(FORM).replace(web.url, web.other)}></iframe>")
    await run("frame iframe")
    assert await run("click button") == f"Clicked button\n{EMPTY}"
    await run("focus '#name'")
    assert await run("press Enter") == f"Pressed Enter\n{EMPTY}"
    await run("frame main")


async def test_a_control_of_the_page_s_own(run: Run, show: Show) -> None:
    await show(
        """<form action=/plain.html><my-choice tabindex=0 id=choice aria-label=Size></my-choice><button>Send</button></form><script>
        customElements.define('my-choice', class extends HTMLElement {
          static formAssociated = true;
          constructor() { super(); this.attachInternals().setValidity({ valueMissing: true }, 'Choose one.', this); }
        });</script>"""
    )
    assert "→ the browser does not accept <my-choice#choice>" in await run("click button")


NOTHING_REFUSED = {
    "novalidate": FORM.replace("<form", "<form novalidate"),
    "the page tells it itself": FORM.replace("required", "required oninvalid='event.preventDefault()'"),
    "the page only checks": f"<form>{FIELDS}<button type=button onclick='this.form.checkValidity()'>Check</button></form>",
    "all is well": FORM.replace("required", "").replace("<form", "<form onsubmit='event.preventDefault()'"),
}


@each(NOTHING_REFUSED)
async def test_no_refusal_is_told_where_the_browser_shows_none(why: str, run: Run, show: Show) -> None:
    await show(NOTHING_REFUSED[why])
    assert "does not accept" not in await run("click button")
    await run("press Enter")


async def test_a_page_that_goes_elsewhere_all_the_same(run: Run, show: Show, web: Web) -> None:
    goes = "setTimeout(() => { location = '/plain.html' })"
    for press in ("click button", "press Enter"):
        await show(FORM.replace("<button>", f'<button onclick="{goes}">'))
        await run("focus '#name'")
        said = await run(press)
        assert said.splitlines()[-1] == f"→ now at {web.url}/plain.html", said
