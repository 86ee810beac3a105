"""Films: of what is filmed, for how long, and what a page notices of it."""

import json
import re
import sys
from collections.abc import Iterator
from itertools import pairwise

import av
import pytest
from PIL import Image

from gstack_browse.browser.context import filming
from gstack_browse.commands.session import filming as commands
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.documents.film.drawing import decode_picture
from gstack_browse.documents.film.sheet import MOST_SIDE
from gstack_browse.documents.film.take import pack_record, read_records
from gstack_browse.documents.film.timeline import Timeline, read_timeline
from gstack_browse.errors import ActionFailed, FileFailed, Refused, SetupFailed, UsageError
from tests.commands.conftest import As, Check, Fails, Run, Shell, Show, until
from tests.commands.in_page import crash
from tests.commands.web import Web
from tests.faults import fault

pytestmark = pytest.mark.same_session

FORM = """<body style="background:#c81414"><label>Name <input></label><label>Password <input type=password></label>
<button onclick="document.body.style.background='#14a014'">Save</button>"""
RED, GREEN, BLUE = "red", "green", "blue"


@pytest.fixture(autouse=True)
def no_take(shell: Shell) -> Iterator[None]:
    """Leave nothing that the next test would have to make a film of."""
    yield
    for context in shell.service.contexts:
        context.take.remove()


def read_take(context: AgentContext) -> Timeline:
    """Return what is filmed so far."""
    with context.take.open() as file:
        return read_timeline(read_records(file))


def colours(context: AgentContext) -> list[str]:
    """Return the colours of the pages that were filmed so far, in order."""
    found = []
    with context.take.open() as file:
        for shot in read_timeline(read_records(file)).shots:
            if picture := decode_picture(file, shot):
                pixel = picture.getpixel((picture.width - 20, picture.height - 20))
                assert isinstance(pixel, tuple)
                high = [name for name, value in zip((RED, GREEN, BLUE), pixel, strict=True) if value > 120]
                found.append(high[0] if len(high) == 1 else "other")
    return [after for before, after in pairwise(["", *found]) if after != before]


def page(colour: str) -> str:
    value = {RED: "#c81414", GREEN: "#14a014", BLUE: "#1414c8"}[colour]
    return f"<title>{colour}</title><body style='background:{value}'><button>Go</button>"


async def test_film_plays_in_chromium_in_its_true_length(run: Run, show: Show, web: Web, shell: Shell) -> None:
    context, folder = shell.service.default_context, shell.workspace
    await show(FORM)
    assert await run("film-start film.webm") == f"Filming tab 1: 'film-stop' makes {folder}/film.webm"
    assert "it was" not in (again := await run("film-start")), again
    assert again.startswith("Filming already, for ")
    assert "Film: " in await run("status")
    await run("fill label=Name Ann")
    await run("fill label=Password hunter2hunter2")
    await run("press x")
    await run("film-note Save with hunter2hunter2")
    await run("snapshot -i")
    await run("click @e3")
    await until(lambda: GREEN in colours(context))
    await until(lambda: [each.caption for each in read_take(context).actions][3:])
    filmed = read_take(context)
    captions = [each.caption for each in filmed.actions]
    assert (captions[0], captions[2]) == ("fill label=Name Ann", "press (a key)")
    assert captions[1].startswith("fill label=Password $")
    assert re.fullmatch('click .*"Save".*', captions[3])
    assert [note.text for note in filmed.notes] == ["Save with [redacted]"]
    assert filmed.presses, "a ring is drawn there"
    assert b"hunter2" not in (folder / ".gstack/browse-film.take").read_bytes()
    told = await run("film-stop --sheet steps.png")
    assert told.splitlines()[1] == f"→ contact sheet: {folder}/steps.png"
    assert not context.take.exists()
    with Image.open(folder / "steps.png") as sheet:
        assert max(sheet.size) <= MOST_SIDE
    film = (folder / "film.webm").read_bytes()
    assert (folder / "film.webm").stat().st_mode & 0o777 == 0o600
    assert len(film) < 300_000
    web.pages["/film.webm"] = film, {"content-type": "video/webm"}  # type: ignore[assignment]
    await show("<video muted src='/film.webm'></video>")
    played = """const video = document.querySelector('video'); video.playbackRate = 4;
        const ended = new Promise((done, failed) => { video.onended = done; video.onerror = () => failed(video.error.message) });
        await video.play(); await ended;
        JSON.stringify([video.duration, video.videoWidth, video.videoHeight, video.getVideoPlaybackQuality().totalVideoFrames])"""
    duration, width, height, frames = json.loads(await run("js", played))
    assert f"({duration:.1f} s, " in told or f"({duration - 0.1:.1f} s, " in told, (told, duration)
    assert (width, height) == (1280, 720)
    with av.open(str(folder / "film.webm")) as container:
        assert frames == len(list(container.decode(video=0))) > 1


