from gstack_browse.text.pattern import ANYTHING, Pattern, parse_text_pattern, parse_url_pattern
from gstack_browse.text.requests import RequestGlob, StatusPattern
from gstack_browse.text.resembling import find_most_similar
from tests.each import each_row

HOST = "http://localhost:3000"


@each_row(
    ("Saved", Pattern("part", "Saved"), '"Saved"'),
    ("=Saved", Pattern("exact", "Saved"), 'exactly "Saved"'),
    ("", Pattern("exact", ""), 'exactly ""'),
    ("  ", Pattern("exact", "  "), 'exactly ""'),
    ("/sav(ed|ing)/i", Pattern("regex", "sav(ed|ing)", "i"), "/sav(ed|ing)/i"),
    ("/a\nb/", Pattern("regex", "a\nb"), "/a b/"),
    ("1/2", Pattern("part", "1/2"), '"1/2"'),
    ("//", Pattern("part", "//"), '"//"'),
)
def test_a_pattern_of_text(word: str, pattern: Pattern, shown: str) -> None:
    assert (parse_text_pattern(word), str(parse_text_pattern(word))) == (pattern, shown)


@each_row(
    ("**/done", "glob"),
    ("/app/", "glob"),
    ("/orders/*/", "glob"),
    ("/v1.2/", "glob"),
    ("/app$/", "regex"),
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
    assert parse_text_pattern("").matches("")
    assert not parse_text_pattern("").matches("x")
    assert ANYTHING.matches("")
    post = RequestGlob("POST **/save")
    assert post.matches("POST", f"{HOST}/api/save")
    assert not post.matches("GET", f"{HOST}/api/save")
    assert RequestGlob("/api/*").matches("PUT", f"{HOST}/api/3")
    assert str(RequestGlob(" /api/* ")) == "/api/*"
    assert [StatusPattern("2xx").matches(code, "") for code in (0, 200, 204, 302)] == [False, True, True, False]
    assert StatusPattern("404").matches(404, "")
    assert StatusPattern("failed").matches(0, "ERR_FAILED")
    assert not StatusPattern("failed").matches(500, "")
    assert all(map(StatusPattern.is_valid, ("2xx", "404", "failed")))
    assert not any(map(StatusPattern.is_valid, ("6xx", "2x", "")))
    lines = ["Orders", "Saving…", "Save failed: no space", "saved", "Nothing at all"]
    assert find_most_similar("Saved", lines) == "saved"
    assert find_most_similar("Saved", lines[:3]) == "Saving…"
    assert find_most_similar("Saved", ["Orders", "x" * 10_000]) == ""
    assert find_most_similar("", lines) == ""
