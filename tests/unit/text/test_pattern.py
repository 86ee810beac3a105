import pytest

from gstack_browse.text.pattern import ANYTHING, Pattern, text_pattern, url_pattern
from gstack_browse.text.requests import RequestGlob, Status
from gstack_browse.text.resembling import most_like

HOST = "http://localhost:3000"


@pytest.mark.parametrize(
    ("word", "pattern", "shown"),
    [
        ("Saved", Pattern("part", "Saved"), '"Saved"'),
        ("=Saved", Pattern("exact", "Saved"), 'exactly "Saved"'),
        ("", Pattern("exact", ""), 'exactly ""'),
        ("  ", Pattern("exact", "  "), 'exactly ""'),
        ("/sav(ed|ing)/i", Pattern("regex", "sav(ed|ing)", "i"), "/sav(ed|ing)/i"),
        ("/a\nb/", Pattern("regex", "a\nb"), "/a b/"),
        ("1/2", Pattern("part", "1/2"), '"1/2"'),
        ("//", Pattern("part", "//"), '"//"'),
    ],
)
def test_a_pattern_of_text(word: str, pattern: Pattern, shown: str) -> None:
    assert (text_pattern(word), str(text_pattern(word))) == (pattern, shown)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("**/done", "glob"),
        ("/app/", "glob"),
        ("/orders/*/", "glob"),
        ("/v1.2/", "glob"),
        ("/app$/", "regex"),
        (r"/\/orders\/\d+/", "regex"),
        ("/app/i", "regex"),
        (f"={HOST}/", "exact"),
    ],
)
def test_a_path_is_no_regular_expression(word: str, kind: str) -> None:
    assert url_pattern(word).kind == kind


def test_blanks_do_not_matter() -> None:
    assert text_pattern("All  done").matches(" All\n done, thanks")
    assert text_pattern("=All done").matches(" All\n done ")
    assert not text_pattern("=All done").matches("All done, thanks")
    assert text_pattern("").matches("")
    assert not text_pattern("").matches("x")
    assert ANYTHING.matches("")


def test_which_requests_are_meant() -> None:
    post = RequestGlob("POST **/save")
    assert post.matches("POST", f"{HOST}/api/save")
    assert not post.matches("GET", f"{HOST}/api/save")
    assert RequestGlob("/api/*").matches("PUT", f"{HOST}/api/3")
    assert str(RequestGlob(" /api/* ")) == "/api/*"
    assert [Status("2xx").is_of(code, "") for code in (0, 200, 204, 302)] == [False, True, True, False]
    assert Status("404").is_of(404, "")
    assert Status("failed").is_of(0, "ERR_FAILED")
    assert not Status("failed").is_of(500, "")
    assert [Status.is_one(words) for words in ("2xx", "404", "failed", "6xx", "2x", "")] == [True] * 3 + [
        False
    ] * 3


def test_the_lines_most_like_what_was_expected() -> None:
    lines = ["Orders", "Saving…", "Save failed: no space", "saved", "Nothing at all"]
    assert most_like("Saved", lines) == ["saved"]
    assert most_like("Saved", lines[:3]) == ["Saving…"]
    assert most_like("Saved", ["Orders", "x" * 10_000]) == []
    assert most_like("", lines) == []