NOTICES = """window.noticed = []; window.before = '';
window.describe = () => JSON.stringify([innerWidth, innerHeight, devicePixelRatio, document.hidden, document.hasFocus(),
  ...[...document.querySelectorAll('*')].map(each => Object.values(each.getBoundingClientRect().toJSON())),
  document.documentElement.outerHTML, performance.getEntriesByType('resource').length, Object.keys(window).length]);
new MutationObserver(() => noticed.push('mutation')).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
new ResizeObserver((entries, own) => own.first ? noticed.push('resized') : (own.first = true)).observe(document.body);
for (const name of ['resize', 'scroll', 'focus', 'blur', 'visibilitychange', 'freeze', 'resume', 'pagehide', 'mousemove', 'pointermove',
  'beforeprint', 'fullscreenchange', 'animationstart', 'error', 'securitypolicyviolation'])
  for (const target of [window, document]) target.addEventListener(name, () => noticed.push(name), true);
matchMedia('print').onchange = () => noticed.push('print'); before = describe(); 1"""
NOTICED = "JSON.stringify([before === describe(), noticed])"
"""Whether all is as before, and what the page has noticed since."""


@pytest.mark.both_browsers
async def test_page_cannot_tell_that_it_is_filmed(run: Run, show: Show, shell: Shell) -> None:
    await show(f"<link rel=icon href='data:,'>{page(RED)}")  # a full Chromium asks for an icon at any time
    await run("js", NOTICES)
    await run("film-start --size 640x360")
    await until(lambda: RED in colours(shell.service.default_context))
    await run("film-note Looked at")
    await run("wait 1")
    await until(lambda: _drawn_after(read_take(shell.service.default_context), 0))
    assert json.loads(await run("js", NOTICED)) == [True, []]
    await run("film-stop")
    assert json.loads(await run("js", NOTICED)) == [True, []]


@fault(
    "Kills",
    "a tab that is filmed goes to another process, gets another viewport, closes, or crashes",
    "the film goes on with what the next command shows",
)
@pytest.mark.both_browsers
async def test_film_goes_along_with_the_commands(run: Run, show: Show, web: Web, shell: Shell) -> None:
    context = shell.service.default_context
    await show(page(RED))
    await run("film-start film.webm --size 640x360 --fps 30")
    await until(lambda: colours(context) == [RED])
    await run("goto", web.show_elsewhere(page(GREEN)))
    await until(lambda: colours(context)[-1] == GREEN)
    await run("viewport 300x500")
    await until(lambda: read_take(context).shots[-1].width == 300)
    await run("newtab", web.show(page(BLUE)))
    await until(lambda: colours(context)[-1] == BLUE)
    await run("closetab")
    await run("url")
    await until(lambda: colours(context)[-1] == GREEN)
    tab = shell.browser.tabs.get()
    assert tab
    await crash(tab.page)
    await run("goto", web.show(page(RED)))
    await until(lambda: colours(context)[-1] == RED)
    await run("click button")
    await until(lambda: len(read_take(context).presses) == 1)
    assert (await run("film-stop")).startswith("Film saved: ")


async def test_picture_after_an_action_shows_what_it_did(run: Run, show: Show, web: Web, shell: Shell) -> None:
    """Wait for an action's picture, as an agent does that thinks. The end of the film waits for one, too."""
    context = shell.service.default_context
    await show(FORM.replace("<button", f"<a href={web.show_elsewhere(page(BLUE))}>Blue</a><button"))
    await run("film-start film.webp --size 320x180 --fps 1")
    for number, (line, colour) in enumerate(
        (("fill label=Name Ann", RED), ("click text=Save", GREEN), ("click text=Blue", BLUE))
    ):
        await run(line)
        await until(lambda number=number: _drawn_after(read_take(context), number))
        assert colours(context)[-1] == colour
    await run("newtab", web.show_elsewhere(page(GREEN)))
    film = shell.browser.film
    assert film
    await film.end()
    assert colours(context)[-1] == GREEN
    assert _drawn_after(read_take(context), 3), "film-stop waits for it"
    assert " s, 4 actions, " in await run("film-stop")


def _drawn_after(timeline: Timeline, number: int) -> bool:
    """Return whether there is a picture after that action."""
    return any(at >= action.ended for action in timeline.actions[number : number + 1] for at in timeline.drawn)


