"""Design pictures: pictures of designs by an image service that a person has set."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from gstack_browse.browser.downloads import shorten_path
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.commands.session.secrets import SecretName
from gstack_browse.design.document import DesignRules, read_rules
from gstack_browse.errors import Refused, UsageError
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import ImageFile, PicturePrefix, SizeArgument, Text, Word, parse_text
from gstack_browse.registry.values.argument_type import ArgumentType, Repeatable, or_piped
from gstack_browse.registry.values.measures import Size, make_count_parser
from gstack_browse.registry.values.paths import CallerPaths, parse_file_for_page
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.design.image_service.pictures import SavedPicture

DRAWING_SECONDS = 300.0
LETTERS = "abcdefghijkl"


def _parse_sendable_picture(word: str, paths: CallerPaths) -> Path:
    """Parse the path of a picture that may be sent to an image service. Return it with links resolved.

    It must be in the workspace or the temporary directory. Raises Refused, FileFailed.
    """
    try:
        return parse_file_for_page(word, paths)
    except Refused as error:
        raise Refused(error.message, "Copy the picture into the workspace, if it may be sent") from None


_PICTURE = ArgumentType(
    "picture", "a picture of the workspace, which is sent", _parse_sendable_picture, hint="file"
)
Picture = Annotated[Path, _PICTURE]
Pictures = Annotated[Sequence[Path], _PICTURE, Repeatable]
Brief = Annotated[
    str,
    ArgumentType(
        "brief…|-",
        "what the picture is to show: all remaining words, or - for standard input",
        or_piped(parse_text),
        rest=True,
        options=True,
        piped=True,
    ),
]
Ideas = Annotated[Sequence[str], ArgumentType("words", "what one variant is about", parse_text), Repeatable]
VIEWPORTS = {
    "desktop": (1280, Size(1536, 1024)),
    "tablet": (768, Size(1024, 1024)),
    "mobile": (375, Size(1024, 1536)),
}
"""Width of the screen in CSS pixels, and the size to draw in: image models know these three."""


def _parse_viewport_names(word: str, _paths: CallerPaths) -> tuple[str, ...]:
    """Parse names of viewports (desktop, tablet …), separated by commas. Raises UsageError."""
    names = tuple(dict.fromkeys(name.strip() for name in word.split(",")))
    if strange := [name for name in names if name not in VIEWPORTS]:
        raise UsageError(f'"{one_line(strange[0], 40)}" is no viewport', f"There are {', '.join(VIEWPORTS)}")
    return names


Viewports = Annotated[
    tuple[str, ...], ArgumentType("names", "desktop, tablet, mobile, comma-separated", _parse_viewport_names)
]
Number = Annotated[int, ArgumentType("n", "how many", make_count_parser("variants", 1, len(LETTERS)))]


@command(
    META,
    examples=[
        "design-service",
        "design-service https://api.openai.com/v1 --model gpt-image-1 --vision-model gpt-4o",
        "design-service http://localhost:8080/v1 --model sd3",
    ],
)
async def design_service(
    daemon: Daemon,
    address: Word | None = None,
    *,
    model: Text = "",
    vision_model: Text = "",
    secret: SecretName | None = None,
    off: bool = False,
) -> str:
    """Print or set the image service for design-generate and its kin.

    It has the interface of OpenAI's images. It gets the briefs and pictures of those commands, DESIGN.md, and a
    picture of the page for design-verify; nothing else. Its key is a secret, kept once by a person and sent to
    that origin only: secret-set design --origin https://api.openai.com < key.txt. A service on this machine may
    do without one.

    address: where the interface is; images/generations is below it
    model: which model makes pictures
    vision_model: which model looks at pictures, for design-check, design-verify and design-prompt
    secret: the name of the key in 'secrets'; design by default
    off: use none any more
    """
    from gstack_browse.design.image_service.service import (
        DEFAULT_SECRET,
        WITHOUT,
        ChosenService,
        check_address,
        key_advice,
        read_service,
        remove_service,
        save_service,
    )

    if off:
        await asyncio.to_thread(remove_service)
        return "No image service is set any more"
    known = await asyncio.to_thread(read_service)
    if address is None and not (model or vision_model or secret):
        return f"Image service: {known}" if known else f"No image service is set\n→ {WITHOUT}"
    at = check_address(address) if address else known.address if known else ""
    service = ChosenService(
        at,
        one_line(model) or (known.model if known else ""),
        one_line(vision_model) or (known.vision_model if known else ""),
        secret or (known.secret if known else DEFAULT_SECRET),
    )
    if not service.address or not service.model:
        raise UsageError("A service needs an address and a model", "design-service <url> --model <name>")
    await asyncio.to_thread(save_service, service)
    hint = "" if service.is_local else f"\n→ {key_advice(service)}"
    return f"Image service: {service}{hint}"


@command(
    META,
    examples=[
        "design-generate login.png A page to log in: mail, password, a calm drawing on the left",
        "design-generate settings.png --size 1536x1024 --like today.png The same page with half the fields",
        "design-generate login.png - < brief.txt",
    ],
    timeout=DRAWING_SECONDS,
)
async def design_generate(
    daemon: Daemon,
    path: ImageFile,
    brief: Brief,
    *,
    size: SizeArgument | None = None,
    like: Pictures = (),
    free: bool = False,
    force: bool = False,
) -> str:
    """Have the image service draw a design from words, and save the picture.

    Words in such pictures are often misspelt, and nothing in them can be clicked: for a look, not for a layout. Without a service
    (exit 2) sketch in HTML, and picture that by 'screenshot'. DESIGN.md at the workspace's root goes along as a constraint.

    size: of the picture in pixels; models know few sizes
    like: a picture to begin from; may be given several times
    free: leave DESIGN.md out
    force: write over a picture that is there
    """
    from gstack_browse.design.image_service import pictures

    await asyncio.to_thread(pictures.refuse_existing, [path], force=force)
    known = await _read_rules(daemon, free=free)
    task = known.add_to_brief(pictures.check_brief(brief))
    made = await pictures.draw_picture(
        path, task, size=_format_size(size), like=like, force=force, on_wait=daemon.say
    )
    pictures.refuse_other_names({path: made})
    return _saved_line(daemon, made) + _rules_note(known)


@command(
    META,
    examples=[
        "design-variants login A page to log in",
        "design-variants login --count 2 --idea 'one large field' --idea 'a calm drawing' A page to log in",
        "design-variants login --viewports desktop,mobile A page to log in",
    ],
    timeout=2 * DRAWING_SECONDS,
)
async def design_variants(
    daemon: Daemon,
    prefix: PicturePrefix,
    brief: Brief,
    *,
    count: Number | None = None,
    idea: Ideas = (),
    viewports: Viewports = (),
    size: SizeArgument | None = None,
    like: Pictures = (),
    free: bool = False,
    force: bool = False,
) -> str:
    """Have the image service draw several designs of one brief, each with another idea.

    They are PREFIX-a.png, PREFIX-b.png and so on. Then let a person choose: board-compare PREFIX-a.png PREFIX-b.png. When one fails, the others are saved all the same.
    With --viewports, one design in each of them: PREFIX-a-desktop.png and so on. DESIGN.md at the workspace's root goes along as a constraint.

    count: how many designs; 3 by default, and 1 with --viewports
    idea: what the first, second … variant is about, in place of our own; may be given several times
    viewports: draw each design for desktop, tablet and mobile, or some of them, comma-separated
    size: of the pictures in pixels
    like: a picture to begin from; may be given several times
    free: leave DESIGN.md out
    force: write over pictures that are there
    """
    from gstack_browse.design.image_service import pictures

    if viewports and size:
        raise UsageError("--viewports and --size exclude each other", "Each viewport has its own size")
    count = count or (1 if viewports else 3)
    ideas = [*idea, *pictures.IDEAS[len(idea) :]]
    count = max(count, len(idea))
    if count > len(ideas):
        raise UsageError(f"There are {len(ideas)} ideas for {count} variants", "Give each its own: --idea '…'")
    known = await _read_rules(daemon, free=free)
    wanted = [
        _PictureOrder.of(prefix, letter, words, viewport, _format_size(size))
        for letter, words in zip(LETTERS[:count], ideas, strict=False)
        for viewport in viewports or ("",)
    ]
    ideas_of = {one.path: one.idea for one in wanted}
    await asyncio.to_thread(pictures.refuse_existing, list(ideas_of), force=force)

    words = pictures.check_brief(brief)
    made: dict[Path, pictures.SavedPicture] = {}

    def saved(path: Path, one: pictures.SavedPicture) -> None:
        made[path] = one
        daemon.done.append(f"{_saved_line(daemon, one)}: {ideas_of[path]}")

    await pictures.draw_pictures(
        [one.path for one in wanted],
        [known.add_to_brief(f"{words}\n\nWhat this design is about: {one.idea}{one.screen}") for one in wanted],
        sizes=[one.size for one in wanted],
        like=like,
        force=force,
        on_wait=daemon.say,
        on_saved=saved,
    )
    pictures.refuse_other_names(made)
    return "\n".join(sorted(daemon.done)) + _rules_note(known)


class _PictureOrder(NamedTuple):
    """A picture to draw: path, subject, a sentence on the screen ("" for any), and its size as sent."""

    path: Path
    idea: str
    screen: str
    size: str

    @classmethod
    def of(cls, prefix: Path, letter: str, idea: str, viewport: str, size: str) -> "_PictureOrder":
        """Return the order for one picture to be drawn: where to save it, what it shows, and its size.

        `prefix`, `letter`: of the file's name. `idea`: what to draw. `viewport`: name of the screen for which; "" for none.
        """
        if not viewport:
            return cls(prefix.with_name(f"{prefix.name}-{letter}.png"), idea, "", size)
        width, drawn = VIEWPORTS[viewport]
        path = prefix.with_name(f"{prefix.name}-{letter}-{viewport}.png")
        screen = f"\n\nThe screen: {viewport}, {width} CSS pixels wide; the same design as on the others."
        return cls(path, idea, screen, str(drawn))


async def _read_rules(daemon: Daemon, *, free: bool) -> DesignRules:
    """Return the rules for pictures in DESIGN.md. `free`: no rules, and the file is not read."""
    return DesignRules() if free else await asyncio.to_thread(read_rules, daemon.cwd)


def _rules_note(known: DesignRules) -> str:
    """Return the last line of a reply, that DESIGN.md was a constraint; "" if it was not."""
    return f"\n{known.note}" if known.note else ""


@command(
    META,
    examples=[
        "design-iterate login-a.png The button below the fields, larger",
        "design-iterate login-a.png - < words.txt",
    ],
    timeout=DRAWING_SECONDS,
)
async def design_iterate(
    daemon: Daemon,
    picture: Picture,
    words: Brief,
    *,
    to: ImageFile | None = None,
    like: Pictures = (),
    size: SizeArgument | None = None,
    free: bool = False,
    force: bool = False,
) -> str:
    """Have the image service change a picture as the words say, and save the result beside it.

    From a.png it makes a-2.png. For what a person has said on a board. The picture itself stays. DESIGN.md at the workspace's root
    goes along as a constraint.

    to: where to save it instead
    like: another picture to take something from, for example its colours; may be given several times
    size: of the picture in pixels
    free: leave DESIGN.md out
    force: write over the picture that --to names
    """
    from gstack_browse.design.image_service import pictures

    path = to if to else await asyncio.to_thread(pictures.next_version_path, picture)
    await asyncio.to_thread(pictures.refuse_existing, [path], force=force)
    known = await _read_rules(daemon, free=free)
    made = await pictures.draw_picture(
        path,
        known.add_to_brief(pictures.check_brief(words)),
        size=_format_size(size),
        like=[picture, *like],
        force=force and to is not None,
        on_wait=daemon.say,
    )
    if to:
        pictures.refuse_other_names({path: made})
    return _saved_line(daemon, made) + _rules_note(known)


def _saved_line(daemon: Daemon, saved: "SavedPicture") -> str:
    """Return the reply on a picture that was saved, with its path and size."""
    return f"Picture saved: {shorten_path(str(saved.path), daemon.cwd)} ({Size(saved.width, saved.height)})"


def _format_size(size: Size | None) -> str:
    """Return a size as the image service takes it, `1024x768`; "" for none."""
    return str(size) if size else ""
