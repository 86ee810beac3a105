"""Checks where the links of a frame lead, with the browser's cookies and headers. Who is asked how is in `link_requests.py`."""

import asyncio
import base64
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.output import page_scripts
from gstack_browse.browser.output.link_requests import MOST_BYTES, LinkAsker, named_in
from gstack_browse.cookies.domains import is_same_site
from gstack_browse.cookies.sending import cookie_header
from gstack_browse.errors import ActionFailed
from gstack_browse.policy import files, metadata
from gstack_browse.policy.origins import origin_or_none
from gstack_browse.policy.refusal import Refusal
from gstack_browse.text.checked_links import (
    CheckedLink,
    LinkAnswer,
    check_fragment,
    fragment_name,
    is_sign_out_link,
    missing_fragment_message,
)

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

MOST_LINKS = 20_000
MOST_ASKED = 1_000
SECONDS = 60.0
"""For all of them, within the command's deadline."""
_HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_ENDING_SECONDS = 0.5
"""Kept back of the command's time to print what is known by then."""


@dataclass
class Checked:
    """The links that were checked, and how many were not, by why."""

    links: list[CheckedLink] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    unanswered: int = 0
    """Addresses for which the time was too short."""

    def leave_out(self, why: str, count: int = 1) -> None:
        """So many links are not checked."""
        self.left_out[why] = self.left_out.get(why, 0) + count


async def check(page: "PageSession", *, all_sites: bool) -> Checked:
    """Where the links of the frame that commands act in lead; of the page's own site, or of all. Raises ActionFailed offline."""
    if page.session.emulation.offline:
        raise ActionFailed("The browser is offline, and so are its links", "Run 'emulate --offline off'")
    try:
        await page.tab.refs.take()
        context = await page.world.frames.context_of(page.frame)
        told = await page_scripts.run(context, "links-to-check", {"most": MOST_LINKS})
        checked, wanted = _sorted_out(told, page.frame.url, all_sites=all_sites)
        answers = await _answers(page, told, list(wanted))
        ids = [nodes[0] for nodes in wanted.values()]
        named = await page.tab.refs.named_in(context, ids)
    except PlaywrightError as error:
        raise failures.translate(error) from None
    for (url, nodes), (ref, name) in zip(wanted.items(), named, strict=True):
        if (answer := answers.get(url)) is None:
            checked.unanswered += 1
        else:
            checked.links.append(CheckedLink(ref, name, url, len(nodes), answer))
    return checked


def _sorted_out(
    told: Mapping[str, Any], page_url: str, *, all_sites: bool
) -> tuple[Checked, dict[str, list[int]]]:
    """The nodes of the links that are to be checked by their addresses; the others are counted."""
    checked, wanted = Checked(), dict[str, list[int]]()
    for node, url, is_there in told["links"]:
        if why := _left_out(url, page_url, is_there, all_sites=all_sites):
            checked.leave_out(why)
        elif url in wanted or len(wanted) < MOST_ASKED:
            wanted.setdefault(url, []).append(node)
        else:
            checked.leave_out(f"more than {MOST_ASKED:,} are not checked")
    if more := told["total"] - len(told["links"]):
        checked.leave_out(f"more than {MOST_ASKED:,} are not checked", more)
    return checked, wanted


def _left_out(url: str, page_url: str, is_there: bool | None, *, all_sites: bool) -> str:
    """Why a link is not checked; "" if it is."""
    if is_there is not None:
        return ""  # it is known already
    if not url.startswith(("http:", "https:", "file:")):
        return "of other kinds (mailto:, javascript: …)"
    if not (all_sites or is_same_site(url, page_url)):
        return "to other sites: --all-sites"
    return "that may sign out" if is_sign_out_link(url) else ""


