"""Read pages: text, markup, links, fields, attributes, styles, states."""

import asyncio
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from gstack_browse.browser.actions.locate import covers
from gstack_browse.browser.actions.locate.find import (
    ask_about,
    count_matches,
    locate_all,
    locate_first,
)
from gstack_browse.browser.actions.locate.page_points import measure_box_in_page
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.engine.answer_types import Styles
from gstack_browse.browser.engine.messages import PageScriptError
from gstack_browse.browser.reading import page_scripts, snapshots
from gstack_browse.browser.reading.page_scripts import READABILITY
from gstack_browse.documents.reader import articles
from gstack_browse.errors import ActionFailed, NoMatch, NotInteractable, StaleRef, UsageError
from gstack_browse.registry.suggest import nearest
from gstack_browse.snapshot.items import FIELDS
from gstack_browse.snapshot.render import line_text
from gstack_browse.snapshot.structured import render_yaml
from gstack_browse.snapshot.tree import Tree
from gstack_browse.text.redact import REDACTED
from gstack_browse.text.sanitise import one_line, quote_text, quote_unless_short
from gstack_browse.text.units import format_count

MOST_CHARACTERS = 20_000_000
"""Limit of a text or markup that the page sends (engine/scripts/dom/invoke.js)."""


async def fetch_text(page: PageCommand, target: str | None, *, unseen: bool = False) -> tuple[str, int]:
    """Fetch the rendered text of an element or the page, and the number of characters of hidden text.

    `target`: None for the page. `unseen`: return the hidden text instead.
    """
    found: dict[str, Any] = await ask_element_or_page(page, "readText", target, unseen)
    add_cut_note(page, found["cut"], MOST_CHARACTERS if found.get("isLong") else 0)
    return found["text"], found["hidden"]


def add_hidden_note(page: PageCommand, characters: int) -> None:
    """Add a note to the reply on how much hidden text was not printed, in characters; 0 for none.

    It is left out if the last one for this document was the same.
    """
    hidden = page.tab.document, characters
    if characters and page.tab.reported_hidden != hidden:
        page.notes.append(f"{format_count(characters, 'character')} hidden: text --hidden")
        page.tab.reported_hidden = hidden


async def add_empty_target_note(page: PageCommand, target: str) -> None:
    """Add a note to the reply that says why an element shows nothing: it is hidden, or a frame shows it."""
    if reason := (await ask_about(page, target, "findHiddenReason", first=True))[1]:
        page.notes.append(f"{one_line(target, 200)} is hidden: {one_line(str(reason), 150)}")
    elif frames := (await ask_about(page, target, "countFrames", first=True))[1]:
        page.notes.append(
            f"{format_count(frames, 'frame')} there may have text: 'frame <selector>' goes into one"
        )


def add_cut_note(page: PageCommand, elements: int, characters: int = 0) -> None:
    """Add a note to the reply if a limit kept the rest of the page from being read; else add none.

    `elements`: how many were read before the engine's limit, its answer's `cut`; 0 if it read all. `characters`: length of the
    text or markup that it sent, which was cut if this is MOST_CHARACTERS. If both were, the note names the elements.
    """
    if elements:
        page.notes.append(
            f"cut: the page is enormous or slow; only its first {elements:,} elements and lines were read"
        )
    elif characters >= MOST_CHARACTERS:
        page.notes.append(f"cut: the page is enormous; only its first {MOST_CHARACTERS:,} characters were read")


async def fetch_html(page: PageCommand, target: str | None) -> str:
    """Fetch the HTML inside an element; without a target, that of the document with its doctype."""
    found: str | None = await ask_element_or_page(page, "readHtml", target)
    if found is None:
        raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    add_cut_note(page, 0, len(found))
    if target and not found.strip():
        await add_empty_target_note(page, target)
    return found


async def fetch_links(page: PageCommand, target: str | None) -> list[tuple[str, str]]:
    """Fetch (text, absolute URL) of each link in an element; without a target, of each in the page."""
    found: dict[str, Any] = await ask_element_or_page(page, "listLinks", target)
    add_cut_note(page, found["cut"])
    return [(name, address) for name, address in found["links"]]


