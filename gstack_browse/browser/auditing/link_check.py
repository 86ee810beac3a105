"""Check the links of a page or a site, with the browser's cookies; `link_requests` fetches.

Of a site, the open page and pages of its origin are read, which are fetched. No tab is opened and no script runs, so links
that scripts make are found on the open page alone. Servers are hostile: pages, addresses, time and what is kept in memory
are bounded.
"""

import asyncio
import base64
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from gstack_browse.browser.actions.locate.find import locate_first
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.reading import page_scripts
from gstack_browse.browser.reading.link_requests import (
    MOST_BYTES,
    CheckedLink,
    LinkAnswer,
    check_fragment,
    fetch_link,
    find_fragment_names,
    fragment_name,
    is_sign_out_link,
    missing_fragment_message,
)
from gstack_browse.browser.reading.web_requests import WebFetcher
from gstack_browse.cookies.records import cookie_header, is_same_site
from gstack_browse.errors import ActionFailed
from gstack_browse.security.policy import files, metadata
from gstack_browse.security.policy.hosts import Refusal, origin_or_empty
from gstack_browse.text.units import format_count

MOST_LINKS = 20_000
MOST_ASKED_OF_PAGE = 1_000
SECONDS = 60.0
"""Limit for all links, within the command's deadline."""
_HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_ENDING_SECONDS = 0.5
"""Reserved of the command's time, to print what is known by then."""


@dataclass
class LinkReport:
    """The checked links, and counts of the others by reason."""

    links: list[CheckedLink] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    unanswered: int = 0
    """Number of addresses for which the time was too short."""
    pages: int = 0
    """Number of pages whose links a crawl has read; 0 without a crawl."""
    has_more_pages: bool = False
    """Whether a crawl left pages unread at its limit."""

    def count_skipped(self, why: str, count: int = 1) -> None:
        """Count links that are not checked, by reason: `why` is shown in the note under the reply."""
        self.skipped[why] = self.skipped.get(why, 0) + count


async def check(page: PageCommand, target: str | None, *, all_sites: bool) -> LinkReport:
    """Check the links of the current frame, or of the element `target`: those to the page's site, or all.

    Raises ActionFailed if the browser is offline.
    """
    context, listing = await list_page_links(page, target)
    report, nodes_by_url = _select_links(listing, page.frame.url, all_sites=all_sites)
    answers = await _fetch_answers(page, listing, list(nodes_by_url))
    ids = [nodes[0] for nodes in nodes_by_url.values()]
    named = await page.tab.refs.refs_and_names(context, ids)
    for (url, nodes), (ref, name) in zip(nodes_by_url.items(), named, strict=True):
        if (answer := answers.get(url)) is None:
            report.unanswered += 1
        else:
            report.links.append(CheckedLink(ref, name, url, len(nodes), answer))
    return report


async def list_page_links(page: PageCommand, target: str | None) -> tuple[ExecutionContext, Mapping[str, Any]]:
    """List the links of the current frame, or of element `target`: result of `listLinksToCheck`.

    Return the execution context of the document, and the function's result.

    Raises ActionFailed if the browser is offline, and ProtocolError.
    """
    if page.context.appearance.emulation.offline:
        raise ActionFailed("The browser is offline, and so are its links", "Run 'emulate --offline off'")
    element = await locate_first(page, target) if target else None
    frame, within = (element.frame, element.node) if element else (page.frame, 0)
    await page.tab.refs.take_snapshot()
    context = await page.world.frames.context_of(frame)
    return context, await page_scripts.call_script(
        context, "listLinksToCheck", {"most": MOST_LINKS, "within": within}
    )


