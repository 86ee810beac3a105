import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gstack_browse import __version__
from gstack_browse.agent.skills import packaged
from gstack_browse.agent.skills.destinations import BEGIN, END
from gstack_browse.agent.skills.manifest import NAME, hash_content
from gstack_browse.protocol import Reply
from tests.unit.agent.local.conftest import Place

Run = Callable[..., Reply]
MAIN = ".claude/skills/browse/SKILL.md"


@pytest.fixture
def project(place: Place) -> Path:
    return place.workspace


@pytest.fixture
def run(place: Place) -> Run:
    def run(line: str, *, code: int = 0) -> Reply:
        reply = place.reply(*line.split())
        assert reply.code == code, reply.message
        return reply

    return run


def files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def age(folder: Path, *, version: str = "0.0.1", text: str = "old\n") -> None:
    """Make the installed skill `browse` one that an older gbrowse has written."""
    record = json.loads((folder / NAME).read_text())
    record["skills"]["browse"]["version"] = version
    record["skills"]["browse"]["files"]["SKILL.md"] = hash_content(text.encode())
    (folder / NAME).write_text(json.dumps(record))
    (folder / "browse/SKILL.md").write_text(text)


def test_all_skills_are_installed_with_a_manifest_and_not_changed_again(run: Run, project: Path) -> None:
    assert "new: " + ", ".join(packaged.list_names()) in run("skills-install --host claude").text
    wanted = {f".claude/skills/{skill.name}/{path}" for skill in packaged.load_skills() for path in skill.files}
    assert files(project) == wanted | {f".claude/skills/{NAME}"}
    text = (project / MAIN).read_text()
    assert "Made from SKILL.md.tmpl" not in text
    assert f"<!-- From gbrowse {__version__}" in text
    assert "fresh" in run("skills-check").text
    run("skills-install --host claude")
    before = {path: (project / path).read_bytes() for path in files(project)}
    assert re.search(r"unchanged: .*\bbrowse\b", run("skills-install").text)
    assert re.search(r"unchanged: .*\bbrowse\b", run("skills-install --local").text)
    assert "exclude each other" in run("skills-install --local --global", code=2).message
    assert before == {path: (project / path).read_bytes() for path in files(project)}


def test_an_upgrade_renews_what_is_untouched_and_says_so(run: Run, project: Path) -> None:
    run("skills-install --host claude")
    age(project / ".claude/skills")
    assert "Out of date: browse. Run: gbrowse skills-install" in run("skills").text
    assert "made by an older gbrowse" in run("skills-check", code=1).text
    assert "renewed: browse" in run("skills-install").text
    assert (project / MAIN).read_text() != "old\n"
    assert "Out of date" not in run("skills").text


def test_skill_changed_by_hand_is_kept_and_named(run: Run, project: Path) -> None:
    run("skills-install --host claude")
    age(project / ".claude/skills")
    (project / MAIN).write_text("mine\n")
    assert f"changed by hand, kept: {MAIN}" in run("skills-install").text
    assert (project / MAIN).read_text() == "mine\n"
    assert "Out of date" not in run("skills").text
    (project / MAIN).unlink()
    run("skills-install")
    assert "name: browse" in (project / MAIN).read_text()


def test_skill_of_another_origin_or_a_newer_gbrowse_is_left_alone(run: Run, project: Path) -> None:
    (project / ".claude/skills/browse").mkdir(parents=True)
    (project / MAIN).write_text("mine\n")
    assert f"not from gbrowse, left alone: {MAIN}" in run("skills-install --host claude").text
    assert files(project / ".claude/skills/browse") == {"SKILL.md"}
    run("skills-remove")
    assert files(project) == {MAIN}
    (project / MAIN).unlink()
    run("skills-install --host claude")
    age(project / ".claude/skills", version="99.0", text="future\n")
    assert "from a newer gbrowse, left alone" in run("skills-install").text
    assert (project / MAIN).read_text() == "future\n"
    assert "newer" in run("skills-check", code=1).text


