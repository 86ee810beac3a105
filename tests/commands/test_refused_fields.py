"""Test what the browser does not accept of a form, and shows in a bubble that no page can read.

Replies tell it.
"""

import pytest

from tests.commands.conftest import Check, Run, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

FIELDS = "<label>Name <input id=name></label><label>Email <input id=email type=email required></label>"
EMPTY = '→ the browser does not accept <input#email> "Email": Please fill out this field.'
FORM = f"<form action=/plain.html>{FIELDS}<button>Send</button></form>"


SENDERS = (
    "<button>Send</button>", "<button type=button onclick='this.form.requestSubmit()'>Send</button>",
    "<button onmousedown='event.preventDefault()'>Send</button>",
)  # fmt: skip


@each(SENDERS)
async def test_click_kept_from_sending_a_form_is_told(button: str, run: Run, check: Check, show: Show) -> None:
    await show(f"<form action=/plain.html>{FIELDS}{button}</form>")
    click = "click 'form > :last-child'"
    await check([
        (click, f"Clicked form > :last-child\n{EMPTY}"), (f"{click} --at 5,5", f"Clicked form > :last-child\n{EMPTY}"),
        ("fill '#email' me", "…"),
        (click, "…→ the browser does not accept <input#email> \"Email\": Please include an '@'…"), ("fill '#email' me@example.com", "…"),
    ])  # fmt: skip
    assert "does not accept" not in await run(click)


OWN = """<form action=/plain.html><my-choice tabindex=0 id=choice aria-label=Size></my-choice><button>Send</button></form><script>
customElements.define('my-choice', class extends HTMLElement {
  static formAssociated = true;
  constructor() { super(); this.attachInternals().setValidity({ valueMissing: true }, 'Choose one.', this); }
});</script>"""


async def test_refused_fields_are_told_wherever_they_are(check: Check, show: Show, web: Web) -> None:
    """In frames, shadow trees, and of a control that the page has made itself."""
    await show(FORM)
    enter = f"Pressed Enter\n{EMPTY}"
    await check([
        ("fill '#name' Zoe --submit", f"Filled #name and pressed Enter\n{EMPTY}"), ("focus '#name'", "…"), ("press Enter", enter),
        ("press Shift+Enter", f"Pressed Shift+Enter\n{EMPTY}"), ("press Control+Enter", "Pressed Control+Enter"),
        ("focus button", "…"), ("press Space", f"Pressed Space\n{EMPTY}"), ("focus button", "…"), ("press ' '", f"Pressed  \n{EMPTY}"), ("press Tab", "Pressed Tab"),
    ])  # fmt: skip
    await show(f"<div><template shadowrootmode=open>{FORM}</template></div>")
    await check({"click 'text=Send'": f"Clicked text=Send\n{EMPTY}"})
    await show(f"<iframe src={web.show_elsewhere(FORM)}></iframe>")
    await check({
        "frame iframe": "…", "click button": f"Clicked button\n{EMPTY}", "focus '#name'": "…", "press Enter": enter,
    })  # fmt: skip
    await show(OWN)
    await check({"click button": "…→ the browser does not accept <my-choice#choice>…"})


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
    for press in ("click button", "press Enter"):
        await show(FORM.replace("<button>", "<button onclick=\"setTimeout(() => { location = '/plain.html' })\">"))  # fmt: skip
        await run("focus '#name'")
        assert (await run(press)).endswith(f"\n→ now at {web.url}/plain.html")
