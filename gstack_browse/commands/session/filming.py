"""Films: what the tab shows while commands run, as a video and as a contact sheet."""

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.commands.daemon_interface import Daemon, open_browser
from gstack_browse.documents.film.codec import GET_CODEC, NO_CODEC, SUFFIXES, has_codec
from gstack_browse.documents.film.take import NO_PICTURE
from gstack_browse.errors import ActionFailed, BrowseError, SetupFailed, UsageError
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import ImageFile, OutFile, Rest, SizeArgument
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.measures import Size, make_count_parser
from gstack_browse.registry.values.paths import parse_output_file
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_bytes, format_count

if TYPE_CHECKING:
    from gstack_browse.documents.film.production import MadeFilm

STOP_SECONDS = 600
"""An hour of a page that never rests takes four minutes to write."""
KEPT = "Filming has ended, and the take is kept: 'film-stop' makes the film"
LEAST_SIZE, MOST_SIZE = Size(160, 120), Size(1920, 1920)
FramesPerSecond = Annotated[
    int, ArgumentType("n", "pictures a second", make_count_parser("pictures a second", 1, 30))
]


@command(META, examples=["film-start", "film-start bug.webm --fps 5"])
async def film_start(
    daemon: Daemon,
    file: OutFile | None = None,
    *,
    fps: FramesPerSecond = 10,
    size: SizeArgument = Size(1280, 720),  # noqa: B008 - never changed
    discard: bool = False,
) -> str:
    """Film the tab from now on, as it is, until 'film-stop' makes the film.

    The page is not touched and cannot tell. The film goes along where commands act: in another tab, in another page. Each --as context
    has a film of its own. Pictures go to disk as they come. If the daemon ends, 'film-stop' makes the film of what there was.
    A film has an hour at most. FILE ends in .webm, or in .webp for an animated picture; WebM needs the library av.
    A film shows what the page shows, as a screenshot does.

    fps: pictures a second at most; a still page takes none
    size: the film's size; the page is shrunk into it, never enlarged
    discard: drop what was filmed before, if no film was made of it
    """
    if not (
        LEAST_SIZE.width <= size.width <= MOST_SIZE.width
        and LEAST_SIZE.height <= size.height <= MOST_SIZE.height
    ):
        raise UsageError(f"A film of {size} is not made", f"From {LEAST_SIZE} to {MOST_SIZE}")
    _check_suffix(file)
    async with daemon.take.changing:
        if daemon.browser and (film := daemon.browser.film):
            return f"Filming already, for {_describe_seconds(film.now())}: 'film-stop' makes the film"
        if await asyncio.to_thread(daemon.take.exists) and not discard:
            raise ActionFailed(
                "There is a take of which no film was made",
                "Make it: film-stop. Or drop it: the same command with --discard",
            )
        browser = await open_browser(daemon)
        suffix = ".webm" if has_codec() else ".webp"
        file = file or browser.pictures / f"film-{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}{suffix}"
        await _start_filming(daemon, browser, file, fps, size)
        return f"Filming tab {browser.tab(daemon.tab).id}: 'film-stop' makes {file}"


@command(META, examples=["film-note 'Second try'"])
async def film_note(daemon: Daemon, text: Rest) -> str:
    """Give the film a title at this moment, which it shows for three seconds."""
    film = daemon.browser.film if daemon.browser else None
    if film is None:
        raise _not_filming_error()
    if film.problem:
        raise ActionFailed(
            f"Nothing more is filmed: {film.problem}", "film-stop makes the film of what there is"
        )
    film.add("note", {"text": one_line(film.actions.hide_secrets(text), 200)})
    return f"Noted at {_describe_seconds(film.now())}"


