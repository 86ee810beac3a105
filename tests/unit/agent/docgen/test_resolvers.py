import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.agent.docgen.documents import generate_skill, list_skill_folders, read_shared_texts
from gstack_browse.agent.docgen.templates import (
    TIERS,
    SkillFacts,
    Source,
    TemplateError,
    TemplateFiller,
    list_placeholders,
)
from gstack_browse.agent.skills.hosts import HOSTS
from gstack_browse.agent.skills.packaged import adapt_to_host
from gstack_browse.errors import EXIT_CODES, BrowseError
from gstack_browse.registry import REGISTRY, bind
from gstack_browse.registry.values.paths import CallerPaths
from tests.each import each, each_row

assert commands
ROOT = Path(__file__).parents[4]
FACTS = SkillFacts(REGISTRY, "browse", 3, read_shared_texts(ROOT))


def fill(text: str, facts: SkillFacts = FACTS) -> str:
    return TemplateFiller(list_placeholders(facts)).fill(Source("x.tmpl", text))


@each(list_skill_folders(ROOT), name=lambda folder: folder.name)
def test_installing_gives_what_the_template_says_for_the_host(folder: Path) -> None:
    packaged = dict(generate_skill(ROOT, folder, FACTS.shared, REGISTRY))
    for host in HOSTS.values():
        for template, direct in generate_skill(ROOT, folder, FACTS.shared, REGISTRY, host):
            assert adapt_to_host(packaged[template], host) == adapt_to_host(direct, host), host.name
            assert "<!--host:" not in direct, host.name


def test_references_are_whole_and_shared_texts_short() -> None:
    lines = {name: source.text.count("\n") for name, source in FACTS.shared.items()}
    assert not {name: count for name, count in lines.items() if count > 80}
    assert not {name: lines[name] for name in ("preamble", "questions", "searching") if lines[name] > 25}
    whole = fill("{{COMMAND_REFERENCE}}")
    assert [name for name in REGISTRY.commands if f"| `{name}" not in whole] == []
    some = fill("{{COMMAND_REFERENCE:tabs, Read}}")
    assert "| `closetab" in some
    assert "| `click" not in some
    pending, codes = [BrowseError], {0}
    while pending:
        error = pending.pop()
        codes.add(error.code)
        pending += error.__subclasses__()
    assert codes == set(EXIT_CODES)
    assert fill("{{EXIT_CODES}}").count("\n") == len(codes) + 1


def test_a_preamble_says_as_much_as_its_tier() -> None:
    for tier in TIERS:
        text = fill("{{PREAMBLE}}", replace(FACTS, tier=tier))
        assert "preamble browse || true" in text
        assert ("## Asking the user" in text) == (tier >= 2)
        assert ("## Search before you build" in text) == (tier >= 3)
    with pytest.raises(TemplateError, match="metadata"):
        fill("{{PREAMBLE}}", replace(FACTS, tier=4))
    assert fill("{{EXAMPLES:stop}}") == "```bash\n$B stop\n```"


def test_every_flag_of_snapshot_has_an_example_that_its_parser_takes(tmp_path: Path) -> None:
    (tmp_path / ".gstack").mkdir()
    table = fill("{{SNAPSHOT_FLAGS}}")
    snapshot = REGISTRY.commands["snapshot"]
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    assert len(rows) == len(snapshot.options)
    for row, option in zip(rows, snapshot.options, strict=True):
        words = shlex.split(row[2].partition("`")[2].partition("`")[0])
        assert words[:2] == ["$B", "snapshot"]
        bound = bind(snapshot, words[2:], CallerPaths(tmp_path, tmp_path))
        assert option.name in bound.options


@each_row(
    ("{{EXAMPLES:clikc}}", "there is no command clikc"),
    ("{{COMMAND_REFERENCE:nobody}}", "there is no family nobody; there are: navigate"),
    ("{{SHARED:nobody}}", "there is no skills/shared/nobody.md; there are: base-branch-detect"),
    ("{{HOST:nobody}}", "no host has a word for nobody; there are: ask"),
)
def test_arguments_that_name_nothing_are_answered_with_what_there_is(text: str, said: str) -> None:
    with pytest.raises(TemplateError, match=said):
        fill(text)
