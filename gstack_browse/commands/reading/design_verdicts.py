"""Design verdicts: judge pictures of designs, and pages by their mockups."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.downloads import shorten_path
from gstack_browse.browser.reading import comparison
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.commands.reading.design_pictures import DRAWING_SECONDS, Brief, Picture
from gstack_browse.design import document, picture_facts
from gstack_browse.design.picture_facts import PASS_SCORE, PictureFinding
from gstack_browse.errors import PicturesDiffer, ProblemsFound, UsageError
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import ImageFile
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.measures import make_count_parser
from gstack_browse.snapshot import picture_difference
from gstack_browse.text.table_output import align_columns
from gstack_browse.text.units import format_count
from gstack_browse.workspace.directory import printable_path

MEASURED = "measured: no model looked at it"
"""How a reply says that its verdict comes from pixels alone."""
PassScore = Annotated[int, ArgumentType("0-100", "a score", make_count_parser("", 0, 100))]


@command(
    META,
    examples=[
        "design-check login-a.png",
        "design-check login-a.png A page to log in, with a way to get a new password",
        "design-check login-a.png --measure",
    ],
    timeout=DRAWING_SECONDS,
    page_text=True,
)
async def design_check(daemon: Daemon, picture: Picture, brief: Brief = "", *, measure: bool = False) -> str:
    """Judge a picture of a design: exit 1 when a fault of it is severe, exit 0 otherwise.

    The image service's vision model looks at it, where a person has set one, with DESIGN.md of the workspace as a rule. Without, pixels are
    measured: nothing drawn, nothing that can be read, colours that DESIGN.md does not have. The reply says which it was. An answer that
    cannot be understood is an error, and passes nothing. For a page that runs, ask the page: 'design-extract', 'audit'.

    brief: what the picture was to show
    measure: measure only, even where a service is set
    """
    from gstack_browse.design.image_service import pictures

    known = await asyncio.to_thread(document.read_rules, daemon.cwd)
    upload = await asyncio.to_thread(pictures.read_upload, picture)
    if not measure and await pictures.is_vision_model_set():
        task = known.add_to_brief(brief).strip()
        model, verdict = await pictures.check_picture(upload, task, on_wait=daemon.say)
        head, findings, words = f"Looked at by {model}", list(verdict.findings or ()), verdict.words
    else:
        image = await asyncio.to_thread(
            picture_difference.open_picture, upload.content, printable_path(picture.name)
        )
        findings = await asyncio.to_thread(picture_facts.find_flaws, image, known.colours)
        head, words = MEASURED.capitalize(), ""
    first = f"{head}: {shorten_path(str(picture), daemon.cwd)}, {format_count(len(findings), 'finding')}"
    lines = [
        first,
        *_render_findings(findings),
        *([f"→ {words}"] if words else []),
        *([known.note] if known.note else []),
    ]
    severe = sum(finding.severity == "high" for finding in findings)
    if severe:
        raise ProblemsFound(f"{format_count(severe, 'finding')} of high severity", output="\n".join(lines))
    return "\n".join(lines)


@command(
    READ,
    examples=["design-verify mockup.png", "design-verify mockup.png --measure --output differences.png"],
    timeout=DRAWING_SECONDS,
    short={"output": "o"},
    page_text=True,
)
async def design_verify(
    page: PageCommand,
    mockup: Picture,
    brief: Brief = "",
    *,
    measure: bool = False,
    output: ImageFile | None = None,
    least: PassScore = PASS_SCORE,
) -> str:
    """Compare the page with its mockup: score 0 to 100, differences. Exit 1 below 70 or if one is severe.

    The viewport or the whole page is pictured, whichever has more
    nearly the mockup's form. The image service's vision model compares the two, where a person has set one: it
    gets both pictures. Without, they are measured: layout (what stands where), colours, and areas. The reply
    says which it was. Measuring is coarse: it tells another design from this one, and not a typeface.

    brief: what to look at, or to leave out
    measure: measure only; the page's picture goes nowhere
    output: save the page's picture with boxes around the areas that differ, as a .png file; measured
    least: the score that is needed, in place of 70
    """
    from gstack_browse.design.image_service import pictures
    from gstack_browse.design.image_service.service import Upload

    if output and output.suffix.lower() != ".png":
        raise UsageError("The picture of what differs is a .png file")
    drawn = await comparison.read_picture(mockup)
    shot, page_picture = await comparison.capture_nearest_area(page, drawn)
    measured = await asyncio.to_thread(picture_facts.compare_with_mockup, drawn, page_picture.picture)
    if not measure and await pictures.is_vision_model_set():
        uploads = (
            await asyncio.to_thread(pictures.read_upload, mockup),
            Upload("page.png", "image/png", shot),
        )
        model, verdict = await pictures.compare_pictures(*uploads, brief, on_wait=page.notes.append)
        score, findings = verdict.score or 0, list(verdict.findings or ())
        basis, remark = f"judged by {model}", verdict.words
    else:
        score, findings = measured.score, await _name_elements(page, page_picture, measured)
        parts = ", ".join(f"{name} {share}" for name, share in measured.parts.items())
        basis, remark = MEASURED, parts
    lines = [
        f"Score: {score} of 100, {basis}",
        *_render_findings(findings),
        *([f"→ {remark}"] if remark else []),
    ]
    if output:
        await comparison.save_with_boxes(page_picture.picture, measured.regions, output)
        lines.append(f"Saved: {output}")
    severe = sum(finding.severity == "high" for finding in findings)
    if score < least or severe:
        why = (
            f"score {score}, {least} is needed"
            if score < least
            else f"{format_count(severe, 'severe difference')}"
        )
        raise PicturesDiffer(
            f"The page is not what {printable_path(mockup.name)} shows: {why}", output="\n".join(lines)
        )
    return "\n".join(lines)


async def _name_elements(
    page: PageCommand, picture: comparison.PagePicture, measured: picture_facts.MockupComparison
) -> list[PictureFinding]:
    """Return a mockup comparison's findings, with the page's element at each area that differs.

    `picture`: the page's own. `measured`: the comparison.
    """
    names = await comparison.find_elements_at(page, picture, measured.regions)
    areas = [
        finding._replace(where=f"{finding.where} {name}".rstrip())
        for finding, name in zip(measured.findings, names, strict=False)
    ]
    return [*areas, *measured.findings[len(areas) :]]


@command(
    META,
    examples=[
        "design-prompt --image login-a.png",
        "design-prompt --image login-a.png The form must work by keyboard",
    ],
    timeout=DRAWING_SECONDS,
    page_text=True,
)
async def design_prompt(
    daemon: Daemon, brief: Brief = "", *, image: Picture | None = None, measure: bool = False
) -> str:
    """Print what is needed to build a pictured screen: parts, colours, sizes, the brief, DESIGN.md.

    Colours and blocks are measured. The image service's vision model adds layout, type, spacing and components, where a person has
    set one; the reply says which it was. Afterwards 'design-verify' compares what was built.

    image: the picture of the design that was chosen
    brief: what the picture does not show
    measure: measure only, even where a service is set
    """
    from gstack_browse.design.image_service import pictures

    known = await asyncio.to_thread(document.read_rules, daemon.cwd)
    if image is None and not brief:
        raise UsageError("There is nothing to build from", "Give a picture with --image, a brief, or both")
    lines = [f"# Build {f'what {shorten_path(str(image), daemon.cwd)} shows' if image else 'this screen'}"]
    if image:
        upload = await asyncio.to_thread(pictures.read_upload, image)
        picture = await asyncio.to_thread(
            picture_difference.open_picture, upload.content, printable_path(image.name)
        )
        if not measure and await pictures.is_vision_model_set():
            description = await pictures.describe_picture(upload, on_wait=daemon.say)
            lines.append(f"Described by {description.model}; colours and blocks are measured.")
            for name, words in description.parts.items():
                lines += [f"## {name.capitalize()}", *(f"- {word}" for word in words)]
        else:
            lines.append(f"{MEASURED.capitalize()}. Look at the picture for type and words.")
        lines += await asyncio.to_thread(picture_facts.describe_picture, picture)
    lines += ["## Brief", brief] if brief else []
    lines += ["## Rules of DESIGN.md", known.text] if known.text else []
    lines += [known.note] if known.problem else []
    if image:
        lines += [
            "## Done when",
            f"design-verify {shorten_path(str(image), daemon.cwd)} exits with 0 on the page.",
        ]
    return "\n".join(lines)


def _render_findings(findings: Sequence[PictureFinding]) -> list[str]:
    """Return findings on a picture as aligned columns: severity, place, text. [] for none."""
    rows = [(found.severity, found.where, found.what) for found in findings]
    return [align_columns(rows)] if rows else []
