"""Interact: act on elements of the active tab."""

import json
from typing import Annotated, Literal

from gstack_browse.browser.actions import upload as uploading
from gstack_browse.browser.actions.input import keyboard
from gstack_browse.browser.actions.lists import choosing
from gstack_browse.browser.actions.pointer import pointer
from gstack_browse.browser.actions.text import filling
from gstack_browse.browser.command.observer import OWN_LINE_KINDS
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.commands.session import secrets
from gstack_browse.commands.session.secrets import SecretName
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry import WRITE, command
from gstack_browse.registry.arguments import (
    Choice,
    DirectionOrPixels,
    Key,
    Milliseconds,
    Modifiers,
    PagePath,
    Pixels,
    PointArgument,
    Rest,
    Scale,
    SizeArgument,
    Target,
    Times,
    Value,
)
from gstack_browse.registry.values.argument_type import AtLeastOne
from gstack_browse.text.filenames import shorten_paths
from gstack_browse.text.units import format_count


@command(
    WRITE,
    examples=["click @e3", "click 'text=Sign in' --double", "click '#map' --at 40%,25%", "click @e5 --new-tab"],
    waits=True,
)
async def click(
    page: PageCommand,
    target: Target,
    *,
    double: bool = False,
    button: Literal["left", "right", "middle"] = "left",
    modifiers: Modifiers | None = None,
    at: PointArgument | None = None,
    new_tab: bool = False,
) -> str:
    """Click an element.

    Waits until it is visible, enabled and not wholly covered, clicks, and waits for what that started: a
    navigation, a dialog, a new tab, a failed request, a file that the page asks for, a message that it shows outside of frames (role alert or status, aria-live),
    and a field that keeps the browser from sending the form are reported. An <option> of a list box is clicked like anything else, with the modifiers that add to the selection; of a closed list it is selected.

    double: click twice
    button: which mouse button
    modifiers: keys held down meanwhile: Shift, Control, Alt, Meta
    at: a point of the element instead of its middle
    new_tab: open a link in a new tab, as Control+click does; the active tab stays active, and a file is downloaded
    """
    if new_tab and (double or button != "left"):
        raise UsageError("--new-tab is a click of its own", "Leave out --double and --button")
    before = set(page.context.tabs.numbers()) if new_tab else set()
    async with page.action(tells_messages=True) as after:
        remark = await pointer.click(
            page, target, button=button, double=double, modifiers=modifiers or (), at=at, in_new_tab=new_tab
        )
        if remark:
            after.remark(remark)
    is_opened = after.has_downloaded or not set(page.context.tabs.numbers()) <= before
    if new_tab and not is_opened:
        raise ActionFailed(
            f"{target} was clicked and opened no tab: the page may handle the click",
            "Run 'url' to see what followed; 'newtab <url>' opens an address",
        )
    return after.report(f"Clicked {target}")


@command(
    WRITE,
    examples=["fill @e2 me@example.com", "fill '#name' ''", "fill label=Search shoes --submit"],
    secret=["value"],
    waits=True,
    forms="<target> (<value…> | --secret <name>) [--submit]",
)
async def fill(
    page: PageCommand,
    target: Target,
    value: Value | None = None,
    *,
    secret: SecretName | None = None,
    submit: bool = False,
) -> str:
    """Replace the content of a field, and check that it took it.

    Works on inputs of every kind that holds text, a date, a time, a color or a number, on textareas and on
    contenteditable elements. Where the page listens for keys, the last character is pressed as one; in a combobox
    every character of a short text is. An empty value clears the field. A read-only or disabled field is an error,
    and one that a modal dialog blocks; what only lies over the field is not. What the page makes of the value as the field
    is left, the reply of the action that leaves it tells: '@e3 is "99" now'. A slider is moved by a key and hears no press:
    a page that waits for the release of the pointer needs 'drag'.

    secret: fill in what secret-set keeps under that name, or the one-time code made of it; refused on other origins than its own
    submit: press Enter in the field afterwards
    """
    if (value is None) is (secret is None):
        raise UsageError(
            "fill takes a value, or --secret" if secret else "fill needs a value, or --secret <name>"
        )
    async with page.action(tells_messages=submit) as after:
        if secret:
            field, became = await secrets.fill(page, target, secret)
        else:
            field, became = await filling.fill(page, target, value or "")
        if became:
            after.remark("the page changed it" if secret else became.remark)
        if submit and (remark := await keyboard.submit(page, field)):
            after.remark(remark)
    what = f" with secret {secret}" if secret else ""
    return after.report(f"Filled {target}{what}{' and pressed Enter' if submit else ''}")


