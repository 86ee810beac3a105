"""Test that every command in skills and documents can be typed, and every file exists.

And that hosts take the skills.
"""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from gstack_browse import commands
from gstack_browse.agent.docgen.documents import list_skill_folders
from gstack_browse.agent.skills import hosts, packaged
from gstack_browse.agent.skills.hosts import HOSTS, MAX_DESCRIPTION, Host
from gstack_browse.agent.skills.packaged import adapt_to_host
from gstack_browse.registry import REGISTRY
from gstack_browse.registry.lines import find_command_lines, find_problem_in_call
from tests.each import each, each_row

assert commands
ROOT = Path(__file__).parents[1]
SKILLS = list_skill_folders(ROOT)
OTHER_WORDS = ROOT / "docs/coming-from.md"
"""Half of its commands are other tools': tests/unit/registry/test_theirs.py looks at both halves."""
DOCUMENTS = sorted(
    [
        ROOT / "README.md",
        *(file for file in (ROOT / "docs").rglob("*.md") if file != OTHER_WORDS),
        *(file for skill in SKILLS for file in skill.rglob("*.md")),
    ]
)
MAX_LINES, MAX_CHARACTERS = 300, 10_000
NOT_TYPED = {
    ("docs/adding-a-command.md", "gbrowse lang"): "the example that the page declares",
    ("docs/adding-a-command.md", "gbrowse lang article --upper"): "the same",
    ("docs/performance.md", "gbrowse --all"): "the name of a column",
}

every_document = each(DOCUMENTS, name=lambda path: str(path.relative_to(ROOT)))
every_skill = each(SKILLS, name=lambda path: path.name)
every_host = each(HOSTS.values(), name=lambda host: host.name)


@every_document
def test_every_command_in_a_document_can_be_typed(document: Path, tmp_path: Path) -> None:
    name = str(document.relative_to(ROOT))
    wrong = [
        f"{name}:{line.line}: {line}: {said}"
        for line in find_command_lines(document.read_text(encoding="utf-8"), REGISTRY)
        if (name, str(line)) not in NOT_TYPED and (said := find_problem_in_call(REGISTRY, line, tmp_path))
    ]
    assert wrong == []


def test_lines_excepted_from_typing_still_exist() -> None:
    written = {
        (name, str(line))
        for name, _ in NOT_TYPED
        for line in find_command_lines((ROOT / name).read_text(encoding="utf-8"), REGISTRY)
    }
    assert set(NOT_TYPED) <= written


def test_every_command_is_in_the_reference_of_a_skill() -> None:
    references = "".join(
        file.read_text(encoding="utf-8") for skill in SKILLS for file in skill.glob("references/*.md")
    )
    assert [name for name in REGISTRY.commands if not re.search(rf"^\| `{name}[ `]", references, re.M)] == []


@each_row(*product(SKILLS, HOSTS.values()))
def test_a_host_takes_the_skill(skill: Path, host: Host) -> None:
    text = adapt_to_host((skill / "SKILL.md").read_text(encoding="utf-8"), host)
    fields, _ = hosts.split_front_matter(text)
    assert hosts.find_problems(fields, skill.name) == []
    assert set(fields) <= set(host.keys)
    assert len(str(fields["description"])) <= MAX_DESCRIPTION
    assert "<!--host:" not in text
    assert text.count("\n") <= MAX_LINES
    assert len(text) <= MAX_CHARACTERS


def test_the_skill_that_every_page_needs_is_short() -> None:
    """Leave set-up, logins and exit codes to its references."""
    assert len((ROOT / "gstack_browse/agent/skills/browse/SKILL.md").read_text(encoding="utf-8")) <= 6500


@every_host
def test_a_host_can_list_all_skills_without_shortening_them(host: Host) -> None:
    entries = [
        f"{name}: {text} ({host.project}/{name}/SKILL.md)"
        for name, text in packaged.load_descriptions().items()
    ]
    assert not host.max_list or sum(map(len, entries)) <= host.max_list


@each([skill for skill in SKILLS if skill.name != "browse"], name=lambda path: path.name)
def test_a_skill_says_how_to_ask_to_search_first_and_where_gbrowse_comes_from(skill: Path) -> None:
    text = (skill / "SKILL.md").read_text(encoding="utf-8")
    assert "## Asking the user" in text
    assert "## Search before you build" in text
    assert "pipx install PATH" in text
    assert "pipx install gstack-browse" not in text, "nobody owns that name yet"


@every_skill
def test_no_host_is_asked_for_inside_a_block_of_code(skill: Path) -> None:
    for file in skill.rglob("*.md"):
        blocks = re.findall(r"^ *```.*?^ *```", file.read_text(encoding="utf-8"), re.M | re.S)
        assert not [block for block in blocks if "<!--host:" in block], file


@every_skill
def test_the_files_that_a_skill_names_exist(skill: Path) -> None:
    missing = [
        f"{file.name}: {name}"
        for file in skill.rglob("*.md")
        for name in named_files(file)
        if not (skill / name).is_file()
    ]
    assert missing == []


@every_skill
def test_every_reference_of_a_skill_is_named_in_it(skill: Path) -> None:
    named = set(named_files(skill / "SKILL.md"))
    assert {f"references/{file.name}" for file in skill.glob("references/*.md")} <= named


@every_skill
def test_a_skill_holds_nothing_but_text(skill: Path) -> None:
    files = [path for path in skill.rglob("*") if path.is_file()]
    assert {path.name.partition(".")[2] for path in files} <= {"md", "md.tmpl", "json", "html"}
    assert not [path for path in files if path.stat().st_mode & 0o111 or path.is_symlink()]


def named_files(file: Path) -> Iterator[str]:
    """Links to files, and `references/…` in code, as seen from the skill's folder."""
    text = file.read_text(encoding="utf-8")
    inside = "" if file.name == "SKILL.md" else "references/"
    for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in link:
            yield inside + link
    yield from re.findall(r"`((?:references|assets|scripts)/[^`\s]+)`", text)
