"""Generate skills from the templates below `gstack_browse/skills`."""

from collections.abc import Iterator
from pathlib import Path

from gstack_browse import __version__
from gstack_browse.docgen.resolvers import SkillFacts, list_placeholders
from gstack_browse.docgen.templates import Source, TemplateError, TemplateFiller
from gstack_browse.registry import Registry
from gstack_browse.skills import frontmatter
from gstack_browse.skills.hosts import Host
from gstack_browse.skills.passages import HEADER

SUFFIX = ".tmpl"
LICENSE = "MIT"


def list_skill_folders(root: Path) -> list[Path]:
    """Return the folder of each skill below the repository `root`."""
    return sorted(path.parent for path in (root / "gstack_browse/skills").glob(f"*/SKILL.md{SUFFIX}"))


def generate_skills(root: Path, registry: Registry) -> dict[Path, str]:
    """Return path → text of all files of all skills. Raises TemplateError."""
    shared = read_shared_texts(root)
    return {
        template.with_suffix(""): made
        for folder in list_skill_folders(root)
        for template, made in generate_skill(root, folder, shared, registry)
    }


def generate_skill(
    root: Path, folder: Path, shared: dict[str, Source], registry: Registry, host: Host | None = None
) -> Iterator[tuple[Path, str]]:
    """Yield (template, generated text) for one skill; for one host, or with marked passages.

    Raises TemplateError.
    """
    tier = _read_tier(root, folder / f"SKILL.md{SUFFIX}")
    facts = SkillFacts(registry, folder.name, tier, shared, host)
    for template in sorted(folder.rglob(f"*{SUFFIX}")):
        yield template, fill_template(_read_source(root, template), facts)


def fill_template(source: Source, facts: SkillFacts) -> str:
    """Fill in one template: front matter, header comment, text."""
    text = TemplateFiller(list_placeholders(facts)).fill(source).rstrip("\n") + "\n"
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


def read_shared_texts(root: Path) -> dict[str, Source]:
    """Return the texts that skills share, by name."""
    return {
        path.stem: _read_source(root, path)
        for path in sorted((root / "gstack_browse/skills/shared").glob("*.md"))
    }


def _read_source(root: Path, path: Path) -> Source:
    return Source(str(path.relative_to(root)), path.read_text(encoding="utf-8"))


def _read_tier(root: Path, template: Path) -> int:
    """Return the tier in a template's metadata; 0 if it is malformed."""
    source = _read_source(root, template)
    try:
        metadata = frontmatter.split_front_matter(source.text)[0].get("metadata", {})
    except frontmatter.InvalidFrontMatter as error:
        raise TemplateError(source.path, error.line, error.message) from None
    tier = metadata.get("preamble", "1") if isinstance(metadata, dict) else ""
    return int(tier) if tier.isdecimal() else 0
