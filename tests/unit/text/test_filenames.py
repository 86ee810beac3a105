from itertools import islice
from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.text.filenames import MOST_BYTES, number_names, safe_name, shorten_paths, split_suffix
from tests.each import each_row


@each_row(
    ("Überweisung (März).pdf", "Überweisung (März).pdf"),
    ("../../etc/passwd", "_.._etc_passwd"),
    ("", "download"),
    ("~root", "root"),
    ("a`id`.csv", "a_id_.csv"),
    ("line\nbreak\x1b[31m.txt", "line break[31m.txt"),
    ("invoice\u202efdp.exe", "invoicefdp.exe"),
    ("half\ud800.txt", "half.txt"),
    ("name. . ", "name"),
)
def test_names_are_made_safe(suggested: str, name: str) -> None:
    assert safe_name(suggested) == name


def test_a_long_or_numbered_name_keeps_its_suffix() -> None:
    assert safe_name("ö" * 500 + ".tar.gz").endswith("öö.tar.gz")
    assert len(safe_name("ö" * 500 + ".tar.gz").encode()) <= MOST_BYTES
    assert len(safe_name("a." + "b" * 500).encode()) <= MOST_BYTES
    assert list(islice(number_names("r.csv"), 3)) == ["r.csv", "r-2.csv", "r-3.csv"]
    assert list(islice(number_names("a.tar.gz"), 2)) == ["a.tar.gz", "a-2.tar.gz"]
    assert list(islice(number_names("README"), 2)) == ["README", "README-2"]
    assert split_suffix(".tar.gz") == (".tar", ".gz")


@given(st.text())
def test_no_name_does_harm(suggested: str) -> None:
    name = safe_name(suggested)
    assert 0 < len(name.encode()) <= MOST_BYTES
    assert name.isprintable()
    assert name[0] not in ".-~ "
    assert not set(name) & set("/\\`$\"'<>|;&*?!\0\n")
    assert safe_name(name) == name


NAMED = {
    ("/w/a.png",): ["a.png"],
    ("/w/a.png", "/w/b.png"): ["a.png", "b.png"],
    ("/w/x/n.txt", "/w/y/n.txt", "/w/z.txt"): ["x/n.txt", "y/n.txt", "z.txt"],
    ("/w/1/x/n.txt", "/w/2/x/n.txt", "/w/y/n.txt"): ["1/x/n.txt", "2/x/n.txt", "y/n.txt"],
    ("/n.txt", "/w/n.txt"): ["/n.txt", "w/n.txt"],
    ("/w/n.txt", "/w/n.txt"): ["n.txt", "n.txt"],
    (): [],
}


def test_each_file_has_a_name_of_its_own() -> None:
    assert {given: shorten_paths([PurePosixPath(path) for path in given]) for given in NAMED} == NAMED
