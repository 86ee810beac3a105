"""Read: extract what the page says.

Here: the commands for the page of the active tab.
"""

from json import dumps

from gstack_browse.browser.actions.locate.find import count_matches
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.network.loaded_documents import PDF
from gstack_browse.browser.reading import link_requests, read
from gstack_browse.browser.tab.urls import NO_PAGE
from gstack_browse.errors import BrowseError, ProblemsFound, TimedOut, UsageError
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import PageCount, PageRange, SearchText, Target
from gstack_browse.text.units import format_count


@command(
    READ,
    examples=[
        "text",
        "text main",
        "text @e4",
        "text --hidden",
        "text main --markdown",
        "text --article",
        "text --pages 3-5",
    ],
    page_text=True,
)
async def text(
    page: PageCommand,
    target: Target | None = None,
    *,
    hidden: bool = False,
    markdown: bool = False,
    article: bool = False,
    pages: PageRange | None = None,
) -> str:
    """Print the text of the page that can be seen, or of one element.

    A line per block, tabs between cells of tables and of ARIA grids (also for columns that a cell spans), shadow roots of both kinds included; frames are documents of their own: 'frame <target>' goes into one. Text that nobody can see (transparent, of no size,
    cut off, out of reach, of the colour of its ground) is left out and counted: screen readers may read it out, and pages
    address models by it.

    hidden: only the text that is rendered and cannot be seen
    markdown: keep headings, lists, tables, links and the words of pictures, as Markdown
    article: only the main content, as a reader view has it, with title, author and date; with --markdown its links as well
    pages: only these pages of a PDF
    """
    if pages and (target or hidden or markdown or article):
        raise UsageError("--pages goes with nothing else")
    if article and (target or hidden):
        raise UsageError("--article goes with --markdown only")
    if article:
        if (found_article := await read.fetch_article(page, as_markdown=markdown)) is not None:
            return found_article
        page.notes.append("no article found on this page: this is all of its text")
    if pages:
        return await read.fetch_pdf_pages(page, pages)
    if hidden and markdown:
        raise UsageError("--hidden and --markdown exclude each other")
    if markdown:
        found, unseen = await read.fetch_markdown(page, target)
    else:
        found, unseen = await read.fetch_text(page, target, unseen=hidden)
    if not hidden:
        read.add_hidden_note(page, unseen)
    page.note_error_page()
    if not found.strip() and target is None and not hidden and not page.tab.page.main_frame.unopened:
        page.notes.append(await _why_empty(page))
    if not found.strip() and target is not None and not hidden:
        await read.add_empty_target_note(page, target)
    return found


async def _why_empty(page: PageCommand) -> str:
    """Return why a page has no text, for the reply: a PDF, text only in frames, blank tab; "" if unknown."""
    if page.tab.page.main_frame.media_type == PDF:
        return "it is a PDF in Chromium's viewer: 'reload' makes it a page that can be read"
    if frames := await count_matches(page, "frame,iframe"):
        return f"{format_count(frames, 'frame')} of the page may have text: 'frame <selector>' goes into one, 'snapshot' shows all"
    if page.tab.page.url in NO_PAGE:
        return "the tab is blank"
    thrown = [
        entry for entry in page.context.logs.console if entry.thrown and entry.document == page.tab.document
    ]
    errors = f", and threw {format_count(len(thrown), 'error')}: see 'console --errors'" if thrown else ""
    return f"the page shows no text{errors}"


@command(READ, examples=["title"], page_text=True)
async def title(page: PageCommand) -> str:
    """Print the title of the page."""
    return await read.fetch_title(page)


@command(READ, examples=["value @e3", "value label=Email"], page_text=True)
async def value(page: PageCommand, target: Target) -> str:
    """Print what a field, or that of a label, holds now.

    Of a list what is chosen, a line each, as its form would send it. Secrets are masked.
    """
    return await read.fetch_value(page, target)


@command(READ, examples=["count li", "count role=row"])
async def count(page: PageCommand, target: Target) -> str:
    """Print how many elements a selector matches, hidden ones too; 0 is no failure."""
    return str(await count_matches(page, target))


@command(READ, examples=["box @e3", "box h1", "box li --all"])
async def box(page: PageCommand, target: Target, *, all: bool = False) -> str:
    """Print left, top, width and height of an element in CSS pixels from the viewport's top left corner.

    all: of every element that the selector matches and that has a box, a line each
    """
    boxes = await read.measure_boxes(page, target) if all else [await read.measure_box(page, target)]
    return "\n".join(",".join(f"{round(side, 1):g}" for side in sides) for sides in boxes) or "(none has a box)"


@command(READ, examples=["locator @e3"], page_text=True, aliases=["generate-locator"])
async def locator(page: PageCommand, target: Target) -> str:
    """Print a selector that means just this element and can be kept: for a test, or for the next time.

    The first of these that is unique: test id, role and name, placeholder, alt, title, id, the field's name, a path of CSS. What looks
    made by a build is passed over. Every command takes it for a target.
    """
    selector, is_elsewhere = await read.find_readable_selector(page, target)
    if is_elsewhere:
        page.notes.append("It is in a frame: choose that first, see 'help frame'")
    return selector


