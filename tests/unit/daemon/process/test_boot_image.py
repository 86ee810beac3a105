"""Test the file with a daemon's imported modules: it is used while it is true, and not needed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gstack_browse.daemon.process.boot_image import BootImage
from tests.each import each

pytestmark = pytest.mark.programs

ROOT = Path(__file__).parents[4]
DATA = """import re
from collections import namedtuple
from dataclasses import dataclass

@dataclass(frozen=True)
class Pair:
    left: int
    right: int = {}

Point = namedtuple("Point", "x y", defaults=(7,))
SCANNER = re.Scanner([("a+", None)])
WORD = re.compile(r"(?P<letters>[a-zé]+)(\\d)?|(?i:ß)", re.MULTILINE)
BYTES = re.compile(rb"(?P<letters>[a-z]+)(\\d)?|(?i:ss)", re.IGNORECASE)
"""
SCRIPT = """
import sys
sys.path[:0] = sys.argv[1:3]
from gstack_browse.daemon.process.boot_image import BootImage
image = BootImage(sys.argv[1] + "/imaged")
image.install()
from re import _compiler
parsed = []
parse = _compiler._parser.parse
_compiler._parser.parse = lambda text, *rest: parsed.append(text) or parse(text, *rest)
asis = (_compiler.compile, _compiler._sre)
image.patch_compilers()
compiled = []
sys.addaudithook(lambda event, found: compiled.append(str(found[1])) if event == "compile" else None)
opened = []
sys.addaudithook(lambda event, found: opened.append(str(found[0])) if event == "open" else None)
from imaged.data import Pair
import imaged.other, _json
print(Pair(1), Pair(1) == Pair(1), imaged.other.WHAT, imaged.other.__file__ == imaged.other.what.__code__.co_filename)
print("read by itself", sorted(path.rpartition("/")[2].partition(".")[0] for path in opened if "/imaged/" in path and path.endswith(".pyc")))
word, short = imaged.data.WORD, imaged.data.BYTES
print(imaged.data.Point(1), word.search("1\\né5").groupdict(), word.fullmatch("ß").span(), word.groups, word.flags, word.pattern)
print(short.search(b"1AB2").groups(), short.flags, short.groupindex)
print("compiled as text", compiled.count("<string>") > 0, word.pattern in parsed, short.pattern in parsed)
import re, collections, dataclasses
try:
    re.compile("(")
except re.error as error:
    print(error)
re.compile("of a [c]ommand")
print(imaged.data.SCANNER.scan("aab"), re.Scanner([("a+", None)]).scan("ab"))
image.uninstall()
print((_compiler.compile, _compiler._sre) == asis, hasattr(dataclasses, "exec"), hasattr(collections, "eval"))
print(imaged.data.__spec__.loader.get_source("imaged.data").count("frozen"), sys.meta_path.count(image))
"""


def run(place: Path) -> list[str]:
    words = [sys.executable, "-E", "-P", "-c", SCRIPT, str(place), str(ROOT)]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()


def write(place: Path, name: str, text: str) -> None:
    path = place / "imaged" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write(tmp_path, "__init__.py", "")
    write(tmp_path, "data.py", DATA.format(2))
    write(tmp_path, "other.py", "WHAT = 'old'\n\ndef what():\n    return WHAT\n")
    return tmp_path


def image_of(place: Path) -> Path:
    (found,) = (place / "imaged/__pycache__").glob("*.image")
    return found


FIRST = [
    "Pair(left=1, right=2) True old True",
    "read by itself ['__init__', 'data', 'other']",
    "Point(x=1, y=7) {'letters': 'é'} (0, 1) 2 40 (?P<letters>[a-zé]+)(\\d)?|(?i:ß)",
    "(b'AB', b'2') 2 {'letters': 1}",
    "compiled as text True True True",
    "missing ), unterminated subpattern at position 0",
    "([], 'b') ([], 'b')",
    "True False False",
    "1 0",
]
LATER = [FIRST[0], "read by itself []", *FIRST[2:4], "compiled as text False False False", *FIRST[5:]]


def test_the_second_daemon_looks_for_nothing_and_compiles_nothing(place: Path) -> None:
    run(place)  # the first of all has Python compile
    image = image_of(place)
    image.unlink()
    assert run(place) == FIRST
    assert run(place) == LATER
    assert image.stat().st_mode & 0o777 == 0o600
    assert b"(?P<letters>" in image.read_bytes()
    assert b"of a [c]ommand" not in image.read_bytes()


def test_changed_module_is_imported_from_its_source(place: Path) -> None:
    run(place)
    before = image_of(place).read_bytes()
    write(place, "other.py", "WHAT = 'new'\n\ndef what():\n    return WHAT\n")
    os.utime(place / "imaged/other.py", ns=(1, 1))
    for _ in range(2):
        assert run(place)[:2] == ["Pair(left=1, right=2) True new True", "read by itself ['other']"]
    assert image_of(place).read_bytes() == before, "for a module or two it is not written anew"


def test_a_copy_of_the_package_is_imported_from_where_it_is_and_a_removed_module_is_not(place: Path) -> None:
    run(place)
    moved = place.with_name("moved")
    place.rename(moved)
    assert run(moved) == LATER
    (moved / "imaged/other.py").unlink()
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run(moved)
    assert "No module named 'imaged.other'" in failed.value.stderr


@each(["short", "another", "without code", "open to others", "a link"])
def test_a_damaged_one_is_replaced_and_no_link_followed(damage: str, place: Path) -> None:
    run(place)
    image = image_of(place)
    content = image.read_bytes()
    if damage == "open to others":
        image.chmod(0o622)
    elif damage == "a link":
        image.symlink_to(image.rename(place / "elsewhere"))
    else:
        without_code = content[: 8 + int.from_bytes(content[:8], "little")]
        image.write_bytes(
            {"short": content[:100], "another": b"\1" * 5000, "without code": without_code}[damage]
        )
    assert run(place)[0] == FIRST[0]
    assert image.read_bytes()[:100] == content[:100]
    assert not image.is_symlink()


def test_an_import_of_another_thread_misses_no_finder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the other finders where they are when the image removes its own.

    The import system goes through the list; one that is taken out meanwhile would hide the next.
    """
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    before = list(sys.meta_path)
    image = BootImage(str(tmp_path / "none"))
    image.install()
    asked = iter(sys.meta_path)
    assert next(asked) is image
    assert next(asked) is before[0]
    image.uninstall()
    assert [*asked] == before[1:]
    assert sys.meta_path == before
