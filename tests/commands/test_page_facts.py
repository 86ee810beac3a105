"""`data` and `media`: what a page says of itself, and its pictures and videos."""

import json

import pytest

from gstack_browse.errors import NoMatch
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

LD = '{"@graph": [{"@type": "Product", "name": "W"}, {"@type": ["Offer"]}]}'
HEAD = f"""<!doctype html><html lang=en><head><title>Widget</title><meta name=robots content=noindex><meta name=robots content=all>
<link rel=canonical href=/w><link rel=alternate hreflang=de href=/de><link rel=stylesheet href=data:text/css,>
<meta property=og:title content="W &#27;[31m"><script type="application/ld+json">{LD}</script>
<script type="application/ld+json">{{oops</script></head><body><div itemscope itemtype="https://schema.org/Offer"></div>"""
PIXELS = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='640' height='480'/>"


async def test_data_lists_the_metadata_of_a_page(run: Run, show: Show, web: Web, shell: Shell) -> None:
    await show(HEAD)
    told = (await run("data")).splitlines()
    assert [" ".join(line.split()) for line in told[:10]] == [
        "title Widget",
        "language en",
        "charset UTF-8",
        f"canonical {web.url}/w",
        f"hreflang de {web.url}/de",
        "robots noindex",
        "robots all",
        "og:title W ␛[31m",
        "microdata https://schema.org/Offer",
        "JSON-LD 1: Product, Offer",
    ]
    assert '     "name": "W"' in told
    notes = shell.replies[-1].notes
    assert notes[0] == "The page says robots 2 times"
    assert notes[1].startswith("JSON-LD 2 is ignored: no JSON: ")
    parsed = json.loads(await run("data --json"))
    assert parsed["meta"]["robots"] == ["noindex", "all"]
    assert parsed["jsonLd"][0] == json.loads(LD)
    assert parsed["links"][0] == {"rel": "canonical", "href": f"{web.url}/w"}


async def test_pictures_and_what_is_wrong_with_them(run: Run, fails: Fails, show: Show, web: Web) -> None:
    inner = web.show_elsewhere(f'<img alt=in src="{PIXELS}">')
    await show(
        f'<main><img alt="A shoe" src="{PIXELS}" width=320 height=240><img src=/gone.png alt><img id=bare src="{PIXELS}" hidden></main>'
        "<div style='background: url(/bg.png); width: 10px; height: 10px'></div><video controls muted width=300><track kind=captions srclang=en></video>"
        "<x-more></x-more><script>document.querySelector('x-more').attachShadow({ mode: 'closed' }).innerHTML = '<audio loop></audio>'</script>"
        f"<iframe src='{inner}'></iframe>"
    )
    await run("wait --js", "[...document.images].every((image) => image.complete)")
    told = [line.split(" ", 2) for line in (await run("media")).splitlines()]
    assert [f"{kind} {rest}" for kind, _, rest in told] == [
        'image "A shoe" 640x480 (320x240 shown): data:image/svg+xml,…',
        f"image 0x0 shown: {web.url}/gone.png  (failed to load)",
        "image 640x480 (0x0 shown): data:image/svg+xml,…  (no alt; not visible)",
        f"background 10x10 shown: {web.url}/bg.png  (failed to load)",
        "video 300x150 shown, paused, muted, captions en: (no address)",
        "audio paused, loop, no controls: (no address)  (not visible)",
    ]
    assert await run(f"js {told[2][1]}.id") == "bare"
    assert len((await run("media main")).splitlines()) == 3
    await run("frame iframe")
    assert '"in" 640x480' in await run("media")
    await run("frame main")
    assert await run("media iframe") == "(no media)"
    await fails("media nothing", NoMatch)
