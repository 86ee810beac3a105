import re

from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.registry.suggest import find_most_similar
from gstack_browse.text.pattern import (
    ANYTHING,
    Glob,
    Pattern,
    RequestGlob,
    StatusPattern,
    parse_text_pattern,
    parse_url_pattern,
)
from tests.each import each_row

HOST = "http://localhost:3000"


@each_row(
    ("Saved", Pattern("part", "Saved"), '"Saved"'),
    ("=Saved", Pattern("exact", "Saved"), 'exactly "Saved"'),
    ("", Pattern("exact", ""), 'exactly ""'),
    ("/sav(ed|ing)/i", Pattern("regex", "sav(ed|ing)", "i"), "/sav(ed|ing)/i"),
    ("/a\nb/", Pattern("regex", "a\nb"), "/a b/"),
    ("1/2", Pattern("part", "1/2"), '"1/2"'),
)
def test_a_pattern_of_text(word: str, pattern: Pattern, shown: str) -> None:
    assert (parse_text_pattern(word), str(parse_text_pattern(word))) == (pattern, shown)


@each_row(
    ("**/done", "glob"),
    ("/orders/*/", "glob"),
    (r"/\/orders\/\d+/", "regex"),
    ("/app/i", "regex"),
    (f"={HOST}/", "exact"),
)
def test_a_path_is_no_regular_expression(word: str, kind: str) -> None:
    assert parse_url_pattern(word).kind == kind


def test_patterns_match_texts_and_requests_and_name_what_is_like_them() -> None:
    assert parse_text_pattern("All  done").matches(" All\n done, thanks")
    assert parse_text_pattern("=All done").matches(" All\n done ")
    assert not parse_text_pattern("=All done").matches("All done, thanks")
    assert not parse_text_pattern("").matches("x")
    assert ANYTHING.matches("")
    assert RequestGlob(" /api/* ").matches("PUT", f"{HOST}/api/3")
    assert [StatusPattern("2xx").matches(code, "") for code in (0, 200, 204, 302)] == [False, True, True, False]
    assert all(map(StatusPattern.is_valid, ("2xx", "404", "failed")))
    assert not any(map(StatusPattern.is_valid, ("6xx", "2x", "")))
    lines = ["Orders", "Saving…", "Save failed: no space", "saved", "Nothing at all"]
    assert find_most_similar("Saved", lines) == "saved"
    assert find_most_similar("Saved", ["Orders", "x" * 10_000]) == ""
    assert find_most_similar("", lines) == ""


@each_row(
    ("/app/", f"{HOST}/app/42/edit", f"{HOST}/apple"),
    ("?page=2", f"{HOST}/items?page=2", f"{HOST}/items"),
    ("http://[::1]:80/", "http://[::1]:80/a", "http://[::1]:8080/"),
    ("**/app/*/edit", f"{HOST}/app/42/edit", f"{HOST}/app/4/2/edit"),
    ("**/done", f"{HOST}/done", f"{HOST}/undone"),
    ("http://**/done", f"{HOST}/done", f"{HOST}/undone"),
    (f"{HOST}/**/done", f"{HOST}/done", f"{HOST}/undone"),
    ("/items/*", f"{HOST}/items/3", f"{HOST}/old/items/3"),
    ("/items/*", f"{HOST}/items/3", f"{HOST}/items/3/edit"),
    ("/items**", f"{HOST}/items?a=/b", f"{HOST}/old/items"),
    ("**/*.{png,jpg}", f"{HOST}/a/b.jpg", f"{HOST}/a/b.gif"),
    ("*dash*", f"{HOST}/app/dash?a=/b", f"{HOST}/app"),
    ("**a**b**c", "xxaxxbxxaxc", "xxaxxbxxaxcx"),
    ("(a)*", "(a)b", "a"),
)
def test_a_pattern_is_of_one_text_and_not_of_another(pattern: str, text: str, other: str) -> None:
    assert Glob(pattern).matches(text)
    assert not Glob(pattern).matches(other)


@each_row(
    ("**/api/*", "*api/**"),
    ("https://a.example/**", "https://a.example/**"),
    ("/items**", "*/items**"),
    ("**/*.{png,jpg}", "**.**"),
    ("?page=2\\", "*\\?page=2\\\\*"),
)
def test_a_wider_pattern_for_chromium(pattern: str, wider: str) -> None:
    assert Glob(pattern).chromium_pattern == wider


@given(
    st.lists(st.sampled_from(["*", "**", "**/", "/", "a", "b?", "\\", "{a,b}", "http://h"]), min_size=1),
    st.lists(st.sampled_from(["/", "a", "b?", "\\", "http://h", "xy"])),
)
def test_no_text_of_a_pattern_is_outside_the_wider_one(pieces: list[str], text: list[str]) -> None:
    pattern, whole = Glob("".join(pieces)), "".join(text)
    assert not pattern.matches(whole) or is_of_chromiums(pattern.chromium_pattern, whole)


def is_of_chromiums(pattern: str, text: str) -> bool:
    """As Chromium compares: `*` is anything, a backslash makes the next character mean itself."""
    pieces = re.findall(r"\\.|.", pattern, re.S)
    wanted = "".join(".*" if piece == "*" else re.escape(piece[-1]) for piece in pieces)
    return bool(re.fullmatch(wanted, text, re.S))