@command(
    META,
    examples=["film-stop", "film-stop --sheet steps.png", "film-stop bug.webm --plain"],
    timeout=STOP_SECONDS,
)
async def film_stop(
    daemon: Daemon, file: OutFile | None = None, *, sheet: ImageFile | None = None, plain: bool = False
) -> str:
    """Stop filming, and make the film, with pointer, clicks, commands and notes drawn in.

    Also makes the film of a daemon that has ended meanwhile. If it fails, what was filmed stays: try again, or name another file. What was
    typed as a secret is $password or $secret in captions.

    sheet: also a picture with the page after each action, numbered, for an agent to look at; further ones as steps-2.png
    plain: leave out pointer, rings, captions and titles
    """
    async with daemon.take.changing:
        browser = daemon.browser
        film, ended = (browser.film if browser else None), ""
        if browser and film:
            browser.film, ended = None, film.problem
            await film.end()
        begin = await asyncio.to_thread(daemon.take.read_begin)
        if begin is None:
            raise _not_filming_error()
        try:
            # The take may have come with the repository.
            path = file or parse_output_file(begin.text("file"), daemon.paths)
            made = await _make_film(daemon, path, sheet, plain=plain)
        except BrowseError as error:
            if error.message == NO_PICTURE:  # and no other film-stop would find one
                await asyncio.to_thread(daemon.take.remove)
            elif film:
                error.hint = f"{error.hint}\n{KEPT}".lstrip()
            raise
        await asyncio.to_thread(daemon.take.remove)
    facts = (
        f"{_describe_seconds(made.seconds)}, {format_count(made.actions, 'action')}, {format_bytes(made.bytes)}"
    )
    lines = [f"Film saved: {path} ({facts})"]
    lines += [f"→ contact sheet: {each}" for each in made.sheets]
    lines += [f"→ it ends early: {ended}"] if ended else []
    lines += [] if film else [f"→ of a take that was begun at {begin.text('date')} and had ended"]
    return "\n".join(lines)


async def _make_film(daemon: Daemon, path: Path, sheet: Path | None, *, plain: bool) -> "MadeFilm":
    """Make a film from the recorded pictures, with progress on standard error.

    `sheet`: path for one picture with the page after each action; None for none. `plain`: without pointer and captions.
    """
    _check_suffix(path)
    from gstack_browse.documents.film.production import make_film

    def say(done: int, whole: int) -> None:
        daemon.say(f"film-stop: {done} of {format_count(whole, 'picture')} written")

    return await make_film(daemon.take, path, sheet, plain=plain, say=say)


def _check_suffix(file: Path | None) -> None:
    """Raise UsageError for a suffix of no film format, SetupFailed if the format's codec is missing.

    None: a film in the default format.
    """
    suffix = file.suffix.lower() if file else ".webp"
    if suffix not in SUFFIXES:
        raise UsageError(f"{file and file.name} ends in neither {' nor '.join(SUFFIXES)}")
    if suffix == ".webm" and not has_codec():
        raise SetupFailed(NO_CODEC, GET_CODEC)


async def _start_filming(daemon: Daemon, browser: OpenContext, file: Path, fps: int, size: Size) -> None:
    """Begin to film the caller's tab, and set `browser.film`. Raises ActionFailed if Chromium cannot.

    `file`: where `film-stop` will save the film. `fps`: pictures a second.
    """
    from gstack_browse.browser.context.filming import Film
    from gstack_browse.documents.film.actions import ActionLog

    writer = await asyncio.to_thread(daemon.take.create)
    actions = ActionLog(daemon.flow, lambda: browser.revealed.values)
    film = Film(writer, lambda: browser.running, fps=fps, size=size, actions=actions)
    film.add(
        "begin",
        {
            "file": str(file),
            "fps": fps,
            "width": size.width,
            "height": size.height,
            "date": time.strftime("%Y-%m-%d %H:%M:%S"),
        },
    )
    try:
        await film.start(browser.tab(daemon.tab))
    except BaseException as error:
        await film.end()
        await asyncio.to_thread(daemon.take.remove)
        if isinstance(error, ProtocolError | TimeoutError):
            raise ActionFailed("Chromium does not film this page", "Try again, or another tab") from None
        raise
    browser.film = film


def _not_filming_error() -> ActionFailed:
    """Return the error of a command that needs a film being recorded, when none is."""
    return ActionFailed("Nothing is filmed", "Begin: film-start")


def _describe_seconds(seconds: float) -> str:
    """Format the length of a film: `4.2 s`, `1:05`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}" if minutes else f"{seconds:.1f} s"
