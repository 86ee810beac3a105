"""The parts of one request of the log that somebody asks for: as text, or as the bytes that they are."""

import json
from collections.abc import Callable
from typing import Literal

from gstack_browse.browser.output.exchange import Bodies, facts_of, frames_of
from gstack_browse.browser.tabs.exchanges import Chain
from gstack_browse.errors import ActionFailed
from gstack_browse.exchange import bodies, curl, frames, report
from gstack_browse.exchange.headers import find_value, hide_header_secrets, parse_media_type
from gstack_browse.text.columns import format_count

Part = Literal["headers", "body", "post", "timing", "frames", "curl"]


class RequestView:
    """One request with its answer. `secrets`: credentials are shown, too; `hide` leaves out those that commands have typed."""

    def __init__(
        self, chain: Chain, index: int, asking: Bodies, *, secrets: bool, hide: Callable[[str], str]
    ) -> None:
        self._chain, self._step = chain, chain.steps[index]
        self._known = facts_of(chain, index)
        self._asking = asking
        self._secrets = secrets
        self._hide = hide

    @property
    def _number(self) -> int:
        return self._step.entry.number

    def whole(self) -> str:
        """All of it but the bodies."""
        return report.render_exchange(
            self._step.entry, self._known, self._chain.frame_count, secrets=self._secrets
        )

    def as_json(self) -> str:
        """The same as an object."""
        told = report.to_detailed_record(
            self._step.entry, self._known, self._chain.frame_count, secrets=self._secrets
        )
        return json.dumps(told, ensure_ascii=False, indent=2)

    async def text(self, part: Part) -> str:
        """One part, for people. Raises ActionFailed where there is none, or it is not kept."""
        if part == "headers":
            return "\n".join(report.render_headers(self._known, secrets=self._secrets))
        if part == "timing":
            return self._known.timing.render() if self._known.timing else "not complete yet"
        if part == "frames":
            return await self._frames()
        if part == "curl":
            return await self._curl()
        if part == "post":
            return self._shown(
                await self._post(), parse_media_type(find_value(self._known.request_headers, "content-type"))
            )
        return self._shown(await self._body(), self._known.media_type, self._known.charset)

    async def content(self, part: Part) -> bytes:
        """The same for a file: bodies are as they went through the network, whatever is in them."""
        if part == "body":
            return await self._body()
        if part == "post" and (self._secrets or bodies.decode_body(await self._post(), "") is None):
            return await self._post()
        return (self._hide(await self.text(part)) + "\n").encode("utf-8", "replace")

    async def _body(self) -> bytes:
        if self._known.redirected_to:
            raise ActionFailed(
                f"#{self._number} is a redirection, whose body nobody keeps", "'network' has the next step"
            )
        if self._step.entry.kind == "websocket":
            raise ActionFailed(f"#{self._number} is a web socket", f"Run 'request {self._number} --frames'")
        if not self._known.is_over:
            raise ActionFailed(
                f"The answer to #{self._number} is not complete yet",
                f"Run 'request {self._number}' to look again",
            )
        if not self._step.entry.has_body or self._known.status in (204, 205):
            return b""
        try:
            return await self._asking.of_answer(self._chain, self._step, self._known.charset)
        except ActionFailed as error:
            if self._chain.frames:
                error.hint = f"Its events are: request {self._number} --frames"
            raise

    async def _post(self) -> bytes:
        if not self._known.has_post:
            raise ActionFailed(f"#{self._number} has sent no body", f"See 'request {self._number}'")
        if self._known.post is not None:
            return self._known.post
        return await self._asking.of_request(self._chain, self._step)

    def _shown(self, body: bytes, kind: str, charset: str = "") -> str:
        text = bodies.decode_body(body, kind, charset)
        if text is None:
            return f"({len(body)}B of {kind or 'no type'}, no text: --out FILE saves it)"
        return (text if self._secrets else bodies.hide_body_secrets(text, kind)) or "(empty)"

    async def _frames(self) -> str:
        found, count = frames_of(self._chain), self._chain.frame_count
        if not found and self._known.media_type == "text/event-stream":
            stream = bodies.decode_body(await self._body(), self._known.media_type) or ""
            found = list(frames.parse_event_stream(stream, self._known.began))
            count = len(found)
        if not found:
            raise ActionFailed(
                f"#{self._number} has no frames: it is no web socket, and no event stream",
                f"See 'request {self._number}'",
            )
        lines = [frame.render(self._known.began, secrets=self._secrets) for frame in found]
        if count > len(found):
            lines.insert(0, f"({format_count(count - len(found), 'earlier frame')} not kept)")
        return "\n".join(lines)

    async def _curl(self) -> str:
        known = self._known
        post = bodies.decode_body(await self._post(), "", "") if known.has_post else None
        if known.has_post and post is None:
            raise ActionFailed(
                f"What #{self._number} has sent is no text",
                f"Save it: request {self._number} --post --out FILE",
            )
        kind = parse_media_type(find_value(known.request_headers, "content-type"))
        if post is not None and not self._secrets:
            post = bodies.hide_body_secrets(post, kind)
        headers = known.request_headers if self._secrets else hide_header_secrets(known.request_headers)
        return curl.render_curl(
            known.method, report.format_url(known.url, secrets=self._secrets), headers, post
        )
