"""Test the references: prose of declarations is Markdown, and every setting has its line."""

from gstack_browse.agent.docgen.documents import escape_tags, render_settings
from gstack_browse.agent.local.checks import browser_settings
from tests.each import each_row


@each_row(
    ("'frame <target>' goes into one", "'frame &lt;target>' goes into one"),
    ("a list (<select>), `<b>` and <i>", "a list (&lt;select>), `<b>` and &lt;i>"),
    ("5 > 4", "5 > 4"),
)
def test_tag_outside_of_code_is_text(text: str, markdown: str) -> None:
    assert escape_tags(text) == markdown


def test_settings_page_has_variable_default_and_whether_a_workspace_may_set_it() -> None:
    page = render_settings()
    assert "| `BROWSE_MAX_TABS` | how many tabs may be open in each browser context | `100` | yes |\n" in page
    assert "| `BROWSE_PROFILE` |" in page
    assert page.count("| yes |\n") + page.count("| no |\n") == len(browser_settings.MEANINGS)
