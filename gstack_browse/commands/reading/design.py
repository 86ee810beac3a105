"""Design: what pages look like as values, and what has changed."""

import asyncio
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import orjson

from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.downloads import shorten_path
from gstack_browse.browser.reading import comparison
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.design import document, fact_collector, picture_facts
from gstack_browse.design.tokens import build_tokens as tokens_of
from gstack_browse.design.tokens import compare_tokens, read_tokens, to_color_value
from gstack_browse.errors import FileFailed, PicturesDiffer, TokensDiffer, UsageError
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import ImageFile, InFile, Share, Target
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.measures import Size
from gstack_browse.registry.values.paths import CallerPaths, parse_output_file
from gstack_browse.snapshot import picture_difference
from gstack_browse.text.units import format_count
from gstack_browse.workspace.directory import printable_path
from gstack_browse.workspace.files import open_parent, open_to_read, read_limited, write_whole

MOST_CHANGES = 60
MOST_REGIONS = 10
MOST_TOKEN_BYTES = 5_000_000


def _parse_out_folder(word: str, paths: CallerPaths) -> Path:
    """Parse the path of a directory for DESIGN.md and its tokens. It need not exist.

    Raises Refused where they may not be written.
    """
    if not (paths.cwd / os.path.expanduser(word)).is_dir():
        path = parse_output_file(word.rstrip("/"), paths)
        if path.exists():
            raise FileFailed(f"Cannot write to {word}: it is no directory")
        return path
    parse_output_file(f"{word}/{document.TOKENS_FILE}", paths)
    return parse_output_file(f"{word}/{document.DOCUMENT_FILE}", paths).parent


OutFolder = Annotated[
    Path,
    ArgumentType("directory", "a directory to write to, made if it is missing", _parse_out_folder, hint="file"),
]


@command(
    READ,
    examples=[
        "design-extract",
        "design-extract main --tokens",
        "design-extract --out .",
        "design-extract --image before.png",
    ],
    page_text=True,
    waits=True,
)
async def design_extract(
    page: PageCommand,
    target: Target | None = None,
    *,
    tokens: bool = False,
    out: OutFolder | None = None,
    force: bool = False,
    image: InFile | None = None,
) -> str:
    """Print the design of the page, or of an element: colours, type, spacing, shape, components.

    They are ordered by how often they are seen. As a document in Markdown, or as tokens of the W3C Design
    Tokens Community Group. Only what can be seen counts, in frames and shadow trees, too; states that are not
    shown (hover, errors, the dark scheme) have to be brought about first. Words of the page are not repeated.

    tokens: print tokens in JSON, in place of the document
    out: save both there, as DESIGN.md and design.tokens.json, and print a summary; the directory is made if it is missing
    force: write over files that design-extract has not made
    image: a picture to read in place of the page: its colours and blocks, measured; 'design-prompt' has a model describe it
    """
    if image:
        if target or out:
            raise UsageError(
                "--image excludes a target and --out", "A picture has no elements, and is no design system"
            )
        return await _extract_from_picture(image, tokens=tokens)
    facts = await fact_collector.inspect_design(page, target)
    address, date = _safe_address(page.tab.url), time.strftime("%Y-%m-%d")
    markdown = document.render_document(facts, address, date)
    described = {"$description": f"{document.MARK} from {address}, {date}"}
    tokens_json = orjson.dumps(described | tokens_of(facts), option=orjson.OPT_INDENT_2).decode()
    if facts.is_cut:
        page.notes.append("cut: the page is enormous; only a part of it was read")
    if out is None:
        return tokens_json if tokens else markdown
    path = out / document.DOCUMENT_FILE
    await asyncio.to_thread(_write_design, path, markdown, tokens_json, force=force)
    saved = ", ".join(
        shorten_path(str(out / name), page.cwd) for name in (document.DOCUMENT_FILE, document.TOKENS_FILE)
    )
    return f"Design saved: {saved}\n{document.render_summary(facts)}"


async def _extract_from_picture(path: Path, *, tokens: bool) -> str:
    """Return the design that can be measured in a picture, as lines, or as tokens of its colours.

    `tokens`: return the latter, as JSON.
    """
    picture = await comparison.read_picture(path)
    if not tokens:
        lines = await asyncio.to_thread(picture_facts.describe_picture, picture)
        return "\n".join([f"Measured in {printable_path(path.name)}: no model looked at it", *lines])
    roles = picture_facts.name_roles(await asyncio.to_thread(picture_facts.measure_palette, picture))
    group = {
        name: {"$value": to_color_value(one.colour), "$description": str(one)} for name, one in roles.items()
    }
    described = {"$description": "Colours measured in a picture", "color": {"$type": "color", **group}}
    return orjson.dumps(described, option=orjson.OPT_INDENT_2).decode()


