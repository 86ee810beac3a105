"""Puts what was recorded into an HTTP Archive: collects bodies, within limits."""

import asyncio
from dataclasses import dataclass
from typing import Any

from gstack_browse import __version__
from gstack_browse.browser.output.exchange import Bodies, facts_of, frames_of
from gstack_browse.browser.tabs.exchanges import Chain
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.errors import ActionFailed
from gstack_browse.exchange.facts import ExchangeFacts
from gstack_browse.exchange.har import RecordedExchange, build_har
from gstack_browse.text.columns import format_count
from gstack_browse.text.json_bytes import encode

AT_ONCE = 16
"""Bodies that Chromium is asked for together."""
MOST_BODY_BYTES = 200_000_000
"""Of all bodies of one file."""


@dataclass(frozen=True)
class Archived:
    """A file's content, and how much of what is in it."""

    content: bytes
    requests: int
    bodies: int
    lost: int
    """Bodies that Chromium no longer had, or that had no room."""

    def words(self) -> str:
        """`41 requests, 38 bodies, 2 bodies not kept`."""
        parts = [format_count(self.requests, "request")]
        if self.bodies or self.lost:
            parts.append(format_count(self.bodies, "body", "bodies"))
        if self.lost:
            parts.append(f"{format_count(self.lost, 'body', 'bodies')} not kept")
        return ", ".join(parts)


async def archived(session: BrowserSession, *, bodies: bool, secrets: bool) -> Archived:
    """What the session has recorded until now."""
    asking = _Collector(Bodies(session.running.connection.targets), is_wanted=bodies)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asking.recorded(chain, index)) for chain, index in session.recording.steps()]
    recorded = [task.result() for task in tasks]
    version = session.running.browser.version
    made: dict[str, Any] = build_har(recorded, __version__, version, secrets=secrets)
    if session.recording.dropped:
        made["log"]["comment"] = f"{format_count(session.recording.dropped, 'earlier request')} had no room"
    content = await asyncio.to_thread(encode, made)
    if session.revealed:
        content = session.revealed.hide(content.decode()).encode()
    return Archived(content, len(recorded), asking.found, asking.lost)


class _Collector:
    def __init__(self, asking: Bodies, *, is_wanted: bool) -> None:
        self.found = self.lost = 0
        self._asking = asking
        self._is_wanted = is_wanted
        self._left = MOST_BODY_BYTES
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def recorded(self, chain: Chain, index: int) -> RecordedExchange:
        """One request with its body, if that is wanted and to be had."""
        known, entry = facts_of(chain, index), chain.steps[index].entry
        frames = frames_of(chain) if entry.kind == "websocket" else ()
        body, remark = None, "" if known.is_over or entry.kind == "websocket" else "not complete yet"
        if self._is_wanted and known.is_over and _has_body(known, chain, index):
            async with self._turns:
                body, remark = await self._body(chain, index, known)
        return RecordedExchange(
            entry, known, frames, body, chain.body_bytes if not known.redirected_to else 0, remark
        )

    async def _body(self, chain: Chain, index: int, known: ExchangeFacts) -> tuple[bytes | None, str]:
        try:
            if self._left <= 0:
                raise ActionFailed("There was no room for the body")
            body = await self._asking.of_answer(chain, chain.steps[index], known.charset)
        except ActionFailed as error:
            self.lost += 1
            return None, error.message
        self._left -= len(body)
        self.found += 1
        return body, ""


def _has_body(known: ExchangeFacts, chain: Chain, index: int) -> bool:
    entry = chain.steps[index].entry
    return bool(known.status) and entry.has_body and entry.kind != "websocket" and not entry.error
