"""Facts about a logged request, and the bodies that Chromium keeps for a while."""

import asyncio
from collections.abc import Sequence
from typing import Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.targets import Target, Targets
from gstack_browse.browser.tabs.exchanges import Chain, Step
from gstack_browse.errors import ActionFailed
from gstack_browse.exchange import frames
from gstack_browse.exchange.bodies import encode_body
from gstack_browse.exchange.facts import ExchangeFacts, ExchangeMessages, build_facts, build_web_socket_facts
from gstack_browse.exchange.frames import Frame
from gstack_browse.text.json_bytes import decode

ANSWER_SECONDS = 10.0
"""How long Chromium may take for a body."""


def build_step_facts(chain: Chain, index: int) -> ExchangeFacts:
    """Build the facts about one step of a chain of redirections."""
    step = chain.steps[index]
    asked, ended = _decode_params(step.asked), _decode_params(step.ended)
    if step.entry.kind == "websocket":
        sent = _decode_params(chain.sent[0]) if chain.sent else None
        return build_web_socket_facts(asked or {}, sent, _decode_params(step.answered), ended)
    response, answered_at, redirected_to = _find_response(chain, index)
    sent, received = _find_headers(chain, index)
    return build_facts(
        ExchangeMessages(
            asked or {}, response, ended, sent, received, answered_at, redirected_to, chain.is_from_memory
        )
    )


def _decode_params(message: bytes) -> Any:
    return decode(message)["params"] if message else None


def _find_response(chain: Chain, index: int) -> tuple[Any, float, str]:
    """Return the response to a step, when it came (s), and where a redirection leads."""
    if index + 1 < len(chain.steps):
        following = _decode_params(chain.steps[index + 1].asked)
        return following.get("redirectResponse"), following["timestamp"], following["request"]["url"]
    answered = _decode_params(chain.steps[index].answered)
    return (answered["response"], answered["timestamp"], "") if answered else (None, 0.0, "")


def _find_headers(chain: Chain, index: int) -> tuple[Any, Any]:
    """Return the header messages of a step, as sent and received over the network.

    Chromium has them only for steps that used the network, in the same order.
    """
    has_heads = [_has_headers(chain, number) for number in range(index + 1)]
    if not has_heads[index]:
        return None, None
    position = sum(has_heads[:index])
    sent, received = chain.sent[position : position + 1], chain.received[position : position + 1]
    return _decode_params(sent[0]) if sent else None, _decode_params(received[0]) if received else None


def _has_headers(chain: Chain, index: int) -> bool:
    """Return whether a step has header messages; True without a response, when that is still unknown."""
    if index + 1 < len(chain.steps):
        return bool(_decode_params(chain.steps[index + 1].asked).get("redirectHasExtraInfo"))
    answered = _decode_params(chain.steps[index].answered)
    return bool(answered.get("hasExtraInfo")) if answered else True


def decode_frames(chain: Chain) -> list[Frame]:
    """Return the last frames of a web socket, or events of an `EventSource`."""
    found = []
    for message in chain.frames:
        answer = decode(message)
        is_event = answer["method"].endswith("eventSourceMessageReceived")
        params = answer["params"]
        found.append(
            frames.from_event_source_event(params)
            if is_event
            else frames.from_web_socket_event(answer["method"], params)
        )
    return found


class BodyLoader:
    """Loads bodies from Chromium."""

    def __init__(self, targets: Targets) -> None:
        self._targets = targets

    async def load_response(self, chain: Chain, step: Step, charset: str) -> bytes:
        """Return the body of a response. Raises ActionFailed if Chromium does not have it, or no longer."""
        what = f"The body of #{step.entry.number}"
        answer = await self._ask(chain, "Network.getResponseBody", what)
        if not answer["body"] and step.entry.size > 0:  # responses of a service worker, and broken pictures
            raise ActionFailed(
                f"{what} was not kept by Chromium", "Its address may give it again: see 'request'"
            )
        if answer.get("base64Encoded"):
            from base64 import b64decode

            return b64decode(answer["body"])
        return encode_body(answer["body"], charset)

    async def load_request(self, chain: Chain, step: Step) -> bytes:
        """Return a request's body that did not come with the request. Raises ActionFailed if it is not kept."""
        answer = await self._ask(chain, "Network.getRequestPostData", f"What #{step.entry.number} has sent")
        if answer.get("base64Encoded"):
            from base64 import b64decode

            return b64decode(answer["postData"])
        text: str = answer["postData"]
        return text.encode("utf-8", "surrogatepass")

    async def _ask(self, chain: Chain, method: str, what: str) -> Any:
        """Ask the worker whose script it is, the requesting target, then its page: a worker may have ended."""
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
        if chain.target is None:
            return []
        page = [self._targets.get(chain.target.page)] if self._targets.knows(chain.target.page) else []
        worker = [self._targets.get(chain.id)] if self._targets.knows(chain.id) else []
        return list(dict.fromkeys([*worker, chain.target, *page]))
