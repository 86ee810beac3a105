"""Render logged requests, load their bodies from Chromium, and build HTTP archives (HAR)."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gstack_browse import __version__
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import Target, Targets
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.network.exchanges import Chain, Step
from gstack_browse.browser.network.har_recording import Purpose
from gstack_browse.errors import ActionFailed
from gstack_browse.network.exchange import content as bodies
from gstack_browse.network.exchange import report
from gstack_browse.network.exchange.content import Frame, encode_body, mask_headers
from gstack_browse.network.exchange.facts import (
    ExchangeFacts,
    ExchangeMessages,
    build_facts,
    build_web_socket_facts,
)
from gstack_browse.network.exchange.har_renderer import RecordedExchange, build_har
from gstack_browse.network.exchange.headers import find_value, parse_media_type
from gstack_browse.text.json_bytes import decode, encode
from gstack_browse.text.units import format_count

ANSWER_SECONDS = 10.0
"""How long Chromium may take for a body."""


def build_step_facts(chain: Chain, index: int) -> ExchangeFacts:
    """Return the facts about the request at `index` of a redirect chain, decoded from its stored events."""
    step = chain.steps[index]
    request, ended = _decode_params(step.request), _decode_params(step.ended)
    if step.entry.kind == "websocket":
        sent = _decode_params(chain.sent[0]) if chain.sent else None
        return build_web_socket_facts(request or {}, sent, _decode_params(step.response), ended)
    response, answered_at, redirected_to = _find_response(chain, index)
    sent, received = _find_headers(chain, index)
    return build_facts(
        ExchangeMessages(
            request or {}, response, ended, sent, received, answered_at, redirected_to, chain.is_from_memory
        )
    )


def _decode_params(message: bytes) -> Any:
    """Return the parameters of a stored event; None if there is no event (b"")."""
    return decode(message)["params"] if message else None


def _find_response(chain: Chain, index: int) -> tuple[Any, float, str]:
    """Return the response to request `index` of a redirect chain, its time, and the next request's URL.

    The response is the protocol's; the time is Chromium's monotonic one in seconds; the URL is "" for the last request.
    (None, 0, "") if no response has come.
    """
    if index + 1 < len(chain.steps):
        following = _decode_params(chain.steps[index + 1].request)
        return following.get("redirectResponse"), following["timestamp"], following["request"]["url"]
    answered = _decode_params(chain.steps[index].response)
    return (answered["response"], answered["timestamp"], "") if answered else (None, 0.0, "")


def _find_headers(chain: Chain, index: int) -> tuple[Any, Any]:
    """Return the raw headers of a request and response, as parameters of `…ExtraInfo` events, or None.

    Chromium sends them only for requests that used the network, in the order of the chain.
    """
    has_heads = [_has_headers(chain, number) for number in range(index + 1)]
    if not has_heads[index]:
        return None, None
    position = sum(has_heads[:index])
    sent, received = chain.sent[position : position + 1], chain.received[position : position + 1]
    return _decode_params(sent[0]) if sent else None, _decode_params(received[0]) if received else None


def _has_headers(chain: Chain, index: int) -> bool:
    """Return whether Chromium sends raw headers (`…ExtraInfo`) for request `index` of a redirect chain.

    True before the response has come, since that would say otherwise.
    """
    if index + 1 < len(chain.steps):
        return bool(_decode_params(chain.steps[index + 1].request).get("redirectHasExtraInfo"))
    answered = _decode_params(chain.steps[index].response)
    return bool(answered.get("hasExtraInfo")) if answered else True


def decode_frames(chain: Chain) -> list[Frame]:
    """Decode the stored frames of a web socket, or the stored events of an event stream."""
    found = []
    for message in chain.frames:
        answer = decode(message)
        is_event = answer["method"].endswith("eventSourceMessageReceived")
        params = answer["params"]
        found.append(
            bodies.from_event_source_event(params)
            if is_event
            else bodies.from_web_socket_event(answer["method"], params)
        )
    return found


class BodyLoader:
    """Loads bodies from Chromium. `chain`: a request with its redirects; `step`: one of them."""

    def __init__(self, targets: Targets) -> None:
        self._targets = targets

    async def load_response(self, chain: Chain, step: Step, charset: str) -> bytes:
        """Return the body of a response. Raises ActionFailed if Chromium does not have it."""
        what = f"The body of #{step.entry.number}"
        answer = await self._ask_targets(chain, "Network.getResponseBody", what)
        if not answer["body"] and step.entry.size > 0:  # responses of a service worker, and broken pictures
            raise ActionFailed(
                f"{what} was not kept by Chromium", "Its address may give it again: see 'request'"
            )
        if answer.get("base64Encoded"):
            from base64 import b64decode

            return b64decode(answer["body"])
        return encode_body(answer["body"], charset)

    async def load_request(self, chain: Chain, step: Step) -> bytes:
        """Return the body of a request whose event does not have it. Raises ActionFailed if Chromium lost it."""
        answer = await self._ask_targets(
            chain, "Network.getRequestPostData", f"What #{step.entry.number} has sent"
        )
        if answer.get("base64Encoded"):
            from base64 import b64decode

            return b64decode(answer["postData"])
        text: str = answer["postData"]
        return text.encode("utf-8", "surrogatepass")

    async def _ask_targets(self, chain: Chain, method: str, what: str) -> Any:
        """Ask each target that may have a body for it by `method`, until one has it. Return the result.

        `what`: the body, for messages. Raises ActionFailed.
        """
        for target in self._candidate_targets(chain):
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    return await target.session.send(method, {"requestId": chain.id})
            except ProtocolError:
                continue
            except TimeoutError:
                raise ActionFailed(f"{what} did not come within {ANSWER_SECONDS:g} s") from None
        raise ActionFailed(
            f"{what} is no longer kept",
            "Chromium keeps bodies until the page goes elsewhere; 'har-start' keeps more, from then on",
        )

    def _candidate_targets(self, chain: Chain) -> Sequence[Target]:
        """Return the targets to ask for a response's body: a shared worker, the requesting target, its page."""
        if chain.target is None:
            return []
        page = [self._targets.get(chain.target.page)] if self._targets.is_open(chain.target.page) else []
        worker = [self._targets.get(chain.id)] if self._targets.is_open(chain.id) else []
        return list(dict.fromkeys([*worker, chain.target, *page]))


