"""Passages of a skill whose words depend on the host: marked in the packaged file, filled in for one host. Pure.

`docgen` marks them, so that installing needs neither the templates nor the registry:

    Ask with <!--host:ask-->a message …<!--/host-->   →   Ask with the AskUserQuestion tool
"""

import re
from collections.abc import Callable

from gstack_browse import __version__
from gstack_browse.skills import frontmatter
from gstack_browse.skills.hosts import GENERIC, Host

HEADER = "<!-- Made from {template} by `python -m gstack_browse.docgen --write`; changes belong there. -->"
"""What a packaged file says of itself, after its front matter."""
INSTALLED = "<!-- From gbrowse {version}: `gbrowse skills-install` brings this file up to date, unless you change it. -->"
"""What an installed file says in its place."""

_HEADER = re.compile(r"^<!-- Made from \S+ by .* -->$", re.M)
_PASSAGE = re.compile(r"<!--host:([a-z-]+)(?:,([a-z-]+))?-->(.*?)<!--/host-->", re.S)


def marked(word: str, value: str = "") -> str:
    """The passage as the packaged file has it, with the words for any host. Raises KeyError for an unknown word."""
    return f"<!--host:{word}{',' + value if value else ''}-->{GENERIC.word(word, value)}<!--/host-->"


def filled_in(text: str, host: Host) -> str:
    """The text with the host's words, and no marks."""
    return _PASSAGE.sub(_filler(host), text)


def for_host(text: str, host: Host) -> str:
    """The file as it is installed for the host: its words, its front matter, no marks."""
    filled = _HEADER.sub(INSTALLED.format(version=__version__), filled_in(text, host), count=1)
    if not filled.startswith(frontmatter.FENCE):
        return filled
    fields, rest = frontmatter.split(filled)
    return f"{frontmatter.written(_fields(fields, host))}\n{rest}"


def body(text: str) -> str:
    """What a packaged file says to its reader: neither front matter nor header."""
    inside = frontmatter.split(text)[1] if text.startswith(frontmatter.FENCE) else text
    return _HEADER.sub("", inside, count=1).strip("\n")


def _filler(host: Host) -> Callable[[re.Match[str]], str]:
    return lambda match: host.word(match[1], match[2] or "")


def _fields(fields: frontmatter.Fields, host: Host) -> frontmatter.Fields:
    kept = {key: value for key, value in fields.items() if key in host.keys}
    tools = words_of_tools(str(kept.pop("allowed-tools", "")))
    if allowed := [name for tool in tools if (name := host.tools.get(tool, tool))]:
        kept["allowed-tools"] = " ".join(allowed)
    return kept


def words_of_tools(tools: str) -> list[str]:
    """`Bash(git log *) Read` → its tools; a blank inside parentheses separates nothing."""
    return re.findall(r"[^\s(]+(?:\([^)]*\))?", tools)
