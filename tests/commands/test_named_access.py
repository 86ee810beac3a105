"""Fields and images that hide properties of their form and of the document by their names."""

import pytest

from tests.commands.conftest import Run, Show

pytestmark = pytest.mark.same_session

NAMES = """nodeName ownerDocument getAttribute hasAttribute parentNode parentElement children childNodes nodeType tagName localName
    contains closest matches querySelector querySelectorAll getRootNode style classList getBoundingClientRect getClientRects shadowRoot
    isConnected scrollIntoView labels id focus click dispatchEvent nextElementSibling offsetWidth clientHeight checkVisibility textContent
    innerText attributes firstChild getAnimations isContentEditable tabIndex"""
IMAGES = "title body activeElement documentElement querySelector getElementById defaultView createRange scrollingElement"
PAGE = (
    "".join(f"<img name={name} alt=''>" for name in IMAGES.split())
    + "<form id=f><label>Owner <input id=owner></label><label>Note <textarea id=note></textarea></label>"
    + "".join(f"<input name={name}>" for name in NAMES.split())
    + "<button type=button onclick=\"log.textContent='went'\">Go on</button></form><p id=log></p>"
)


async def test_named_fields_hide_nothing_from_commands(run: Run, show: Show) -> None:
    await show(PAGE)
    assert await run("title") == "Test"
    assert "title    Test" in await run("data")
    assert len((await run("box form")).split(",")) == 4
    await run("fill label=Owner Ann")
    await run("""fill 'label="Note"' hello""")
    assert [await run(f"value '#{name}'") for name in ("owner", "note")] == ["Ann", "hello"]
    for target in ('role=button[name="Go on"]', "text=Go on", "role=button", "form >> text=Go on"):
        await run("click", target)
        assert await run("text '#log'") == "went"
    assert await run("count role=button") == "1"
    for command in ("hover", "scroll", "focus", "wait", "is visible", "text", "html", "attrs", "styles"):
        assert await run(f"{command} form"), command
    assert 'button] "Go on"' in await run("snapshot -i")
    assert 'button] "Go on"' in await run("snapshot -i -s form")
