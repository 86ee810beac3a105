"""Load the skills that are part of this package, and adapt their files to the program that reads them."""

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from gstack_browse import __version__
from gstack_browse.agent.skills import hosts
from gstack_browse.agent.skills.hosts import GENERIC, Host
from gstack_browse.errors import UsageError

_HERE = os.path.dirname(__file__)
MAIN = "SKILL.md"
_SUFFIXES = (".md", ".json", ".html")


class Skill(NamedTuple):
    """A packaged skill. `files`: path → text, with `SKILL.md` among them."""

    name: str
    description: str
    files: dict[str, str]


def list_names() -> list[str]:
    """Return the names of all packaged skills, sorted."""
    return sorted(entry.name for entry in os.scandir(_HERE) if os.path.exists(f"{entry.path}/{MAIN}"))


def load_skill(name: str) -> Skill:
    """Load a skill of this package with all its files. Raises UsageError for an unknown name."""
    if name not in (known := list_names()):
        raise UsageError(f"There is no skill {name[:60]!a}", f"There are: {', '.join(known)}")
    files = {path: _read_file(f"{name}/{path}") for path in _list_files(name)}
    return Skill(name, _parse_description(files[MAIN]), files)


def load_descriptions() -> dict[str, str]:
    """Return name → description of all packaged skills, without reading their other files."""
    return {name: _parse_description(_read_file(f"{name}/{MAIN}")) for name in list_names()}


def load_skills(wanted: Sequence[str] = ()) -> list[Skill]:
    """Load the packaged skills `wanted`; without names, all. Raises UsageError for an unknown name."""
    return [load_skill(name) for name in wanted or list_names()]


def _parse_description(text: str) -> str:
    """Return the description in the front matter of a SKILL.md (`text`); "" without one."""
    return str(hosts.split_front_matter(text)[0].get("description", ""))


def _list_files(name: str) -> list[str]:
    """Return the paths of a skill's files relative to its folder, sorted."""
    folder = f"{_HERE}/{name}"
    return sorted(
        os.path.relpath(f"{directory}/{file}", folder)
        for directory, _, files in os.walk(folder)
        for file in files
        if file.endswith(_SUFFIXES)
    )


def _read_file(path: str) -> str:
    """Return the text of a packaged file. `path`: relative to the folder of all skills."""
    with open(f"{_HERE}/{path}", encoding="utf-8") as file:
        return file.read()


HEADER = (
    "<!-- Made from {template} by `python -m gstack_browse.agent.docgen --write`; changes belong there. -->"
)
"""The comment at the start of a packaged file."""
INSTALLED = "<!-- From gbrowse {version}: `gbrowse skills-install` brings this file up to date, unless you change it. -->"
"""The comment that replaces it in an installed file."""

_HEADER = re.compile(r"^<!-- Made from \S+ by .* -->$", re.M)
_PASSAGE = re.compile(r"<!--host:([a-z-]+)(?:,([a-z-]+))?-->(.*?)<!--/host-->", re.S)


def mark_host_phrase(word: str, value: str = "") -> str:
    """Return a phrase that differs between hosts (programs), in markup that `replace_host_phrases` finds.

    The markup holds the generic phrase. `word`: a key of `Host.words`; `value` is put into the phrase. Raises KeyError.
    """
    return f"<!--host:{word}{',' + value if value else ''}-->{GENERIC.phrase(word, value)}<!--/host-->"


def replace_host_phrases(text: str, host: Host) -> str:
    """Replace each phrase marked by `mark_host_phrase` by that of the host (a program that reads skills)."""
    return _PASSAGE.sub(lambda match: host.phrase(match[1], match[2] or ""), text)


def adapt_to_host(text: str, host: Host) -> str:
    """Return a packaged file as installed for a host (program): with its phrases and front matter keys."""
    filled = _HEADER.sub(INSTALLED.format(version=__version__), replace_host_phrases(text, host), count=1)
    if not filled.startswith(hosts.FENCE):
        return filled
    fields, rest = hosts.split_front_matter(filled)
    return f"{hosts.render_front_matter(_adapt_fields(fields, host))}\n{rest}"


def strip_header(text: str) -> str:
    """Return the text of a packaged file without front matter and header comment."""
    inside = hosts.split_front_matter(text)[1] if text.startswith(hosts.FENCE) else text
    return _HEADER.sub("", inside, count=1).strip("\n")


def _adapt_fields(fields: hosts.Fields, host: Host) -> hosts.Fields:
    """Return the front matter's fields that the host (program) accepts, with the host's names of tools."""
    kept = {key: value for key, value in fields.items() if key in host.keys}
    tools = split_tools(str(kept.pop("allowed-tools", "")))
    if allowed := [name for tool in tools if (name := host.tools.get(tool, tool))]:
        kept["allowed-tools"] = " ".join(allowed)
    return kept


def split_tools(tools: str) -> list[str]:
    """Split `allowed-tools`, such as `Bash(git log *) Read`, into tools at spaces outside of parentheses."""
    return re.findall(r"[^\s(]+(?:\([^)]*\))?", tools)
