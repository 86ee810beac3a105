from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gstack_browse import commands
from gstack_browse.registry import REGISTRY
from gstack_browse.registry.lines import (
    UNKNOWN,
    find_command_lines,
    find_problem_in_call,
    parse_simple_commands,
)
from tests.each import each, each_row

assert commands


@each_row(
("a b && c || d; e | f & g", ["a b", "c", "d", "e", "f", "g"]),
        ("fill '#a b' \"x 'y'\" z\\ w", ["fill #a b x 'y' z w"]),
        ("js 'a && b' # not this", ["js a && b"]),
        ("fill #name x#y", ["fill"]),
        ("if run a; then run b; fi", ["run a", "run b", "fi"]),
        ("x=$(run a \"$(run b)\") && run c", ["run b", "run a ?", "run c"]),
        ("run a > file 2>&1 < other | tail", ["run a", "tail"]),
        ("run <<'END' x\nnot a command\nEND\nrun b", ["run x", "run b"]),
        ("run a \\\n  b", ["run a b"]),
        ("goto <url> <the file>", ["goto ? ?"]),
        ("run `run b`", ["run b", "run ?"]),
        ("chain '[[\"a\",\n\"b\"]]'\nrun", ['chain [["a",\n"b"]]', "run"]),
        ("run 'open", ["run open"]),
        ("", []),
)  # fmt: skip
def test_shell_text_is_parted_into_simple_commands(text: str, found: list[str]) -> None:
    words = [" ".join(simple.words) for simple in parse_simple_commands(text)]
    assert [line.replace(UNKNOWN, "?") for line in words] == found
    assert [simple.line for simple in parse_simple_commands("a\n\n  b 'x\ny' c; d\ne")] == [0, 2, 3, 4]


DOCUMENT = """\
Type `gbrowse text` or `$B click @e3`, or `tab N`, not `click` nor ``gbrowse nothing`` nor `url [--max <n>]`.

```bash
# first
V=$("$B" text) && "${B:-gbrowse}" url
```

   ```console
   $ gbrowse links
   ```

```console
$ gbrowse forms > out.json
gbrowse printed this
```

```python
gbrowse.py
```

```
gbrowse tabs
gbrowse    12.5   13
```
"""


def test_lines_that_a_reader_would_type_are_found_in_a_document() -> None:
    found = sorted((line.line, str(line), line.mentioned) for line in find_command_lines(DOCUMENT, REGISTRY))
    assert found == [
        (1, "gbrowse click @e3", True),
        (1, "gbrowse tab …", True),
        (1, "gbrowse text", True),
        (5, "gbrowse text", False),
        (5, "gbrowse url", False),
        (9, "gbrowse links", False),
        (13, "gbrowse forms", False),
        (22, "gbrowse tabs", False),
    ]


def problem_of_line(text: str, scratch: Path, *, mentioned: bool = False) -> str:
    marks = "`" if mentioned else "\n```bash\n"
    (line,) = find_command_lines(f"{marks}{text}{marks if mentioned else chr(10) + '```'}", REGISTRY)
    return find_problem_in_call(REGISTRY, line, scratch)


@each([
    "gbrowse goto <url>", "$B --tab 2 --json text", "$B fill <target> <value>", "$B click $button --double",
    "$B goto file://$PWD/page.html", "$B screenshot .gstack/qa-reports/screenshots/<name>.png", "$B upload @e3 ~/me.png a/b.pdf",
    "$B eval check.js", "$B responsive shots/home", '$B chain \'[["goto","…"],["fill","#q","x"]]\'', "$B wait <ms>", "$B --version",
    "bin/gbrowse completion bash",
])  # fmt: skip
def test_a_line_whose_unknown_words_may_fit_is_right(text: str, tmp_path: Path) -> None:
    assert problem_of_line(text, tmp_path) == ""
    for mention in (
        "gbrowse goto",
        "gbrowse completion bash|zsh",
        "$B dialog-accept [TEXT]",
        "$B <command>",
        "tab N",
    ):
        assert problem_of_line(mention, tmp_path, mentioned=True) == "", "running text names a command alone"


@each_row(
("$B clikc @e3", "Unknown command: clikc (Did you mean 'click'?"),
        ("$B snapshot --interactiv", "Unknown flag: --interactiv (Did you mean --interactive?"),
        ("$B click @x", '"@x" is not a ref'),
        ("$B --tabs 2 text", "Unknown option --tabs"),
        ("$B goto file:///etc/passwd", "/etc/passwd is outside the workspace"),
        ("$B goto file://$PWD/.gstack/x.html", "the daemon's own"),
        ('$B chain \'[["goto","…"],["clikc","@e3"]]\'', "step ['clikc', '@e3']: Unknown command: clikc"),
        ("$B chain '[broken'", "the steps are not JSON"),
        ("$B upload <target>", "upload needs <file|folder>"),
)  # fmt: skip
def test_a_line_that_would_fail_is_answered_as_the_daemon_would(text: str, wrong: str, tmp_path: Path) -> None:
    assert wrong in problem_of_line(text, tmp_path)


@given(st.text(alphabet="ab $(){}<>`'\"\\\n;|&#=@12[]", max_size=60))
def test_parser_accepts_any_text(text: str) -> None:
    for simple in parse_simple_commands(text):
        assert simple.words
        assert 0 <= simple.line <= text.count("\n")
    list(find_command_lines(f"```bash\n{text}\n```\n`{text}`", REGISTRY))
