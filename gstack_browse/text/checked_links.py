"""Results of checking links, as lines; and which links should not be requested. Pure."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from gstack_browse.text.columns import format_count
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

_SIGN_OUT_PATH = r"(?i)(?:log|sign)[-_]?(?:out|off)"
"""In paths or queries that end a login, on too many sites by a GET."""
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

    @property
    def is_broken(self) -> bool:
        return not self.is_refused and (bool(self.problem) or not 200 <= self.status < 400)


class CheckedLink(NamedTuple):
    """An address that `links` links of a page lead to; ref and name are of the first one."""

    ref: str
    name: str
    url: str
    links: int
    answer: LinkAnswer

    @property
    def line(self) -> str:
        """The result as a line: `404 @e3 "Docs" → https://…/docs (2 links)`."""
        answer = self.answer
        state = "refused" if answer.is_refused else str(answer.status) if answer.status else "failed"
        name = json.dumps(one_line(self.name, 60), ensure_ascii=False) if self.name else "(no text)"
        many = f" ({format_count(self.links, 'link')})" if self.links > 1 else ""
        moved = f" → {_shorten_url(answer.redirected)}" if answer.redirected else ""
        problem = f": {answer.problem}" if answer.problem else ""
        return f"{state} {self.ref} {name} → {_shorten_url(self.url)}{many}{moved}{problem}"


def _shorten_url(url: str) -> str:
    return one_line(redact(url), _URL_CHARACTERS)


def check_fragment(answer: LinkAnswer, url: str) -> LinkAnswer:
    """Return the result for a URL with a fragment: broken if the document lacks the name."""
    name = fragment_name(url)
    if not name or answer.names is None or name in answer.names or answer.is_broken:
        return answer
    return LinkAnswer(answer.status, missing_fragment_message(name), answer.redirected)


def missing_fragment_message(name: str) -> str:
    """Describe a link to a fragment that the document lacks."""
    return f"nothing there is called #{one_line(name, 60)}"


def fragment_name(url: str) -> str:
    """Return the name in a URL's fragment; "" for the top, or a route of an application (`#/list`)."""
    name = unquote(url.partition("#")[2].partition(":~:")[0])
    return "" if name.lower() in ("", "top") or name.startswith(("/", "!")) else name


def is_sign_out_link(url: str) -> bool:
    """Return whether requesting the address may end a login."""
    return re.search(_SIGN_OUT_PATH, url.partition("://")[2].partition("/")[2].partition("#")[0]) is not None


def render_links(links: Sequence[CheckedLink]) -> list[str]:
    """Render a line for each address: broken ones first, then refused, then redirected ones."""
    return [link.line for link in sorted(links, key=_sort_key)]


def _sort_key(link: CheckedLink) -> int:
    answer = link.answer
    return 0 if answer.is_broken else 1 if answer.is_refused else 2 if answer.redirected else 3


def render_summary(links: Sequence[CheckedLink]) -> str:
    """Summarise: `2 of 31 links are broken`, or that all are fine."""
    broken = sum(link.answer.is_broken for link in links)
    if broken:
        return f"{broken:,} of {format_count(len(links), 'link')} {'is' if broken == 1 else 'are'} broken"
    redirected = sum(bool(link.answer.redirected) for link in links)
    return f"{format_count(len(links), 'link')} checked, none is broken" + (
        f", {redirected:,} redirected" if redirected else ""
    )
