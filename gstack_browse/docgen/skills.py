"""The skills as documents: each template below `gstack_browse/skills` and the file that is made of it."""

from collections.abc import Iterator
from pathlib import Path

from gstack_browse import __version__
from gstack_browse.docgen.resolvers import Facts, placeholders
from gstack_browse.docgen.templates import Filling, Source, TemplateError
from gstack_browse.registry import Registry
from gstack_browse.skills import frontmatter
from gstack_browse.skills.hosts import Host
from gstack_browse.skills.passages import HEADER

SUFFIX = ".tmpl"
LICENSE = "MIT"


def skill_folders(root: Path) -> list[Path]:
    """The folder of each skill below `root`, the repository."""
    return sorted(path.parent for path in (root / "gstack_browse/skills").glob(f"*/SKILL.md{SUFFIX}"))


def skill_documents(root: Path, registry: Registry) -> dict[Path, str]:
    """Path → text of what is made of the skills' templates. Raises TemplateError."""
    shared = shared_texts(root)
    return {
        template.with_suffix(""): made
        for folder in skill_folders(root)
        for template, made in made_of(root, folder, shared, registry)
    }


def made_of(
    root: Path, folder: Path, shared: dict[str, Source], registry: Registry, host: Host | None = None
) -> Iterator[tuple[Path, str]]:
    """Each template of a skill with the text made of it; for one host, or for all with marks. Raises TemplateError."""
    tier = _tier(root, folder / f"SKILL.md{SUFFIX}")
    facts = Facts(registry, folder.name, tier, shared, host)
    for template in sorted(folder.rglob(f"*{SUFFIX}")):
        yield template, document(_source(root, template), facts)


def document(source: Source, facts: Facts) -> str:
    """One template filled in: front matter, the line that says where the file comes from, the text."""
    text = Filling(placeholders(facts)).fill(source).rstrip("\n") + "\n"
    header = HEADER.format(template=source.path.rpartition("/")[2])
    if not text.startswith(frontmatter.FENCE):
        return f"{header}\n{text}"
    try:
        fields, body = frontmatter.split_front_matter(text)
    except frontmatter.InvalidFrontMatter as error:
        raise TemplateError(source.path, error.line, error.message) from None
    metadata = fields.pop("metadata", {})
    assert isinstance(metadata, dict)
    fields |= {"license": LICENSE, "metadata": {"version": __version__, **metadata}}
    if found := frontmatter.find_problems(fields, facts.skill):
        raise TemplateError(source.path, 1, found[0])
    return f"{frontmatter.render_front_matter(fields)}\n{header}\n{body}"


def shared_texts(root: Path) -> dict[str, Source]:
    """The texts that skills share, by name."""
    return {
        path.stem: _source(root, path) for path in sorted((root / "gstack_browse/skills/shared").glob("*.md"))
    }


def _source(root: Path, path: Path) -> Source:
    return Source(str(path.relative_to(root)), path.read_text(encoding="utf-8"))


def _tier(root: Path, template: Path) -> int:
    source = _source(root, template)
    try:
        metadata = frontmatter.split_front_matter(source.text)[0].get("metadata", {})
    except frontmatter.InvalidFrontMatter as error:
        raise TemplateError(source.path, error.line, error.message) from None
    tier = metadata.get("preamble", "1") if isinstance(metadata, dict) else ""
    return int(tier) if tier.isdecimal() else 0