def _select_links(
    listing: Mapping[str, Any], page_url: str, *, all_sites: bool
) -> tuple[LinkReport, dict[str, list[int]]]:
    """Group the links to check by URL. Return a report that counts the skipped links, and {URL: node ids}.

    `listing`: result of `listLinksToCheck`. `all_sites`: also check links to other sites than that of `page_url`.
    """
    report, nodes_by_url = LinkReport(), dict[str, list[int]]()
    for node, url, is_there in listing["links"]:
        is_own_fragment = is_there is not None  # already checked, in its document
        if why := "" if is_own_fragment else skip_reason(url, page_url, all_sites=all_sites):
            report.count_skipped(why)
        elif url in nodes_by_url or len(nodes_by_url) < MOST_ASKED_OF_PAGE:
            nodes_by_url.setdefault(url, []).append(node)
        else:
            report.count_skipped(f"more than {MOST_ASKED_OF_PAGE:,} are not checked")
    if more := listing["total"] - len(listing["links"]):
        report.count_skipped(f"more than {MOST_ASKED_OF_PAGE:,} are not checked", more)
    return report, nodes_by_url


def skip_reason(url: str, page_url: str, *, all_sites: bool) -> str:
    """Return why the link `url` of a page is not checked, such as another site or `mailto:`; "" if it is."""
    if not url.startswith(("http:", "https:", "file:")):
        return "of other kinds (mailto:, javascript: …)"
    if not (all_sites or is_same_site(url, page_url)):
        return "to other sites: --all-sites"
    return "that may sign out" if is_sign_out_link(url) else ""


async def _fetch_answers(
    page: PageCommand, listing: Mapping[str, Any], urls: list[str]
) -> dict[str, LinkAnswer]:
    """Request the URLs. Return URL → answer, without the URLs that were not answered in time.

    `listing`: result of `listLinksToCheck`, which has checked the links to fragments of the page itself.
    """
    answers: dict[str, LinkAnswer] = {}
    for _, url, is_there in listing["links"]:
        if is_there is not None:
            name = fragment_name(url)
            answers[url] = LinkAnswer(200, "" if is_there else missing_fragment_message(name))
    workspace = page.context.running.params.workspace
    for url in urls:
        if url.startswith("file:") and url not in answers:
            answers[url] = await asyncio.to_thread(_check_file, url, workspace)
    urls_by_address: dict[str, list[str]] = {}
    for url in urls:
        if url not in answers:
            urls_by_address.setdefault(url.partition("#")[0], []).append(url)
    if urls_by_address:
        fetcher = await make_fetcher(page, listing)
        await _fetch_all(fetcher, urls_by_address, answers, seconds=link_check_seconds(page))
    return answers


def link_check_seconds(page: PageCommand) -> float:
    """Return the time limit for all requests in seconds; it leaves time to print the results got by then."""
    return max(min(page.wait_seconds(SECONDS), page.remaining() - _ENDING_SECONDS), 0.1)


async def make_fetcher(page: PageCommand, listing: Mapping[str, Any]) -> WebFetcher:
    """Return a fetcher that requests links like the page: with its cookies, headers, routes and policy.

    `listing`: result of `listLinksToCheck`, which has the page's user agent and languages.
    """
    return WebFetcher(
        await _header_builder(page, listing),
        _url_policy(page),
        page.context.shaping.shape_own_request,
        page.context.running.params.settings,
        page.context.running.relays,
    )


async def _fetch_all(
    fetcher: WebFetcher,
    urls_by_address: Mapping[str, list[str]],
    answers: dict[str, LinkAnswer],
    *,
    seconds: float,
) -> None:
    """Request each address, and put the answers for all its URLs into `answers`; stop after `seconds`.

    `urls_by_address`: URL without fragment → the URLs with one.
    """

    async def one(address: str, urls: list[str]) -> None:
        answer = await fetch_link(fetcher, address, wants_names=any(map(fragment_name, urls)))
        answers.update({url: check_fragment(answer, url) for url in urls})

    async with fetcher.open():
        tasks = [asyncio.ensure_future(one(address, urls)) for address, urls in urls_by_address.items()]
        try:
            await asyncio.wait(tasks, timeout=seconds)
        finally:
            late = [task for task in tasks if task.cancel()]
            await asyncio.gather(*late, return_exceptions=True)
        await asyncio.gather(
            *(task for task in tasks if task not in late)
        )  # raise our own exceptions, which are no answers


