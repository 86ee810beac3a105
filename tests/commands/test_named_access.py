"""Fields and images that hide properties of their form and of the document by their names."""

import pytest
from PIL import Image

from gstack_browse.errors import NotInteractable
from tests.commands.conftest import Fails, Run, Shell, Show

pytestmark = pytest.mark.same_session

NAMES = """nodeName ownerDocument getAttribute hasAttribute parentNode parentElement children childNodes nodeType tagName localName
    contains closest matches querySelector querySelectorAll getRootNode style classList getBoundingClientRect getClientRects shadowRoot
    isConnected scrollIntoView labels id focus click dispatchEvent nextElementSibling offsetWidth clientHeight checkVisibility textContent
    innerText attributes firstChild getAnimations isContentEditable tabIndex scrollTop scrollLeft scrollBy scrollHeight clientWidth offsetHeight
    previousElementSibling setAttribute addEventListener dispatchEvent hidden title lang dir dataset namespaceURI innerHTML append remove elements
    length method action target submit reset value type disabled checked assignedSlot slot role animate"""
IMAGES = """title body activeElement documentElement querySelector getElementById defaultView createRange scrollingElement nodeName nodeType
    ownerDocument contains forms createElement createElementNS createTreeWalker addEventListener elementFromPoint hasFocus getSelection fonts
    doctype baseURI readyState implementation execCommand importNode querySelectorAll children childNodes firstChild getAnimations styleSheets"""
PAGE = (
    "".join(f"<img name={name} alt=''>" for name in IMAGES.split())
    + "<form id=f style='width:300px; height:200px'><label>Owner <input id=owner></label><label>Note <textarea id=note></textarea></label>"
    + "".join(f"<input name={name}>" for name in NAMES.split())
    + "<button type=button onclick=\"log.textContent='went'\">Go on</button></form><p id=log></p>"
)


async def test_field_names_hide_nothing_from_commands(run: Run, show: Show, fails: Fails, shell: Shell) -> None:
    await show("<p style='height: 3000px'></p>" + PAGE + "<p id=card>Card</p>")
    assert await run("title") == "Test"
    assert "title    Test" in await run("data")
    assert len((await run("box form")).split(",")) == 4
    await run("fill label=Owner Ann")
    await run("""fill 'label="Note"' hello""")
    assert [await run(f"value '#{name}'") for name in ("owner", "note")] == ["Ann", "hello"]
    for target in ('role=button[name="Go on"]', "text=Go on", "role=button", "form >> text=Go on"):
        await run("js", "log.textContent = ''")
        await run("click", target)
        assert await run("text '#log'") == "went"
    assert await run("count role=button") == "1"
    for command in (
        "hover form", "scroll form", "focus form", "wait form", "is visible form", "text form", "html form", "attrs form", "styles form",
        "css form width", "count form", "select-text form", "expect visible form", "click form", "click form --at 1,1",
        "click form --double", "screenshot '#f' form.png", "html", "links", "links --check", "data", "media", "forms", "design-extract",
        "screenshot page.png",
    ):  # fmt: skip
        assert await run(command), command
    assert Image.open(shell.workspace / "form.png").size == (300, 200)
    assert await run("js f") == "<form#f>"
    for snapshot in ("snapshot -i", "snapshot -i -s form"):
        assert 'button] "Go on"' in await run(snapshot)
    assert (await fails("frame form", NotInteractable)).message == "form is no frame"
    for source, goal in (("#card", "form"), ("form", "#card")):
        assert (await run("drag", source, goal)).splitlines()[0] == f"Dragged {source} to {goal}"
