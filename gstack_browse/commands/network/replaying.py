"""Replaying: show pages with recorded answers, in the place of their servers."""

from pathlib import Path
from typing import Annotated

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.network import har_answers
from gstack_browse.errors import UsageError
from gstack_browse.network.logs import safe_url
from gstack_browse.network.shaping.har_file import Archive
from gstack_browse.network.shaping.replay import HarReplay
from gstack_browse.network.shaping.throttle import OFF
from gstack_browse.registry import META, command
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.paths import parse_file_for_page
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count

HarFile = Annotated[
    Path | str,
    ArgumentType(
        "file",
        "a HAR file; off: ask the servers again",
        lambda word, paths: OFF if word == OFF else parse_file_for_page(word, paths),
        hint="file",
    ),
]


@command(
    META,
    examples=["har-replay shop.har", "har-replay shop.har --fallback", "har-replay", "har-replay off"],
    timeout=60,
    forms="[<file> [--fallback] | off]",
    fresh=True,
)
async def har_replay(browser: OpenContext, file: HarFile = "", *, fallback: bool = False) -> str:
    """Answer all requests of pages from a HAR file instead of their servers.

    Alone it prints what was not in the file. A request has the answer of the one with the same method and
    address, and, where both are known, the same data sent. Of several it has the one whose headers are most
    alike, then each in its order. What is not in the file fails. Holds for all tabs until 'off', and after 'restart';
    routes go before it. Open pages stay as they are: go somewhere, or 'reload'. No web socket opens meanwhile,
    but with --fallback.

    fallback: send what is not in the file to its server
    """
    if fallback and not isinstance(file, Path):
        raise UsageError("--fallback goes with a file", "har-replay <file> --fallback")
    replayed = browser.shaping.replay
    if file == OFF:
        await browser.shaping.set_replay(None)
        return _render_replay(replayed, "No longer replaying") if replayed else "Nothing is replayed"
    if isinstance(file, Path):
        archive = await har_answers.read_archive(str(file))
        replay = HarReplay(str(file), archive, passes_on=fallback)
        await browser.shaping.set_replay(replay)
        return "\n".join(
            [
                f"Replaying {replay.name}: {format_count(len(archive.answers), 'answer')}",
                *_describe_unreplayable_parts(archive),
            ]
        )
    return _render_replay(replayed, "Replaying") if replayed else "(nothing is replayed)"


def _describe_unreplayable_parts(archive: Archive) -> list[str]:
    """Return lines for the reply on the parts of a HAR file that cannot be replayed; none if all can."""
    lines = []
    if archive.left_out:
        lines.append(
            f"→ left out: {format_count(archive.left_out, 'entry', 'entries')} without an answer over HTTP"
        )
    if archive.bodiless:
        lines.append(
            f"→ without the body it had: {format_count(archive.bodiless, 'answer')}; they are empty"
            " (har-stop <file> --bodies keeps bodies)"
        )
    return lines


def _render_replay(replay: HarReplay, words: str) -> str:
    """Return a reply on the HAR file that answers requests: its name, counts, and requests that it lacks.

    `words`: how the reply begins.
    """
    requests = (request.partition(" ") for request in replay.missed)
    missed = [one_line(redact(f"{method} {safe_url(url)}"), 300) for method, _, url in requests]
    return "\n".join([f"{words} {replay.name}: {replay.summary()}", *replay.render_missed(missed)])
