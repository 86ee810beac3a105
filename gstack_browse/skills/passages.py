"""Passages of a skill that depend on the program that reads it. Pure.

`docgen` marks them in the packaged file, so that installing needs neither the templates nor the registry:
    Ask with <!--host:ask-->a message …<!--/host-->   →   Ask with the AskUserQuestion tool
"""

import re
from collections.abc import Callable

from gstack_browse import __version__
from gstack_browse.skills import frontmatter
from gstack_browse.skills.hosts import GENERIC, Host

HEADER = "<!-- Made from {template} by `python -m gstack_browse.docgen --write`; changes belong there. -->"
"""The comment at the start of a packaged file."""
INSTALLED = "<!-- From gbrowse {version}: `gbrowse skills-install` brings this file up to date, unless you change it. -->"
"""The comment that replaces it in an installed file."""

_HEADER = re.compile(r"^<!-- Made from \S+ by .* -->$", re.M)
_PASSAGE = re.compile(r"<!--host:([a-z-]+)(?:,([a-z-]+))?-->(.*?)<!--/host-->", re.S)


def mark_passage(word: str, value: str = "") -> str:
    """Return the packaged form of a passage, with the generic phrase. Raises KeyError for an unknown word."""
    return f"<!--host:{word}{',' + value if value else ''}-->{GENERIC.word(word, value)}<!--/host-->"


def fill_passages(text: str, host: Host) -> str:
    """Replace the marked passages by the host's phrases."""
    return _PASSAGE.sub(_passage_filler(host), text)


def adapt_to_host(text: str, host: Host) -> str:
    """Return the file as installed for the host: its phrases, its front matter, no marks."""
    filled = _HEADER.sub(INSTALLED.format(version=__version__), fill_passages(text, host), count=1)
    if not filled.startswith(frontmatter.FENCE):
        return filled
    fields, rest = frontmatter.split_front_matter(filled)
    return f"{frontmatter.render_front_matter(_adapt_fields(fields, host))}\n{rest}"


def strip_header(text: str) -> str:
    """Return the text of a packaged file without front matter and header comment."""
    inside = frontmatter.split_front_matter(text)[1] if text.startswith(frontmatter.FENCE) else text
    return _HEADER.sub("", inside, count=1).strip("\n")


def _passage_filler(host: Host) -> Callable[[re.Match[str]], str]:
    return lambda match: host.word(match[1], match[2] or "")


def _adapt_fields(fields: frontmatter.Fields, host: Host) -> frontmatter.Fields:
    """Keep the front matter's keys that the host accepts, with its names of tools."""
    kept = {key: value for key, value in fields.items() if key in host.keys}
    tools = split_tools(str(kept.pop("allowed-tools", "")))
    if allowed := [name for tool in tools if (name := host.tools.get(tool, tool))]:
        kept["allowed-tools"] = " ".join(allowed)
    return kept


def split_tools(tools: str) -> list[str]:
    """Split `Bash(git log *) Read` into tools; spaces inside parentheses do not separate."""
    return re.findall(r"[^\s(]+(?:\([^)]*\))?", tools)
