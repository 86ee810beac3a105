"""Test rules of the package's structure that no linter knows.

Import contracts are checked by `bin/test checks`.
"""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.order import SECONDS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "gstack_browse"
MOST_BEFORE_CHROMIUM = 20
"""Modules, packages included: each that is imported before Chromium runs makes the first command later."""


def modules_after(code: str, *options: str) -> set[str]:
    """Return the modules that a new Python has loaded after this code."""
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}; print(' '.join(sys.modules))"
    command = [sys.executable, *options, "-c", program]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def of_package(loaded: set[str]) -> set[str]:
    return {name.removeprefix("gstack_browse.") for name in loaded if name.startswith("gstack_browse.")}


@pytest.mark.programs
def test_the_clients_hot_path_loads_almost_nothing() -> None:
    """Its imports are the user's waiting time: no asyncio, json, dataclasses, re, subprocess."""
    bare = modules_after("pass", "-I", "-S")
    loaded = modules_after("import gstack_browse.client.main", "-I", "-S")
    foreign = {name for name in loaded - bare if not name.startswith(("gstack_browse", "_"))}
    assert foreign <= {"posix", "errno", "time", "math"}, foreign


@pytest.mark.programs
def test_the_daemon_loads_late_what_few_commands_need() -> None:
    late = {"PIL", "cryptography", "aiohttp", "secretstorage", "playwright.async_api", "playwright.sync_api"}
    assert not late & modules_after("import gstack_browse.daemon.process.main")


@pytest.mark.programs
def test_a_first_goto_waits_for_no_other_commands_and_for_nothing_it_does_not_use() -> None:
    loaded = modules_after(
        "from gstack_browse.daemon.process import starter; starter._import_asyncio();"
        "from gstack_browse.daemon.process import main; main.REGISTRY.get('goto')"
    )
    assert not {"ssl", "_ssl", "hashlib", "psutil", "shutil", "playwright.async_api"} & loaded
    unused = {
        "cookies.records",
        "network.exchange.content",
        "network.shaping.har_file",
        "network.shaping.replay",
        "text.secrets",
        "browser.launch.certificates",
    }
    assert all((PACKAGE / f"{name.replace('.', '/')}.py").exists() for name in unused)
    assert not unused & of_package(loaded)
    families = {name for name in of_package(loaded) if name.startswith("commands.")}
    assert families == {"commands.acting", "commands.acting.navigation", "commands.daemon_interface"}


@pytest.mark.programs
def test_chromium_is_started_before_most_is_imported() -> None:
    loaded = modules_after("from gstack_browse.browser.launch import ahead")
    assert not {"asyncio", "orjson", "dataclasses", "re"} & loaded
    assert len(of_package(loaded)) < MOST_BEFORE_CHROMIUM, "with the package itself"


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def parsed(path: Path) -> ast.Module:
    """All of them take a second."""
    return ast.parse(text_of(path))


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_every_module_says_what_lives_in_it() -> None:
    assert [str(path) for path in modules() if not text_of(path).startswith('"""')] == []


def test_playwright_is_imported_by_clients_that_attach_only() -> None:
    """No daemon and no command imports it: `attached.page` does, in the process of a script."""
    importing = re.compile(r"^ *(?:import|from) playwright\b", re.MULTILINE)
    importers = [path for path in modules() if importing.search(text_of(path))]
    assert [path.relative_to(PACKAGE).as_posix() for path in importers] == ["client/attached/page.py"]


FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}


def test_no_module_is_called_after_nothing() -> None:
    assert not {path.stem for path in modules()} & FORBIDDEN_NAMES


MOST_LINES_OF_FILE = 900
MOST_LINES_OF_FUNCTION = 80
MOST_METHODS = 25
MOST_FILES_OF_FOLDER = 20


def sources(kind: str) -> list[Path]:
    """The files that are written here, and not a library's."""
    return sorted(path for path in PACKAGE.rglob(kind) if "libraries" not in path.parts)


def shown(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_no_file_is_longer_than_its_limit() -> None:
    lengths = {
        shown(path): text_of(path).count("\n") for kind in ("*.py", "*.js", "*.c") for path in sources(kind)
    }
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES_OF_FILE} == {}


def test_no_folder_has_more_files_than_its_limit() -> None:
    counts = Counter(shown(path.parent) for kind in ("*.py", "*.js", "*.c") for path in sources(kind))
    assert {name for name, count in counts.items() if count > MOST_FILES_OF_FOLDER} == set()


def test_no_function_is_longer_than_its_limit() -> None:
    lengths = {
        f"{shown(path)}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in modules()
        if text_of(path).count("\n") > MOST_LINES_OF_FUNCTION
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES_OF_FUNCTION} == {}


