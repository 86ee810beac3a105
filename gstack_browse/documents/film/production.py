"""Run the process that makes a film and its contact sheets of a take, and write them to their files."""

import asyncio
import base64
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from gstack_browse.documents.film.codec import INSTALL_CODEC
from gstack_browse.documents.film.take import NO_PICTURE, TakeFile
from gstack_browse.errors import ActionFailed, FileFailed, SetupFailed
from gstack_browse.workspace import descriptors
from gstack_browse.workspace.directory import printable_path
from gstack_browse.workspace.files import open_parent, write_whole
from gstack_browse.workspace.own_process import command_line

_MOST_LINE = 40_000_000
"""Bytes of a line that the process writes: a contact sheet."""
_KINDS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}
SayProgress = Callable[[int, int], None]
"""Is told how many pictures are written, and of how many."""


class MadeFilm(NamedTuple):
    """A film that was made. `bytes`: of the film; `actions`: how many commands acted while it was taken."""

    seconds: float
    actions: int
    pictures: int
    bytes: int
    sheets: list[Path]


async def make_film(
    take: TakeFile, path: Path, sheet: Path | None, *, plain: bool, say: SayProgress
) -> MadeFilm:
    """Write the film of a take (file of what was filmed) to `path`, contact sheets to `sheet` and beside.

    plain: without captions, titles and pointer. say: called with the number of pictures written, and of all.

    The take file stays. Raises ActionFailed, FileFailed, SetupFailed without the codec, FileNotFoundError without a
    take file. Ends the process and leaves no file if it is cancelled.
    """
    kind = _KINDS[sheet.suffix.lower()] if sheet else ""
    options = {"suffix": path.suffix.lower(), "plain": plain, "sheet": kind}
    with open_parent(str(path)) as (directory, name):
        draft, descriptor = descriptors.create_draft(directory)
        try:
            try:
                facts, sheets = await _run(take, descriptor, options, say)
                size = os.fstat(descriptor).st_size
            finally:
                os.close(descriptor)
            descriptors.publish_draft(directory, draft, name)
        except BaseException:
            descriptors.discard_draft(directory, draft)
            raise
    paths: list[Path] = []
    for number, content in enumerate(sheets, 1):
        assert sheet
        paths.append(sheet.with_stem(f"{sheet.stem}-{number}") if number > 1 else sheet)
        await asyncio.to_thread(write_whole, str(paths[-1]), content)
    return MadeFilm(facts["seconds"], facts["actions"], facts["pictures"], size, paths)


async def _run(
    take: TakeFile, film: int, options: dict[str, Any], say: SayProgress
) -> tuple[dict[str, Any], list[bytes]]:
    """Run the film-making process; kill it on failure. Return facts of the film, and the contact sheets.

    `film`: the descriptor to which it writes.
    """
    with await asyncio.to_thread(take.open) as opened:
        process = await asyncio.create_subprocess_exec(
            *command_line("gstack_browse.documents.film.process", str(film), orjson.dumps(options).decode()),
            stdin=opened,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={},
            cwd="/",
            pass_fds=[film],
            limit=_MOST_LINE,
        )
    assert process.stdout
    sheets: list[bytes] = []
    try:
        async for line in process.stdout:
            report = orjson.loads(line)
            if "of" in report:
                say(report["done"], report["of"])
            elif "sheet" in report:
                sheets.append(base64.b64decode(report["sheet"]))
            elif "problem" in report:
                raise _make_error(report)
            else:
                return report, sheets
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    raise ActionFailed(
        "The film could not be made: its process ended", "Try again, or as .webp: film-stop film.webp"
    )


def _make_error(report: dict[str, Any]) -> Exception:
    """Return the exception for the problem that the process reports."""
    problem = str(report["problem"])
    if report.get("codec"):
        return SetupFailed(problem, f"{INSTALL_CODEC}; or as .webp: film-stop film.webp")
    if problem == NO_PICTURE:
        return ActionFailed(problem, "The page was not drawn meanwhile. Begin anew: film-start")
    return FileFailed(f"The film cannot be written: {printable_path(problem)}")