def _safe_address(url: str) -> str:
    """Return a short form of a page's URL for a document: its origin, or a file's name.

    The rest of a URL may be any text, which the page chooses.
    """
    parts = urlsplit(url)
    place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else ""
    return re.sub(r"[^A-Za-z0-9:/._~%\[\]-]", "", place or f"{parts.scheme}:{parts.path.rpartition('/')[2]}")[
        :80
    ]


def _write_design(path: Path, markdown: str, tokens_json: str, *, force: bool) -> None:
    """Write `markdown` to `path` (DESIGN.md), and `tokens_json` to design.tokens.json beside it.

    Raises FileFailed if one of the files exists and was not made by design-extract, unless `force`.
    """
    beside = path.with_name(document.TOKENS_FILE)
    for file in (path, beside):
        if force or not file.exists():
            continue
        with open_to_read(str(file)) as opened:
            if document.MARK.encode() not in opened.read(200):
                raise FileFailed(
                    f"{printable_path(str(file))} is there, and design-extract has not made it",
                    "Name another directory, or write over it with --force",
                )
    with open_parent(str(path.parent)) as (above, name), suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=above)
    write_whole(str(path), markdown.encode())
    write_whole(str(beside), tokens_json.encode() + b"\n")


@command(
    READ,
    examples=[
        "design-diff before.png after.png",
        "design-diff before.png after.png --output changes.png",
        "design-diff old.tokens.json new.tokens.json",
    ],
    short={"output": "o"},
    page_text=True,
)
async def design_diff(
    daemon: Daemon, before: InFile, after: InFile, *, threshold: Share = 0.01, output: ImageFile | None = None
) -> str:
    """Compare two pictures by regions, or two files of design tokens. Exit 1 when they differ.

    Of pictures: how much differs, and of each region x, y, width and height in pixels, where that is, and which colour most of
    what differs had and has. Of tokens: which were added (+), removed (-) and changed (~), aliases followed. No page is needed;
    'diff-image' compares with the page.

    threshold: how far apart two colors of pictures may be and count as the same, 0 to 1; 0.01 by default
    output: save the second picture with boxes around what differs, as a .png file
    """
    kinds = [path.suffix.lower() == ".json" for path in (before, after)]
    if kinds[0] != kinds[1]:
        raise UsageError(
            "A picture and a file of tokens cannot be compared", "Two pictures, or two .json files"
        )
    if not kinds[0]:
        return await _compare_pictures(before, after, threshold, output)
    if output:
        raise UsageError("--output is for pictures")
    files = await asyncio.gather(*(asyncio.to_thread(_read_token_file, path) for path in (before, after)))
    (first, is_first_ours), (second, is_second_ours) = files
    changes = compare_tokens(first, second, are_ranked=is_first_ours and is_second_ours)
    if not changes:
        return f"No difference ({format_count(len(first), 'token')})"
    raise TokensDiffer(
        f"{format_count(len(changes), 'token')} differ" + ("s" if len(changes) == 1 else ""),
        output="\n".join(_cut_lines(map(str, changes), len(changes), MOST_CHANGES, "difference")),
    )


def _cut_lines(lines: Iterable[str], count: int, most: int, what: str) -> list[str]:
    """Return the first `most` of `lines`, and a line on how many more there are.

    `count`: number of all lines. `what`: noun for one, such as "colour".
    """
    return [*islice(lines, most), *([f"… {format_count(count - most, what)} more"] if count > most else [])]


def _read_token_file(path: Path) -> tuple[dict[str, str], bool]:
    """Read a file of design tokens. Blocks.

    Returns its tokens (name → value), and whether `design-extract` has written it. Raises FileFailed.
    """
    content = read_limited(str(path.resolve()), MOST_TOKEN_BYTES)
    return read_tokens(content, printable_path(path.name)), document.MARK.encode() in content[:200]


async def _compare_pictures(before: Path, after: Path, threshold: float, output: Path | None) -> str:
    """Compare two picture files. Return the reply if equal; else raise PicturesDiffer with the regions.

    `threshold`: from 0 to 1, how far apart colours may be to count as equal. `output`: where to save a picture of the differences;
    None: nowhere.
    """
    if output and output.suffix.lower() != ".png":
        raise UsageError("The picture of what differs is a .png file")
    first, second = await comparison.read_picture(before), await comparison.read_picture(after)
    found = await comparison.compare_pictures(first, second, threshold)
    if not found.regions:
        return f"No difference ({Size(*found.after)})"
    shown_regions = found.regions[:MOST_REGIONS]
    region_lines = await asyncio.to_thread(
        picture_difference.describe_regions, first, second, shown_regions, threshold=threshold
    )
    lines = _cut_lines(region_lines, len(found.regions), MOST_REGIONS, "smaller region")
    if output:
        await comparison.save_with_boxes(second, found.regions, output)
        lines.append(f"Saved: {output}")
    raise PicturesDiffer(str(found), output="\n".join(lines))
