"""Copy buttons work; what is in the clipboard stays a page's secret from others, and a person's."""

import pytest

from tests.commands.conftest import Run, Show

pytestmark = pytest.mark.same_session

COPY = """<button id=a onclick="navigator.clipboard.writeText('from a').then(() => out.value = 'copied', e => out.value = e)">A</button>
    <button id=b onclick="const t = document.createElement('textarea'); t.value = 'from b'; document.body.append(t); t.select();
        out.value = document.execCommand('copy'); t.remove()">B</button>
    <button id=c onclick="navigator.clipboard.write([new ClipboardItem({'text/plain': new Blob(['from c'], {type: 'text/plain'})})])
        .then(() => out.value = 'copied', e => out.value = e)">C</button>
    <button id=r onclick="navigator.clipboard.readText().then(t => out.value = t, e => out.value = e.name)">Read</button>
    <output id=out></output><input id=f>"""


async def test_copy_buttons_of_every_kind_work(run: Run, show: Show) -> None:
    await show(COPY)
    for button, said in (("a", "copied"), ("b", "true"), ("c", "copied")):
        await run(f"click '#{button}'")
        assert await run("text '#out'") == said
        await run("fill '#f'", "")
        await run("press Control+v")
        assert await run("js f.value") == f"from {button}"


async def test_a_copy_button_works_in_other_tabs_frames_and_contexts(run: Run, show: Show) -> None:
    """Press it in the background, in another tab, in a frame, and in a new browser context."""

    async def copied(tab: int | None = None) -> str:
        await run("click '#a'", tab=tab)
        return await run("text '#out'", tab=tab)

    page = await show(COPY)
    await run("newtab")
    assert await copied(1) == "copied"
    await show(f"<iframe src='{page}'></iframe>")
    await run("frame iframe")
    assert await copied() == "copied"
    await run("newtab", page)
    assert await copied() == "copied"
    await run("useragent Test/1.0")
    assert await copied() == "copied"


@pytest.mark.both_browsers
async def test_a_page_does_not_read_the_clipboard_unasked(run: Run, show: Show) -> None:
    await show(COPY)
    await run("click '#a'")
    state = "navigator.permissions.query({name: 'NAME'}).then(found => found.state)"
    assert await run("js", state.replace("NAME", "clipboard-write")) == "granted"
    for name in ("clipboard-read", "geolocation", "notifications"):
        assert await run("js", state.replace("NAME", name)) == "prompt"
    await run("click '#r'")
    assert await run("text '#out'") == "NotAllowedError"