@command(READ, examples=["html", "html '#main'"], page_text=True)
async def html(page: PageCommand, target: Target | None = None) -> str:
    """Print the page's markup with its doctype, or the markup inside one element.

    Values of password and one-time-code fields are masked.
    """
    return await read.fetch_html(page, target)


@command(
    READ,
    examples=["links", "links main --find docs", "links --check --broken", "links --check --crawl 50 --broken"],
    page_text=True,
    waits=True,
    forms="[<target>] [--find <word> | --check [--crawl <n>] [--broken] [--all-sites]]",
)
async def links(
    page: PageCommand,
    target: Target | None = None,
    *,
    find: SearchText = "",
    check: bool = False,
    crawl: PageCount | None = None,
    broken: bool = False,
    all_sites: bool = False,
) -> str:
    """Print every link as 'text → address', one a line; or check them. Exit 1 when one is broken.

    A check tells where each leads. Of the document alone, as with 'text': 'frame <target>' goes into a frame. A link
    without text shows its accessible name, and is left out where another one leads to the same address. Checked
    are links of the page's own host and of those below it, each address once, by a GET with the browser's
    cookies and without running anything: status, ref, text, address, and where it redirects to. Broken is what
    has no answer or a status of 400 and more, and a fragment that names nothing. Links that may sign out are
    left alone. Routes and 'har-replay' answer for links as for pages. With --crawl the links of other pages are
    checked as well, from this one on: pages of its origin, read without a tab and without their scripts. Each line ends
    in the page where the link stands.

    find: only links with this text, or with this in their address
    check: ask for each address, the broken ones come first
    crawl: check the links of so many pages of the site, this one included
    broken: print only the broken ones
    all_sites: links to other sites, too
    """
    options = {"--all-sites": all_sites, "--broken": broken, "--crawl": crawl is not None}
    if not check and (given := [name for name, is_given in options.items() if is_given]):
        raise UsageError(f"{given[0]} goes with --check")
    if find and check:
        raise UsageError("--find does not go with --check", "Name a part of the page: links <target> --check")
    if check:
        return await _check_links(page, target, crawl, all_sites=all_sites, is_brief=broken)
    lines = link_requests.list_links(await read.fetch_links(page, target), find)
    return "\n".join(lines) or (f'(no link with "{find}")' if find else "(no links)")


async def _check_links(
    page: PageCommand, target: Target | None, crawl: int | None, *, all_sites: bool, is_brief: bool
) -> str:
    """Request a page's link addresses. Return a line for each; raise ProblemsFound for broken ones.

    `target`: the element with the links; None: the page. `crawl`: how many pages' links to check; None: only this one's.
    `all_sites`: links to other sites, too. `is_brief`: print only broken ones. Raises TimedOut.
    """
    from gstack_browse.browser.auditing import link_check  # late: no other command needs what speaks HTTP

    if crawl is None:
        found = await link_check.check(page, target, all_sites=all_sites)
    else:
        found = await link_check.check_site(page, target, crawl, all_sites=all_sites)
    if found.has_more_pages:
        page.notes.append(f"Links of {format_count(found.pages, 'page')} were read, and no more: --crawl")
    page.notes += [f"Not checked: {format_count(count, 'link')} {why}" for why, count in found.skipped.items()]
    printed = [link for link in found.links if link.answer.is_broken or not is_brief]
    lines = link_requests.render_links(printed)
    if any(link.answer.is_broken for link in found.links):
        error: BrowseError = ProblemsFound(link_requests.render_summary(found.links, found.pages))
    elif found.unanswered:
        late = format_count(found.unanswered, "link")
        error = TimedOut(
            f"The time was too short for {late}", "Give it longer: gbrowse --timeout <ms> links --check"
        )
    else:
        summary = link_requests.render_summary(found.links, found.pages)
        return "\n".join([*lines, summary]) if found.links else "(no links to check)"
    if found.unanswered and not isinstance(error, TimedOut):
        page.notes.append(
            f"The time was too short for {format_count(found.unanswered, 'more link')}: --timeout"
        )
    error.output = "\n".join(lines)
    raise error


@command(READ, examples=["forms", "forms main", "forms --json"], page_text=True)
async def forms(page: PageCommand, target: Target | None = None, *, json: bool = False) -> str:
    """Print the fields that can be seen, form by form, a line each.

    A line has ref, role and type, label, required, value. Of the document or of one element; frames are
    documents of their own. Values of secret fields are redacted.

    json: all fields with their attributes and options, hidden ones too; those outside of any form stand under a last one whose index is null
    """
    if not json:
        return await read.render_fields(page, target)
    return dumps(await read.list_forms(page, target), ensure_ascii=False, indent=2)


@command(READ, examples=["accessibility"], page_text=True)
async def accessibility(page: PageCommand) -> str:
    """Print the whole accessibility tree as YAML without refs, frames included.

    Values of secret fields are masked.
    """
    return await read.render_tree(page) or "(nothing)"
