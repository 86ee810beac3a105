"""Read: extract what the page says.

Here: `read`, which fetches a document by its address, without a tab.
"""

from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import NoMatch, UsageError
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import SearchText, Url


@command(
    READ,
    examples=[
        "read https://example.com",
        "read https://example.com/guide --outline",
        "read https://example.com/guide --section 'A plain page'",
        "read https://example.com/guide --find proxy",
    ],
    page_text=True,
    waits=True,
    asks_web=True,
)
async def read(
    daemon: Daemon,
    url: Url,
    *,
    outline: bool = False,
    section: SearchText = "",
    find: SearchText = "",
    whole: bool = False,
    session: bool = False,
) -> str:
    """Print the main content of a web page as Markdown, fetched without a browser.

    It takes milliseconds, and no script runs. Asks for Markdown first, and of a site's start page for its
    llms.txt; of HTML the main content is printed, of PDF the text, other text as it is. Nothing is kept, no
    cookie is sent. The rules for pages hold: BROWSE_ALLOW, proxies, certificates, metadata services; a public
    page cannot redirect to a private network. A page that is empty without scripts says so.

    url: http or https
    outline: only the headings
    section: only the section under this heading
    find: only the paragraphs with this text, under their headings
    whole: all of the page, with its menus; of a start page itself in place of llms.txt
    session: send the cookies of the open session, and obey its routes
    """
    from gstack_browse.browser.reading import web_documents  # late: what speaks HTTP is no part of a start
    from gstack_browse.documents.reader import articles

    if sum(map(bool, (outline, section, find))) > 1:
        raise UsageError("--outline, --section and --find exclude each other")
    browser = daemon.browser if session else None
    if session and browser is None:
        raise UsageError("No session is open", "Run 'goto' first, or leave out --session")
    found = await web_documents.read_document(
        url, daemon.settings, browser, seconds=daemon.patience, whole=whole, remark=daemon.say
    )
    if outline:
        return articles.render_outline(found) or "(no headings)"
    if section:
        if not (part := articles.find_section(found, section)):
            raise NoMatch("There is no such section", f"Its headings: read {url} --outline")
        return part
    if find:
        return "\n\n".join(articles.find_paragraphs(found, find)) or "(not found)"
    return found