Part = Literal["headers", "body", "post", "timing", "frames", "curl"]


class RequestView:
    """A request with its response, as `request` shows it.

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
        """Return the request's number in the log."""
        return self._step.entry.number

    def render_all(self) -> str:
        """Render request and response as text, except their bodies."""
        return report.render_exchange(
            self._step.entry, self._facts, self._chain.frame_count, secrets=self._secrets
        )

    def to_json(self) -> str:
        """Return request and response as JSON, except their bodies."""
        record = report.to_detailed_record(
            self._step.entry, self._facts, self._chain.frame_count, secrets=self._secrets
        )
        return json.dumps(record, ensure_ascii=False, indent=2)

    async def render_part(self, part: Part) -> str:
        """Render one part of the request as text. Raises ActionFailed if it is missing, or not kept."""
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

    async def encode_part(self, part: Part) -> bytes:
        """Return one part of the request as bytes for a file. Secrets stay in a response's body."""
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
        """Return the body that the request has sent. Raises ActionFailed if it has none."""
        if not self._facts.has_post:
            raise ActionFailed(f"#{self._number} has sent no body", f"See 'request {self._number}'")
        if self._facts.post is not None:
            return self._facts.post
        return await self._bodies.load_request(self._chain, self._step)

    def _render_body(self, body: bytes, kind: str, charset: str = "") -> str:
        """Render a body as text. Secrets are masked unless the view shows them. `kind`: the media type."""
        text = bodies.decode_body(body, kind, charset)
        if text is None:
            return f"({len(body)}B of {kind or 'no type'}, no text: --out FILE saves it)"
        return (text if self._secrets else bodies.hide_body_secrets(text, kind)) or "(empty)"

    async def _render_frames(self) -> str:
        """Render a web socket's frames or an event stream's messages. Raises ActionFailed without any."""
        found, count = decode_frames(self._chain), self._chain.frame_count
        if not found and self._facts.media_type == "text/event-stream":
            stream = bodies.decode_body(await self._load_body(), self._facts.media_type) or ""
            found = list(bodies.parse_event_stream(stream, self._facts.began))
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
        """Render the request as a `curl` command. Raises ActionFailed if its body is no text."""
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
        headers = mask_headers(facts.request_headers, secrets=self._secrets)
        return report.render_curl(
            facts.method, report.format_url(facts.url, secrets=self._secrets), headers, post
        )


