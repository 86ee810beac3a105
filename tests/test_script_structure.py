"""Test rules of the structure of the package's JavaScript that `deno lint` does not know.

The files are formatted by `deno fmt` (`bin/test checks`), so a function ends at the first bracket below its first line's indentation.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.each import each

PACKAGE = Path(__file__).parents[1] / "gstack_browse"
SCRIPTS = {
    path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.js"))
    if "libraries" not in path.parts
}
MOST_SCRIPTS = 80
MOST_IN_FOLDER, MOST_LINES_OF_FILE = 20, 900
MOST_LINES_OF_FUNCTION, MOST_BRANCHES = 80, 15

_NO_FUNCTION = re.compile(r"\s*(?:\} )?(?:if|for|while|switch|catch|else|do|try|finally|class|export class)\b")
_FUNCTION = re.compile(r"\) \{$|=> \{$|\) \($|=> \($|=> [^{]*$|=>$")
_COMMENTS_AND_TEXTS = re.compile(r"/\*.*?\*/|^ *//[^\n]*|'(?:[^'\\\n]|\\.)*'", re.MULTILINE | re.DOTALL)
_BRANCH = re.compile(r"\b(?:if|for|while|catch) (?:await )?\(|\bcase |(?:^|\s)\?\s", re.MULTILINE)
"""One more way through a function, as in McCabe's measure: `&&` and `||` are not counted, as ruff does not count `and`."""


def _functions(text: str) -> Iterator[tuple[str, list[str]]]:
    """First line and own lines of each function: without empty ones, and those of functions in it.

    A script that is sent to a page alone is one function, with all others in it.
    """
    lines = _COMMENTS_AND_TEXTS.sub(lambda found: re.sub(r"[^\n]+", "''", found[0]), text).splitlines()
    indentations = [len(line) - len(line.lstrip()) if line else 1000 for line in lines]
    inside: list[tuple[int, str, list[str]]] = []
    for line, indentation in zip(lines, indentations, strict=True):
        while inside and indentation <= inside[-1][0]:
            _, first, own = inside.pop()
            if line.lstrip().startswith(("}", ")")):
                own.append(line)
            yield first, own
        if _FUNCTION.search(line) and not _NO_FUNCTION.match(line):
            inside.append((indentation, line.strip(), []))
        if inside and line:
            inside[-1][2].append(line)
    yield from ((first, own) for _, first, own in inside)


def _branches(lines: list[str]) -> int:
    return 1 + len(_BRANCH.findall("\n".join(lines)))


def test_the_package_has_few_scripts_and_no_full_folder() -> None:
    rules = [name for name in SCRIPTS if "/widgets/rules/" in name]  # entries of a table
    assert len(SCRIPTS) - len(rules) <= MOST_SCRIPTS
    folders = [str(Path(name).parent) for name in SCRIPTS]
    assert {folder for folder in folders if folders.count(folder) > MOST_IN_FOLDER} == set()


@each(SCRIPTS)
def test_script_is_short_and_its_functions_are_short_and_simple(name: str) -> None:
    assert SCRIPTS[name].count("\n") <= MOST_LINES_OF_FILE
    functions = list(_functions(SCRIPTS[name]))
    assert {first: len(lines) for first, lines in functions if len(lines) > MOST_LINES_OF_FUNCTION} == {}
    assert {first: count for first, lines in functions if (count := _branches(lines)) > MOST_BRANCHES} == {}


def test_functions_are_found_with_their_ends_and_branches() -> None:
    text = "export function one(a) {\n  const each = () => {\n    b(a ? 1 : 2);\n  };\n  if (a) each();\n}\nconst two = (a) =>\n  a ? '?' : /(?:a)/;\n"
    assert [(first, len(lines), _branches(lines)) for first, lines in _functions(text)] == [
        ("const each = () => {", 3, 2),
        ("export function one(a) {", 4, 2),
        ("const two = (a) =>", 2, 2),
    ]
