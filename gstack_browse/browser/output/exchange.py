"""What is known of a request of the log, and its bodies, which Chromium keeps for a while."""

import asyncio
from collections.abc import Sequence
from typing import Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
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


def facts_of(chain: Chain, index: int) -> ExchangeFacts:
    """What is known of one step of a chain."""
    step = chain.steps[index]
    asked, ended = _told(step.asked), _told(step.ended)
    if step.entry.kind == "websocket":
        sent = _told(chain.sent[0]) if chain.sent else None
        return build_web_socket_facts(asked or {}, sent, _told(step.answered), ended)
    response, answered_at, redirected_to = _answer(chain, index)
    sent, received = _heads(chain, index)
    return build_facts(
        ExchangeMessages(
            asked or {}, response, ended, sent, received, answered_at, redirected_to, chain.is_from_memory
        )
    )


def _told(message: bytes) -> Any:
    return decode(message)["params"] if message else None


def _answer(chain: Chain, index: int) -> tuple[Any, float, str]:
    """The answer to a step, when it came, and where it leads to, for a redirection."""
    if index + 1 < len(chain.steps):
        following = _told(chain.steps[index + 1].asked)
        return following.get("redirectResponse"), following["timestamp"], following["request"]["url"]
    answered = _told(chain.steps[index].answered)
    return (answered["response"], answered["timestamp"], "") if answered else (None, 0.0, "")


def _heads(chain: Chain, index: int) -> tuple[Any, Any]:
    """The heads of a step as they went through the network. Chromium tells only of steps that did, in their order."""
    has_heads = [_has_heads(chain, number) for number in range(index + 1)]
    if not has_heads[index]:
        return None, None
    place = sum(has_heads[:index])
    sent, received = chain.sent[place : place + 1], chain.received[place : place + 1]
    return _told(sent[0]) if sent else None, _told(received[0]) if received else None


def _has_heads(chain: Chain, index: int) -> bool:
    """Whether there are, or will be: of one without an answer it is not said yet."""
    if index + 1 < len(chain.steps):
        return bool(_told(chain.steps[index + 1].asked).get("redirectHasExtraInfo"))
    answered = _told(chain.steps[index].answered)
    return bool(answered.get("hasExtraInfo")) if answered else True


def frames_of(chain: Chain) -> list[Frame]:
    """The last frames of a web socket, or events of an `EventSource`."""
    found = []
    for message in chain.frames:
        told = decode(message)
        is_event = told["method"].endswith("eventSourceMessageReceived")
        params = told["params"]
        found.append(
            frames.from_event_source_event(params)
            if is_event
            else frames.from_web_socket_event(told["method"], params)
        )
    return found


class Bodies:
    """Asks Chromium for bodies."""

    def __init__(self, targets: Targets) -> None:
        self._targets = targets

    async def of_answer(self, chain: Chain, step: Step, charset: str) -> bytes:
        """The body of an answer. Raises ActionFailed when it is not kept, or no more."""
        what = f"The body of #{step.entry.number}"
        told = await self._ask(chain, "Network.getResponseBody", what)
        if not told["body"] and step.entry.size > 0:  # of a service worker's own, and of pictures that are none
            raise ActionFailed(
                f"{what} was not kept by Chromium", "Its address may give it again: see 'request'"
            )
        if told.get("base64Encoded"):
            from base64 import b64decode

            return b64decode(told["body"])
        return encode_body(told["body"], charset)

    async def of_request(self, chain: Chain, step: Step) -> bytes:
        """The body of a request, where Chromium did not tell it with the request. Raises ActionFailed when it is not kept."""
        told = await self._ask(chain, "Network.getRequestPostData", f"What #{step.entry.number} has sent")
        if told.get("base64Encoded"):
            from base64 import b64decode

            return b64decode(told["postData"])
        text: str = told["postData"]
        return text.encode("utf-8", "surrogatepass")

    async def _ask(self, chain: Chain, method: str, what: str) -> Any:
        """Ask the worker whose script it is, the target that has made the request, then its page: a worker may have ended."""
        for target in self._holders(chain):
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    return await target.observed.send(method, {"requestId": chain.id})
            except PlaywrightError:
                continue
            except TimeoutError:
                raise ActionFailed(f"{what} did not come within {ANSWER_SECONDS:g} s") from None
        raise ActionFailed(
            f"{what} is no longer kept",
            "Chromium keeps bodies until the page goes elsewhere; 'har-start' keeps more, from then on",
        )

    def _holders(self, chain: Chain) -> Sequence[Target]:
        if chain.target is None:
            return []
        page = [self._targets.get(chain.target.page)] if self._targets.knows(chain.target.page) else []
        worker = [self._targets.get(chain.id)] if self._targets.knows(chain.id) else []
        return list(dict.fromkeys([*worker, chain.target, *page]))
