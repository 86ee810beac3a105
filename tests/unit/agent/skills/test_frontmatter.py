import pytest

from gstack_browse.agent.skills.hosts import (
    Fields,
    InvalidFrontMatter,
    find_problems,
    render_front_matter,
    split_front_matter,
)
from tests.each import each, each_row


def test_fields_and_text_are_read() -> None:
    text = '---\nname: qa\ndescription: "Test: it # all"\nmetadata:\n  version: "1"\n  preamble: 2\n---\n# QA\n'
    fields, body = split_front_matter(text)
    assert fields == {
        "name": "qa",
        "description": "Test: it # all",
        "metadata": {"version": "1", "preamble": "2"},
    }
    assert body == "# QA\n"
    proper: Fields = {"name": "qa", "description": "Test.", "license": "MIT", "metadata": {"version": "1"}}
    assert find_problems(proper, "qa") == []


@each(["plain", "a: b", "a #b", "[x]", '"q"', "ends:", "- dash", "tab\there", "é 漢", "yes", "1.0"])
def test_written_front_matter_is_read_back(value: str) -> None:
    fields: Fields = {"name": "qa", "description": value, "license": value, "metadata": {"version": value}}
    assert split_front_matter(render_front_matter(fields) + "\n") == (fields, "")


@each_row(
    ("# no front matter", 1, "does not begin"),
    ("---\nname: x\n", 1, "no closing"),
    ("---\nname: x\njust words\n---", 3, "is not"),
    ("---\nname: x\nname: y\n---", 3, "given twice"),
    ("---\n  version: x\n---", 2, "belongs to nothing"),
    ("---\ndescription: a: b\n---", 2, "YAML reads this value otherwise"),
    ("---\ndescription: >\n  folded\n---", 2, "YAML reads this value otherwise"),
    ('---\ndescription: "open\n---', 2, "not closed on its line"),
)
def test_ambiguous_front_matter_is_refused_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(InvalidFrontMatter, match=said) as failure:
        split_front_matter(text)
    assert failure.value.line == line


@each_row(
    ({"name": "Qa"}, "name: 1 to 64"),
    ({"name": "a--b"}, "name: 1 to 64"),
    ({"name": "-a"}, "name: 1 to 64"),
    ({"name": "a" * 65}, "name: 1 to 64"),
    ({"name": "qb"}, "but the folder is qa"),
    ({"description": ""}, "description: 1 to 1024"),
    ({"description": "x" * 1025}, "description: 1 to 1024"),
    ({"compatibility": "x" * 501}, "compatibility: at most 500"),
    ({"metadata": "x"}, "metadata: a mapping"),
    ({"license": {"a": "b"}}, "license: a string"),
    ({"argument-hint": "x"}, "argument-hint is no key"),
)
def test_the_specifications_limits_are_kept(change: Fields, said: str) -> None:
    fields: Fields = {"name": "qa", "description": "Test it.", **change}
    assert [problem for problem in find_problems(fields, "qa") if problem.startswith(said) or said in problem]
