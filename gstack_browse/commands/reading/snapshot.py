"""Snapshot: see what is on the page, with a ref for every element."""

from pathlib import Path

from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.command.page_settling import wait_until_faded
from gstack_browse.browser.engine.refs import REF
from gstack_browse.browser.reading import snapshots
from gstack_browse.browser.reading.read import add_cut_note, add_empty_target_note, add_hidden_note
from gstack_browse.errors import UsageError
from gstack_browse.registry import READ
from gstack_browse.registry import command as declare
from gstack_browse.registry.arguments import Count, ImageFile, Rows, SearchText, Target
from gstack_browse.snapshot.diff import render_difference
from gstack_browse.snapshot.filters import line_of
from gstack_browse.snapshot.render import render, shown_elements
from gstack_browse.snapshot.tree import DEFAULT_CHARS, Options, Tree
from gstack_browse.text.units import format_count

_FIRST = "(no previous snapshot of this tab; this is the one that the next is compared with)"


@declare(
    READ,
    examples=[
        "snapshot -i",
        "snapshot -s @e12 --rows 20-40",
        "snapshot --find 'Buy 500'",
        "snapshot --role combobox,spinbutton",
        "snapshot -D",
        "snapshot -iu",
    ],
    short={
        "interactive": "i",
        "compact": "c",
        "depth": "d",
        "selector": "s",
        "diff": "D",
        "annotate": "a",
        "output": "o",
        "cursor_interactive": "C",
        "urls": "u",
    },
    page_text=True,
    is_tree=True,
    forms="[-i, --interactive] [-c, --compact] [-d, --depth <n>] [-s, --selector <target>] [-C, --cursor-interactive] [-u, --urls]"
    " [--json|-D, --diff] [-a, --annotate] [--full] [-o, --output <path>] [--find <word>] [--role <word>] [--rows <from-to>]"
    " [--max <n>|--all]",
)
async def snapshot(
    page: PageCommand,
    *,
    interactive: bool = False,
    compact: bool = False,
    depth: Count | None = None,
    selector: Target | None = None,
    cursor_interactive: bool = False,
    urls: bool = False,
    json: bool = False,
    diff: bool = False,
    annotate: bool = False,
    full: bool = False,
    output: ImageFile | None = None,
    find: SearchText = "",
    role: SearchText = "",
    rows: Rows | None = None,
    max: Count = DEFAULT_CHARS,
    all: bool = False,
) -> str:
    """Print the accessibility tree of all frames, with a ref (@e3) for every element.

    A ref is one element for as long as the page lives; flags hide lines but never renumber. Long runs of
    similar rows are folded; everything stays reachable with --rows, --find and --all.

    interactive: only what can be operated: buttons, links, fields …, and what can be clicked without a role, as @c1
    compact: drop structure without a name
    depth: no deeper than this, 0 is the top
    selector: only the subtree of this element
    cursor_interactive: all that can be clicked but has no role, in large documents too
    urls: where links lead, as their values
    json: an object for each element, with ref, role, name, states, value, and box (x, y, width, height in the viewport) where it can be seen
    diff: what changed since the previous snapshot of this tab without --find, --role and --rows; of a new page all
    annotate: save a screenshot of the viewport with each visible ref boxed and labelled
    full: the annotated screenshot is of the whole page
    output: where the annotated screenshot goes
    find: only lines with this text, or this ref, with the row, list item or section they are in
    role: only elements of this role, such as button, or of several: combobox,spinbutton; with --find, those that have the text or stand beside it
    rows: only these items of the longest list, for example 20-40
    max: fold above this many characters; 0: fold nothing
    all: fold nothing
    """
    if not annotate and (output or full):
        option, given = ("--output", "-o page.png") if output else ("--full", "--full")
        raise UsageError(f"{option} is for the annotated screenshot", f"Add -a: snapshot -a {given}")
    if json and (diff or annotate):
        raise UsageError("--json goes with neither --diff nor --annotate")
    if urls and diff:
        raise UsageError("--urls does not go with --diff: earlier snapshots have no addresses")
    refs = page.tab.refs
    before = refs.compared_snapshot
    if diff:
        await wait_until_faded(page.tab)
    clickable = cursor_interactive or (diff and before is not None and before.clickable)
    tree = await snapshots.take_snapshot(page, selector, clickable=clickable, addresses=urls)
    if tree.unlisted and not clickable and (rows or find):  # what is asked for may be one of those
        clickable = True
        tree = await snapshots.take_snapshot(page, selector, clickable=True, addresses=urls)
    is_search = bool(find or role or rows)
    # What a search leaves out would never be told as new. After one with addresses, all links would differ.
    if not urls and not (is_search and before and before.kept.tree().documents[:1] == tree.documents[:1]):
        refs.compare_next_with(clickable=clickable)
    if REF.fullmatch(find) and line_of(tree, find) < 0:
        await refs.resolve(find)  # says what became of it
    is_whole = not (interactive or role or find or selector)
    add_cut_note(page, tree.cut)
    page.note_error_page()
    if is_whole:
        add_hidden_note(page, tree.hidden)
    if selector and not tree.shown_scope:
        await add_empty_target_note(page, selector)
    options = Options(interactive, compact, depth, None if all or not max else max, rows, find, role)
    if json:
        return await snapshots.render_json(page, tree, options)
    if diff and before:
        text = render_difference(before.kept.tree(), tree, options)
    else:
        text = f"{_FIRST}\n{render(tree, options)}" if diff else render(tree, options)
    return f"{text}\n{await _save_annotated(page, tree, options, output, full=full)}" if annotate else text


async def _save_annotated(
    page: PageCommand, tree: Tree, options: Options, output: Path | None, *, full: bool
) -> str:
    """Save a screenshot with labelled boxes around the snapshot's elements. Return a line for the reply.

    The line has its path, and how many refs are outside of it. `full`: of the whole page, not the viewport.
    """
    lines = shown_elements(tree, options)
    saved = await snapshots.save_annotated(page, tree, lines, output, full=full)
    more = f", {saved.outside} more outside of the viewport: -a --full" if saved.outside else ""
    shrunk = f", {saved.picture.shrunk}" if saved.picture.shrunk else ""
    return f"Screenshot saved: {saved.path} ({format_count(saved.boxed, 'ref')}{more}{shrunk})"
