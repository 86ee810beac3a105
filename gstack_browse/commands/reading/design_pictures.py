"""Design pictures: pictures of designs by an image service that a person has set."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from gstack_browse.browser.downloads.downloads import near
from gstack_browse.commands.acting.filled_secret import SecretName
from gstack_browse.commands.control import Daemon
from gstack_browse.errors import Refused, UsageError
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import ImageFile, PicturePrefix, SizeArgument, Text, Word
from gstack_browse.registry.values.argument_type import ArgumentType, Repeatable, or_piped
from gstack_browse.registry.values.measures import Size, count_of
from gstack_browse.registry.values.paths import CallerPaths, page_file
from gstack_browse.text.columns import align_columns, format_count
from gstack_browse.text.sanitise import one_line

DRAWING_SECONDS = 300.0
LETTERS = "abcdefghijkl"


def _any_text(word: str, paths: CallerPaths) -> str:
    return word


def _sendable_picture(word: str, paths: CallerPaths) -> Path:
    """Return the real path of a picture that may be sent: in the workspace or temporary directory."""
    try:
        return page_file(word, paths)
    except Refused as error:
        raise Refused(error.message, "Copy the picture into the workspace, if it may be sent") from None


_PICTURE = ArgumentType("picture", "a picture of the workspace, which is sent", _sendable_picture, hint="file")
Picture = Annotated[Path, _PICTURE]
Pictures = Annotated[Sequence[Path], _PICTURE, Repeatable]
Brief = Annotated[
    str,
    ArgumentType(
        "brief…|-",
        "what the picture is to show: all remaining words, or - for standard input",
        or_piped(_any_text),
        rest=True,
        options=True,
        piped=True,
    ),
]
Ideas = Annotated[Sequence[str], ArgumentType("words", "what one variant is about", _any_text), Repeatable]
Number = Annotated[int, ArgumentType("n", "how many", count_of("variants", 1, len(LETTERS)))]


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
    """Print or set the image service for design-generate and its kin: one with the interface of OpenAI's images.

    It gets the briefs and pictures of those commands, and nothing else. Its key is a secret, kept once by a person and sent to
    that origin only: secret-set design --origin https://api.openai.com < key.txt. A service on this machine may do without one.

    address: where the interface is; images/generations is below it
    model: which model makes pictures
    vision_model: which model looks at pictures, for design-check
    secret: the name of the key in 'secrets'; design by default
    off: use none any more
    """
    from gstack_browse.design.image_service import chosen

    if off:
        await asyncio.to_thread(chosen.remove_service)
        return "No image service is set any more"
    known = await asyncio.to_thread(chosen.read_service)
    if address is None and not (model or vision_model or secret):
        return f"Image service: {known}" if known else f"No image service is set\n→ {chosen.WITHOUT}"
    at = chosen.check_address(address) if address else known.address if known else ""
    service = chosen.ChosenService(
        at,
        one_line(model) or (known.model if known else ""),
        one_line(vision_model) or (known.vision_model if known else ""),
        secret or (known.secret if known else chosen.DEFAULT_SECRET),
    )
    if not service.address or not service.model:
        raise UsageError("A service needs an address and a model", "design-service <url> --model <name>")
    await asyncio.to_thread(chosen.save_service, service)
    hint = "" if service.is_here else f"\n→ {chosen.key_advice(service)}"
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
    daemon: Daemon, path: ImageFile, brief: Brief, *, size: SizeArgument | None = None, like: Pictures = ()
) -> str:
    """Have the image service draw a design from words, and save the picture.

    Words in such pictures are often misspelt, and nothing in them can be clicked: for a look, not for a layout. Without a service
    (exit 2) sketch in HTML, and picture that by 'screenshot'.

    size: of the picture in pixels; models know few sizes
    like: a picture to begin from; may be given several times
    """
    from gstack_browse.design.image_service import designing

    made = await designing.draw_picture(path, brief, size=_size(size), like=like, said=daemon.say)
    return f"Picture saved: {near(str(path), daemon.cwd)} ({Size(*made)})"


@command(
    META,
    examples=[
        "design-variants login A page to log in",
        "design-variants login --count 2 --idea 'one large field' --idea 'a calm drawing' A page to log in",
    ],
    timeout=2 * DRAWING_SECONDS,
)
async def design_variants(
    daemon: Daemon,
    prefix: PicturePrefix,
    brief: Brief,
    *,
    count: Number = 3,
    idea: Ideas = (),
    size: SizeArgument | None = None,
    like: Pictures = (),
) -> str:
    """Have the image service draw several designs of one brief, each with another idea.

    They are PREFIX-a.png, PREFIX-b.png and so on. Then let a person choose: board-compare PREFIX-a.png PREFIX-b.png. When one fails, the others are saved all the same.

    count: how many; 3 by default
    idea: what the first, second … variant is about, in place of our own; may be given several times
    size: of the pictures in pixels
    like: a picture to begin from; may be given several times
    """
    from gstack_browse.design.image_service import designing

    ideas = [*idea, *designing.IDEAS[len(idea) :]]
    count = max(count, len(idea))
    if count > len(ideas):
        raise UsageError(f"There are {len(ideas)} ideas for {count} variants", "Give each its own: --idea '…'")
    paths = [prefix.with_name(f"{prefix.name}-{letter}.png") for letter in LETTERS[:count]]
    chosen = dict(zip(paths, ideas, strict=False))

    def saved(path: Path, made: tuple[int, int]) -> None:
        daemon.done.append(f"Picture saved: {near(str(path), daemon.cwd)} ({Size(*made)}): {chosen[path]}")

    briefs = [f"{brief}\n\nWhat this design is about: {words}" for words in chosen.values()]
    await designing.draw_pictures(paths, briefs, size=_size(size), like=like, said=daemon.say, saved=saved)
    return "\n".join(sorted(daemon.done))


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
) -> str:
    """Have the image service change a picture as the words say, and save the result beside it: a.png becomes a-2.png.

    For what a person has said on a board. The picture itself stays.

    to: where to save it instead
    like: another picture to take something from, for example its colours; may be given several times
    size: of the picture in pixels
    """
    from gstack_browse.design.image_service import designing
    from gstack_browse.design.image_service import designing as pictures

    path = to if to else await asyncio.to_thread(pictures.next_version_path, picture)
    made = await designing.draw_picture(path, words, size=_size(size), like=[picture, *like], said=daemon.say)
    return f"Picture saved: {near(str(path), daemon.cwd)} ({Size(*made)})"


@command(
    META,
    examples=[
        "design-check login-a.png",
        "design-check login-a.png A page to log in, with a way to get a new password",
    ],
    timeout=DRAWING_SECONDS,
    page_text=True,
)
async def design_check(daemon: Daemon, picture: Picture, brief: Brief = "") -> str:
    """Ask the image service's other model what is wrong in a picture: severity, place, what. A model's opinion, exit 0 whatever it is.

    For a page that runs, ask the page instead: 'design-extract' tells its contrast, 'text' whether its words are there.

    brief: what the picture was to show
    """
    from gstack_browse.design.image_service import designing

    model, verdict = await designing.judge_picture(picture, brief, said=daemon.say)
    head = f"Looked at by {model}: {near(str(picture), daemon.cwd)}"
    if verdict.findings is None:
        return f"{head}\n{verdict.words}"
    rows = [(found.severity, found.where, found.what) for found in verdict.findings]
    findings = [f"{head}, {format_count(len(rows), 'finding')}", *([align_columns(rows)] if rows else [])]
    return "\n".join([*findings, *([f"→ {verdict.words}"] if verdict.words else [])])


def _size(size: Size | None) -> str:
    return str(size) if size else ""
