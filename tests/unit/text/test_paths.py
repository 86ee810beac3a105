"""How replies name files."""

from pathlib import PurePosixPath

from gstack_browse.text.filenames import shorten_paths

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