def test_a_file_that_a_skill_no_longer_has_is_removed(run: Run, project: Path) -> None:
    run("skills-install --host claude")
    folder = project / ".claude/skills"
    record = json.loads((folder / NAME).read_text())
    for name, text in (("references/gone.md", "gone"), ("mine.md", "was")):
        record["skills"]["browse"]["files"][name] = hash_content(text.encode())
    record["skills"]["dropped"] = {"version": "0.0.1", "files": {"SKILL.md": hash_content(b"x")}}
    (folder / NAME).write_text(json.dumps(record))
    (folder / "browse/references/gone.md").write_text("gone")
    (folder / "browse/mine.md").write_text("changed")
    (folder / "dropped").mkdir()
    (folder / "dropped/SKILL.md").write_text("x")
    said = run("skills-install").text
    assert "removed: browse/references/gone.md" in said
    assert "dropped/SKILL.md" in said
    assert not (folder / "browse/references/gone.md").exists()
    assert not (folder / "dropped").exists()
    assert (folder / "browse/mine.md").read_text() == "changed"


def test_removing_takes_only_what_was_installed_and_is_meant(run: Run, project: Path) -> None:
    run("skills-install --host claude")
    run("skills-remove browse")
    assert not (project / ".claude/skills/browse").exists()
    assert (project / ".claude/skills/setup-browser-cookies/SKILL.md").exists()
    (project / ".claude/skills/mine").mkdir()
    (project / ".claude/skills/mine/SKILL.md").write_text("mine")
    (project / ".claude/skills/setup-browser-cookies/SKILL.md").write_text("changed")
    said = run("skills-remove").text
    assert "changed by hand, kept: .claude/skills/setup-browser-cookies/SKILL.md" in said
    assert files(project) == {".claude/skills/mine/SKILL.md", ".claude/skills/setup-browser-cookies/SKILL.md"}
    assert "nothing to remove" in run("skills-remove").text
    assert "is not installed" in run("skills-remove browse", code=2).message


def test_global_skills_go_to_the_home_directory_only(run: Run, project: Path) -> None:
    run("skills-install --host codex --global")
    assert files(project) == set()
    assert ".agents/skills/browse/SKILL.md" in files(project.parent)
    assert "~/.agents/skills" in run("skills").text
    run("skills-remove --global")
    assert files(project.parent) == set()


@pytest.mark.parametrize(
    "link", [".claude", ".claude/skills", ".claude/skills/browse", MAIN, f".claude/skills/{NAME}", "AGENTS.md"]
)
def test_a_link_is_refused_before_anything_is_written(run: Run, project: Path, link: str) -> None:
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    (project / link).parent.mkdir(parents=True, exist_ok=True)
    (project / link).symlink_to(elsewhere)
    reply = run("skills-install --host agents --host claude", code=7)
    assert "is a symbolic link; gbrowse leaves it alone" in reply.message
    assert files(project) == set()
    assert list(elsewhere.iterdir()) == []


def test_a_link_that_is_not_ours_is_no_hindrance(run: Run, project: Path) -> None:
    (project / ".claude").symlink_to(project.parent)
    assert "None is installed here" in run("skills").text
    assert "No skills are installed here" in run("skills-check").text
    run("skills-install --host codex")
    assert "Installed in .agents/skills" in run("skills").text


def test_agents_md_lists_the_skills_between_marks(run: Run, project: Path) -> None:
    (project / "AGENTS.md").write_text("# Mine\n\nBe careful.\n")
    assert "AGENTS.md: lists the skills" in run("skills-install browse").text
    text = (project / "AGENTS.md").read_text()
    assert text.startswith("# Mine\n\nBe careful.\n\n" + BEGIN)
    assert "- browse (`.agents/skills/browse/SKILL.md`): Drive a real browser" in text
    assert "setup-browser-cookies" not in text
    run("skills-install setup-browser-cookies")
    assert (project / "AGENTS.md").read_text().count(BEGIN) == 1
    assert "the list is removed" in run("skills-remove").text
    assert (project / "AGENTS.md").read_text() == "# Mine\n\nBe careful.\n"


