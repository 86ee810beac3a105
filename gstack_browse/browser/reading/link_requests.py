"""Check the addresses of links over HTTP, and write the results as lines.

Only the head of a response is read; of a document, some megabytes if a fragment is searched.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import unquote

from gstack_browse.browser.reading.web_requests import (
    REFUSED,
    NotFollowed,
    RefusedUrl,
    RequestSpec,
    WebFetcher,
    describe_error,
    find_cause,
)
from gstack_browse.documents.reader import main_content, markup_tree
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count, format_seconds

_SIGN_OUT_PATH = r"(?i)(?:log|sign)(?:out|off)|(?<![a-z])(?:log|sign)[-_](?:out|off)(?![a-z])"
"""In paths or queries that end a login, on too many sites by a GET. `logout` also within a word: `weblogout`."""
_URL_CHARACTERS = 300


@dataclass(frozen=True)
class LinkAnswer:
    """The result of requesting an address."""

    status: int = 0
    """HTTP status of the last response; 0 if there was none."""
    problem: str = ""
    """Why there was no response, or what is wrong with it."""
    redirected: str = ""
    """The final address, if it is another one."""
    is_refused: bool = False
    """Our own policy forbids the address, or one that it redirects to."""
    names: frozenset[str] | None = None
    """The names in the document that a fragment can refer to; None if unknown."""
    links: tuple[tuple[str, str], ...] | None = None
    """Text and address of the document's links; None if they were not asked for, or it is not HTML."""

    @property
    def is_broken(self) -> bool:
        """Return whether the link is broken: no response, an error status, or another problem."""
        return not self.is_refused and (bool(self.problem) or not 200 <= self.status < 400)


class CheckedLink(NamedTuple):
    """An address that `links` links of a page lead to; ref and name are of the first one."""

    ref: str
    name: str
    url: str
    links: int
    answer: LinkAnswer
    page: str = ""
    """In a crawl the first page on which it stands."""
    pages: int = 1
    """In a crawl the number of pages on which it stands."""

    @property
    def line(self) -> str:
        """Return the result as a line of the report: `404 @e3 "Docs" → https://…/docs (2 links)`."""
        answer = self.answer
        state = "refused" if answer.is_refused else str(answer.status) if answer.status else "failed"
        name = json.dumps(one_line(self.name, 60), ensure_ascii=False) if self.name else "(no text)"
        many = f" ({format_count(self.links, 'link')})" if self.links > 1 else ""
        moved = f" → {_shorten_url(answer.redirected)}" if answer.redirected else ""
        problem = f": {answer.problem}" if answer.problem else ""
        begin = f"{state} {self.ref} {name}" if self.ref else f"{state} {name}"
        return f"{begin} → {_shorten_url(self.url)}{many}{moved}{problem}{self._page_note}"

    @property
    def _page_note(self) -> str:
        """Return which pages contain the link, for its line: ` (on http://…/guide, 3 more pages)`."""
        if not self.page:
            return ""
        more = f", {format_count(self.pages - 1, 'more page')}" if self.pages > 1 else ""
        return f" (on {_shorten_url(self.page)}{more})"


def list_links(links: Iterable[tuple[str, str]], words: str = "") -> list[str]:
    """Render links, given as (text, URL), as lines `text → URL`; equal ones once.

    `words`: only links with these in their text or URL. A link without a text, such as a picture's, is left
    out where another one leads to the same URL.
    """
    counts = Counter(link for link in links if words.lower() in f"{link[0]}\n{link[1]}".lower())
    named = {address for name, address in counts if name}
    return [
        f"{name or '(no text)'} → {address}" + (f" ({format_count(count, 'link')})" if count > 1 else "")
        for (name, address), count in counts.items()
        if name or address not in named
    ]


def _shorten_url(url: str) -> str:
    """Return a URL as one line of _URL_CHARACTERS at most, without secrets."""
    return one_line(redact(url), _URL_CHARACTERS)


def check_fragment(answer: LinkAnswer, url: str) -> LinkAnswer:
    """Return `answer`, the one for `url`, as a broken link if the document lacks the fragment's target."""
    name = fragment_name(url)
    if not name or answer.names is None or name in answer.names or answer.is_broken:
        return answer
    return LinkAnswer(answer.status, missing_fragment_message(name), answer.redirected)


def missing_fragment_message(name: str) -> str:
    """Return the message for a link whose fragment `name` has no target in the document."""
    return f"nothing there is called #{one_line(name, 60)}"