def test_no_class_has_more_methods_than_its_limit() -> None:
    counts = {
        f"{shown(path)}: {node.name}": sum(
            isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body
        )
        for path in modules()
        if text_of(path).count("\n    def ") + text_of(path).count("\n    async def ") > MOST_METHODS
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef)
    }
    assert {name: count for name, count in counts.items() if count > MOST_METHODS} == {}


MOST_SCRIPTS = 80
MOST_BRANCHES = 15
_NO_FUNCTION = re.compile(r"\s*(?:\} )?(?:if|for|while|switch|catch|else|do|try|finally|class|export class)\b")
_FUNCTION = re.compile(r"\) \{$|=> \{$|\) \($|=> \($|=> [^{]*$|=>$")
_COMMENTS_AND_TEXTS = re.compile(r"/\*.*?\*/|^ *//[^\n]*|'(?:[^'\\\n]|\\.)*'", re.MULTILINE | re.DOTALL)
_BRANCH = re.compile(r"\b(?:if|for|while|catch) (?:await )?\(|\bcase |(?:^|\s)\?\s", re.MULTILINE)
"""One more way through a function, as in McCabe's measure: `&&` and `||` are not counted, as ruff does not count `and`."""


def _functions(text: str) -> Iterator[tuple[str, list[str], int]]:
    """Yield the first line, the own lines and the length of each function.

    Its own lines are those that are not empty, and not in a function within it.
    A script that is sent to a page alone is one function, with all others in it: its length is 0.
    """
    lines = _COMMENTS_AND_TEXTS.sub(lambda found: re.sub(r"[^\n]+", "''", found[0]), text).splitlines()
    indentations = [len(line) - len(line.lstrip()) if line else 1000 for line in lines]
    inside: list[tuple[int, int, list[str]]] = []
    for number, (line, indentation) in enumerate(zip(lines, indentations, strict=True)):
        while inside and indentation <= inside[-1][0]:
            _, begin, own = inside.pop()
            is_end = line.lstrip().startswith(("}", ")"))
            if is_end:
                own.append(line)
            is_whole = number == len(lines) - 1
            yield lines[begin].strip(), own, 0 if is_whole else number - begin + is_end
        if _FUNCTION.search(line) and not _NO_FUNCTION.match(line):
            inside.append((indentation, number, []))
        if inside and line:
            inside[-1][2].append(line)
    yield from ((lines[begin].strip(), own, 0) for _, begin, own in inside)


def _branches(lines: list[str]) -> int:
    return 1 + len(_BRANCH.findall("\n".join(lines)))


def _method_counts(text: str) -> dict[str, int]:
    """The number of methods of each class of a script."""
    classes = re.findall(r"^( *)(?:export )?class (\w+).* \{$\n((?:.*\n)*?)\1\}$", text, re.MULTILINE)
    method = r"^{}  (?:static |async |get |set |\*)*(?!if|for|while|switch)[\w#$]+\(.*\) \{{$"
    return {name: len(re.findall(method.format(indent), body, re.MULTILINE)) for indent, name, body in classes}


def test_the_package_has_few_scripts_with_short_and_simple_functions_and_small_classes() -> None:
    texts = {shown(path): text_of(path) for path in sources("*.js")}
    assert len(texts) <= MOST_SCRIPTS
    functions = [
        (f"{name}: {found[0]}", *found[1:]) for name, text in texts.items() for found in _functions(text)
    ]
    too_long = {name for name, own, length in functions if max(len(own), length) > MOST_LINES_OF_FUNCTION}
    assert too_long == set()
    assert len(functions) > 1000
    assert {name for name, own, _ in functions if _branches(own) > MOST_BRANCHES} == set()
    methods = [counts for text in texts.values() for counts in _method_counts(text).items()]
    assert len(methods) > 20
    assert {name for name, count in methods if count > MOST_METHODS} == set()


ROOMS_OF_SCRIPTS = [
    "dom", "visibility", "accname", "clickable", "layout", "read", "selectors", "walk", "widgets", "actions",
]  # fmt: skip
"""Each room of the engine's scripts imports from itself and from those before it."""
ROOM_OF_CIRCLES = "accname"
"""The name of an element is made of the names in it, which depend on their roles: these files import each other."""


def test_scripts_of_the_engine_import_from_rooms_below_and_in_no_circle() -> None:
    folder = PACKAGE / "browser/engine/scripts"
    imports = {
        path: {(path.parent / name).resolve() for name in re.findall(r" from '(\..+)';", text_of(path))}
        for path in folder.rglob("*.js")
    }
    rooms = {path: path.relative_to(folder).parts[0] for path in imports}
    assert set(rooms.values()) == set(ROOMS_OF_SCRIPTS)
    upwards = [
        f"{shown(path)} imports {shown(other)}"
        for path, others in imports.items()
        for other in others
        if ROOMS_OF_SCRIPTS.index(rooms[other]) > ROOMS_OF_SCRIPTS.index(rooms[path])
    ]
    assert upwards == []
    left = {path: others for path, others in imports.items() if rooms[path] != ROOM_OF_CIRCLES}
    while done := [path for path, others in left.items() if not others & left.keys()]:
        left = {path: others for path, others in left.items() if path not in done}
    assert sorted(map(shown, left)) == [], "import each other, in a circle"


