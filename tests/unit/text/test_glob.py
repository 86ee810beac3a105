import re
import time

from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.text.pattern import Glob
from tests.each import each, each_row

HOST = "http://localhost:3000"


@each_row(
    ("/app/", f"{HOST}/app/42/edit", f"{HOST}/apple"),
    ("?page=2", f"{HOST}/items?page=2", f"{HOST}/items"),
    ("http://[::1]:80/", "http://[::1]:80/a", "http://[::1]:8080/"),
    ("**/app/*/edit", f"{HOST}/app/42/edit", f"{HOST}/app/4/2/edit"),
    ("**/done", f"{HOST}/done", f"{HOST}/undone"),
    ("**/done", f"{HOST}/a/b/done", f"{HOST}/done?really"),
    ("http://**/done", f"{HOST}/done", f"{HOST}/undone"),
    ("http://*/done", f"{HOST}/done", f"{HOST}/a/done"),
    (f"{HOST}/**/done", f"{HOST}/done", f"{HOST}/undone"),
    (f"{HOST}/**", f"{HOST}/", "http://localhost/"),
    ("/items/*", f"{HOST}/items/3", f"{HOST}/old/items/3"),
    ("/items/*", f"{HOST}/items/3", f"{HOST}/items/3/edit"),
    ("/items**", f"{HOST}/items?a=/b", f"{HOST}/old/items"),
    ("**/*.{png,jpg}", f"{HOST}/a/b.jpg", f"{HOST}/a/b.gif"),
    ("**/{api,rest}/**", f"{HOST}/rest/a/b", f"{HOST}/best/a/b"),
    ("*", "about:blank", "about:/blank"),
    ("**a**b**c", "xxaxxbxxaxc", "xxaxxbxxaxcx"),
    ("a.c", "a.c", "abc"),
    ("(a)*", "(a)b", "a"),
)
def test_a_pattern_is_of_one_text_and_not_of_another(pattern: str, text: str, other: str) -> None:
    assert Glob(pattern).matches(text)
    assert not Glob(pattern).matches(other)


def test_a_name_is_meant_as_a_whole() -> None:
    assert Glob("report.csv", whole=True).matches("report.csv")
    assert not Glob("report.csv", whole=True).matches("old-report.csv")
    assert Glob("report-*.csv", whole=True).matches("report-2026.csv")


@each(["**a" * 8 + "b", "*a" * 8 + "b", "**/a" * 8 + "b", "{a,aa}" * 20 + "b"])
def test_no_address_of_a_page_makes_a_pattern_slow(pattern: str) -> None:
    """Match patterns that take a backtracking matcher for ever.

    A second is generous: it is for a loaded machine.
    """
    before = time.process_time()
    for text in ("a" * 100_000, "/a" * 50_000):
        assert not Glob(pattern).matches(text)
    assert time.process_time() - before < 2


@each_row(
    ("/api/", "*/api/*"),
    ("**/api/*", "*api/**"),
    ("https://a.example/**", "https://a.example/**"),
    ("/items**", "*/items**"),
    ("**/*.{png,jpg}", "**.**"),
    ("?page=2\\", "*\\?page=2\\\\*"),
)
def test_a_wider_pattern_for_chromium(pattern: str, wider: str) -> None:
    assert Glob(pattern).wider == wider


@given(
    st.lists(st.sampled_from(["*", "**", "**/", "/", "a", "b?", "\\", "{a,b}", "http://h"]), min_size=1),
    st.lists(st.sampled_from(["/", "a", "b?", "\\", "http://h", "xy"])),
)
def test_no_text_of_a_pattern_is_outside_the_wider_one(pieces: list[str], text: list[str]) -> None:
    pattern, whole = Glob("".join(pieces)), "".join(text)
    assert not pattern.matches(whole) or is_of_chromiums(pattern.wider, whole)


def is_of_chromiums(pattern: str, text: str) -> bool:
    """As Chromium compares: `*` is anything, a backslash makes the next character mean itself."""
    pieces = re.findall(r"\\.|.", pattern, re.S)
    wanted = "".join(".*" if piece == "*" else re.escape(piece[-1]) for piece in pieces)
    return bool(re.fullmatch(wanted, text, re.S))