def test_agents_md_changed_by_hand_is_kept_and_made_no_longer_than_programs_read(
    run: Run, project: Path
) -> None:
    file = project / "AGENTS.md"
    file.write_text("x" * 32_700)
    assert "which programs cut off" in run("skills-install --host agents").text
    assert file.read_text() == "x" * 32_700
    file.unlink()
    run("skills-install --host agents")
    file.write_text(file.read_text().replace(END, f"- mine\n{END}"))
    assert "the list was changed by hand, kept" in run("skills-install").text
    assert "- mine" in file.read_text()
    file.write_text(BEGIN)
    assert "the list was changed by hand, kept" in run("skills-install").text


@pytest.mark.programs
def test_a_changed_skill_is_checked_as_it_stands(run: Run, project: Path) -> None:
    run("skills-install --host claude")
    text = (project / MAIN).read_text()
    (project / MAIN).write_text(text + "\n" * 300 + "`gbrowse clikc @e3` {{PREAMBLE}}\n")
    (project / ".claude/skills/setup-browser-cookies/SKILL.md").write_text("no front matter\n")
    said = run("skills-check", code=1).text
    unknown = "Unknown command: clikc"
    for wrong in (unknown, "more than 300 lines", "{{PREAMBLE}} is left over", "does not begin with ---"):
        assert wrong in said
    (project / MAIN).unlink()
    assert "SKILL.md is missing" in run("skills-check", code=1).text


def test_skills_are_printed_and_listed_with_their_purpose_and_place(run: Run, project: Path) -> None:
    assert "Hosts: claude, codex" in run("skills-install --host emacs", code=2).hint
    text = run("skill browse").text
    assert text.startswith("# ")
    assert "\ngbrowse skill browse references/commands.md\n" in text
    assert run("skill browse references/commands.md").text.startswith("# All commands")
    assert "There are: SKILL.md" in run("skill browse ../x", code=2).hint
    assert "There are: " in run("skill nobody", code=2).hint
    assert "None is installed here. Run: gbrowse skills-install" in run("skills").text
    assert "There are: " in run("skills-install nobody --host claude", code=2).hint
    assert files(project) == set()
    assert "not installed: " in run("skills-install browse --host claude").text
    assert {path.split("/")[2] for path in files(project)} == {"browse", NAME}
    text = run("skills").text
    assert f"Installed in .claude/skills for Claude Code: browse {__version__}" in text
    assert all(f"  {name}  " in text for name in ["browse               ", "setup-browser-cookies"])


def test_removed_skills_stay_for_another_host_of_the_same_folder(run: Run, project: Path) -> None:
    run("skills-install --host codex --host cursor --host agents")
    assert "also read by Codex" in run("skills-remove browse --host cursor", code=2).message
    assert "stays for Codex, Cursor" in run("skills-remove --host agents").text
    assert not (project / "AGENTS.md").exists()
    assert ".agents/skills: stays for Codex" in run("skills-remove --host cursor").text
    assert "fresh" in run("skills-check").text
    assert "removed " in run("skills-remove --host codex").text
    assert files(project) == set()


def test_an_upgrade_keeps_each_folder_for_its_readers(run: Run, project: Path) -> None:
    run("skills-install --host claude")
    assert "for Claude Code, Cursor: " in run("skills-install browse --host cursor").text
    assert "fresh" in run("skills-check").text
    run("skills-install --host codex")
    for _ in range(2):
        for folder, hosts in {".claude/skills": ["claude", "cursor"], ".agents/skills": ["codex"]}.items():
            assert json.loads((project / folder / NAME).read_text())["hosts"] == hosts
        run("skills-install")
