"""The libraries that are kept are those that were published."""

import hashlib

from gstack_browse.browser.reading.page_scripts import FOLDER, LIBRARIES, Library
from tests.each import each


@each(LIBRARIES)
def test_a_library_is_unchanged_and_of_the_version_it_is_said_to_be(library: Library) -> None:
    assert hashlib.sha256(library.path.read_bytes()).hexdigest() == library.sha256
    assert (library.path.parent / "LICENSE").is_file()
    assert f"| {library.package} |" in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_axe_says_its_version() -> None:
    axe = next(library for library in LIBRARIES if library.package == "axe-core")
    assert axe.source().startswith(f"/*! axe v{axe.version}\n")