def fragment_name(url: str) -> str:
    """Return the decoded id or anchor name in a URL's fragment; "" for another fragment.

    The top of the page (`#top`) and routes of an application (`#/list`, `#!list`) name no element.
    """
    name = unquote(url.partition("#")[2].partition(":~:")[0])
    return "" if name.lower() in ("", "top") or name.startswith(("/", "!")) else name


def is_sign_out_link(url: str) -> bool:
    """Return whether a URL's path or query looks like a sign-out (`logout`, `sign-off`)."""
    return re.search(_SIGN_OUT_PATH, url.partition("://")[2].partition("/")[2].partition("#")[0]) is not None


def render_links(links: Sequence[CheckedLink]) -> list[str]:
    """Render a line for each checked URL: broken ones first, then refused, then redirected ones."""
    return [link.line for link in sorted(links, key=_sort_key)]


def _sort_key(link: CheckedLink) -> int:
    """Return the rank of a link in the list: 0 broken, 1 refused, 2 redirected, 3 fine."""
    answer = link.answer
    return 0 if answer.is_broken else 1 if answer.is_refused else 2 if answer.redirected else 3


def render_summary(links: Sequence[CheckedLink], pages: int = 0) -> str:
    """Summarise checked links: `2 of 31 links are broken`. `pages`: how many were crawled (0: no crawl)."""
    broken = sum(link.answer.is_broken for link in links)
    counted = format_count(len(links), "link") + (f" on {format_count(pages, 'page')}" if pages else "")
    if broken:
        return f"{broken:,} of {counted} {'is' if broken == 1 else 'are'} broken"
    redirected = sum(bool(link.answer.redirected) for link in links)
    return f"{counted} checked, none is broken" + (f", {redirected:,} redirected" if redirected else "")


SECONDS = 10.0
"""Limit for one address with all its redirections."""
MOST_BYTES = 3_000_000
"""Limit of a document that is searched for a fragment."""
_DOCUMENTS = ("text/html", "application/xhtml+xml")
_NAMES = re.compile(r"""\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_ACCEPTED = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def _count_bytes(status: int, headers: Mapping[str, str]) -> int:
    """Return how many bytes of a response to read: MOST_BYTES of an HTML document, 0 of any other."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    is_plain = headers.get("content-encoding", "identity") == "identity"
    return MOST_BYTES if status == 200 and kind in _DOCUMENTS and is_plain else 0


_HEAD = RequestSpec(_ACCEPTED, "identity", lambda status, headers: 0)
_DOCUMENT = RequestSpec(_ACCEPTED, "identity", _count_bytes)


async def fetch_link(
    fetcher: WebFetcher, url: str, *, wants_names: bool, wants_links: bool = False
) -> LinkAnswer:
    """Request a link's URL, without its fragment. Return the result; never raises for what a server does.

    Args:
        wants_names: Read the names that fragments can refer to.
        wants_links: Read these names, and the document's links.
    """
    import aiohttp

    try:
        found = await fetcher.fetch(url, _DOCUMENT if wants_names or wants_links else _HEAD, SECONDS)
    except RefusedUrl as refused:
        redirected = refused.url if refused.url != url else ""
        return LinkAnswer(problem=refused.refusal.why, redirected=redirected, is_refused=True)
    except NotFollowed as error:
        return LinkAnswer(problem=str(error), redirected=error.url)
    except TimeoutError:
        return LinkAnswer(problem=f"no answer within {format_seconds(SECONDS)}")
    except (aiohttp.ClientError, OSError, ValueError) as error:
        cause = find_cause(error)
        return LinkAnswer(problem=describe_error(cause), is_refused=isinstance(cause, REFUSED))
    answer = LinkAnswer(found.status, redirected=found.url if found.url != url else "")
    if found.is_cut:
        return answer
    source = found.body.decode("utf-8", "replace")
    return await asyncio.to_thread(_add_document_facts, answer, source, found.url, wants_links)


def _add_document_facts(answer: LinkAnswer, source: str, url: str, wants_links: bool) -> LinkAnswer:
    """Add to an answer the names that fragments can refer to, and the links if they are wanted.

    `source`: HTML of the document; `url`: where it is from.
    """
    links = tuple(main_content.find_links(markup_tree.parse(source), url)) if wants_links else None
    return replace(answer, names=find_fragment_names(source), links=links)


def find_fragment_names(text: str) -> frozenset[str]:
    """Return all `id` and `name` values in the source of an HTML document: fragments can refer to them."""
    return frozenset(markup_tree.unescape("".join(found.groups(""))) for found in _NAMES.finditer(text))