def test_functions_of_a_script_are_found_with_their_ends_and_branches_and_methods_are_counted() -> None:
    text = "export function one(a) {\n  const each = () => {\n    b(a ? 1 : 2);\n  };\n  if (a) each();\n}\nconst two = (a) =>\n  a ? '?' : /(?:a)/;\n"
    assert [(first, len(own), length, _branches(own)) for first, own, length in _functions(text)] == [
        ("const each = () => {", 3, 3, 2),
        ("export function one(a) {", 4, 6, 2),
        ("const two = (a) =>", 2, 0, 2),
    ]
    text = "export class Reader {\n  read(a) {\n    if (a) {\n    }\n  }\n\n  static async *all() {\n  }\n}\n"
    assert _method_counts(text) == {"Reader": 2}


def test_native_functions_keep_the_limit() -> None:
    bodies = {
        f"{shown(path)}: line {text_of(path)[: body.start()].count(chr(10)) + 1}": body[0].count("\n")
        for path in sources("*.c")
        for body in re.finditer(r"^\{\n(?:.*\n)*?\}$", text_of(path), re.MULTILINE)
    }
    assert len(bodies) > 20
    assert {name: lines for name, lines in bodies.items() if lines > MOST_LINES_OF_FUNCTION} == {}


FEWEST_LINES_OF_MODULE = 50
SHORT_MODULES = {
    "agent/docgen/__main__.py": "a program",
    "agent/docgen/wrong_lines.py": "a program",
    "browser/launch/grid_release.py": "a program, which outlives the daemon",
    "client/__main__.py": "a program",
    "commands/session/attaching.py": "a family of commands, loaded by its name",
    "commands/session/connecting.py": "a family of commands, loaded by its name",
    "commands/session/contexts.py": "a family of commands, loaded by its name",
    "daemon/__main__.py": "a program",
}
"""Modules below the limit that one module imports or none, with the reason not to merge them."""


def test_no_module_is_a_crumb_of_its_only_importer() -> None:
    names = {
        shown(path): ".".join(("gstack_browse", *path.relative_to(PACKAGE).with_suffix("").parts))
        for path in modules()
        if path.name != "__init__.py"
    }
    importers: Counter[str] = Counter()
    for path in modules():
        imported = set()
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported |= {node.module, *(f"{node.module}.{part.name}" for part in node.names)}
            elif isinstance(node, ast.Import):
                imported |= {part.name for part in node.names}
        importers.update(imported)
    crumbs = {
        name
        for name, module in names.items()
        if text_of(PACKAGE / name).count("\n") < FEWEST_LINES_OF_MODULE and importers[module] < 2
    }
    assert crumbs == set(SHORT_MODULES)


DOCUMENTED_SHARE = 0.994
"""Of the public functions and methods of public classes, as reached: raise it when more have one."""


def public_functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if not node.name.startswith("_"):
                yield node
        elif not (isinstance(node, ast.ClassDef) and node.name.startswith("_")):
            yield from public_functions(node)


def test_the_share_of_documented_public_functions_does_not_fall() -> None:
    has_docstring = [
        ast.get_docstring(node, clean=False) is not None
        for path in modules()
        for node in public_functions(parsed(path))
    ]
    assert sum(has_docstring) / len(has_docstring) >= DOCUMENTED_SHARE


def test_files_that_begin_early_are_there() -> None:
    assert [name for name in SECONDS if not (ROOT / "tests" / name).is_file()] == []


WAITS_FOR_TIME = {
    "commands/conftest.py": "the pause of `until`",
    "commands/test_garbage.py": "a browser that answers late",
    "e2e/client/scripted_daemon.py": "a daemon that is told to be silent",
    "tls.py": "a server that takes its time to verify a certificate",
}


def test_tests_wait_for_conditions_and_not_for_time() -> None:
    tests = ROOT / "tests"
    sleeping = {
        str(path.relative_to(tests))
        for path in tests.rglob("*.py")
        if "bench" not in path.parts and "sleep(" in text_of(path)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("sleep")
        and ast.unparse(node.args[0]) != "0"
    }
    assert sleeping == set(WAITS_FOR_TIME)


def test_no_time_span_is_measured_by_a_clock_that_can_be_set() -> None:
    """Subtract monotonic times only.

    `time.time()` tells when something was, not how long it took.
    """
    spans = [
        f"{path}:{node.lineno}"
        for path in modules()
        if path.relative_to(PACKAGE).parts[0] in ("browser", "daemon", "client")
        and "time.time()" in text_of(path)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and "time.time()" in ast.unparse(node)
    ]
    assert spans == []