async def fetch_attributes(page: PageCommand, target: str) -> dict[str, str]:
    """Fetch the attributes of an element by name, with secrets masked."""
    found: dict[str, str] | None = await ask_element_or_page(page, "readAttributes", target)
    if found is None:
        raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    return found


async def fetch_title(page: PageCommand) -> str:
    """Fetch the page's title."""
    return str(await page.world.call("readTitle"))


async def fetch_value(page: PageCommand, target: str, *, is_recheck: bool = False) -> str:
    """Fetch the value of a field, masked if secret. Raises UsageError for another element, StaleRef.

    `is_recheck`: for a repeated check: the target must be a single element, and errors have no hints.
    """
    element, field_value = await ask_about(
        page, target, "readPrintedFieldValue", first=not is_recheck, with_hint=not is_recheck
    )
    if field_value is None:
        raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    if field_value["value"] is None:
        raise UsageError(
            f"{element.target} is no field and has no value", f"Its words: text {shlex.quote(target)}"
        )
    return REDACTED if field_value["secret"] and field_value["value"] else str(field_value["value"])


async def measure_box(page: PageCommand, target: str) -> tuple[float, float, float, float]:
    """Return left, top, width and height of an element, in CSS pixels from the viewport's top left corner.

    Raises NotInteractable if the element has no box.
    """
    found = await measure_box_in_page(await locate_first(page, target))
    if not found:
        raise NotInteractable(
            f"{target} is not rendered: it has no box", f"See what it is: attrs {shlex.quote(target)}"
        )
    left, top, width, height = found
    return left, top, width, height


async def measure_boxes(page: PageCommand, target: str) -> list[Sequence[float]]:
    """Return left, top, width and height of each element of a target that has a box.

    In CSS pixels from the viewport's top left corner. Raises NoMatch if no element matches.
    """
    elements = await locate_all(page, target)
    if not elements:
        elements = [await locate_first(page, target)]
    found = [await measure_box_in_page(element) for element in elements]
    return [sides for sides in found if sides]


async def find_readable_selector(page: PageCommand, target: str) -> tuple[str, bool]:
    """Return the most readable selector that leads to a target's element.

    Also return whether the element is in another frame than the selected one.
    """
    element = await locate_first(page, target)
    if selector := await element.ask("makeLocator"):
        return selector, element.frame is not page.frame
    if selector is not None:
        raise ActionFailed(
            f"No selector leads to {target}: it is in a closed shadow tree",
            "Use its ref. Tests can reach it only where the page opens that tree",
        )
    raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")


async def fetch_css_property(page: PageCommand, target: str, property: str) -> str:
    """Fetch the computed value of an element's CSS property.

    Raises UsageError, with the nearest name, for an unknown one.
    """
    element, value = await ask_about(page, target, "readCssProperty", property, first=True)
    if value is None:
        near = nearest(property, await page.world.call("listCssProperties", frame=element.frame))
        raise UsageError(f'There is no CSS property "{property[:60]}"', f"Did you mean {near}?" if near else "")
    return str(value)


