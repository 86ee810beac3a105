"""Fields whose value the page changes as they are left."""

from typing import Any

import pytest

from gstack_browse.browser.engine.world import World
from tests.commands.conftest import Run, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

FIELDS = """<label>Age <input id=age type=number></label><label>Price <input id=price></label>
    <label>Mail <input id=mail></label><label>City <input id=city></label><button>Save</button><script>
    age.onblur = () => { if (+age.value > 99) age.value = 99; };
    price.onblur = () => { price.value = Math.round(+price.value); };
    mail.onchange = () => { if (!mail.value.includes('@')) mail.value = ''; };
    </script>"""


@pytest.mark.both_browsers
async def test_the_action_that_leaves_a_field_tells_its_new_value(
    run: Run, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ask pages that change nothing nothing more: a question costs a fifth of `fill`."""
    await show(FIELDS)
    assert await run("fill '#age' 150") == "Filled #age"
    (line,) = (await run("fill '#price' 12.75")).splitlines()[1:]
    assert line.startswith("→ @e")
    assert line.endswith(' is "99" now')
    assert (await run("fill '#mail' nobody")).endswith(' is "13" now')
    assert (await run("click text=Save")).endswith(" is empty now")
    assert await run("click text=Save") == "Clicked text=Save"
    asked: list[str] = []
    call = World.call

    async def recorded(world: World, function: str, *args: Any, **options: Any) -> Any:
        asked.append(function)
        return await call(world, function, *args, **options)

    await run("fill '#city' Paris")
    monkeypatch.setattr(World, "call", recorded)
    for command in ("fill '#age' 50", "press Tab", "click text=Save"):
        await run(command)
    assert asked
    assert "changedAsLeft" not in asked


async def test_blur_and_keys_that_leave_a_field_tell_it_too(run: Run, show: Show) -> None:
    """Tell with the next reply what the page changes later.

    But nothing of a secret, nor of an emptied field that kept the focus.
    """
    await show(
        f"{FIELDS}<input id=secret type=password onblur='secret.value = secret.value.toUpperCase()'>"
        "<form onsubmit='event.preventDefault(); chat.value = \"\"'><input id=chat></form>"
    )
    await run("fill '#age' 150")
    assert (await run("blur")).endswith(' is "99" now')
    await run("type --into '#age' --clear 1234")
    assert (await run("press Tab")).endswith(' is "99" now')
    await run("fill '#age' 77")
    assert await run("press Tab") == "Pressed Tab"
    await run("fill '#city' Atlantis")
    assert await run("click text=Save") == "Clicked text=Save"
    await run("js", "city.value = 'Paris'")
    assert (await run("click text=Save")).endswith(' is "Paris" now')
    await run("fill '#secret' sesame")
    assert await run("click text=Save") == "Clicked text=Save"
    await run("fill '#chat' hello")
    assert await run("press Enter") == "Pressed Enter", "as that of a chat, which takes the text with Enter"
    assert await run("click text=Save") == "Clicked text=Save"


async def test_change_told_by_fill_form_is_not_told_again_and_fields_of_frames_are_told(
    run: Run, show: Show, web: Web
) -> None:
    inner = web.show("<input aria-label=Inner onblur='this.value = 98'>")
    await show(f"{FIELDS}<iframe src='{inner}'></iframe>")
    reply = await run("fill-form", '{"#age": "150", "#price": "12.75"}')
    assert reply == 'Filled 2 fields\n→ #age: the page has made it "99" since'
    price = await ref_of(run, '"Price"')
    assert (await run("click text=Save")).splitlines()[1:] == [f'→ {price} is "13" now']
    await run("fill", await ref_of(run, '"Inner"'), "150")
    assert (await run("click text=Save")).endswith(' is "98" now')


async def test_page_that_empties_its_form_has_its_last_two_fields_told(run: Run, show: Show) -> None:
    """Say enough to be noticed, in few lines. A form may have fifty fields."""
    await show(f"<form>{FIELDS}<button type=reset>Clear</button></form>")
    for line in ("fill '#age' 50", "fill '#price' 12", "fill '#city' Paris"):
        await run(line)
    changes = (await run("click text=Clear")).splitlines()[1:]
    assert changes == [f"→ {await ref_of(run, name)} is empty now" for name in ('"Price"', '"City"')]