async def _header_builder(page: PageCommand, listing: Mapping[str, Any]) -> Callable[[str], dict[str, str]]:
    """Return a function: URL → request headers, with the browser's own, the cookies, and the user's ones.

    `listing`: result of `listLinksToCheck`, which has the page's user agent and languages.
    """
    cookies = await page.context.current.jar.cookies()
    extras, page_url, now = page.context.extras, page.frame.url, time.time()
    languages = ", ".join(str(listing["languages"]).split(",")[:10])

    def headers(url: str) -> dict[str, str]:
        made = {"User-Agent": str(listing["agent"]), "Accept-Language": languages}
        if sent := cookie_header(cookies, url, is_same_site=is_same_site(url, page_url), now=now):
            made["Cookie"] = sent
        if credentials := extras.credentials_of(origin_or_empty(url)):
            made["Authorization"] = f"Basic {base64.b64encode(':'.join(credentials).encode()).decode()}"
        added = dict(extras.headers_of(origin_or_empty(url)))
        added_names = {name.lower() for name in added}
        return {
            name: value for name, value in made.items() if name.lower() not in added_names and value
        } | added

    return headers


def _url_policy(page: PageCommand) -> Callable[[str], Refusal | None]:
    """Return a function that returns why the user's rules for hosts refuse a URL, or None."""
    settings = page.context.running.params.settings

    def refusal(url: str) -> Refusal | None:
        found = None if settings.allows_metadata else metadata.refuse_host(url)
        if found or not settings.hosts:
            return found
        return settings.hosts.refuse_page(url) or settings.hosts.refuse_resource(url)

    return refusal


def _check_file(url: str, workspace: Path | None) -> LinkAnswer:
    """Check a `file:` link and its fragment. Refuse files outside `workspace` (None: any is read)."""
    refusal = files.refuse_url(url, workspace, is_document=True) if workspace else None
    if refusal:
        return LinkAnswer(problem=refusal.why, is_refused=True)
    path = Path(unquote(urlsplit(url).path))
    if not path.exists():
        return LinkAnswer(problem="there is no such file")
    return check_fragment(
        LinkAnswer(200, names=_fragment_names_in_file(path) if fragment_name(url) else None), url
    )


