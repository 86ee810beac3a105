"""What became of checked links, as lines; which of them are better left alone. Pure."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from gstack_browse.text.columns import counted
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

_SIGNS_OUT = r"(?i)(?:log|sign)[-_]?(?:out|off)"
"""In the path or the query of what ends a login, on too many sites by a GET."""
_URL_CHARACTERS = 300


@dataclass(frozen=True)
class LinkAnswer:
    """What asking for an address has told."""

    status: int = 0
    """Of the last answer; 0 where none came."""
    problem: str = ""
    """Why none came, or what is wrong with it."""
    redirected: str = ""
    """Where it has led, where that is elsewhere."""
    is_refused: bool = False
    """One of our own rules forbids the address, or one that it leads to."""
    names: frozenset[str] | None = None
    """What fragments can name in the document; None where that is not known."""

    @property
    def is_broken(self) -> bool:
        return not self.is_refused and (bool(self.problem) or not 200 <= self.status < 400)


class CheckedLink(NamedTuple):
    """An address that links of a page lead to, the first of them, and how many they are."""

    ref: str
    name: str
    url: str
    links: int
    answer: LinkAnswer

    @property
    def line(self) -> str:
        """`404 @e3 "Docs" → https://…/docs (2 links)`, with what is to be said of it."""
        answer = self.answer
        state = "refused" if answer.is_refused else str(answer.status) if answer.status else "failed"
        name = json.dumps(one_line(self.name, 60), ensure_ascii=False) if self.name else "(no text)"
        many = f" ({counted(self.links, 'link')})" if self.links > 1 else ""
        moved = f" → {_shown(answer.redirected)}" if answer.redirected else ""
        problem = f": {answer.problem}" if answer.problem else ""
        return f"{state} {self.ref} {name} → {_shown(self.url)}{many}{moved}{problem}"


def _shown(url: str) -> str:
    return one_line(redact(url), _URL_CHARACTERS)


def with_fragment(answer: LinkAnswer, url: str) -> LinkAnswer:
    """The answer for a link to a place in the document that was asked for."""
    name = fragment_name(url)
    if not name or answer.names is None or name in answer.names or answer.is_broken:
        return answer
    return LinkAnswer(answer.status, nothing_called(name), answer.redirected)


def nothing_called(name: str) -> str:
    """What is wrong with a link to a place that a document has not."""
    return f"nothing there is called #{one_line(name, 60)}"


def fragment_name(url: str) -> str:
    """What a link's fragment names; "" for the top, for nothing, and for a path within an application (`#/list`)."""
    name = unquote(url.partition("#")[2].partition(":~:")[0])
    return "" if name.lower() in ("", "top") or name.startswith(("/", "!")) else name


def signs_out(url: str) -> bool:
    """Whether asking for the address may end a login."""
    return re.search(_SIGNS_OUT, url.partition("://")[2].partition("/")[2].partition("#")[0]) is not None


def lines(links: Sequence[CheckedLink]) -> list[str]:
    """A line for each address: the broken ones first, then those that lead elsewhere."""
    return [link.line for link in sorted(links, key=_order)]


def _order(link: CheckedLink) -> int:
    answer = link.answer
    return 0 if answer.is_broken else 1 if answer.is_refused else 2 if answer.redirected else 3


def summary(links: Sequence[CheckedLink]) -> str:
    """`2 of 31 addresses are broken`, or that all are fine."""
    broken = sum(link.answer.is_broken for link in links)
    if broken:
        return f"{broken:,} of {counted(len(links), 'link')} {'is' if broken == 1 else 'are'} broken"
    redirected = sum(bool(link.answer.redirected) for link in links)
    return f"{counted(len(links), 'link')} checked, none is broken" + (
        f", {redirected:,} redirected" if redirected else ""
    )
