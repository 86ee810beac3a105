"""Test how an article is printed: the head, and content that repeats some of it."""

from gstack_browse.documents.reader.articles import ArticleHead, render_markdown, render_text
from tests.each import each

HEAD = ArticleHead(author="Ann Lee", date="2026-03-01")
BYLINES = [
    "By Ann Lee", "ANN LEE", "Written by Ann Lee", "By **[Ann Lee](https://site.test/ann_lee)**", "By\nAnn Lee",
]  # fmt: skip
OTHER = ["By Bob", "Ann Lee writes of floods.", "> By Ann Lee, and others"]


@each(BYLINES)
def test_byline_is_printed_once(byline: str) -> None:
    expected = "By Ann Lee · 2026-03-01\n\n# Floods\n\nThe harbour"
    assert render_markdown(HEAD, f"# Floods\n\n{byline}\n\nThe harbour") == expected
    assert render_text(HEAD, f"Floods\n\n{byline}\n\nThe harbour") == expected.replace("# ", "")


@each(OTHER)
def test_other_words_of_the_author_stay(block: str) -> None:
    assert block in render_markdown(HEAD, f"# Floods\n\n{block}\n\nThe harbour")
    assert render_markdown(ArticleHead(), "By Ann Lee\n\nThe harbour") == "By Ann Lee\n\nThe harbour"
