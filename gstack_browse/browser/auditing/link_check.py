"""Check the links of a frame, with the browser's cookies and headers; `link_requests.py` fetches."""

import asyncio
import base64
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from gstack_browse.browser.actions.locate.find import locate_first
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine import failures
from gstack_browse.browser.fetching.link_requests import (
    MOST_BYTES,
    CheckedLink,
    LinkAnswer,
    LinkFetcher,
    check_fragment,
    find_fragment_names,
    fragment_name,
    is_sign_out_link,
    missing_fragment_message,
)
from gstack_browse.browser.reading import page_scripts
from gstack_browse.cookies.domains import is_same_site
from gstack_browse.cookies.records import cookie_header
from gstack_browse.errors import ActionFailed
from gstack_browse.security.policy import files, metadata
from gstack_browse.security.policy.hosts import Refusal, origin_or_empty

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

MOST_LINKS = 20_000
MOST_ASKED = 1_000
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
        """Count links that are not checked."""
        self.skipped[why] = self.skipped.get(why, 0) + count


async def check(page: "PageSession", target: str | None, *, all_sites: bool) -> LinkReport:
    """Check the links of the selected frame or of an element: of the page's site, or all.

    Raises ActionFailed offline.
    """
    try:
        context, listing = await list_page_links(page, target)
        report, nodes_by_url = _select_links(listing, page.frame.url, all_sites=all_sites)
        answers = await _fetch_answers(page, listing, list(nodes_by_url))
        ids = [nodes[0] for nodes in nodes_by_url.values()]
        named = await page.tab.refs.named_in(context, ids)
    except ProtocolError as error:
        raise failures.translate(error) from None
    for (url, nodes), (ref, name) in zip(nodes_by_url.items(), named, strict=True):
        if (answer := answers.get(url)) is None:
            report.unanswered += 1
        else:
            report.links.append(CheckedLink(ref, name, url, len(nodes), answer))
    return report


async def list_page_links(
    page: "PageSession", target: str | None
) -> tuple[ExecutionContext, Mapping[str, Any]]:
    """List the links of the selected frame, or of an element, as `linksToCheck` does.

    Return the execution context of the document, and the listing.

    Raises ActionFailed offline, and ProtocolError.
    """
    if page.session.appearance.emulation.offline:
        raise ActionFailed("The browser is offline, and so are its links", "Run 'emulate --offline off'")
    element = await locate_first(page, target) if target else None
    frame, within = (element.frame, element.node) if element else (page.frame, 0)
    await page.tab.refs.take_snapshot()
    context = await page.world.frames.context_of(frame)
    return context, await page_scripts.run(context, "linksToCheck", {"most": MOST_LINKS, "within": within})


def _select_links(
    listing: Mapping[str, Any], page_url: str, *, all_sites: bool
) -> tuple[LinkReport, dict[str, list[int]]]:
    """Return an empty report with the skipped links counted, and address → nodes of links to check."""
    report, nodes_by_url = LinkReport(), dict[str, list[int]]()
    for node, url, is_there in listing["links"]:
        is_own_fragment = is_there is not None  # already checked, in its document
        if why := "" if is_own_fragment else skip_reason(url, page_url, all_sites=all_sites):
            report.count_skipped(why)
        elif url in nodes_by_url or len(nodes_by_url) < MOST_ASKED:
            nodes_by_url.setdefault(url, []).append(node)
        else:
            report.count_skipped(f"more than {MOST_ASKED:,} are not checked")
    if more := listing["total"] - len(listing["links"]):
        report.count_skipped(f"more than {MOST_ASKED:,} are not checked", more)
    return report, nodes_by_url


def skip_reason(url: str, page_url: str, *, all_sites: bool) -> str:
    """Return why a link is not checked; "" if it is."""
    if not url.startswith(("http:", "https:", "file:")):
        return "of other kinds (mailto:, javascript: …)"
    if not (all_sites or is_same_site(url, page_url)):
        return "to other sites: --all-sites"
    return "that may sign out" if is_sign_out_link(url) else ""


async def _fetch_answers(
    page: "PageSession", listing: Mapping[str, Any], urls: list[str]
) -> dict[str, LinkAnswer]:
    """Return address → answer; without those that took too long."""
    answers: dict[str, LinkAnswer] = {}
    for _, url, is_there in listing["links"]:
        if is_there is not None:
            name = fragment_name(url)
            answers[url] = LinkAnswer(200, "" if is_there else missing_fragment_message(name))
    workspace = page.session.running.params.workspace
    for url in urls:
        if url.startswith("file:") and url not in answers:
            answers[url] = await asyncio.to_thread(_check_file, url, workspace)
    urls_by_address: dict[str, list[str]] = {}
    for url in urls:
        if url not in answers:
            urls_by_address.setdefault(url.partition("#")[0], []).append(url)
    if urls_by_address:
        fetcher = await make_fetcher(page, listing)
        await _fetch_all(fetcher, urls_by_address, answers, seconds=seconds_for_all(page))
    return answers


def seconds_for_all(page: "PageSession") -> float:
    """Return the limit for all requests, which leaves time to print what is known by then."""
    return max(min(page.wait_seconds(SECONDS), page.remaining() - _ENDING_SECONDS), 0.1)


async def make_fetcher(page: "PageSession", listing: Mapping[str, Any]) -> LinkFetcher:
    """Return a fetcher with the browser's cookies, headers and routes, under the rules for pages."""
    return LinkFetcher(
        await _header_builder(page, listing),
        _url_policy(page),
        page.session.shaping.shape_own_request,
        page.session.running.params.settings,
        page.session.running.relays,
    )


async def _fetch_all(
    fetcher: LinkFetcher,
    urls_by_address: Mapping[str, list[str]],
    answers: dict[str, LinkAnswer],
    *,
    seconds: float,
) -> None:
    """Fill in the answers; stop after `seconds`."""

    async def one(address: str, urls: list[str]) -> None:
        answer = await fetcher.fetch(address, wants_names=any(map(fragment_name, urls)))
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


async def _header_builder(page: "PageSession", listing: Mapping[str, Any]) -> Callable[[str], dict[str, str]]:
    """Return a function that builds a request's headers: the browser's, its cookies, and added ones."""
    cookies = await page.session.current.jar.cookies()
    extras, page_url, now = page.session.extras, page.frame.url, time.time()
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


def _url_policy(page: "PageSession") -> Callable[[str], Refusal | None]:
    """Return a function that returns why the user's rules refuse an address, or None."""
    settings = page.session.running.params.settings

    def refusal(url: str) -> Refusal | None:
        found = None if settings.allows_metadata else metadata.refuse_host(url)
        if found or not settings.hosts:
            return found
        return settings.hosts.refuse_page(url) or settings.hosts.refuse_resource(url)

    return refusal


def _check_file(url: str, workspace: Path | None) -> LinkAnswer:
    """Check a link to a file."""
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
    """Return the names for fragments in a file; None if it is not HTML, or too long."""
    try:
        if path.suffix.lower() in _HTML_SUFFIXES and path.is_file() and path.stat().st_size <= MOST_BYTES:
            return find_fragment_names(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None  # the file exists, but cannot be read
    return None