async def test_each_context_has_its_own_film(run: Run, by: As, web: Web, shell: Shell, fails: Fails) -> None:
    colour = {"": RED, "ann": GREEN, "ben": BLUE}
    for name, each in colour.items():
        await by(name, "goto", web.show(page(each)))
        await by(name, f"film-start {name or 'own'}.webp --size 320x180")
    for name, each in colour.items():
        context = shell.service.contexts.get(name)
        assert context
        await until(lambda context=context, each=each: colours(context) == [each])
    assert "→ ended: the film of " in await run("context-close ben")
    assert await by("ann", "film-stop") != await by("", "film-stop")
    assert (await fails("film-stop", ActionFailed, as_="ann")).message == "Nothing is filmed"
    assert "of a take that was begun at" in await by("ben", "film-stop")
    for name in ("own", "ann", "ben"):
        with Image.open(shell.workspace / f"{name}.webp") as image:
            assert image.size == (320, 180)


@fault(
    "Environments",
    "there is no codec for WebM",
    "'film-start film.webm' says so at once, with what to install; films are animated WebP",
)
async def test_film_that_cannot_be_made_is_refused_beforehand(
    run: Run, show: Show, check: Check, fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show(page(RED))
    await check({
        "film-start film.mp4": UsageError, "film-start film.webm --fps 90": UsageError, "film-start film.webm --size 20x20": UsageError,
        "film-start /etc/film.webm": Refused, "film-start nowhere/film.webm": FileFailed, "film-note Hello": ActionFailed, "film-stop": ActionFailed,
    })  # fmt: skip
    monkeypatch.setattr(commands, "has_codec", lambda: False)
    told = await fails("film-start film.webm", SetupFailed)
    assert told.hint.startswith(f"{sys.executable} -m pip install av; ")
    await run("film-start")
    await run("film-note Without a codec")
    told = await fails("film-stop film.webm", SetupFailed)
    assert told.hint.endswith(f"\n{commands.KEPT}")
    assert "Film: a take waits; 'film-stop' makes the film of it\n" in await run("status")
    made = (await run("film-stop")).partition("Film saved: ")[2].partition(" (")[0]
    with Image.open(made) as image:
        assert image.format == "WEBP"
    assert "Film: " not in await run("status")


async def test_take_that_was_left_is_kept_till_dropped(
    run: Run, show: Show, shell: Shell, fails: Fails
) -> None:
    """Refuse the file that a take names, which may have come with the repository."""
    await show(page(RED))
    take = shell.service.default_context.take

    def leave_take() -> None:
        writer = take.create()
        writer.append(pack_record({"kind": "begin", "at": 0, "file": "/etc/film.webm", "date": "\x1b[2Jnow"}))
        writer.close()

    leave_take()
    assert "--discard" in (await fails("film-start", ActionFailed)).hint
    await fails("film-stop", Refused)
    assert (await fails("film-stop left.webm", ActionFailed)).message == "No picture was filmed"
    assert not (shell.workspace / "left.webm").exists()
    assert not take.exists(), "no film can be made of it, ever"
    leave_take()
    await run("film-start left.webm --discard")
    assert "\x1b" not in await run("film-stop")


@fault(
    "Full disks",
    "a page that never rests is filmed for long",
    "the take has 120 MB and 120 kB a second at most, 552 MB in an hour, at which the film ends",
)
async def test_long_film_is_bounded(
    run: Run, show: Show, shell: Shell, fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = shell.service.default_context
    monkeypatch.setattr(filming, "FIRST_BYTES", 10_000)
    monkeypatch.setattr(filming, "BYTES_A_SECOND", 10_000)
    await show("""<style>i{font-size:40px}</style><i>0</i>
        <script>setInterval(() => document.querySelector('i').textContent++, 9)</script>""")
    await run("film-start film.webm --fps 30")
    film, tab = shell.browser.film, shell.browser.tabs.get()
    assert film
    assert tab
    await until(lambda: read_take(context).seconds > 0.7)
    sizes = [shot.size for shot in read_take(context).shots]
    assert len(sizes) > 1
    assert sum(sizes) <= 10_000 + 10_000 * film.now()
    monkeypatch.setattr(filming, "LONGEST_SECONDS", film.now())
    await until(lambda: film.problem)
    await until(lambda: not film.is_filming(tab))
    left = (shell.workspace / ".gstack/browse-film.take").stat().st_size
    await run("click i")
    await run("wait 300")
    assert (shell.workspace / ".gstack/browse-film.take").stat().st_size == left, "nothing is added any more"
    assert film.unwritten_bytes == 0
    assert film.actions.pop_records() == [], "nor kept in memory"
    assert "an hour is the longest film" in await run("status")
    assert "an hour is the longest film" in (await fails("film-note Late", ActionFailed)).message
    assert "→ it ends early: an hour is the longest film" in await run("film-stop")
