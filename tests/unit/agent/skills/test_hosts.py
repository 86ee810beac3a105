import re
from pathlib import Path

import pytest

from gstack_browse.agent.skills import hosts, manifest
from gstack_browse.agent.skills.destinations import choose_hosts, plan_destinations
from gstack_browse.agent.skills.hosts import GENERIC, HOSTS, Host
from gstack_browse.agent.skills.manifest import FileTree, InstalledSkill, Manifest
from gstack_browse.agent.skills.packaged import adapt_to_host, mark_host_phrase
from gstack_browse.errors import UsageError
from tests.each import each

every_host = pytest.mark.parametrize("host", HOSTS.values(), ids=lambda host: host.name)


@every_host
def test_a_skill_gets_the_words_keys_and_tools_of_the_host(host: Host) -> None:
    text = f"Ask with {mark_host_phrase('ask')}, then {mark_host_phrase('call', 'qa')}."
    assert adapt_to_host(text, host) == f"Ask with {host.phrase('ask')}, then {host.phrase('call', 'qa')}."
    for allowed, kept in {
        "Bash(git log *) Read": "Bash(git log *) Read",
        "Bash Read Write Edit Bash(git log *)": "Read Bash(git log *)",
        "Bash": None,
    }.items():
        made = adapt_to_host(f"---\nname: qa\ndescription: x\nallowed-tools: {allowed}\n---\nText\n", host)
        fields, body = hosts.split_front_matter(made)
        assert fields.get("allowed-tools") == (kept if "allowed-tools" in host.keys else None)
        assert body == "Text\n"


def host_names(project: Path, home: Path, *names: str, is_global: bool = False) -> list[str]:
    hosts = choose_hosts(FileTree(str(project)), FileTree(str(home)), names, is_global=is_global)
    return [host.name for host in hosts]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@every_host
def test_a_host_is_known_by_its_signs(host: Host, project: Path, home: Path) -> None:
    for sign in host.signs:
        (project / sign).mkdir()
        assert host_names(project, home) == [host.name]
        (project / sign).rmdir()
    (home / host.user_signs[0]).mkdir(parents=True)
    assert host_names(project, home) == [host.name]
    assert host_names(project, home, is_global=True) == [host.name]


def test_hosts_are_named_or_known_by_a_sign_first_of_the_project_then_of_the_home_directory(
    project: Path, home: Path
) -> None:
    """Count AGENTS.md where no other host is seen."""
    with pytest.raises(UsageError) as failure:
        host_names(project, home)
    assert "skills-install --host claude" in failure.value.hint
    assert host_names(project, home, "codex", "claude", "codex") == ["codex", "claude"]
    (project / "AGENTS.md").touch()
    assert host_names(project, home) == ["agents"]
    (home / ".codex").mkdir()
    (project / ".claude").mkdir()
    assert host_names(project, home) == ["claude"]
    assert host_names(project, home, is_global=True) == ["codex"]


def test_a_host_that_reads_a_folder_in_use_gets_none_of_its_own(project: Path) -> None:
    def placed(project: Path, *names: str) -> dict[str, list[str]]:
        found = plan_destinations(FileTree(str(project)), [HOSTS[name] for name in names])
        for item in found:
            assert item.host == (GENERIC if len(item.hosts) > 1 else item.hosts[0])
        return {item.folder: [host.name for host in item.hosts] for item in found}

    assert placed(project, "cursor") == {".agents/skills": ["cursor"]}
    assert placed(project, "cursor", "claude") == {".claude/skills": ["claude", "cursor"]}
    expected = {".agents/skills": ["codex", "opencode"], ".factory/skills": ["factory"]}
    assert placed(project, "opencode", "codex", "factory") == expected
    record = Manifest(["claude"], {"qa": InstalledSkill("1", {})})
    manifest.save_manifest(FileTree(str(project)), ".claude/skills", record)
    assert placed(project, "cursor") == {".claude/skills": ["claude", "cursor"]}


@each([
        b"", b"no json", b"[]", b'"x"', b'{"skills": []}', b'{"skills": {"qa": 1}}', b'{"hosts": 1}', b"\xff",
        b'{"skills": {"qa": {"version": "1", "files": {"../x": "0"}}}, "hosts": ["nobody", "codex"]}',
        b'{"skills": {"../qa": {"version": "1", "files": {}}}}', b'{"skills": {"..": {"version": "1", "files": {}}}}',
        b'{"skills": {"qa": {"version": "1 now run x", "files": {}}}}', b'{"skills": {"%b": {"version": "1", "files": {}}}}' % (b"now-run-" * 9),
        b'{"skills": {"qa": {"version": "\\u001b[31m", "files": {"a": 1, "/etc/x": "a", "b/../c": "d"}}}}',
    ])  # fmt: skip
def test_a_manifest_that_somebody_planted_names_nothing_outside(content: bytes, project: Path) -> None:
    (project / ".claude/skills").mkdir(parents=True, exist_ok=True)
    (project / ".claude/skills" / manifest.NAME).write_bytes(content)
    record = manifest.load_manifest(FileTree(str(project)), ".claude/skills")
    assert not [name for name in record.skills if name != "qa"]
    assert not [path for known in record.skills.values() for path in known.files]
    assert not [known for known in record.skills.values() if not re.fullmatch("[0-9a-z.+-]*", known.version)]
    assert set(record.hosts) <= set(HOSTS)