AT_ONCE = 16
"""Bodies that are requested from Chromium at a time."""
MOST_BODY_BYTES = 200_000_000
"""Limit of all bodies of one file."""


@dataclass(frozen=True)
class HttpArchive:
    """An HTTP archive: content of the file, and counts of requests and bodies in it."""

    content: bytes
    requests: int
    bodies: int
    lost: int
    """Bodies that Chromium no longer had, or that were beyond the limit."""

    def describe(self) -> str:
        """Describe the archive for the reply: `41 requests, 38 bodies, 2 bodies not kept`."""
        parts = [format_count(self.requests, "request")]
        if self.bodies or self.lost:
            parts.append(format_count(self.bodies, "body", "bodies"))
        if self.lost:
            parts.append(f"{format_count(self.lost, 'body', 'bodies')} not kept")
        return ", ".join(parts)


async def build_archive(browser: OpenContext, purpose: Purpose, *, bodies: bool, secrets: bool) -> HttpArchive:
    """Build a HAR file of the requests that the context has recorded so far for `purpose`.

    `bodies`: include bodies of responses. `secrets`: include credentials.
    """
    collector = _Collector(BodyLoader(browser.running.connection.targets), is_wanted=bodies)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(collector.collect(chain, index))
            for chain, index in browser.recording.steps(purpose)
        ]
    recorded = [task.result() for task in tasks]
    version = browser.running.browser.version
    made: dict[str, Any] = build_har(recorded, __version__, version, secrets=secrets)
    if browser.recording.dropped:
        made["log"]["comment"] = f"{format_count(browser.recording.dropped, 'earlier request')} had no room"
    content = await asyncio.to_thread(encode, made)
    if browser.revealed:
        content = browser.revealed.hide(content.decode()).encode()
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
        """Return the request at `index` of a redirect chain, with its body if wanted and available."""
        known, entry = build_step_facts(chain, index), chain.steps[index].entry
        frames = decode_frames(chain) if entry.kind == "websocket" else ()
        body, remark = None, "" if known.is_over or entry.kind == "websocket" else "not complete yet"
        if self._is_wanted and known.is_over and _has_body(known, chain, index):
            async with self._slots:
                body, remark = await self._load_body(chain, index, known)
        return RecordedExchange(
            entry, known, frames, body, chain.body_bytes if not known.redirected_to else 0, remark
        )

    async def _load_body(self, chain: Chain, index: int, facts: ExchangeFacts) -> tuple[bytes | None, str]:
        """Return a response's body and "", or None and the reason why it is missing."""
        try:
            if self._left <= 0:
                raise ActionFailed("There was no room for the body")
            body = await self._bodies.load_response(chain, chain.steps[index], facts.charset)
        except ActionFailed as error:
            self.lost += 1
            return None, error.message
        self._left -= len(body)
        self.found += 1
        return body, ""


def _has_body(facts: ExchangeFacts, chain: Chain, index: int) -> bool:
    """Return whether the response at `index` of a redirect chain has a body."""
    entry = chain.steps[index].entry
    return bool(facts.status) and entry.has_body and entry.kind != "websocket" and not entry.error
