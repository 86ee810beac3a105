"""Render parts of a logged request: as text, or as raw bytes."""

import json
from collections.abc import Callable
from typing import Literal

from gstack_browse.browser.output.exchange import BodyLoader, build_step_facts, decode_frames
from gstack_browse.browser.tabs.exchanges import Chain
from gstack_browse.errors import ActionFailed
from gstack_browse.exchange import bodies, curl, frames, report
from gstack_browse.exchange.headers import find_value, hide_header_secrets, parse_media_type
from gstack_browse.text.columns import format_count

Part = Literal["headers", "body", "post", "timing", "frames", "curl"]


class RequestView:
    """A request with its response.

    `secrets`: show credentials. `hide`: removes secrets that commands have typed.
    """

    def __init__(
        self, chain: Chain, index: int, body_loader: BodyLoader, *, secrets: bool, hide: Callable[[str], str]
    ) -> None:
        self._chain, self._step = chain, chain.steps[index]
        self._facts = build_step_facts(chain, index)
        self._bodies = body_loader
        self._secrets = secrets
        self._hide = hide

    @property
    def _number(self) -> int:
        return self._step.entry.number

    def render_all(self) -> str:
        """Render everything except the bodies."""
        return report.render_exchange(
            self._step.entry, self._facts, self._chain.frame_count, secrets=self._secrets
        )

    def to_json(self) -> str:
        """Return everything except the bodies as JSON."""
        record = report.to_detailed_record(
            self._step.entry, self._facts, self._chain.frame_count, secrets=self._secrets
        )
        return json.dumps(record, ensure_ascii=False, indent=2)

    async def render_part(self, part: Part) -> str:
        """Render one part for people. Raises ActionFailed if it is missing, or not kept."""
        if part == "headers":
            return "\n".join(report.render_headers(self._facts, secrets=self._secrets))
        if part == "timing":
            return self._facts.timing.render() if self._facts.timing else "not complete yet"
        if part == "frames":
            return await self._render_frames()
        if part == "curl":
            return await self._render_curl()
        if part == "post":
            return self._render_body(
                await self._load_post(),
                parse_media_type(find_value(self._facts.request_headers, "content-type")),
            )
        return self._render_body(await self._load_body(), self._facts.media_type, self._facts.charset)

    async def part_content(self, part: Part) -> bytes:
        """Return one part for a file. Bodies are as sent over the network, secrets included."""
        if part == "body":
            return await self._load_body()
        if part == "post" and (self._secrets or bodies.decode_body(await self._load_post(), "") is None):
            return await self._load_post()
        return (self._hide(await self.render_part(part)) + "\n").encode("utf-8", "replace")

    async def _load_body(self) -> bytes:
        """Return the response's body. Raises ActionFailed with the reason if it is missing."""
        if self._facts.redirected_to:
            raise ActionFailed(
                f"#{self._number} is a redirection, whose body nobody keeps", "'network' has the next step"
            )
        if self._step.entry.kind == "websocket":
            raise ActionFailed(f"#{self._number} is a web socket", f"Run 'request {self._number} --frames'")
        if not self._facts.is_over:
            raise ActionFailed(
                f"The answer to #{self._number} is not complete yet",
                f"Run 'request {self._number}' to look again",
            )
        if not self._step.entry.has_body or self._facts.status in (204, 205):
            return b""
        try:
            return await self._bodies.load_response(self._chain, self._step, self._facts.charset)
        except ActionFailed as error:
            if self._chain.frames:
                error.hint = f"Its events are: request {self._number} --frames"
            raise

    async def _load_post(self) -> bytes:
        if not self._facts.has_post:
            raise ActionFailed(f"#{self._number} has sent no body", f"See 'request {self._number}'")
        if self._facts.post is not None:
            return self._facts.post
        return await self._bodies.load_request(self._chain, self._step)

    def _render_body(self, body: bytes, kind: str, charset: str = "") -> str:
        text = bodies.decode_body(body, kind, charset)
        if text is None:
            return f"({len(body)}B of {kind or 'no type'}, no text: --out FILE saves it)"
        return (text if self._secrets else bodies.hide_body_secrets(text, kind)) or "(empty)"

    async def _render_frames(self) -> str:
        """Render the frames of a web socket, or the events of a stream."""
        found, count = decode_frames(self._chain), self._chain.frame_count
        if not found and self._facts.media_type == "text/event-stream":
            stream = bodies.decode_body(await self._load_body(), self._facts.media_type) or ""
            found = list(frames.parse_event_stream(stream, self._facts.began))
            count = len(found)
        if not found:
            raise ActionFailed(
                f"#{self._number} has no frames: it is no web socket, and no event stream",
                f"See 'request {self._number}'",
            )
        lines = [frame.render(self._facts.began, secrets=self._secrets) for frame in found]
        if count > len(found):
            lines.insert(0, f"({format_count(count - len(found), 'earlier frame')} not kept)")
        return "\n".join(lines)

    async def _render_curl(self) -> str:
        """Render the request as a `curl` command."""
        facts = self._facts
        post = bodies.decode_body(await self._load_post(), "", "") if facts.has_post else None
        if facts.has_post and post is None:
            raise ActionFailed(
                f"What #{self._number} has sent is no text",
                f"Save it: request {self._number} --post --out FILE",
            )
        kind = parse_media_type(find_value(facts.request_headers, "content-type"))
        if post is not None and not self._secrets:
            post = bodies.hide_body_secrets(post, kind)
        headers = facts.request_headers if self._secrets else hide_header_secrets(facts.request_headers)
        return curl.render_curl(
            facts.method, report.format_url(facts.url, secrets=self._secrets), headers, post
        )
