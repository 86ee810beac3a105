"""Build an HTTP Archive of the recorded requests, with their bodies within limits."""

import asyncio
from dataclasses import dataclass
from typing import Any

from gstack_browse import __version__
from gstack_browse.browser.output.exchange import BodyLoader, build_step_facts, decode_frames
from gstack_browse.browser.tabs.exchanges import Chain
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.errors import ActionFailed
from gstack_browse.exchange.facts import ExchangeFacts
from gstack_browse.exchange.har import RecordedExchange, build_har
from gstack_browse.text.columns import format_count
from gstack_browse.text.json_bytes import encode

AT_ONCE = 16
"""Bodies that are requested from Chromium at a time."""
MOST_BODY_BYTES = 200_000_000
"""Limit of all bodies of one file."""


@dataclass(frozen=True)
class HttpArchive:
    """Content of a file, and counts of what is in it."""

    content: bytes
    requests: int
    bodies: int
    lost: int
    """Bodies that Chromium no longer had, or that were beyond the limit."""

    def describe(self) -> str:
        """Return a text such as `41 requests, 38 bodies, 2 bodies not kept`."""
        parts = [format_count(self.requests, "request")]
        if self.bodies or self.lost:
            parts.append(format_count(self.bodies, "body", "bodies"))
        if self.lost:
            parts.append(f"{format_count(self.lost, 'body', 'bodies')} not kept")
        return ", ".join(parts)


async def build_archive(session: BrowserSession, *, bodies: bool, secrets: bool) -> HttpArchive:
    """Build the archive of what the session has recorded so far."""
    collector = _Collector(BodyLoader(session.running.connection.targets), is_wanted=bodies)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(collector.collect(chain, index)) for chain, index in session.recording.steps()
        ]
    recorded = [task.result() for task in tasks]
    version = session.running.browser.version
    made: dict[str, Any] = build_har(recorded, __version__, version, secrets=secrets)
    if session.recording.dropped:
        made["log"]["comment"] = f"{format_count(session.recording.dropped, 'earlier request')} had no room"
    content = await asyncio.to_thread(encode, made)
    if session.revealed:
        content = session.revealed.hide(content.decode()).encode()
    return HttpArchive(content, len(recorded), collector.found, collector.lost)


class _Collector:
    """Collects requests with their bodies, up to MOST_BODY_BYTES."""

    def __init__(self, bodies: BodyLoader, *, is_wanted: bool) -> None:
        self.found = self.lost = 0
        self._bodies = bodies
        self._is_wanted = is_wanted
        self._left = MOST_BODY_BYTES
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def collect(self, chain: Chain, index: int) -> RecordedExchange:
        """Return one request, with its body if wanted and available."""
        known, entry = build_step_facts(chain, index), chain.steps[index].entry
        frames = decode_frames(chain) if entry.kind == "websocket" else ()
        body, remark = None, "" if known.is_over or entry.kind == "websocket" else "not complete yet"
        if self._is_wanted and known.is_over and _has_body(known, chain, index):
            async with self._slots:
                body, remark = await self._load_body(chain, index, known)
        return RecordedExchange(
            entry, known, frames, body, chain.body_bytes if not known.redirected_to else 0, remark
        )

    async def _load_body(self, chain: Chain, index: int, known: ExchangeFacts) -> tuple[bytes | None, str]:
        """Return a body, or None and the reason."""
        try:
            if self._left <= 0:
                raise ActionFailed("There was no room for the body")
            body = await self._bodies.load_response(chain, chain.steps[index], known.charset)
        except ActionFailed as error:
            self.lost += 1
            return None, error.message
        self._left -= len(body)
        self.found += 1
        return body, ""


def _has_body(known: ExchangeFacts, chain: Chain, index: int) -> bool:
    entry = chain.steps[index].entry
    return bool(known.status) and entry.has_body and entry.kind != "websocket" and not entry.error
