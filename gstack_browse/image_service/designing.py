"""Asks an image service for new pictures, for changed ones, and for the faults in one."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gstack_browse.errors import NoService, UsageError
from gstack_browse.image_service import answers, pictures
from gstack_browse.image_service.answers import PictureAt, PictureVerdict
from gstack_browse.image_service.chosen import ChosenService, required
from gstack_browse.image_service.connection import ServiceConnection, Upload, connected

MOST_CHARACTERS = 30_000
AT_ONCE = 3
IDEAS = (
    "the plainest page that does the job: nothing on it that could be left out",
    "dense, for people who work with it all day: much at a glance, little decoration",
    "one thing large and first, everything else a step behind it",
    "led by a picture or a drawing that says what it is about",
    "carried by type: few colours, strong differences of size",
    "a form that nobody expects of such a page, and that still can be used at once",
)
"""What each variant is to be about, where the caller does not say."""
_TASK = """Look at this picture of a user interface as a reviewer. Name what is wrong in it and can be seen: words that are cut off, \
misspelt or unreadable, things that overlap or do not line up, contrast too weak to read, parts that contradict each other, and \
what the brief asks for and the picture lacks. Praise nothing, guess nothing; no finding is a good answer. Answer with JSON only: \
{"verdict": "one sentence", "findings": [{"severity": "high, medium or low", "where": "place in the picture", "what": "what is wrong"}]}"""


async def draw(
    path: Path, brief: str, *, size: str, like: Sequence[Path], said: Callable[[str], None]
) -> tuple[int, int]:
    """Save a picture of what `brief` describes, made from others where there are some. Returns the picture's size."""
    service, key = await required()
    uploads = [await asyncio.to_thread(pictures.read, one) for one in like]
    async with connected(service, key, said) as connection:
        return await _drawn(connection, _fields(service, brief, size), uploads, path)


async def draw_several(
    paths: Sequence[Path],
    briefs: Sequence[str],
    *,
    size: str,
    like: Sequence[Path],
    said: Callable[[str], None],
    saved: Callable[[Path, tuple[int, int]], None],
) -> None:
    """Save a picture for each brief, a few at a time; `saved` is called for each. A failure stops none of the others."""
    service, key = await required()
    uploads = [await asyncio.to_thread(pictures.read, one) for one in like]
    turn = asyncio.Semaphore(AT_ONCE)
    async with connected(service, key, said) as connection:

        async def one(path: Path, brief: str) -> None:
            async with turn:
                saved(path, await _drawn(connection, _fields(service, brief, size), uploads, path))

        works = (one(path, brief) for path, brief in zip(paths, briefs, strict=True))
        ended = await asyncio.gather(*works, return_exceptions=True)
    if failures := [end for end in ended if isinstance(end, BaseException)]:
        raise failures[0]


async def judge(path: Path, brief: str, *, said: Callable[[str], None]) -> tuple[str, PictureVerdict]:
    """Have a model look for faults in a picture. Returns the model's name and its judgement."""
    service, key = await required()
    if not service.vision_model:
        raise NoService(
            "No model is named that can see pictures", f"design-service {service.address} --vision-model <name>"
        )
    upload = await asyncio.to_thread(pictures.read, path)
    task = f"{_TASK}\n\nThe brief:\n{_bounded(brief)}" if brief else _TASK
    address = await asyncio.to_thread(pictures.as_address, upload)
    content = [{"type": "text", "text": task}, {"type": "image_url", "image_url": {"url": address}}]
    fields = {"model": service.vision_model, "messages": [{"role": "user", "content": content}]}
    async with connected(service, key, said) as connection:
        words = answers.words_of(await connection.post("chat/completions", fields))
    return service.vision_model, answers.verdict_of(words)


def _fields(service: ChosenService, brief: str, size: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"model": service.model, "prompt": _bounded(brief), "n": 1}
    return fields | {"size": size} if size else fields


def _bounded(brief: str) -> str:
    if not brief.strip():
        raise UsageError("The brief is empty", "Say who uses the page, what for, and what is on it")
    if len(brief) > MOST_CHARACTERS:
        raise UsageError(f"The brief has more than {MOST_CHARACTERS:,} characters")
    return brief.encode(errors="replace").decode()  # half a character cannot be sent


async def _drawn(
    connection: ServiceConnection, fields: Mapping[str, Any], uploads: Sequence[Upload], path: Path
) -> tuple[int, int]:
    """Ask for one picture, made from others where there are some, and save it."""
    content = await connection.post("images/edits" if uploads else "images/generations", fields, uploads)
    picture = (await asyncio.to_thread(answers.pictures_of, content))[0]
    if isinstance(picture, PictureAt):
        picture = await connection.fetch(picture.url)
    return await asyncio.to_thread(pictures.save, picture, path)
