"""Answer requests from an HTTP archive (HAR), and from the files beside it that have bodies."""

import asyncio
import os
from pathlib import Path
from typing import Any, BinaryIO

from gstack_browse.browser.cdp.interception import FailedRequest, FulfilledResponse, ShapingResult
from gstack_browse.errors import BrowseError, FileFailed
from gstack_browse.network.shaping.har_file import Archive, InvalidHar, RecordedAnswer, unpack_archive
from gstack_browse.network.shaping.replay import HarReplay
from gstack_browse.network.shaping.rules import (
    add_cors_headers,
    is_preflight,
    preflight_headers,
    preflight_method,
)
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import files
from gstack_browse.workspace.own_process import command_line

MOST_BODY_BYTES = 20_000_000
READ_SECONDS = 30.0
BODY_SECONDS = 5.0
FAILED = FailedRequest("Failed")
NO_CONTENT = 204


async def read_archive(path: str) -> Archive:
    """Read a HAR file. Raises FileFailed, and Refused if a link is in its path."""
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await asyncio.to_thread(unpack_archive, await _run_reader(path))
    except TimeoutError:
        raise FileFailed(f"{_shorten_path(path)} cannot be read in {READ_SECONDS:.0f}s") from None
    except InvalidHar as error:
        hint = "Give a file that 'har-stop <file> --bodies' has written, or the tools of a browser"
        raise FileFailed(f"{_shorten_path(path)} {one_line(str(error), 200)}", hint) from None


async def _run_reader(path: str) -> bytes:
    """Run the process that parses the HAR file at `path`. Return its output; kill it if we are cancelled."""
    with await asyncio.to_thread(_open_file, path) as file:
        process = await asyncio.create_subprocess_exec(
            *command_line("gstack_browse.network.shaping.har_file"),
            stdin=file,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output


def _open_file(path: str) -> BinaryIO:
    """Open a file for reading. Raises FileFailed, and Refused if a link is in its path."""
    with files.open_to_read(path) as opened:
        return os.fdopen(os.dup(opened.fileno()), "rb")


async def reopen_replay(path: str, *, passes_on: bool) -> HarReplay:
    """Open the replay of a HAR file again, for the context's next browser.

    If the file cannot be read any more, the replay is empty and has the reason, so that no request goes to a server that was
    replaced. `passes_on`: requests that are not in the file go to servers.
    """
    try:
        return HarReplay(path, await read_archive(path), passes_on=passes_on)
    except BrowseError as error:
        return HarReplay(path, None, passes_on=passes_on, trouble=error.message)


async def find_recorded_answer(replay: HarReplay, request: dict[str, Any]) -> ShapingResult:
    """Return the recorded response to a request; FAILED without one; None if its server has to answer."""
    method, url, headers = request["method"], request["url"], request["headers"]
    if not url.startswith(("http://", "https://")):
        return None
    if is_preflight(method, headers) and not replay.has_answer(method, url):
        is_ours = replay.has_answer(preflight_method(headers), url) or not replay.passes_on
        return FulfilledResponse(b"", "", NO_CONTENT, preflight_headers(headers)) if is_ours else None
    found = replay.choose(method, url, headers, request.get("postData"))
    if found is None:
        replay.record_miss(method, url)
        return None if replay.passes_on else FAILED
    if not found.status:
        return FAILED
    return await _make_reply(replay, found, request)


async def _make_reply(replay: HarReplay, found: RecordedAnswer, request: dict[str, Any]) -> ShapingResult:
    """Return a recorded response with its body; FAILED, noted in `replay.trouble`, if that cannot be read."""
    body = found.decode_body()
    if found.file:
        beside = str(Path(replay.path).with_name(found.file))
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await asyncio.to_thread(files.read_limited, beside, MOST_BODY_BYTES)
        except (BrowseError, TimeoutError):
            replay.trouble = f"{one_line(found.file, 60)} beside the file cannot be read"
            return FAILED
    return FulfilledResponse(
        body, "", found.status, add_cors_headers(request["headers"], request["url"], found.headers)
    )


def _shorten_path(path: str) -> str:
    """Return the name of a path's file for a message, 100 characters at most."""
    return one_line(Path(path).name, 100)
