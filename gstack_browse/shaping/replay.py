"""Chooses the recorded answer to a request, as Playwright's `route_from_har` does: by method, address and what is sent.

Of several answers to one request each is given once, in their order, and the last one from then on: what a page asks for again and
again goes as it went.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from gstack_browse.shaping.har import Archive, RecordedAnswer, plain_url
from gstack_browse.text.columns import format_count
from gstack_browse.text.redact import REDACTED
from gstack_browse.text.sanitise import one_line

MOST_MISSED = 1000
"""Requests that are not in the file, of which each is remembered."""
MOST_SHOWN = 5
MOST_OF_ONE = 1000
"""Answers to one request: each is compared with that."""


class Replay:
    """Of one file. `passes_on`: what is not in the file goes to its server. `trouble`: why the file could not be read, then it has nothing."""

    def __init__(self, path: str, archive: Archive | None, *, passes_on: bool, trouble: str = "") -> None:
        self.path = path
        self.passes_on = passes_on
        self.trouble = trouble
        self.given = 0
        self.missed: Counter[str] = Counter()
        self._by_request: dict[tuple[str, str], list[RecordedAnswer]] = {}
        self._uses: Counter[int] = Counter()
        """By the identity of an answer, how often it was given."""
        for answer in archive.answers if archive else ():
            same = self._by_request.setdefault((answer.method, answer.url), [])
            if len(same) < MOST_OF_ONE:
                same.append(answer)

    @property
    def name(self) -> str:
        """The file's name."""
        return one_line(PurePath(self.path).name, 100)

    def choose(
        self, method: str, url: str, headers: Mapping[str, str], post: str | None
    ) -> RecordedAnswer | None:
        """The answer to a request; None where the file has none."""
        same = self._by_request.get((method, plain_url(url)), [])
        fitting = [answer for answer in same if _is_same_post(answer, headers, post)]
        if not fitting:
            return None
        likeness = {id(answer): _likeness(answer, headers) for answer in fitting}
        best = [answer for answer in fitting if likeness[id(answer)] == max(likeness.values())]
        chosen = next((answer for answer in best if not self._uses[id(answer)]), best[-1])
        self._uses[id(chosen)] += 1
        self.given += 1
        return chosen

    def has(self, method: str, url: str) -> bool:
        """Whether the file has any answer to a request."""
        return (method, plain_url(url)) in self._by_request

    def miss(self, method: str, url: str) -> None:
        """That request was not in the file."""
        words = f"{method} {plain_url(url)}"
        if words in self.missed or len(self.missed) < MOST_MISSED:
            self.missed[words] += 1

    def has_refused(self, url: str) -> bool:
        """Whether a page of that address was asked for, is not in the file, and was not sent to its server."""
        return not self.passes_on and f"GET {plain_url(url)}" in self.missed

    def summary(self) -> str:
        """`41 requests answered; 2 not in the file`."""
        answered = f"{format_count(self.given, 'request')} answered"
        missed = self.missed.total()
        went = "sent to the server" if self.passes_on else "refused"
        told = f"{answered}; {missed:,} not in the file and {went}" if missed else answered
        return f"{self.trouble}; {told}" if self.trouble else told

    def missed_lines(self, shown: Sequence[str]) -> list[str]:
        """What was not in the file, the first ones: `shown` has the words for each of `missed`."""
        lines = [f"not in the file: {words}" for words in shown[:MOST_SHOWN]]
        more = len(self.missed) - len(lines)
        return [*lines, f"not in the file: {more:,} more"] if more > 0 else lines


def _is_same_post(answer: RecordedAnswer, headers: Mapping[str, str], post: str | None) -> bool:
    """Whether a request sends what was sent then, as far as both are known."""
    if answer.post is None or not post:
        return True
    return _fits(_unbound(answer.post, answer.asked), _unbound(post, headers))


def _unbound(post: str, headers: Mapping[str, str]) -> str:
    """What is sent, without what a browser makes up anew each time: the boundary between the parts of a form."""
    kind = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
    found = re.search(r'boundary="?([^";]{1,200})', kind)
    return post.replace(found[1], "") if found else post


def _fits(recorded: str, post: str) -> bool:
    """Whether they are the same, but for secrets that the recording leaves out."""
    if REDACTED not in recorded:
        return recorded == post
    first, *others = recorded.split(REDACTED)
    if not post.startswith(first) or not post.endswith(others[-1]):
        return False
    at = len(first)
    for piece in others:
        at = post.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def _likeness(answer: RecordedAnswer, headers: Mapping[str, str]) -> int:
    """How many of a request's headers were the same then."""
    return sum(answer.asked.get(name.lower()) == value for name, value in headers.items())