async def _answers(page: "PageSession", told: Mapping[str, Any], urls: list[str]) -> dict[str, LinkAnswer]:
    """What each address answers; those that did not in time are missing."""
    answers: dict[str, LinkAnswer] = {}
    for _, url, is_there in told["links"]:
        if is_there is not None:
            name = fragment_name(url)
            answers[url] = LinkAnswer(200, "" if is_there else missing_fragment_message(name))
    workspace = page.session.running.params.workspace
    for url in urls:
        if url.startswith("file:") and url not in answers:
            answers[url] = await asyncio.to_thread(_file, url, workspace)
    asked: dict[str, list[str]] = {}
    for url in urls:
        if url not in answers:
            asked.setdefault(url.partition("#")[0], []).append(url)
    if asked:
        asker = LinkAsker(
            await _headers(page, told),
            _rules(page),
            page.session.shaping.of_ours,
            page.session.running.params.settings,
            page.session.running.relays,
        )
        await _ask_all(
            asker, asked, answers, seconds=min(page.patience(SECONDS), page.remaining() - _ENDING_SECONDS)
        )
    return answers


async def _ask_all(
    asker: LinkAsker, asked: Mapping[str, list[str]], answers: dict[str, LinkAnswer], *, seconds: float
) -> None:
    """Fill in the answers; after that time the rest is left out."""

    async def one(address: str, urls: list[str]) -> None:
        answer = await asker.ask(address, wants_names=any(map(fragment_name, urls)))
        answers.update({url: check_fragment(answer, url) for url in urls})

    async with asker.open():
        tasks = [asyncio.ensure_future(one(address, urls)) for address, urls in asked.items()]
        try:
            await asyncio.wait(tasks, timeout=max(seconds, 0.1))
        finally:
            late = [task for task in tasks if task.cancel()]
            await asyncio.gather(*late, return_exceptions=True)
        await asyncio.gather(
            *(task for task in tasks if task not in late)
        )  # our own faults are not for the links


async def _headers(page: "PageSession", told: Mapping[str, Any]) -> Callable[[str], dict[str, str]]:
    """What makes the headers of a request: those of the browser, its cookies, and what commands have added."""
    cookies = await page.session.current.jar.cookies()
    extras, page_url, now = page.session.extras, page.frame.url, time.time()
    languages = ", ".join(str(told["languages"]).split(",")[:10])

    def headers(url: str) -> dict[str, str]:
        made = {"User-Agent": str(told["agent"]), "Accept-Language": languages}
        if sent := cookie_header(cookies, url, is_same_site=is_same_site(url, page_url), now=now):
            made["Cookie"] = sent
        if credentials := extras.credentials_of(origin_or_none(url)):
            made["Authorization"] = f"Basic {base64.b64encode(':'.join(credentials).encode()).decode()}"
        ours = dict(extras.headers_of(origin_or_none(url)))
        taken = {name.lower() for name in ours}
        return {name: value for name, value in made.items() if name.lower() not in taken and value} | ours

    return headers


def _rules(page: "PageSession") -> Callable[[str], Refusal | None]:
    """Why an address may not be asked for, by what the user allows pages."""
    settings = page.session.running.params.settings

    def refusal(url: str) -> Refusal | None:
        found = None if settings.allows_metadata else metadata.refuse_host(url)
        if found or not settings.hosts:
            return found
        return settings.hosts.refuse_page(url) or settings.hosts.refuse_resource(url)

    return refusal


def _file(url: str, workspace: Path | None) -> LinkAnswer:
    """What became of a link to a file."""
    refusal = files.refuse_url(url, workspace, is_document=True) if workspace else None
    if refusal:
        return LinkAnswer(problem=refusal.why, is_refused=True)
    path = Path(unquote(urlsplit(url).path))
    if not path.exists():
        return LinkAnswer(problem="there is no such file")
    return check_fragment(LinkAnswer(200, names=_names_in(path) if fragment_name(url) else None), url)


def _names_in(path: Path) -> frozenset[str] | None:
    """What fragments can name in a file; None where that is no HTML, or too long to look through."""
    try:
        if path.suffix.lower() in _HTML_SUFFIXES and path.is_file() and path.stat().st_size <= MOST_BYTES:
            return named_in(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None  # it can be seen, and not be read
    return None
