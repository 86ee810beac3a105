"""Keeps what Chromium told of the last requests, as it came, for whoever asks about one of them later. Reads as little of it as it can.

Most requests are never asked about: to keep a message costs a microsecond, to read it twenty.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from gstack_browse.browser.cdp.targets import Target
from gstack_browse.logs.entries import NetworkEntry
from gstack_browse.text.json_bytes import decode, encode

MOST_BYTES = 8_000_000
"""Of messages, of all requests of a browser. A news page with 200 requests has 1 MB."""
MOST_MESSAGE_BYTES = 1_000_000
"""A longer message is not kept: one with a whole upload in it."""
MOST_FRAMES = 200
MOST_FRAME_BYTES = 1_000_000
"""Frames of a web socket, or events of an event stream, that are kept: the last ones."""
MOST_PAYLOAD = 50_000
"""Characters of one of them; the rest is cut off."""


@dataclass(slots=True, eq=False)
class Step:
    """A request with its answer, as messages of Chromium's; b"" for what was not told, or not yet."""

    entry: NetworkEntry
    asked: bytes
    answered: bytes = b""
    """Empty for a redirection, too: that answer stands in the next step's request."""
    ended: bytes = b""


@dataclass(slots=True, eq=False)
class Chain:
    """A request with those that it was redirected to, which have one id in the protocol."""

    id: str
    target: Target | None = None
    """The target that asked."""
    steps: list[Step] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)
    """The heads of requests as they went out, of those steps that went to a server."""
    received: list[bytes] = field(default_factory=list)
    """The heads of answers as they came in."""
    frames: deque[bytes] = field(default_factory=deque)
    """The last frames of a web socket, or events of an event stream."""
    frame_count: int = 0
    """How many there were in all."""
    frame_bytes: int = 0
    body_bytes: int = -1
    """How long the body was, unpacked, where that was counted (see `Traffic.measure_bodies`)."""
    is_from_memory: bool = False
    """Whether the page had the answer already."""
    size: int = 0
    """Bytes of all messages."""


class Exchanges:
    """The last requests of a browser, by their ids in the protocol. The oldest go first."""

    def __init__(self) -> None:
        self.most_bytes = MOST_BYTES
        self.most_frames = MOST_FRAMES
        self.dropped = 0
        """How many requests went since somebody last set this."""
        self._chains: dict[str, Chain] = {}
        self._size = 0

    def __iter__(self) -> Iterator[tuple[Chain, int]]:
        """Every step with its chain."""
        for chain in list(self._chains.values()):
            for index in range(len(chain.steps)):
                yield chain, index

    def find(self, number: int) -> tuple[Chain, int] | None:
        """The chain and the step of the request with that number in the log, while they are kept."""
        for chain in reversed(self._chains.values()):
            for index, step in enumerate(chain.steps):
                if step.entry.number == number:
                    return chain, index
        return None

    def began(self, request_id: str, target: Target, entry: NetworkEntry, message: bytes) -> None:
        """A request was made, or the last one of that id was redirected to this."""
        chain = self._chain(request_id)
        chain.target = target
        if len(message) > MOST_MESSAGE_BYTES:
            return
        chain.steps.append(Step(entry, message))
        self._grow(chain, len(message))

    def answered(self, request_id: str, message: bytes) -> None:
        """The head of an answer has come."""
        if (step := self._last(request_id)) and not step.answered:
            step.answered = message
            self._grow(self._chains[request_id], len(message))

    def ended(self, request_id: str, message: bytes) -> None:
        """The answer is complete, or there will be none."""
        if (step := self._last(request_id)) and not step.ended:
            step.ended = message
            self._grow(self._chains[request_id], len(message))

    def served_from_memory(self, request_id: str) -> None:
        """The page had the answer already."""
        self._chain(request_id).is_from_memory = True

    def sent(self, request_id: str, message: bytes) -> None:
        """What went to the server. Chromium may tell so before it tells of the request."""
        chain = self._chain(request_id)
        self._keep(chain, chain.sent, message)

    def received(self, request_id: str, message: bytes) -> None:
        """What came from the server."""
        chain = self._chain(request_id)
        self._keep(chain, chain.received, message)

    def last_head(self, request_id: str) -> bytes:
        """The head of the last answer as it came in; b"" where that was not told."""
        chain = self._chains.get(request_id)
        return chain.received[-1] if chain and chain.received else b""

    def frame(self, request_id: str, message: bytes) -> None:
        """A frame went through a web socket, or an event came in an event stream."""
        chain = self._chains.pop(request_id, None)
        if chain is None:
            return
        self._chains[request_id] = chain  # the last to go: it still goes on
        chain.frame_count += 1
        if len(message) > MOST_PAYLOAD:
            message = _shortened(message)
        chain.frames.append(message)
        gone = 0
        chain.frame_bytes += len(message)
        while len(chain.frames) > self.most_frames or chain.frame_bytes - gone > MOST_FRAME_BYTES:
            gone += len(chain.frames.popleft())
        chain.frame_bytes -= gone
        self._grow(chain, len(message) - gone)

    def data(self, request_id: str, count: int) -> None:
        """So many bytes of an answer's body have come."""
        if chain := self._chains.get(request_id):
            chain.body_bytes = max(chain.body_bytes, 0) + count

    def shrink(self) -> None:
        """Keep no more than may be."""
        while self._size > self.most_bytes and len(self._chains) > 1:
            self._drop(next(iter(self._chains)))

    def forget(self, numbers: set[int]) -> None:
        """Keep nothing more of the requests with those numbers."""
        for request_id, chain in list(self._chains.items()):
            if any(step.entry.number in numbers for step in chain.steps):
                self._drop(request_id)

    def _chain(self, request_id: str) -> Chain:
        chain = self._chains.get(request_id)
        if chain is None:
            chain = self._chains[request_id] = Chain(request_id)
        return chain

    def _last(self, request_id: str) -> Step | None:
        chain = self._chains.get(request_id)
        return chain.steps[-1] if chain and chain.steps else None

    def _keep(self, chain: Chain, messages: list[bytes], message: bytes) -> None:
        messages.append(message)
        self._grow(chain, len(message))

    def _grow(self, chain: Chain, size: int) -> None:
        chain.size += size
        self._size += size
        while self._size > self.most_bytes and len(self._chains) > 1:
            oldest = next(iter(self._chains))
            if oldest == chain.id:
                self._chains[oldest] = self._chains.pop(oldest)
            else:
                self._drop(oldest)
                self.dropped += 1

    def _drop(self, request_id: str) -> None:
        self._size -= self._chains.pop(request_id).size


def _shortened(message: bytes) -> bytes:
    """A message of a frame or an event with the beginning of what it carries, and how many characters that had."""
    event = decode(message)
    holder = event["params"].get("response", event["params"])
    name = "payloadData" if "payloadData" in holder else "data"
    carried = holder.get(name, "")
    holder[name], event["params"]["characters"] = carried[:MOST_PAYLOAD], len(carried)
    return encode(event)