async def fetch_state(page: PageCommand, state_name: str, target: str, *, is_recheck: bool = False) -> bool:
    """Return whether an element has one of the states that `is` knows, such as "visible".

    A missing element is hidden; any other state of it is an error, and so is every state of a stale ref. `is_recheck`: for a repeated
    check: errors have no hints, and NoMatch is raised for a missing element.
    """
    try:
        _, states = await covers.fetch_states(page, target, with_hint=not is_recheck)
    except NoMatch:
        if state_name in ("visible", "hidden") and not is_recheck:
            return state_name == "hidden"
        raise
    if states is None:
        if target.startswith("@") and ">>" not in target:
            await page.tab.refs.resolve(target)  # raises StaleRef
        if state_name in ("visible", "hidden"):
            return state_name == "hidden"
        raise NoMatch(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    if state_name == "checked" and not states["checkable"]:
        _, box = await ask_about(page, target, "readCheckState", with_hint=not is_recheck)
        if box and box["id"]:  # the box that `check` would tick for the target
            return bool(box["state"] == "true")
        raise UsageError(
            f"{target} is nothing that can be checked", "Checkboxes, radio buttons, switches and options can"
        )
    return bool(states[state_name])


async def ask_element_or_page(page: PageCommand, function: str, target: str | None, *arguments: Any) -> Any:
    """Call an engine function on a target's first element (None: the document), and return its result.

    `function`: its name in `exported` (engine/scripts). It gets the element's node id, 0 for the document, then `arguments`.
    """
    if target is None:
        return await page.world.call(function, 0, *arguments, frame=page.frame)
    return (await ask_about(page, target, function, *arguments, first=True))[1]


async def fetch_markdown(page: PageCommand, target: str | None) -> tuple[str, int]:
    """Return an element or the page as Markdown, and the number of characters of hidden text."""
    found: dict[str, Any] = await ask_element_or_page(page, "readMarkup", target)
    if found["isLong"]:
        page.notes.append(
            f"cut: the page is long; only its first {len(found['text']):,} characters of markup were read"
        )
    add_cut_note(page, found["cut"])
    return await asyncio.to_thread(convert_markup, found["text"]), found["hidden"]


_LONG_BLANKS = re.compile(r"(?<!\s)(\s{100})\s+")
"""Matches runs of over 100 blanks. The converter's patterns, and ours, take quadratic time on a run."""

_EMPTY_HEADING = re.compile(r"<(h[1-6])>(?:\s|<a [^<>]*>\s*</a>)*</\1>")
"""Matches a heading without text, as around an icon: in Markdown it would be a line of `#` marks."""


def convert_markup(markup: str) -> str:
    """Convert simplified HTML from the engine (engine/scripts/read/markup.js) to Markdown."""
    import markdownify  # takes 60 ms, for this command only

    converter = markdownify.MarkdownConverter(heading_style="ATX", bullets="-", table_infer_header=True)
    text: str = converter.convert(_EMPTY_HEADING.sub("", _LONG_BLANKS.sub(r"\1", markup)))
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text)).strip()


async def list_forms(page: PageCommand, target: str | None) -> list[dict[str, Any]]:
    """Return the forms and fields of an element or page, by `forms` of engine/scripts/read/elements.js.

    The last entry may have fields without a form.
    """
    found: dict[str, Any] = await ask_element_or_page(page, "listForms", target)
    add_cut_note(page, found["cut"])
    forms: list[dict[str, Any]] = found["forms"]
    return forms


async def render_tree(page: PageCommand) -> str:
    """Return the accessibility tree of the page, or the selected frame, as YAML. Mask secret fields."""
    scope = ":root" if page.tab.frame else None
    tree = await snapshots.take_snapshot(page, scope, clickable=False, addresses=True)
    add_cut_note(page, tree.cut)
    return render_yaml(tree)


_REDUNDANT = re.compile(r"(?:^|-)(?:inline|block)(?:-|$)|^-webkit-(?!line-clamp|text-stroke-width)")
"""Logical properties repeat physical ones; Chromium's own ones are mostly names from before the standard."""
_ORIGINS = {"transform-origin": "transform", "perspective-origin": "perspective"}
"""Half of the element's size, and without effect if the other property is "none"."""
_SIDES = ("top", "right", "bottom", "left")
_CORNERS = ("top-left", "top-right", "bottom-right", "bottom-left")
_BORDERS = {
    f"border-{part}": tuple(f"border-{side}-{part}" for side in _SIDES) for part in ("width", "style", "color")
}
SHORTHANDS: dict[str, tuple[str, ...]] = {
    "border": tuple(name for names in _BORDERS.values() for name in names) + tuple(_BORDERS),
    **_BORDERS,
    "border-radius": tuple(f"border-{corner}-radius" for corner in _CORNERS),
    "gap": ("row-gap", "column-gap"),
    "inset": _SIDES,
    "margin": tuple(f"margin-{side}" for side in _SIDES),
    "overflow": ("overflow-x", "overflow-y"),
    "padding": tuple(f"padding-{side}" for side in _SIDES),
}
"""Shorthands, the wider ones first, and their longhands."""