def _fragment_names_in_file(path: Path) -> frozenset[str] | None:
    """Return the ids and names in an HTML file that a URL's fragment can mean.

    None if the file is not HTML, too large, or cannot be read.
    """
    try:
        if path.suffix.lower() in _HTML_SUFFIXES and path.is_file() and path.stat().st_size <= MOST_BYTES:
            return find_fragment_names(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None  # the file exists, but cannot be read
    return None


MOST_ASKED_OF_SITE = 5_000
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


async def check_site(page: PageCommand, target: str | None, most_pages: int, *, all_sites: bool) -> LinkReport:
    """Check the links of a site: those of the open page, and of the site's pages that these lead to.

    Args:
        target: The element of the open page whose links are followed; None for all.
        most_pages: Limit of pages whose links are read, the open one included.

    Raises ActionFailed if the browser is offline, or the open page has no `http:` or `https:` URL.
    """
    if not page.frame.url.startswith(("http:", "https:")):
        raise ActionFailed("A crawl begins at a page of a server", "The links of this page: links --check")
    try:
        context, listing = await list_page_links(page, target)
        crawl = _Crawl(page.frame.url, most_pages, all_sites=all_sites)
        crawl.add_open_page(listing)
        page.tab.stage = crawl.describe
        fetcher = await make_fetcher(page, listing)
        async with fetcher.open():
            try:
                async with asyncio.timeout(link_check_seconds(page)):
                    await crawl.run(fetcher)
            except TimeoutError:
                pass  # the report counts what has no answer
        nodes = [link.node for link in crawl.links.values() if link.node]
        named = dict(zip(nodes, await page.tab.refs.refs_and_names(context, nodes), strict=True))
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
        """Describe the progress of the crawl for a person who waits: `3 pages read, 20 of 50 addresses asked`."""
        checked = (
            f"{len(self._answers):,} of {format_count(len(self._list_addresses()), 'address', 'addresses')}"
        )
        return f"{format_count(len(self._read), 'page')} read, {checked} asked"

    def add_open_page(self, listing: Mapping[str, Any]) -> None:
        """Add the links of the page in the tab. `listing`: result of `listLinksToCheck`."""
        for node, url, is_there in listing["links"]:
            if is_there is not None:
                problem = "" if is_there else missing_fragment_message(fragment_name(url))
                self._own_fragments[url] = LinkAnswer(200, problem)
            self._add_link(url, "", self._address, node)

    async def run(self, fetcher: WebFetcher) -> None:
        """Request all addresses, then those that are linked in the fetched pages, until there is no new one."""
        while waiting := [address for address in self._list_addresses() if address not in self._answers]:
            fragments = {url.partition("#")[0] for url in self.links if fragment_name(url)}

            async def fetch(address: str, fragments: set[str] = fragments) -> None:
                answer = await fetch_link(
                    fetcher,
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

    def _list_addresses(self) -> list[str]:
        """Return the addresses (without fragments) to request, in the order in which they were found."""
        found = (url.partition("#")[0] for url in self.links if url not in self._own_fragments)
        return list(dict.fromkeys(found))

    def _is_unread_page(self, address: str) -> bool:
        """Return whether a URL is of the open page's origin, and its links are not collected yet."""
        return origin_or_empty(address) == self._origin and address not in self._read

    def _drop_excess(self, answer: LinkAnswer) -> LinkAnswer:
        """Return the answer with at most MOST_LINKS_OF_PAGE links.

        If all documents together exceed _DOCUMENT_CHARACTERS, it keeps neither links nor fragment names.
        """
        links = None if answer.links is None else answer.links[:MOST_LINKS_OF_PAGE]
        size = sum(map(len, answer.names or ())) + sum(len(name) + len(url) for name, url in links or ())
        if size > self._characters_left:
            return replace(answer, names=None, links=None)
        self._characters_left -= size
        return replace(answer, links=links)

    def _add_links_of(self, address: str) -> None:
        """Add the links of the document fetched from `address`, or note that the limit of pages is reached."""
        answer = self._answers[address]
        at = answer.redirected.partition("#")[0] or address
        if answer.links is not None and self._is_unread_page(at):
            if len(self._read) < self._most_pages:
                self._read.add(at)
                for name, url in answer.links:
                    self._add_link(url, name, at)
            else:
                self._has_more_pages = True
        self._answers[address] = replace(answer, links=None)

    def _add_link(self, url: str, name: str, page: str, node: int = 0) -> None:
        """Add a link to those to check, or to the skipped ones.

        Args:
            name: text of the link; cut to _NAME_CHARACTERS
            page: URL of the page that contains it
            node: node id of the link in the open page; 0 in other pages
        """
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
        """Return why a link is not checked, such as another site, a file, or the limit; "" if it is checked."""
        if why := skip_reason(url, self._url, all_sites=self._all_sites):
            return why
        if url.startswith("file:"):
            return "to files"
        is_over = url not in self.links and len(self.links) >= MOST_ASKED_OF_SITE
        return f"more than {MOST_ASKED_OF_SITE:,} are not checked" if is_over else ""

    def report(self, named: Mapping[int, tuple[str, str]]) -> LinkReport:
        """Return the result of the crawl. `named`: node id → (ref, name) of the links in the open page."""
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
