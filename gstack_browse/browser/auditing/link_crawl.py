"""Check the links of a site: of the open page, and of pages of its origin, which are fetched.

No tab is opened and no script runs, so links that scripts make are found on the open page alone. Servers are hostile: pages,
addresses, time and what is kept in memory are bounded.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.auditing import link_check
from gstack_browse.browser.auditing.link_check import LinkReport
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.fetching.link_requests import (
    CheckedLink,
    LinkAnswer,
    LinkFetcher,
    check_fragment,
    fragment_name,
    missing_fragment_message,
)
from gstack_browse.errors import ActionFailed
from gstack_browse.security.policy.hosts import origin_or_empty
from gstack_browse.text.columns import format_count

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

MOST_ASKED = 5_000
"""Limit of addresses with and without fragments."""
MOST_LINKS_OF_PAGE = 5_000
_URL_CHARACTERS = 8_000
_NAME_CHARACTERS = 60
_DOCUMENT_CHARACTERS = 50_000_000
"""Limit of the links and names in all documents together; later documents count as without any."""
_MOST_SKIPPED = 20_000
"""Limit of the addresses that are counted as not checked, for each reason."""


@dataclass
class _Link:
    """An address to check.

    name: the text of the first link to it
    page: the page with that link
    """

    name: str
    page: str
    node: int = 0
    """Of the open page; 0 for a link of a page that was read."""
    links: int = 0
    pages: int = 0
    last_page: str = ""


async def check_site(
    page: "PageSession", target: str | None, most_pages: int, *, all_sites: bool
) -> LinkReport:
    """Check the links of a site from the open page on.

    Args:
        target: The element of the open page whose links are followed.
        most_pages: Limit of pages, the open one included.

    Raises ActionFailed offline, and for a page that is not of a server.
    """
    if not page.frame.url.startswith(("http:", "https:")):
        raise ActionFailed("A crawl begins at a page of a server", "The links of this page: links --check")
    try:
        context, listing = await link_check.list_page_links(page, target)
        crawl = _Crawl(page.frame.url, most_pages, all_sites=all_sites)
        crawl.add_open_page(listing)
        page.tab.stage = crawl.describe
        fetcher = await link_check.make_fetcher(page, listing)
        async with fetcher.open():
            try:
                async with asyncio.timeout(link_check.seconds_for_all(page)):
                    await crawl.run(fetcher)
            except TimeoutError:
                pass  # the report counts what has no answer
        nodes = [link.node for link in crawl.links.values() if link.node]
        named = dict(zip(nodes, await page.tab.refs.named_in(context, nodes), strict=True))
    except ProtocolError as error:
        raise failures.translate(error) from None
    finally:
        page.tab.stage = None
    return crawl.report(named)


class _Crawl:
    """The links of a site with their answers.

    Pages are read level by level, so the same site gives the same report each time.
    """

    def __init__(self, url: str, most_pages: int, *, all_sites: bool) -> None:
        self._url = url
        self._address = url.partition("#")[0]
        self._origin = origin_or_empty(url)
        self._most_pages = most_pages
        self._all_sites = all_sites
        self._skipped: dict[str, set[str]] = {}
        self._answers: dict[str, LinkAnswer] = {}
        """By address without its fragment."""
        self._characters_left = _DOCUMENT_CHARACTERS
        self._read = {self._address}
        """Addresses of the pages whose links are known."""
        self._has_more_pages = False
        """Whether a page was left unread because of `most_pages`."""
        self._own_fragments: dict[str, LinkAnswer] = {}
        """Links of the open page to its own fragments, which are checked in its tab."""
        self.links: dict[str, _Link] = {}

    def describe(self) -> str:
        """Describe how far the crawl is, for a person who waits."""
        asked = f"{len(self._answers):,} of {format_count(len(self._addresses()), 'address', 'addresses')}"
        return f"{format_count(len(self._read), 'page')} read, {asked} asked"

    def add_open_page(self, listing: Mapping[str, Any]) -> None:
        """Take the links of the page in the tab."""
        for node, url, is_there in listing["links"]:
            if is_there is not None:
                problem = "" if is_there else missing_fragment_message(fragment_name(url))
                self._own_fragments[url] = LinkAnswer(200, problem)
            self._add(url, "", self._address, node)

    async def run(self, fetcher: LinkFetcher) -> None:
        """Ask for all addresses, and for those in the documents that come, until no new one is found."""
        while waiting := [address for address in self._addresses() if address not in self._answers]:
            fragments = {url.partition("#")[0] for url in self.links if fragment_name(url)}

            async def fetch(address: str, fragments: set[str] = fragments) -> None:
                answer = await fetcher.fetch(
                    address,
                    wants_names=address in fragments,
                    wants_links=self._is_unread_page(address) and not self._has_more_pages,
                )
                self._answers[address] = self._drop_excess(answer)

            async with asyncio.TaskGroup() as group:
                for address in waiting:
                    group.create_task(fetch(address))
            for address in waiting:
                self._add_links_of(address)

    def _addresses(self) -> list[str]:
        """Return the addresses to ask for, in the order in which they were found."""
        found = (url.partition("#")[0] for url in self.links if url not in self._own_fragments)
        return list(dict.fromkeys(found))

    def _is_unread_page(self, address: str) -> bool:
        """Return whether an address is of the origin, and its links are not known yet."""
        return origin_or_empty(address) == self._origin and address not in self._read

    def _drop_excess(self, answer: LinkAnswer) -> LinkAnswer:
        """Drop the links and fragment names of a document above the limits."""
        links = None if answer.links is None else answer.links[:MOST_LINKS_OF_PAGE]
        size = sum(map(len, answer.names or ())) + sum(len(name) + len(url) for name, url in links or ())
        if size > self._characters_left:
            return replace(answer, names=None, links=None)
        self._characters_left -= size
        return replace(answer, links=links)

    def _add_links_of(self, address: str) -> None:
        """Add the links of a fetched document."""
        answer = self._answers[address]
        at = answer.redirected.partition("#")[0] or address
        if answer.links is not None and self._is_unread_page(at):
            if len(self._read) < self._most_pages:
                self._read.add(at)
                for name, url in answer.links:
                    self._add(url, name, at)
            else:
                self._has_more_pages = True
        self._answers[address] = replace(answer, links=None)

    def _add(self, url: str, name: str, page: str, node: int = 0) -> None:
        """Count a link, if it is to be checked."""
        url = url[:_URL_CHARACTERS]
        why = "" if url in self._own_fragments else self._skip_reason(url)
        if why:
            skipped = self._skipped.setdefault(why, set())
            if len(skipped) < _MOST_SKIPPED:
                skipped.add(url)
            return
        link = self.links.setdefault(url, _Link(name[:_NAME_CHARACTERS], page, node))
        link.links += 1
        link.pages += link.last_page != page
        link.last_page = page

    def _skip_reason(self, url: str) -> str:
        """Return why a link is not checked, for the note under the reply; "" if it is checked."""
        if why := link_check.skip_reason(url, self._url, all_sites=self._all_sites):
            return why
        if url.startswith("file:"):
            return "to files"
        is_over = url not in self.links and len(self.links) >= MOST_ASKED
        return f"more than {MOST_ASKED:,} are not checked" if is_over else ""

    def report(self, named: Mapping[int, tuple[str, str]]) -> LinkReport:
        """Return the checked links. `named`: ref and name of the links of the open page, by node."""
        report = LinkReport(pages=len(self._read), has_more_pages=self._has_more_pages)
        report.skipped = {why: len(urls) for why, urls in self._skipped.items()}
        for url, link in self.links.items():
            answer = self._own_fragments.get(url) or self._answers.get(url.partition("#")[0])
            if answer is None:
                report.unanswered += 1
                continue
            ref, name = named.get(link.node, ("", link.name))
            checked = check_fragment(answer, url)
            report.links.append(CheckedLink(ref, name, url, link.links, checked, link.page, link.pages))
        return report
