"""Choose the recorded response to a request, like Playwright's `route_from_har`.

Method, URL and body must match. Several responses to one request are given once each, in order, the last one
repeatedly: so polling replays as it went.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from gstack_browse.network.exchange.headers import find_value
from gstack_browse.network.shaping.har_file import Archive, RecordedAnswer, normalise_url
from gstack_browse.text.redact import REDACTED
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count

MOST_MISSED = 1000
"""Limit of different missing requests that are remembered."""
MOST_SHOWN = 5
MOST_PER_REQUEST = 1000
"""Limit of responses to one request, as each is compared."""


class HarReplay:
    """Answers requests from one HAR file, and counts what is not in it.

    `passes_on`: missing requests are sent to their server. `trouble`: why the file could not be read; it then has nothing.
    """

    def __init__(self, path: str, archive: Archive | None, *, passes_on: bool, trouble: str = "") -> None:
        self.path = path
        self.passes_on = passes_on
        self.trouble = trouble
        self.given = 0
        self.missed: Counter[str] = Counter()
        self._by_request: dict[tuple[str, str], list[RecordedAnswer]] = {}
        self._uses: Counter[int] = Counter()
        """How often each response was given, by its identity."""
        for answer in archive.answers if archive else ():
            same = self._by_request.setdefault((answer.method, answer.url), [])
            if len(same) < MOST_PER_REQUEST:
                same.append(answer)

    @property
    def name(self) -> str:
        """Return the HAR file's name, without its directory."""
        return one_line(PurePath(self.path).name, 100)

    def choose(
        self, method: str, url: str, headers: Mapping[str, str], post: str | None
    ) -> RecordedAnswer | None:
        """Return the recorded response that fits a request best, and count its use; None if none fits.

        `headers`, `post`: of the request; `post` is its body.
        """
        same = self._by_request.get((method, normalise_url(url)), [])
        fitting = [answer for answer in same if _is_same_post(answer, headers, post)]
        if not fitting:
            return None
        likeness = {
            id(answer): sum(
                answer.request_headers.get(name.lower()) == value for name, value in headers.items()
            )
            for answer in fitting
        }
        best = [answer for answer in fitting if likeness[id(answer)] == max(likeness.values())]
        chosen = next((answer for answer in best if not self._uses[id(answer)]), best[-1])
        self._uses[id(chosen)] += 1
        self.given += 1
        return chosen

    def has_answer(self, method: str, url: str) -> bool:
        """Return whether the file has any response to a request with this method and URL."""
        return (method, normalise_url(url)) in self._by_request

    def record_miss(self, method: str, url: str) -> None:
        """Count a request to which the HAR file has no response."""
        words = f"{method} {normalise_url(url)}"
        if words in self.missed or len(self.missed) < MOST_MISSED:
            self.missed[words] += 1

    def has_refused(self, url: str) -> bool:
        """Return whether a GET of that URL was refused because it is not in the file."""
        return not self.passes_on and f"GET {normalise_url(url)}" in self.missed

    def summary(self) -> str:
        """Describe the use of the file: `41 requests answered; 2 not in the file and refused`."""
        answered = f"{format_count(self.given, 'request')} answered"
        missed = self.missed.total()
        went = "sent to the server" if self.passes_on else "refused"
        counts = f"{answered}; {missed:,} not in the file and {went}" if missed else answered
        return f"{self.trouble}; {counts}" if self.trouble else counts

    def render_missed(self, shown: Sequence[str]) -> list[str]:
        """Return lines on the requests that the file lacks: the first ones, and how many more.

        `shown`: the texts of `missed` as they may be printed.
        """
        lines = [f"not in the file: {words}" for words in shown[:MOST_SHOWN]]
        more = len(self.missed) - len(lines)
        return [*lines, f"not in the file: {more:,} more"] if more > 0 else lines


def _is_same_post(answer: RecordedAnswer, headers: Mapping[str, str], post: str | None) -> bool:
    """Return whether a request's body (`post`) equals the recorded one; True if either is unknown."""
    if answer.post is None or not post:
        return True
    return _equals_redacted(
        _strip_boundary(answer.post, answer.request_headers), _strip_boundary(post, headers)
    )


def _strip_boundary(post: str, headers: Mapping[str, str]) -> str:
    """Remove the boundaries from the body of a multipart form: browsers create them anew each time.

    `headers`: of the request; they name the boundary.
    """
    found = re.search(r'boundary="?([^";]{1,200})', find_value(headers.items(), "content-type"))
    return post.replace(found[1], "") if found else post


def _equals_redacted(recorded: str, post: str) -> bool:
    """Return whether a body equals the recorded one, in which redacted secrets match anything."""
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
