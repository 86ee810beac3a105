"""HTML as servers send it: its tree, its main content, Markdown of it, and parts of that."""

import time
from collections.abc import Callable

from gstack_browse.documents.reader import articles, main_content, markdown, markup_tree
from gstack_browse.documents.reader.articles import ArticleHead, render_markdown, render_text
from tests.each import each, each_row


def as_markdown(markup: str) -> None:
    markdown.write_markdown(main_content.find_content(markup_tree.parse(markup)))


def find_parts(text: str) -> None:
    articles.render_outline(text)
    articles.find_section(text, "y")
    articles.find_paragraphs(text, "y")


MARKDOWN = [
    ("<h1>A</h1><p>One <b>two</b> <a href=http://x/>three</a><p>four<br>five", "# A\n\nOne **two** [three](http://x/)\n\nfour\nfive"),
    ("<ul><li>a<li>b<ul><li>c</ul></ul><ol><li>x<li>y</ol>", "- a\n- b\n  - c\n\n1. x\n2. y"),
    ("<table><tr><th>N<th>P<tr><td>a|b<td>2</table>", "| N | P |\n| --- | --- |\n| a\\|b | 2 |"),
    ("<table><tr><td><table><tr><td>In</table></table>", "In"),
    ("<pre><code class='language-py hljs'>if a:\n  b</code></pre>", "```py\nif a:\n  b\n```"),
    ("<blockquote><p>Said<p>so</blockquote><hr>", "> Said\n>\n> so\n\n---"),
    ("a &lt;b&gt; *c* `d` <code>e*f</code>", "a <b> \\*c\\* \\`d\\` `e*f`"),
    (f"a &#{'1' * 5000}; &#{'0' * 9}65;", "a � A"),
    ("<script>a</script><style>b</style><textarea>c</textarea>d", "d"),
    ("<p title='a>b'>x</p><p title=it's>y</p>", "x\n\ny"),
    ("<!-- <p>no</p> --><p>yes<!-- never", "yes"),
    ("</p></div><td>a</b>c", "ac"),
    ("<img src=http://x/a.png alt='A dog'><img src=http://x/b.png>", "![A dog](http://x/a.png)"),
    ("<a href=http://x/><h2>Card</h2><p>Words</p></a>", "## Card\n\nWords"),
    ("<h2>fn with_capacity</h2>_so_ a_b __init__", "## fn with_capacity\n\n\\_so\\_ a_b \\_\\_init\\_\\_"),
    ("a < b <3 </ x", "a < b <3 </ x"),
    ("<h2>Numbers \u200b</h2><h3>\u200b</h3>", "## Numbers"),
]  # fmt: skip


@each_row(*MARKDOWN)
def test_markup_becomes_markdown(markup: str, expected: str) -> None:
    assert markdown.write_markdown(markup_tree.parse(markup)) == expected


@each_row(
    (as_markdown, 60_000, "<!--|<a |<a b=\">|<a '>|<div>|<![CDATA[|<script>|</|<a b='|<b><p>|<table><tr><td>|<a =|&"),
    (as_markdown, 60_000, f"<{'a' * 59_000}|</{'a' * 59_000}|<a {'b' * 59_000}"),
    (find_parts, 1_000_000, f"# x{' ' * 990}x\n"),
    (find_parts, 100_000, "[|[x](|![|# |#|```\n|# x \n|\\|](|- [a](|\\[|[\\["),
)  # fmt: skip
def test_hostile_text_takes_time_that_grows_with_its_length_only(
    read: Callable[[str], None], length: int, pieces: str
) -> None:
    for piece in pieces.split("|"):
        text = piece * (length // len(piece))
        began = time.process_time()
        read(text)
        assert time.process_time() - began < 4, piece


STORY = "The harbour of the town floods again this year, and more often than it did before, as people say. " * 3
PAGE = (
    "<!doctype html><html><head><title>The harbour floods again this year | The Daily</title><meta name=author content='Ann Lee'>"
    "<base href=/news/></head><body><header><a href=/>Home</a> <a href=/a>Politics</a></header><nav>Menu</nav>"
    f"<div id=story><h1>The harbour floods again this year</h1><p>{STORY}</p><h2>Pumps<a href=#pumps>¶</a></h2><p>{STORY}<a href=map.html>Map</a></p></div>"
    f"<div class=sidebar><p>{STORY}</p></div><p style='display: none'>Ignore all</p><p hidden>Ignore this</p><footer>Imprint</footer></body></html>"
)


def test_the_main_content_is_found_without_what_is_around_it() -> None:
    root = markup_tree.parse(PAGE)
    assert main_content.read_head(root) == ArticleHead("The harbour floods again this year", "Ann Lee")
    main_content.resolve_links(root, main_content.base_url(root, "https://example.com/x"))
    written = markdown.write_markdown(main_content.find_content(root))
    assert written.startswith("# The harbour floods again this year\n\nThe harbour")
    assert "## Pumps\n\n" in written
    assert written.endswith("[Map](https://example.com/news/map.html)")
    for absent in ("Politics", "Menu", "Ignore", "Imprint"):
        assert absent not in written


DOCUMENT = "# Guide\n\nIntro\n\n## Install\n\nUse [pip](http://x/)\n\n```\n# no heading\n```\n\n### Linux\n\nUse apt\n\n## Remove\n\nUse rm"


def test_parts_of_a_document_are_found() -> None:
    assert articles.render_outline(DOCUMENT) == "Guide\n  Install\n    Linux\n  Remove"
    install = DOCUMENT[DOCUMENT.index("## Install") : DOCUMENT.index("\n\n## Remove")]
    assert articles.find_section(DOCUMENT, "install") == install
    assert articles.find_section(DOCUMENT, "linu") == "### Linux\n\nUse apt"
    assert articles.find_section(DOCUMENT, "Windows") == ""
    assert articles.find_paragraphs(DOCUMENT, "USE PIP") == ["## Install\nUse [pip](http://x/)"]
    assert articles.render_outline("## fn `with_capacity` \\[x\\]") == "fn with_capacity [x]"
    assert articles.render_outline("# C#\n## #\n## Rust ##\n## ###") == "C#\n  Rust", "an empty one has no line"
    assert articles.find_paragraphs("```\na\n\nb\n```\n\nc", "b") == ["```\na\n\nb\n```"]
    assert articles.find_paragraphs("the \\_a and a_b", "_a and A_B") == ["the \\_a and a_b"]
    assert articles.find_paragraphs(DOCUMENT, "use") == [
        "## Install\nUse [pip](http://x/)",
        "### Linux\nUse apt",
        "## Remove\nUse rm",
    ]


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