@command(WRITE, examples=["select @e5 Germany", "select '#colors' red blue"], waits=True)
async def select(page: PageCommand, target: Target, *values: Annotated[Choice, AtLeastOne]) -> str:
    """Select options of a list: by label, else by value, else by a part of one label.

    Also of a list that the page has built itself: it is opened, searched or scrolled for the whole label, pressed,
    and must show the choice then. What was chosen before stays where such a list takes several. A <select> that is hidden behind
    a widget is chosen from through that.
    """
    async with page.action() as after:
        labels = await choosing.select(page, target, values)
    return after.report(
        f"Selected {', '.join(json.dumps(label, ensure_ascii=False) for label in labels)} in {target}"
    )


@command(WRITE, examples=["hover @e4", "hover canvas --at 120,40"], waits=True)
async def hover(page: PageCommand, target: Target, *, at: PointArgument | None = None) -> str:
    """Move the pointer over an element. With a button down ('mouse down') this drags.

    at: a point of the element instead of its middle
    """
    async with page.action() as after:
        if remark := await pointer.hover(page, target, at):
            after.remark(remark)
    return after.report(f"Hovered {target}")


@command(
    WRITE,
    name="type",
    examples=["type 'hello world'", "type --into @e5 --clear 'hello world'"],
    secret=["text"],
    waits=True,
    timeout=60,
    forms="(<text…> | --secret <name>) [--into <target> [--clear]] [--delay <ms>]",
)
async def type_(
    page: PageCommand,
    text: Rest | None = None,
    *,
    into: Target | None = None,
    clear: bool = False,
    delay: Milliseconds = 0,
    secret: SecretName | None = None,
) -> str:
    """Type text into what has the focus, or into a field, as real key events. The text is never echoed.

    The reply says when nothing has the focus, the value of the field that has it did not change, or what that holds if
    it did not take all. A ref in front
    of the text, a word of its own, is the field; in one word with the text it is refused. Text that has one of these options in it goes after '--'.

    into: give this field the focus first; the text goes to the end of what it holds
    clear: empty that field first
    delay: milliseconds between two keys, for pages that cannot keep up
    secret: with --into: type what secret-set keeps under that name, or the one-time code made of it; refused on other origins than its own
    """
    if clear and into is None:
        raise UsageError("--clear goes with --into <target>")
    if secret:
        return await _type_secret(page, text, into, secret, clear=clear, pause=delay / 1000)
    if text is None:
        raise UsageError("type needs a text, or --into <target> --secret <name>")
    first = text.partition(" ")[0]
    if into is None and first != text and page.tab.refs.is_printed_ref(first):
        raise UsageError(f"{first} would be typed as text", f"Run 'type --into {first} <text>'")
    async with page.action() as after:
        pause = delay / 1000
        if into is None:
            remark = await keyboard.type_text(page, text, pause=pause)
        else:
            remark = await keyboard.type_into(page, into, text, clear=clear, pause=pause)
        if remark:
            after.remark(remark)
    return after.report(
        f"Typed {format_count(len(text), 'character')}" + (f" into {into}" if into is not None else "")
    )


async def _type_secret(
    page: PageCommand, text: str | None, into: str | None, name: str, *, clear: bool, pause: float
) -> str:
    """Type the stored secret `name` into the field `into`. Return the command's reply.

    Raises UsageError if `text` was given, too, or no field. `clear`: empty the field first. `pause`: seconds between keys.
    """
    if text is not None:
        raise UsageError("type takes a text, or --secret")
    if into is None:
        raise UsageError("--secret goes with --into <target>: a secret is for a field of its own site")
    async with page.action() as after:
        if remark := await secrets.type_into(page, into, name, clear=clear, pause=pause):
            after.remark(remark)
    return after.report(f"Typed secret {name} into {into}")


@command(WRITE, examples=["press Enter", "press Control+A"], aliases=["key"])
async def press(page: PageCommand, key: Key) -> str:
    """Press a key or a chord in what has the focus.

    Escape leaves a full screen and cancels a drag. The browser's other keys of its own do nothing: F5 is 'reload', Alt+ArrowLeft 'back', Control+t 'newtab'.
    """
    async with page.action(tells_messages=True) as after:
        if remark := await keyboard.press_key(page, key):
            after.remark(remark)
    return after.report(f"Pressed {key}")