def find_differing_styles(own: Mapping[str, str], plain: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (property, value) of computed styles (`own`) that differ from those of an unstyled element.

    `plain`: the computed styles of such an element. Shorthands are used where possible.
    """
    shown: dict[str, str] = {}
    covered: set[str] = set()
    for name, parts in SHORTHANDS.items():
        if own.get(name) and name not in covered:
            covered.update(parts, [name])
            shown[name] = own[name]
    for name, value in own.items():
        if (
            value
            and name not in covered
            and not _REDUNDANT.search(name)
            and own.get(_ORIGINS.get(name, "")) != "none"
        ):
            shown[name] = value
    return sorted(
        (name, value)
        for name, value in shown.items()
        if value != plain.get(name)
        and _normalise_color(name, value, own) != _normalise_color(name, plain.get(name, ""), plain)
    )


def _normalise_color(name: str, value: str, styles: Mapping[str, str]) -> str:
    """Replace the element's text color in a property's value by `currentcolor`, except in `color` itself.

    So a border or caret that only follows the text color is not reported as styled. `styles`: {property: computed value}.
    """
    color = styles.get("color", "")
    return value.replace(color, "currentcolor") if color and name != "color" else value


MOST_KINDS = 200
_plain: dict[tuple[str, ...], dict[str, str]] = {}
"""Styles of unstyled elements by kind. They are Chromium's own, the same on every empty page."""


async def list_styles(page: PageCommand, target: str) -> list[tuple[str, str]]:
    """Return (property, value) of all computed styles of a target's first element."""
    return sorted((await _computed_styles(page, target))["values"].items())


async def list_differing_styles(page: PageCommand, target: str) -> list[tuple[str, str]]:
    """Return (property, value) of a target's computed styles that differ from an unstyled element's."""
    found = await _computed_styles(page, target)
    return find_differing_styles(found["values"], await _default_styles(page, found["kind"]))


async def _computed_styles(page: PageCommand, target: str) -> Styles:
    """Return computed styles and kind of a target's first element. Raises StaleRef if it disappeared."""
    _, found = await ask_about(page, target, "readComputedStyles", first=True)
    if found is None:
        raise StaleRef(f"{target} disappeared", "Run 'snapshot -i' to see what is there")
    known: Styles = found
    return known


async def _default_styles(page: PageCommand, kind: dict[str, str]) -> dict[str, str]:
    """Return Chromium's computed styles of an unstyled element. `kind`: its namespace, tag and type."""
    key = (kind["space"], kind["tag"], kind["type"])
    if key not in _plain:
        async with page.context.tab_factory.in_temporary_tab() as tab, tab.lock:
            await page.context.prepare(tab)
            values: dict[str, str] = await tab.world.call("readDefaultStyles", kind)
        if len(_plain) >= MOST_KINDS:
            _plain.clear()
        _plain[key] = values
    return _plain[key]


LEAST_CHARACTERS = 250
"""Text outside of links below which a page has no article."""
MOST_ELEMENTS = 100_000
_IS_LOADED = "typeof globalThis.Readability === 'function'"


async def fetch_article(page: PageCommand, *, as_markdown: bool) -> str | None:
    """Return the main article of the selected frame's document as text or Markdown; None if it has none."""
    try:
        context = await page.world.frames.context_of(page.frame)
        await page_scripts.load_library(context, READABILITY, _IS_LOADED)
        found: dict[str, Any] | None = await page_scripts.call_script(
            context, "findArticle", {"minCharacters": LEAST_CHARACTERS, "maxElements": MOST_ELEMENTS}
        )
    except PageScriptError:
        return None  # the page is larger than Readability reads, or breaks it
    if found is None:
        return None
    add_cut_note(page, found["cut"])
    head = articles.ArticleHead(found["title"], found["author"], found["date"], found["site"])
    if not as_markdown:
        return articles.render_text(head, found["text"])
    return articles.render_markdown(head, await asyncio.to_thread(convert_markup, found["markup"]))


_NO_FIELDS = "(no fields to fill)"


async def render_fields(page: PageCommand, target: str | None) -> str:
    """Render the visible form fields of the frame, or of the element `target`, below a line for each form.

    Fields in frames are left out, and counted in a note. Raises NoMatch, StaleRef or UnknownRef if the target is not there.
    """
    tree = await snapshots.take_snapshot(page, target or (":root" if page.tab.frame else None), clickable=False)
    add_cut_note(page, tree.cut)
    lines = [line for line in tree.shown_scope if tree.roles[line] in FIELDS or tree.roles[line] == "button"]
    answer: Mapping[str, Any] = await page.world.call(
        "findFormsOf", [tree.nodes[line] for line in lines], frame=page.frame
    )
    printed, form_above, elsewhere = list[str](), None, 0
    for line, found in zip(lines, answer["fields"], strict=True):
        is_field = tree.roles[line] in FIELDS
        if not found:
            elsewhere += is_field
            continue
        form, type_name, key = found
        if not (is_field or type_name):
            continue  # a button that sends nothing, and takes neither a file nor a colour
        if form != form_above:
            printed.append(_render_form(answer["forms"][form], page.frame.url) if form >= 0 else "(in no form)")
            form_above = form
        printed.append(f"  {_render_field(tree, line, type_name, key)}")
    if elsewhere:
        page.notes.append(f"{elsewhere} more in frames: 'frame <selector>' goes into one")
    if target and not printed:
        await add_empty_target_note(page, target)
    return "\n".join(printed) or _NO_FIELDS


def _render_form(form: Mapping[str, Any], url: str) -> str:
    """Render a form: `form "login" post → /session`; without the URL if that is the page's own.

    `form`: name, method and action from the engine. `url`: that of the page.
    """
    name = f" {quote_text(form['id'], 60)}" if form.get("id") else ""
    action = str(form["action"])
    if action == url:
        return f"form{name} {form['method']}"
    with suppress(ValueError):  # "http://[x"
        here, there = urlsplit(url), urlsplit(action)
        if (there.scheme, there.netloc) == (here.scheme, here.netloc):
            action = there._replace(scheme="", netloc="").geturl()
    return f"form{name} {form['method']} → {action[:200]}"


def _list_selected_options(tree: Tree, line: int) -> list[str]:
    """Return a listbox's selected options as a reply shows them: one line each, quoted unless short.

    Each is cut to 60 characters. Only options that the snapshot has, so no invisible ones. `line`: the listbox's line there.
    """
    lines = range(line + 1, tree.ends[line])
    return [
        quote_unless_short(tree.names[option], 60)
        for option in lines
        if tree.roles[option] == "option" and "selected" in tree.states.get(option, "").split(", ")
    ]


def _render_field(tree: Tree, line: int, type_name: str, key: str) -> str:
    """Render a field as in a snapshot, with its `type`, and with its `name` attribute if it has no label.

    `type_name`: the type; "" if the role implies it. `key`: the `name` attribute.
    """
    role = tree.roles[line]
    text = line_text(tree, line)
    if role == "listbox" and line not in tree.values and (chosen := _list_selected_options(tree, line)):
        text += f": {', '.join(chosen)}"
    type_name = f" {type_name}" if type_name else ""
    key = f" (name={one_line(key, 60)})" if key and not tree.names[line] and line not in tree.hints else ""
    return text.replace(f"[{role}]", f"[{role}{type_name}]{key}", 1)


_PDF_PAGES = "section[id^='page=']"


async def fetch_pdf_pages(page: PageCommand, numbers: range) -> str:
    """Return the text of some pages of the PDF document in the tab. `numbers`: page numbers, from 1.

    Raises UsageError if the tab shows none, NoMatch without such pages.
    """
    page.context.pdfs.require_shown(page.tab.url, "--pages")
    count = await count_matches(page, _PDF_PAGES)
    facts = page.context.pdfs.facts_of(page.tab.url)
    total = facts.pages if facts else count
    if numbers[0] > total:
        raise NoMatch(f"There is no page {numbers[0]}: the PDF has {format_count(total, 'page')}")
    if numbers[0] > count:
        raise NoMatch(
            f"Page {numbers[0]} was not read: of {format_count(total, 'page')} only the first {count:,} were",
            f"'screenshot --page {numbers[0]}' shows it",
        )
    if min(numbers[-1], total) > count:
        page.notes.append(f"Of {format_count(total, 'page')} only the first {count:,} were read")
    texts = [
        (await fetch_text(page, f"[id='page={number}']"))[0]
        for number in range(numbers[0], min(numbers[-1], count) + 1)
    ]
    return "\n\n".join(text.strip() for text in texts)