@command(
    WRITE,
    examples=[
        "scroll bottom",
        "scroll @e40",
        "scroll down 600",
        "scroll @e5 down 600",
        "scroll @e5 bottom",
        "scroll bottom --times 5 --wait 300",
    ],
    waits=True,
    timeout=60,
    forms="([up|down [<pixels>] | top | bottom] [--times <n>] [--wait <ms>] | left|right [<pixels>] | <target> [up|down|left|right [<pixels>] | top | bottom])",
    aliases=["scrollintoview", "scrollinto"],
)
async def scroll(
    page: PageCommand,
    target: Target = "down",
    how: DirectionOrPixels | None = None,
    pixels: Pixels | None = None,
    *,
    times: Times = 1,
    wait: Milliseconds = 0,
) -> str:
    """Scroll an element into view, or the page or a named pane up, down, to its top or to its bottom.

    Without an argument it scrolls down by most of a screen. Where the page itself cannot scroll, its largest
    scrolling pane does; to the left and right the page alone. A target with a direction is the pane to scroll, or what is in
    one; the reply says which rows it shows then, where the page numbers them.

    times: repeat so often, for pages that load more at the end
    wait: milliseconds between repetitions
    """
    if target in ("left", "right"):
        if isinstance(how, str) or pixels is not None or times != 1 or wait:
            raise UsageError(f"No more than a number of pixels goes with '{target}'")
        return await _scroll_pane(page, "html", "left" if target == "left" else "right", how or 0)
    if target not in ("up", "down", "top", "bottom"):
        if times != 1 or wait:
            raise UsageError("An element is scrolled once: --times and --wait do not go with it")
        return await _scroll_to_element(page, target, how, pixels)
    if isinstance(how, str) or (how is not None and target in ("top", "bottom")) or pixels is not None:
        raise UsageError("A number of pixels goes with 'up' or 'down', a direction with a target")
    async with page.action() as after:
        place = await pointer.scroll_page(page, target, how or 0, times=times, pause=wait / 1000)
        after.remark(place)
    return after.report(f"Scrolled to {target}" if target in ("top", "bottom") else f"Scrolled {target}")


async def _scroll_pane(
    page: PageCommand, target: str, direction: pointer.Direction, pixels: int, named: str = ""
) -> str:
    """Scroll the pane (scrolling part of the page) at or around a target. Return the command's reply.

    `pixels`: how far; 0 for most of the pane. `named`: the pane's name in the reply; "" for the page.
    """
    async with page.action() as after:
        shown, remarks = await pointer.scroll(page, target, direction, pixels)
        for remark in remarks:
            after.remark(remark)
    return after.report(" ".join(filter(None, ("Scrolled", named, shown))))


async def _scroll_to_element(
    page: PageCommand, target: str, direction: pointer.Direction | int | None, pixels: int | None
) -> str:
    """Scroll an element into view; with a direction, scroll the pane at or around it. Return the reply.

    `pixels`: how far; None for most of the pane. Raises UsageError for a number in the place of the direction, and for `pixels`
    with "top" or "bottom".
    """
    if isinstance(direction, int):
        raise UsageError("A number of pixels goes with 'up', 'down', 'left' or 'right'")
    if direction in ("top", "bottom") and pixels is not None:
        raise UsageError(f"'{direction}' is an end: no number of pixels goes with it")
    if direction is not None:
        return await _scroll_pane(page, target, direction, pixels or 0, named=target)
    async with page.action() as after:
        await pointer.scroll_into_view(page, target)
    return after.report(f"Scrolled {target} into view")


@command(WRITE, examples=["viewport 375x812", "viewport 1280x720 --scale 2"])
async def viewport(page: PageCommand, size: SizeArgument, *, scale: Scale | None = None) -> str:
    """Resize the page's viewport, for this tab and for tabs opened later.

    scale: device scale factor, for sharp pictures; stays until it is changed
    """
    await page.context.resize(page.tab, size, scale)
    kept = page.context.appearance.screen.scale
    return f"Viewport set to {size}" + (f" at scale {kept:g}" if scale or kept != 1 else "")


@command(
    WRITE, examples=["upload '#avatar' me.png", "upload @e9 a.pdf b.pdf", "upload '#folder' photos"], waits=True
)
async def upload(
    page: PageCommand, target: Target, *files: Annotated[PagePath, AtLeastOne], any_file: bool = False
) -> str:
    """Give files to a file field, even a hidden one, or to a button that opens a file chooser.

    The reply names what was chosen, and the requests by which the page has sent something since (POST, PUT, PATCH).
    A field for a folder (webkitdirectory) takes one folder, with all files in it and below, hidden ones too; links in it are left out.
    Where another action opens a file chooser, no window appears: the page hears that nothing was chosen, and the reply says what to type
    (→ asks for a file: upload @e7 <file>). In a window that a person has, and in a person's own browser, the chooser is theirs.
    A picker of the File System Access API gets the files too, or a folder (showOpenFilePicker, showDirectoryPicker). The page may read
    them, and is refused to write into them. Where to save (showSaveFilePicker) no command can say.

    any_file: also a file outside of the workspace and the temporary directory
    """
    async with page.action() as after:
        folder = await uploading.upload(page, target, files)
    if folder:
        left_out = f", without {format_count(folder.links, 'link')}" if folder.links else ""
        whole = f"{format_count(folder.files, 'file')}, {folder.size}B{left_out}"
        return after.report(f"Chose {files[0].name}/ ({whole})", tells_sent=OWN_LINE_KINDS)
    named = zip(shorten_paths(files), files, strict=True)
    chosen = ", ".join(f"{name} ({file.stat().st_size}B)" for name, file in named)
    return after.report(f"Chose {chosen}", tells_sent=OWN_LINE_KINDS)
